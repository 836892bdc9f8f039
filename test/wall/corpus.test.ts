/**
 * Every line of the corpus is run, by a real bash inside a real wall, whatever the rules would say of it. Afterwards nothing
 * that a rule denies has been read or changed, and nothing outside of the project either.
 */
import { createHash, randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { releaseWall } from "../../src/wall/prepare-wall.js";
import { ALL_CASES } from "./corpus/corpus.js";
import { CANNOT, deny, start, WallLab } from "./wall-lab.js";

const LINES_PER_WALL = 120;
/** For one line, in seconds. */
const PATIENCE = 1;
const OUTPUT_MAX = 32 * 1024;
const TEXT_MAX = 100 * 1024;
/** They take half a second each, which is most of what the whole corpus takes; other tests run them. */
const LEFT_OUT = new Set(["node", "nodejs", "npm", "npx", "corepack", "yarn", "pnpm"]);

const RULES = ["Read(**/.env*)", "Read(secret/**)", "Read(secrets/**)", "Read(sub/vault/**)"].map(deny);
const GUARDED = [
  "Write(locked/**)",
  "Write(pinned.json)",
  "Write(package.json)",
  "Write(ci/**)",
  "Write(.bashrc)",
].map(deny);

/** What no line may get to see. Each has a text of its own, so that it is known wherever it turns up. */
const DENIED = [
  ".env",
  ".env.local",
  "src/.env",
  "secret/token",
  "secret/data.json",
  "secrets/k",
  "sub/vault/key",
];
/** What no line may change. */
const PROTECTED = [
  ...["locked/data", "locked/f", "pinned.json", "package.json", "ci/run.sh", ".signalbox/permissions.toml"],
  ...[".git/config", ".git/hooks/pre-commit", ".git/info/exclude", ".bashrc", ".envrc"],
];
/** What lines use, and what they may do with as they like: put back before each of them. */
const PLAIN = [
  "src/a.ts",
  "src/b.ts",
  "a.txt",
  "b.txt",
  "pat",
  "list",
  "README.md",
  "out/x",
  "sub/s.ts",
  "lib/l.ts",
  "Makefile",
];

let lab: WallLab;
const secrets = new Map(DENIED.map((path) => [path, `DENIED-${randomUUID()}`]));
const outside = `OUTSIDE-${randomUUID()}`;

beforeAll(() => {
  lab = new WallLab();
  for (const [path, text] of secrets) lab.inProject(path, `${text}\n`);
  for (const path of PLAIN)
    for (const at of ["system/plain", "home/ada/code/project"]) lab.put(`${at}/${path}`, `${path}\n`);
  for (const path of PROTECTED.filter((each) => !each.startsWith(".git/")))
    lab.inProject(path, `${path}\n`, 0o755);
  lab.put("home/ada/.ssh/id_ed25519", `${outside}\n`);
  lab.put("home/ada/.local/share/signalbox/token", `${outside}\n`);
  lab.put("home/ada/notes/mine", `${outside}\n`);
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: lab.project, env: { ...process.env, HOME: lab.home } });
  git("init", "-q");
  git("add", ...PLAIN, "package.json");
  git("commit", "-qm", "One");
  lab.inProject(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n", 0o755);
  lab.inProject(".git/info/exclude", ".env*\n");
  linkPrograms(lab.put("system/bin/.keep", "").replace(/\/\.keep$/, ""));
});
afterAll(() => lab.remove());

/** The programs of the system, but for those that are left out. */
function linkPrograms(folder: string): void {
  for (const from of ["/usr/bin", "/usr/sbin", "/bin"])
    for (const name of readdirSync(from)) {
      if (LEFT_OUT.has(name) || lstatSync(join(folder, name), { throwIfNoEntry: false })) continue;
      symlinkSync(join(from, name), join(folder, name));
    }
}

/** What each path is: its kind, mode and content. */
function snapshot(folder: string, isMeant: (path: string) => boolean): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    const stats = lstatSync(path);
    const name = relative(lab.folder, path);
    if (!isMeant(name)) return;
    const kind = `${stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "file"} ${stats.mode}`;
    if (stats.isSymbolicLink()) found.set(name, `${kind} ${readlinkSync(path)}`);
    else if (!stats.isDirectory()) found.set(name, `${kind} ${digestOf(path)}`);
    else {
      found.set(name, kind);
      for (const each of readdirSync(path)) visit(join(path, each));
    }
  };
  visit(folder);
  return found;
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

const PROJECT = "home/ada/code/project";
/** Everything around the project, and of it the files that are held. */
function heldState(): ReadonlyMap<string, string> {
  const around = snapshot(lab.folder, (name) => !name.startsWith(PROJECT));
  const held = [...DENIED, ...PROTECTED].map((path) => {
    const stats = lstatSync(join(lab.project, path), { throwIfNoEntry: false });
    const state = stats?.isFile() ? `${stats.mode} ${digestOf(join(lab.project, path))}` : "gone";
    return [`${PROJECT}/${path}`, state] as const;
  });
  return new Map([...around, ...held]);
}

