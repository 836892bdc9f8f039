/** The files of sessions: a real daemon, a real agent that edits, real git; killed between a checkpoint and the hand-over. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SignalboxError } from "../../src/client/index.js";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

let folder: string;
let cwd: string;
const daemons: TestDaemon[] = [];

/** For each prompt: notes it, adds a line to a file, and ends its turn when it may. */
const AGENT = `#!/bin/sh
n=1
turn=$(cat "$REPORT" 2>/dev/null | wc -l)
echo '{"n":1,"type":"ready","sessionId":"agent"}'
while IFS= read -r line; do
  printf '%s\\n' "$line" >> "$REPORT"
  turn=$((turn + 1))
  n=$((n + 1)); echo "{\\"n\\":$n,\\"type\\":\\"request\\"}"
  echo "turn $turn" >> work.txt
  while [ ! -e "$GO" ]; do sleep 0.05; done
  n=$((n + 1)); echo "{\\"n\\":$n,\\"type\\":\\"done\\"}"
done
`;

function git(...args: readonly string[]): string {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-changes-"));
  cwd = join(folder, "repository");
  await mkdir(cwd);
  git("init", "-q");
  writeFileSync(join(cwd, "a.txt"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  writeFileSync(join(cwd, "a.txt"), "one\nthe person's own\n");
  writeFileSync(join(folder, "agent.sh"), AGENT);
  chmodSync(join(folder, "agent.sh"), 0o755);
});

afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<TestDaemon> {
  const daemon = await TestDaemon.start({
    dataDir: join(folder, "data"),
    env: { SIGNALBOX_CHECKPOINTS: "", ...env },
  });
  daemons.splice(0, daemons.length, daemon);
  return daemon;
}

/** What the built program prints. */
async function signalbox(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runSignalbox(args, "", { SIGNALBOX_DATA_DIR: join(folder, "data") });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

const report = (): string => join(folder, "report");
const go = (): string => join(folder, "go");

async function open({ client }: TestDaemon, workspace?: "new"): Promise<string> {
  const args = ["--program", join(folder, "agent.sh")];
  const env = { REPORT: report(), GO: go() };
  const { id } = await client.createSession({
    ...{ harness: "script", cwd, prompt: "first", args, env },
    ...(workspace === undefined ? {} : { workspace }),
  });
  return id;
}

function heard(): readonly string[] {
  const lines = existsSync(report()) ? readFileSync(report(), "utf8").trimEnd().split("\n") : [];
  return lines.map((line) => (JSON.parse(line) as { readonly text?: string }).text ?? line);
}

async function turnKept({ client }: TestDaemon, id: string, turn: number): Promise<void> {
  await expect
    .poll(async () => {
      const { state } = await client.getSession(id);
      return [state.status, state.turn, state.checkpoint, state.unsaved];
    })
    .toEqual(["completed", turn, null, null]);
}

test("what each turn changed is told, put back, and gone with its session", async () => {
  const daemon = await start();
  const { client } = daemon;
  writeFileSync(go(), "");
  const id = await open(daemon);
  await turnKept(daemon, id, 1);
  await client.sendMessage(id, { text: "second" });
  await turnKept(daemon, id, 2);
  const changes = await client.getChanges(id);
  expect([changes.branch, changes.turns, changes.total]).toEqual([
    "main",
    [0, 1, 2],
    { files: 1, added: 2, removed: 0 },
  ]);
  expect(changes.items.map(({ path, status }) => [path, status])).toEqual([["work.txt", "added"]]);
  const patch = await client.getPatch(id, { from: "start:2", to: "turn:2", path: "work.txt" });
  expect(patch.lines.slice(-3)).toEqual(["@@ -1 +1,2 @@", " turn 1", "+turn 2"]);
  const head = await client.getChanges(id, { from: "head" });
  expect(head.items.map(({ path }) => path)).toEqual(["a.txt", "work.txt"]);

  const stat = await signalbox("diff", id, "--stat");
  expect(stat).toBe("A work.txt  +2 -0\n1 file changed, +2 -0, on main\n");
  expect(await signalbox("diff", id, "work.txt", "--turn", "2")).toContain(
    "@@ -1 +1,2 @@\n turn 1\n+turn 2\n",
  );

  const rewound = await client.rewind(id, { turn: 1 });
  expect([rewound.restored, rewound.left]).toEqual([["work.txt"], []]);
  expect(readFileSync(join(cwd, "work.txt"), "utf8")).toBe("turn 1\n");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\nthe person's own\n");
  expect(await signalbox("rewind", id, "2")).toMatch(
    /^put back {3}work\.txt\nthe files of turn 2 are back\n/,
  );
  const unknown = await client.rewind(id, { turn: 9 }).catch((error: unknown) => error);
  expect(unknown instanceof SignalboxError && [unknown.status, unknown.code]).toEqual([404, "not_found"]);

  await rm(go());
  await client.sendMessage(id, { text: "third" });
  await expect.poll(() => heard().length).toBe(3);
  await toldOfRewind(daemon, id);
  const refused = await client.rewind(id, { turn: 1 }).catch((error: unknown) => error);
  expect(refused instanceof SignalboxError && refused.code).toBe("state_transition_invalid");
  writeFileSync(go(), "");
  await turnKept(daemon, id, 3);

  const text = await signalbox("review", id, "--print");
  expect(text).toContain("@@ -0,0 +1,3 @@\n+turn 1\n+turn 2\n+turn 3\n");
  const written = text.replace("+turn 2\n", "+turn 2\n>2 Why two?\n");
  const environment = { SIGNALBOX_DATA_DIR: join(folder, "data") };
  const review = (...args: readonly string[]) => runSignalbox(["review", id, ...args], written, environment);
  expect(await review("--from", "-", "--keep")).toMatchObject({
    stdout: "1 comment open, nothing was sent\n",
  });
  const sent = await runSignalbox(["review", id, "--from", "-"], text, environment);
  expect(sent).toMatchObject({ code: 0, stdout: "sent with 1 comment\n", stderr: "" });
  await expect
    .poll(() => heard()[3] ?? "")
    .toContain("1. work.txt, lines 1–2:\n```\nturn 1\nturn 2\n```\nWhy two?");
  expect(heard()[3]).not.toContain("read them again");
  await turnKept(daemon, id, 4);
  // The agent has added a line: the comment says so, and stays where it was made.
  expect((await client.listComments(id)).items).toMatchObject([
    { state: "sent", startLine: 1, endLine: 2, outdated: true },
  ]);

  await goneWithSession(daemon, id);
  expect(git("status", "--porcelain")).toBe(" M a.txt\n?? work.txt\n");
});

test("checkpoints of a workspace are in the original, until their session ends", async () => {
  const daemon = await start();
  writeFileSync(go(), "");
  const id = await open(daemon, "new");
  await turnKept(daemon, id, 1);
  await expect.poll(() => git("for-each-ref", `refs/signalbox/${id}`)).toContain(`${id}/1`);
  expect(git("show", `refs/signalbox/${id}/1:work.txt`)).toBe("turn 1\n");
  await daemon.client.deleteSession(id);
  await expect.poll(() => git("for-each-ref", `refs/signalbox/${id}`)).toBe("");
});

/** Once, and everybody sees it in the thread. */
async function toldOfRewind({ client }: TestDaemon, id: string): Promise<void> {
  const note =
    "at the end of turn 2 of this session. Changed on disk, so read them again:\n- work.txt\n]\n\nthird";
  expect(heard()[2]).toContain(note);
  expect(JSON.stringify(await client.getThread(id))).toContain(JSON.stringify(note).slice(1, -1));
}

async function goneWithSession({ client }: TestDaemon, id: string): Promise<void> {
  expect(git("for-each-ref", "refs/signalbox")).not.toBe("");
  await client.deleteSession(id);
  await expect.poll(() => git("for-each-ref", "refs/signalbox")).toBe("");
  await expect.poll(() => existsSync(join(folder, "data", "checkpoints", id))).toBe(false);
}

// Calls of the session: the files before it, the spawn, the prompt, the files of turn 1.
test.each(["before_effect:4", "after_effect:4", "after_effect:3"])(
  "killed at %s, the message goes once, and the files of the turn before are kept",
  async (crash) => {
    const first = await start({ SIGNALBOX_CRASH_AT: crash });
    const id = await open(first);
    await expect.poll(() => heard()).toEqual(["first"]);
    // It may be dead already.
    await first.client.sendMessage(id, { text: "second", clientId: "m2" }).catch(() => undefined);
    writeFileSync(go(), "");
    expect((await first.exited).signal).toBe("SIGKILL");
    const again = await start();
    await again.client.sendMessage(id, { text: "second", clientId: "m2" });
    await turnKept(again, id, 2);
    expect(heard()).toEqual(["first", "second"]);
    expect(git("show", `refs/signalbox/${id}/1:work.txt`)).toBe("turn 1\n");
    expect(git("show", `refs/signalbox/${id}/2:work.txt`)).toBe("turn 1\nturn 2\n");
    expect(git("show", `refs/signalbox/${id}/0:a.txt`)).toBe("one\nthe person's own\n");
  },
);

test("a folder in no repository, and checkpoints that are switched off: nothing is kept, and nobody waits", async () => {
  await mkdir(join(folder, "config", "signalbox"), { recursive: true });
  writeFileSync(join(folder, "config", "signalbox", "config.toml"), '[checkpoints]\nmode = "off"\n');
  writeFileSync(go(), "");
  const daemon = await start({ XDG_CONFIG_HOME: join(folder, "config") });
  const id = await open(daemon);
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  expect((await daemon.client.getSession(id)).state.checkpoints).toBe(false);
  const { id: plain } = await daemon.client.createSession({ harness: "script", cwd: folder, prompt: "x" });
  const refused = await daemon.client.getChanges(plain).catch((error: unknown) => error);
  expect(refused instanceof SignalboxError && [refused.status, refused.code]).toEqual([404, "not_found"]);
  expect(git("for-each-ref", "refs/signalbox")).toBe("");
});
