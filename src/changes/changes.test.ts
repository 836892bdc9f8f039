/** The files of sessions, in real repositories. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { lookAtGit } from "../wall/git-facts.js";
import { emptyFileIn } from "../wall/prepare-wall.js";
import { findBackend } from "../wall/probe.js";
import { Changes } from "./changes.js";
import type { Place } from "./store.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-changes-")));
  folders.push(folder);
  return folder;
}

function sh(cwd: string, ...args: readonly string[]): string {
  const identity = [
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b",
    "-c",
    "gc.auto=0",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "protocol.file.allow=always",
  ];
  return execFileSync("git", [...identity, ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function placeOf(cwd: string): Promise<Place | null> {
  const facts = await lookAtGit(cwd, "/nobody");
  return facts && { workTree: cwd, gitDir: facts.gitDir, commonDir: facts.commonDir };
}

function open(dataDir = scratch()): Changes {
  return new Changes({ dataDir, findPlace: placeOf, wall: () => Promise.resolve(null) });
}

/** A repository with one commit. */
function repository(): string {
  const folder = scratch();
  sh(folder, "init", "-q");
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
  writeFileSync(join(folder, ".gitignore"), "ignored\n");
  sh(folder, "add", "-A");
  sh(folder, "commit", "-qm", "first");
  return folder;
}

/** Inside a wall, where one can be built. */
async function openInside(): Promise<Changes | null> {
  const found = await findBackend(process.env);
  if (!found.ok) return null;
  const dataDir = scratch();
  const parts = { backend: found.backend, emptyFile: await emptyFileIn(dataDir), hidden: [dataDir] };
  return new Changes({ dataDir, findPlace: placeOf, wall: () => Promise.resolve(parts) });
}

const BASE_TO_NOW = { from: { type: "base" }, to: { type: "now" } } as const;

async function told(changes: Changes, cwd: string, span: Parameters<Changes["changes"]>[2] = BASE_TO_NOW) {
  const { files } = await changes.changes("s1", cwd, span);
  return files.map(({ path, status, added, removed }) => [path, status, added, removed]);
}