/** Files below the project, but for the denied ones, that hold a text which nobody may have read. */
function leaksInFiles(): readonly string[] {
  const denied = new Set(DENIED.map((path) => join(lab.project, path)));
  const leaks: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && !denied.has(path) && holdsSecret(readFileSync(path, "latin1")))
        leaks.push(path);
    }
  };
  visit(lab.project);
  return leaks;
}

function holdsSecret(text: string): boolean {
  return text.includes(outside) || [...secrets.values()].some((secret) => text.includes(secret));
}

interface Ran {
  readonly line: string;
  /** Null: it ended the wall's own shell. */
  readonly status: number | null;
  readonly output: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs so many of the lines as the wall's shell survives: what ends that is the last one. */
async function runInside(lines: readonly string[]): Promise<readonly Ran[]> {
  const mark = `@@${randomUUID()}`;
  // Each line finds the plain files as they were, no input, and bounds on time, sizes and output.
  const each = lines.map(
    (line, at) =>
      `cp -rn ${quoted(`${lab.system}/plain/.`)} . 2>/dev/null; timeout -s KILL ${PATIENCE} bash --norc -c ${quoted(line.replaceAll("\0", ""))} </dev/null 2>&1 | head -c ${OUTPUT_MAX}; echo "${mark} ${at} \${PIPESTATUS[0]}"`,
  );
  lab.put("system/batch.sh", `cd ${quoted(lab.project)}; ulimit -f 4096 -c 0\n${each.join("\n")}\n`);
  const raised = await lab.raise("/bin/bash", [join(lab.system, "batch.sh")], {
    rules: [...RULES, ...GUARDED],
    env: { PATH: join(lab.system, "bin") },
  });
  if (!raised.ok) throw new Error(raised.reason);
  const child = start(raised, lab.project);
  let out = "";
  child.stdin.end();
  child.stdout.on("data", (data: Buffer) => (out += data.toString("latin1")));
  child.stderr.on("data", (data: Buffer) => (out += data.toString("latin1")));
  await new Promise((resolve, reject) => {
    child.on("close", resolve);
    child.on("error", reject);
  });
  await releaseWall(raised.plan, []);
  const parts = out.split(new RegExp(`${mark} \\d+ (\\d+)\n`));
  const done = lines.flatMap((line, at): readonly Ran[] => {
    const status = parts[2 * at + 1];
    return status === undefined ? [] : [{ line, status: Number(status), output: parts[2 * at] ?? "" }];
  });
  const next = lines[done.length];
  return next === undefined ? done : [...done, { line: next, status: null, output: parts.at(-1) ?? "" }];
}

/** The project as it was, but for what is held, which must not have changed. */
function tidyUp(): void {
  const kept = new Set([...DENIED, ...PROTECTED, ".git"].map((path) => path.split("/")[0] ?? ""));
  for (const name of readdirSync(lab.project))
    if (!kept.has(name)) rmSync(join(lab.project, name), { recursive: true, force: true });
  mkdirSync(lab.project, { recursive: true });
}

test.skipIf(CANNOT)(
  "no line of the corpus reads or changes what is denied, nor anything outside",
  async () => {
    const short = ALL_CASES.map(({ command }) => command).filter((line) => line.length < TEXT_MAX);
    const lines = [...new Set(short)];
    // What a wall itself leaves in the data folder is there from then on.
    expect(await runInside(["echo x"])).toEqual([{ line: "echo x", status: 0, output: "x\n" }]);
    const before = new Map([...heldState()].filter(([name]) => name !== "system/batch.sh"));
    const ran: Ran[] = [];
    const wrong: string[] = [];
    for (let at = 0; at < lines.length;) {
      const done = await runInside(lines.slice(at, at + LINES_PER_WALL));
      expect(done.length).toBeGreaterThan(0);
      wrong.push(...done.filter(({ output }) => holdsSecret(output)).map(({ line }) => `told: ${line}`));
      wrong.push(...leaksInFiles().map((path) => `written: ${path}`));
      const after = heldState();
      for (const name of new Set([...before.keys(), ...after.keys()]))
        if (name !== "system/batch.sh" && before.get(name) !== after.get(name))
          wrong.push(`changed: ${name} (lines ${at} to ${at + done.length})`);
      tidyUp();
      ran.push(...done);
      at += done.length;
      if (wrong.length > 0) break;
    }
    const absent = ran.filter(({ status, output }) => status === 127 && output.includes("not found"));
    const slow = ran.filter(({ status }) => status === 137);
    const ended = ran.filter(({ status }) => status === null);
    console.log(
      `${ran.length} lines run; ${absent.length} need a program that is not there, ${slow.length} were stopped after ${PATIENCE} s, ${ended.length} ended the shell around them`,
    );
    expect(wrong).toEqual([]);
    expect(ran.length).toBe(lines.length);
    expect(ran.length).toBeGreaterThan(3_000);
    // Most of it must really have run: otherwise it shows nothing.
    expect(ran.length - absent.length).toBeGreaterThan(1_500);
  },
  900_000,
);
