import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../../test/reliability/is-alive.js";
import { findProgram, readVersion } from "./find-program.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-program-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test("the first executable file on PATH is found", async () => {
  await mkdir(join(folder, "a", "agent"), { recursive: true });
  await mkdir(join(folder, "b"));
  await mkdir(join(folder, "c"));
  await writeFile(join(folder, "b", "agent"), "not executable");
  const path = await program("c/agent", "exit 0");
  const PATH = ["", ".", "a", ...["a", "b", "c"].map((name) => join(folder, name))].join(":");
  expect(await findProgram("agent", { PATH })).toBe(path);
  expect(await findProgram("another", { PATH })).toBeNull();
  expect(await findProgram("agent", {})).toBeNull();
  expect(await findProgram("", { PATH })).toBeNull();
});

test("an absolute path is itself, and a relative one is nothing", async () => {
  const path = await program("agent", "exit 0");
  expect(await findProgram(path, {})).toBe(path);
  expect(await findProgram(join(folder, "none"), {})).toBeNull();
  expect(await findProgram("./agent", { PATH: folder })).toBeNull();
});

test.each([
  ["echo '2.1.325 (Claude Code)'", "2.1.325"],
  ["echo 'codex-cli 0.166.0-alpha.1'", "0.166.0-alpha.1"],
  ["echo 1.0 >&2", "1.0"],
  ["echo nightly", "nightly"],
])("the version in what %s says", async (script, version) => {
  const path = await program("agent", script);
  expect(await readVersion(path, ["--version"], {})).toEqual({ version, problem: null });
});

test("arguments and environment are handed on", async () => {
  const path = await program("agent", 'echo "$1 $NUMBER"');
  expect(await readVersion(path, ["-v"], { NUMBER: "3.4.5" })).toEqual({ version: "3.4.5", problem: null });
});

test("a program that fails says why", async () => {
  const path = await program("agent", "echo 'needs 22.0.0' >&2; exit 3");
  expect(await readVersion(path, ["--version"], {})).toEqual({
    version: null,
    problem: `${path} --version ended with code 3: needs 22.0.0`,
  });
});

test("a program that says nothing, or is not there, has no version", async () => {
  const silent = await program("agent", "exit 0");
  expect(await readVersion(silent, ["-v"], {})).toEqual({
    version: null,
    problem: `${silent} -v told no version`,
  });
  const none = join(folder, "none");
  expect(await readVersion(none, [], {})).toEqual({
    version: null,
    problem: `${none} could not be started (spawn ${none} ENOENT)`,
  });
});

/** Starts a child, and writes down its pid. */
const CHILD = 'sleep 60 & echo $! > "$0.child"';

async function childEnds(path: string): Promise<void> {
  const pid = Number(await readFile(`${path}.child`, "utf8"));
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
}

test("a program that says too much is ended, with all that it started", async () => {
  const path = await program("agent", `${CHILD}\nyes`);
  const { version, problem } = await readVersion(path, [], { PATH: process.env["PATH"] });
  expect({ version, problem }).toEqual({ version: null, problem: `${path} said too much: y` });
  await childEnds(path);
});

test("a program that does not end is ended, with all that it started", async () => {
  const path = await program("agent", `${CHILD}\nwait`);
  expect(await readVersion(path, [], { PATH: process.env["PATH"] }, 500)).toEqual({
    version: null,
    problem: `${path} did not answer within 0.5 s; the machine may be busy`,
    isLate: true,
  });
  await childEnds(path);
});

test("what it leaves behind is ended too, and does not hold it up", async () => {
  const path = await program("agent", `${CHILD}\necho 1.2.3`);
  expect(await readVersion(path, [], { PATH: process.env["PATH"] })).toEqual({
    version: "1.2.3",
    problem: null,
  });
  await childEnds(path);
});