test("what a turn changed is told, and nothing of the person's is touched", async () => {
  const cwd = repository();
  writeFileSync(join(cwd, "staged.txt"), "mine\n");
  sh(cwd, "add", "staged.txt");
  writeFileSync(join(cwd, "a.txt"), "one\ntwo, by the person\n");
  const status = sh(cwd, "status", "--porcelain");
  const before = [readFileSync(join(cwd, ".git", "index"), "latin1"), sh(cwd, "rev-parse", "HEAD")];
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  writeFileSync(join(cwd, "a.txt"), "one\ntwo, by the person\nthree\n");
  writeFileSync(join(cwd, "new file.txt"), "new\n");
  writeFileSync(join(cwd, "ignored"), "no\n");
  rmSync(join(cwd, "staged.txt"));
  await changes.keepTurn("s1", cwd, 1);
  const expected = [
    ["a.txt", "modified", 1, 0],
    ["new file.txt", "added", 1, 0],
    ["staged.txt", "deleted", 0, 1],
  ];
  expect(await told(changes, cwd)).toEqual(expected);
  expect(await told(changes, cwd, { from: { type: "base" }, to: { type: "turn", turn: 1 } })).toEqual(
    expected,
  );
  const patch = (await changes.patch("s1", cwd, BASE_TO_NOW, ["a.txt"])).toString("utf8");
  expect(patch).toContain("@@ -1,2 +1,3 @@\n one\n two, by the person\n+three\n");
  writeFileSync(join(cwd, "a.txt"), "one\ntwo, by the person\n");
  rmSync(join(cwd, "new file.txt"));
  writeFileSync(join(cwd, "staged.txt"), "mine\n");
  expect([readFileSync(join(cwd, ".git", "index"), "latin1"), sh(cwd, "rev-parse", "HEAD")]).toEqual(before);
  expect(sh(cwd, "status", "--porcelain")).toBe(status);
  expect(sh(cwd, "for-each-ref", "--format=%(refname)").split("\n").filter(Boolean)).toEqual([
    "refs/heads/main",
    "refs/signalbox/s1/0",
    "refs/signalbox/s1/1",
    "refs/signalbox/s1/last",
  ]);
  await changes.remove("s1");
  expect(sh(cwd, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main\n");
});

test("done twice it acts once, and another daemon goes on", async () => {
  const cwd = repository();
  const dataDir = scratch();
  const changes = open(dataDir);
  await changes.keepStart("s1", cwd, 1);
  await changes.keepTurn("s1", cwd, 1);
  const kept = sh(cwd, "rev-parse", "refs/signalbox/s1/1");
  writeFileSync(join(cwd, "a.txt"), "later\n");
  // As a daemon leaves it that is killed while git writes.
  writeFileSync(join(dataDir, "checkpoints", "s1", "index.lock"), "");
  const again = open(dataDir);
  await again.keepTurn("s1", cwd, 1);
  expect(sh(cwd, "rev-parse", "refs/signalbox/s1/1")).toBe(kept);
  expect(await told(again, cwd)).toEqual([["a.txt", "modified", 1, 2]]);
});

test("names and contents that are no text", async () => {
  const cwd = repository();
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  const odd = Buffer.concat([Buffer.from(`${cwd}/na`), Buffer.from([0xff, 0xfe]), Buffer.from("me")]);
  writeFileSync(odd, "x\n");
  writeFileSync(join(cwd, "grüße 你好.txt"), "x\n");
  writeFileSync(join(cwd, 'quo"te\nline\t.txt'), "x\n");
  writeFileSync(join(cwd, "binary"), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(cwd, "latin1.txt"), Buffer.from([0xe4, 0x0a]));
  await changes.keepTurn("s1", cwd, 1);
  expect(await told(changes, cwd)).toEqual([
    ["binary", "added", null, null],
    ["grüße 你好.txt", "added", 1, 0],
    ["latin1.txt", "added", 1, 0],
    ["na\\xff\\xfeme", "added", 1, 0],
    ['quo"te\nline\t.txt', "added", 1, 0],
  ]);
  const patch = await changes.patch("s1", cwd, BASE_TO_NOW, ["na\\xff\\xfeme"]);
  expect(patch.toString("latin1").match(/^diff --git/gm)).toHaveLength(1);
  const rewound = await changes.rewind("s1", cwd, 0, false);
  expect([rewound.removed.length, rewound.left, existsSync(odd)]).toEqual([5, [], false]);
});

test("a file where a folder was, a folder where a file was, and a link where a file was", async () => {
  const cwd = repository();
  mkdirSync(join(cwd, "folder"));
  writeFileSync(join(cwd, "folder", "in.txt"), "in\n");
  writeFileSync(join(cwd, "plain.txt"), "plain\n");
  sh(cwd, "add", "-A");
  sh(cwd, "commit", "-qm", "second");
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  rmSync(join(cwd, "folder"), { recursive: true });
  writeFileSync(join(cwd, "folder"), "a file by now\n");
  rmSync(join(cwd, "plain.txt"));
  mkdirSync(join(cwd, "plain.txt"));
  writeFileSync(join(cwd, "plain.txt", "below"), "below\n");
  rmSync(join(cwd, "a.txt"));
  symlinkSync("folder", join(cwd, "a.txt"));
  await changes.keepTurn("s1", cwd, 1);
  const expected = [
    ["a.txt", "type_changed", 1, 2],
    ["folder", "added", 1, 0],
    ["folder/in.txt", "deleted", 0, 1],
    ["plain.txt", "deleted", 0, 1],
    ["plain.txt/below", "added", 1, 0],
  ];
  expect(await told(changes, cwd)).toEqual(expected);
  // What was looked at is remembered, and what has changed since is seen.
  writeFileSync(join(cwd, "folder"), "a file by now\nwith more\n");
  expect((await told(changes, cwd)).find(([path]) => path === "folder")).toEqual(["folder", "added", 2, 0]);
  expect(await told(changes, cwd, { from: { type: "base" }, to: { type: "turn", turn: 1 } })).toEqual(
    expected,
  );
});

test("what is too large is named, however much that is", async () => {
  const cwd = repository();
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  const long = "x".repeat(200);
  const folder = join(cwd, ...Array.from({ length: 8 }, () => long));
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < 120; at += 1) {
    writeFileSync(join(folder, `large${at}.bin`), "");
    truncateSync(join(folder, `large${at}.bin`), 11 * 1024 * 1024);
  }
  await changes.keepTurn("s1", cwd, 1);
  const { files, skipped } = await changes.changes("s1", cwd, BASE_TO_NOW);
  expect(files).toEqual([]);
  expect(skipped.length).toBe(100);
  // Also by a daemon that reads it from the commit.
  const again = await open().changes("s1", cwd, { from: { type: "base" }, to: { type: "turn", turn: 1 } });
  expect(again.skipped.length).toBe(100);
});

test("a file that is too large is named, not kept, and never taken away", async () => {
  const cwd = repository();
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  writeFileSync(join(cwd, "huge"), "");
  truncateSync(join(cwd, "huge"), 11 * 1024 * 1024);
  writeFileSync(join(cwd, "a.txt"), "");
  truncateSync(join(cwd, "a.txt"), 11 * 1024 * 1024);
  await changes.keepTurn("s1", cwd, 1);
  const { skipped } = await changes.changes("s1", cwd, BASE_TO_NOW);
  expect(skipped.map(({ path, why }) => [path, why])).toEqual([
    ["a.txt", "large"],
    ["huge", "large"],
  ]);
  const rewound = await changes.rewind("s1", cwd, 0, true);
  expect(rewound.left).toEqual([{ path: "a.txt", because: "not_kept" }]);
  expect(readFileSync(join(cwd, "a.txt")).length).toBe(11 * 1024 * 1024);
  expect(existsSync(join(cwd, "huge"))).toBe(true);
});

test("rewind puts back what turns changed, and lists what a person changed since", async () => {
  const cwd = repository();
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  writeFileSync(join(cwd, "one.txt"), "1\n");
  await changes.keepTurn("s1", cwd, 1);
  writeFileSync(join(cwd, "between.txt"), "a person's\n");
  await changes.keepStart("s1", cwd, 2);
  writeFileSync(join(cwd, "one.txt"), "2\n");
  writeFileSync(join(cwd, "a.txt"), "2\n");
  mkdirSync(join(cwd, "deep", "er"), { recursive: true });
  writeFileSync(join(cwd, "deep", "er", "two.txt"), "2\n");
  symlinkSync("a.txt", join(cwd, "link"));
  writeFileSync(join(cwd, "run.sh"), "#!/bin/sh\n");
  chmodSync(join(cwd, "run.sh"), 0o755);
  await changes.keepTurn("s1", cwd, 2);
  expect(
    await told(changes, cwd, { from: { type: "start", turn: 2 }, to: { type: "turn", turn: 2 } }),
  ).toEqual([
    ["a.txt", "modified", 1, 2],
    ["deep/er/two.txt", "added", 1, 0],
    ["link", "added", 1, 0],
    ["one.txt", "modified", 1, 1],
    ["run.sh", "added", 1, 0],
  ]);
  writeFileSync(join(cwd, "one.txt"), "a person's again\n");
  const rewound = await changes.rewind("s1", cwd, 1, false);
  expect(rewound).toEqual({
    turn: 1,
    restored: ["a.txt"],
    removed: ["deep/er/two.txt", "link", "run.sh"],
    left: [{ path: "one.txt", because: "changed_since" }],
    keptAs: "rewind-1",
  });
  expect(readFileSync(join(cwd, "one.txt"), "utf8")).toBe("a person's again\n");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\ntwo\n");
  expect([existsSync(join(cwd, "deep")), existsSync(join(cwd, "between.txt"))]).toEqual([false, true]);
  expect((await changes.rewind("s1", cwd, 1, false)).left).toEqual(rewound.left);
  // With a confirmation, and held by what was kept before.
  await changes.rewind("s1", cwd, 1, true);
  expect(readFileSync(join(cwd, "one.txt"), "utf8")).toBe("1\n");
  expect(sh(cwd, "show", "refs/signalbox/s1/rewind-3:one.txt")).toBe("a person's again\n");
  // And forth again.
  const forth = await changes.rewind("s1", cwd, 2, false);
  expect([forth.restored, forth.left]).toEqual([
    ["a.txt", "deep/er/two.txt", "link", "one.txt", "run.sh"],
    [],
  ]);
  expect(await told(changes, cwd, { from: { type: "turn", turn: 2 }, to: { type: "now" } })).toEqual([]);
});

test("what somebody changed between turns, and a turn after them, needs a confirmation", async () => {
  const cwd = repository();
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  writeFileSync(join(cwd, "a.txt"), "turn 1\n");
  await changes.keepTurn("s1", cwd, 1);
  writeFileSync(join(cwd, "a.txt"), "turn 1\na person's\n");
  await changes.keepStart("s1", cwd, 2);
  writeFileSync(join(cwd, "a.txt"), "turn 1\na person's\nturn 2\n");
  await changes.keepTurn("s1", cwd, 2);
  const { left, restored } = await changes.rewind("s1", cwd, 1, false);
  expect([left, restored]).toEqual([[{ path: "a.txt", because: "changed_between" }], []]);
});

test("no commit yet, a detached head, a locked index, a linked worktree", async () => {
  const empty = scratch();
  sh(empty, "init", "-q");
  const changes = open();
  await changes.keepStart("s1", empty, 1);
  writeFileSync(join(empty, "a"), "a\n");
  await changes.keepTurn("s1", empty, 1);
  expect(await told(changes, empty)).toEqual([["a", "added", 1, 0]]);
  expect(await told(changes, empty, { from: { type: "head" }, to: { type: "now" } })).toEqual([
    ["a", "added", 1, 0],
  ]);

  const detached = repository();
  sh(detached, "checkout", "-q", "--detach");
  writeFileSync(join(detached, ".git", "index.lock"), "");
  const other = open();
  await other.keepStart("s1", detached, 1);
  writeFileSync(join(detached, "a.txt"), "a\n");
  await other.keepTurn("s1", detached, 1);
  expect((await other.changes("s1", detached, BASE_TO_NOW)).branch).toBeNull();
  expect(await told(other, detached)).toEqual([["a.txt", "modified", 1, 2]]);
  expect(existsSync(join(detached, ".git", "index.lock"))).toBe(true);

  const main = repository();
  const linked = join(scratch(), "linked");
  sh(main, "worktree", "add", "-q", "-b", "side", linked);
  const third = open();
  await third.keepStart("s1", linked, 1);
  writeFileSync(join(linked, "a.txt"), "a\n");
  expect((await third.changes("s1", linked, BASE_TO_NOW)).branch).toBe("side");
  expect(await told(third, linked)).toEqual([["a.txt", "modified", 1, 2]]);
});

test("a submodule, and a repository inside that is none", async () => {
  const inner = repository();
  const cwd = repository();
  sh(cwd, "submodule", "add", "-q", inner, "sub");
  sh(cwd, "commit", "-qm", "sub");
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  writeFileSync(join(cwd, "sub", "a.txt"), "changed\n");
  sh(join(cwd, "sub"), "commit", "-qam", "in the submodule");
  const nested = join(cwd, "nested");
  mkdirSync(nested);
  sh(nested, "init", "-q");
  writeFileSync(join(nested, "n"), "n\n");
  sh(nested, "add", "-A");
  sh(nested, "commit", "-qm", "n");
  await changes.keepTurn("s1", cwd, 1);
  const { files, skipped } = await changes.changes("s1", cwd, BASE_TO_NOW);
  expect(files.map(({ path, isSubmodule }) => [path, isSubmodule])).toEqual([["sub", true]]);
  expect(skipped).toEqual([{ path: "nested", why: "repository" }]);
  const { left } = await changes.rewind("s1", cwd, 0, true);
  expect(left).toEqual([{ path: "sub", because: "not_kept" }]);
});

test("ten thousand files", { timeout: 120_000 }, async () => {
  const cwd = scratch();
  sh(cwd, "init", "-q");
  for (let folder = 0; folder < 100; folder += 1) {
    mkdirSync(join(cwd, `f${folder}`));
    for (let file = 0; file < 100; file += 1)
      writeFileSync(join(cwd, `f${folder}`, `${file}.txt`), `${folder} ${file}\n`);
  }
  sh(cwd, "add", "-A");
  sh(cwd, "commit", "-qm", "many");
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  for (let file = 0; file < 100; file += 1) writeFileSync(join(cwd, "f7", `${file}.txt`), "changed\n");
  await changes.keepTurn("s1", cwd, 1);
  expect(await told(changes, cwd)).toHaveLength(100);
});

test("a folder in no repository, and a turn that was not kept", async () => {
  const changes = open();
  await expect(changes.changes("s1", scratch(), BASE_TO_NOW)).rejects.toMatchObject({ code: "no_changes" });
  const cwd = repository();
  await changes.keepStart("s2", cwd, 1);
  const span = { from: { type: "base" }, to: { type: "turn", turn: 7 } } as const;
  await expect(changes.changes("s2", cwd, span)).rejects.toMatchObject({
    code: "no_turn",
    message: "The files of turn 7 were not kept; 0 is.",
  });
});

test("inside a wall, and nothing of what an agent has configured is run", async (context) => {
  const changes = await openInside();
  if (!changes) return context.skip("no wall can be built here");
  const original = repository();
  const cwd = join(scratch(), "shared");
  sh(original, "clone", "-q", "--shared", original, cwd);
  await changes.keepStart("s1", cwd, 1);
  const proof = join(scratch(), "proof");
  const run = `sh -c 'touch ${proof}; cat'`;
  for (const [name, value] of [
    ["filter.x.clean", run],
    ["filter.x.smudge", run],
    ["diff.x.textconv", run],
    ["core.fsmonitor", run],
  ] as const)
    sh(cwd, "config", name, value);
  writeFileSync(join(cwd, ".gitattributes"), "* filter=x diff=x\n");
  writeFileSync(join(cwd, "a.txt"), "changed\n");
  await changes.keepTurn("s1", cwd, 1);
  expect(await told(changes, cwd)).toEqual([
    [".gitattributes", "added", 1, 0],
    ["a.txt", "modified", 1, 2],
  ]);
  expect((await changes.patch("s1", cwd, BASE_TO_NOW, null)).toString("utf8")).toContain("+changed\n");
  const { restored, removed } = await changes.rewind("s1", cwd, 0, false);
  expect([restored, removed]).toEqual([["a.txt"], [".gitattributes"]]);
  expect(existsSync(proof)).toBe(false);
});

test("a repository that is gone is told, and nothing is changed", async () => {
  const cwd = repository();
  const changes = open();
  await changes.keepStart("s1", cwd, 1);
  rmSync(join(cwd, ".git", "objects"), { recursive: true });
  writeFileSync(join(cwd, "a.txt"), "changed\n");
  await expect(changes.keepTurn("s1", cwd, 1)).rejects.toThrow();
  await expect(changes.rewind("s1", cwd, 0, true)).rejects.toThrow();
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("changed\n");
});

test("what is told again of a few files is what is told of all", async () => {
  const cwd = repository();
  const dataDir = scratch();
  const write = (name: string, text: string): number => {
    writeFileSync(join(cwd, name), text);
    return text.length;
  };
  for (const name of ["b.txt", "c.txt", "it's; $(here).txt"]) write(name, "one\n");
  const changes = open(dataDir);
  await changes.keepStart("s1", cwd, 1);
  const span = { from: { type: "base" }, to: { type: "now" } } as const;
  const steps: readonly (() => unknown)[] = [
    () => write("b.txt", "two\n") + write("it's; $(here).txt", "two\n"),
    () => undefined,
    () => write("it's; $(here).txt", "two\nthree\n"),
    () => write("b.txt", "one\n") + write("a.txt", "new\n"),
    () => sh(cwd, "mv", "-f", "a.txt", "d.txt"),
    () => write("c.txt", "one\ntwo\n"),
    () => rmSync(join(cwd, "d.txt")),
  ];
  const counts: number[] = [];
  for (const step of steps) {
    step();
    const told = await changes.changes("s1", cwd, span);
    // Another daemon has told nothing yet.
    expect(told).toEqual(await open(dataDir).changes("s1", cwd, span));
    counts.push(told.files.length);
  }
  expect(counts).toEqual([2, 2, 2, 2, 3, 4, 3]);
});

test("a directory that has taken another's place is seen as it is", async () => {
  const cwd = repository();
  const changes = (await openInside()) ?? open();
  await changes.keepStart("s1", cwd, 1);
  renameSync(cwd, `${cwd}-before`);
  folders.push(`${cwd}-before`);
  cpSync(`${cwd}-before`, cwd, { recursive: true });
  writeFileSync(join(cwd, "a.txt"), "another\n");
  const span = { from: { type: "base" }, to: { type: "now" } } as const;
  expect((await changes.changes("s1", cwd, span)).files).toMatchObject([{ path: "a.txt" }]);
});

test("checkpoints of a shared clone appear in its original, where they end with the session", async () => {
  const original = repository();
  const cwd = join(scratch(), "clone");
  sh(original, "clone", "-q", "--shared", original, cwd);
  const found = await findBackend(process.env);
  const dataDir = scratch();
  const parts = found.ok
    ? { backend: found.backend, emptyFile: await emptyFileIn(dataDir), hidden: [dataDir] }
    : null;
  const problems: string[] = [];
  const changes = new Changes({
    dataDir,
    findPlace: placeOf,
    wall: () => Promise.resolve(parts),
    originOf: () => ({
      commonDir: join(original, ".git"),
      base: sh(original, "rev-parse", "HEAD").trim(),
    }),
    onProblem: (what, error) => problems.push(`${what}: ${String(error)}`),
  });
  const refs = (): string =>
    sh(original, "for-each-ref", "--format=%(refname:lstrip=3) %(tree)", "refs/signalbox");
  await changes.keepStart("s1", cwd, 1);
  for (const turn of [1, 2, 3]) {
    writeFileSync(join(cwd, `${turn}.txt`), `turn ${turn}\n`);
    await changes.keepTurn("s1", cwd, turn);
  }
  const names = ["0", "1", "2", "3"];
  const wanted = names.map((name) => `${name} ${sh(cwd, "rev-parse", `refs/signalbox/s1/${name}^{tree}`)}`);
  await expect.poll(refs, { timeout: 20_000 }).toBe(wanted.join(""));
  // Whole, also without what they were made of.
  rmSync(cwd, { recursive: true });
  expect(sh(original, "show", "refs/signalbox/s1/3:3.txt")).toBe("turn 3\n");
  expect(sh(original, "fsck", "--full", "--strict")).toBe("");
  await changes.remove("s1").catch((error: unknown) => error);
  expect([refs(), problems]).toEqual(["", []]);
});
