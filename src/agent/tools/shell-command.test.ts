import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../../../test/reliability/is-alive.js";
import { FileMemory } from "./file-memory.js";
import { shellCommandTool } from "./shell-command.js";
import type { ToolOutcome } from "./tool.js";

const WAIT = { timeout: 10_000 };

let cwd = "";
let previews: (readonly string[])[] = [];
let controller = new AbortController();

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "signalbox-shell-")));
  previews = [];
  controller = new AbortController();
});
afterEach(() => rm(cwd, { recursive: true, maxRetries: 5 }));

function run(command: string, dir?: string): Promise<ToolOutcome> {
  const input = shellCommandTool.input.parse({ command, ...(dir === undefined ? {} : { dir }) });
  return shellCommandTool.execute(input, {
    cwd,
    files: new FileMemory(),
    signal: controller.signal,
    preview: (lines) => void previews.push(lines),
    ask: () => Promise.resolve(null),
  });
}

test("all that it prints, without escapes, and how it ended", async () => {
  expect(await run("printf '\\033[31mred\\033[0m\\n'; echo err >&2; pwd")).toEqual({
    isError: false,
    content: `red\nerr\n${cwd}\n[exit code 0]`,
  });
  expect(await run("exit 3")).toEqual({ isError: true, content: "\n[exit code 3]" });
  expect(await run("kill -9 $$")).toEqual({ isError: true, content: "\n[ended by SIGKILL]" });
});

test("a folder of its own; one that is not there is an error", async () => {
  await run("mkdir sub");
  expect((await run("pwd", "sub")).content).toBe(`${join(cwd, "sub")}\n[exit code 0]`);
  expect((await run("pwd", "none")).isError).toBe(true);
});

test("the preview is what ten rows of a terminal would show", async () => {
  await run("seq 1 30; printf 'a\\rb\\n'");
  expect(previews.at(-1)).toEqual(["23", "24", "25", "26", "27", "28", "29", "30", "b"]);
});

test("output without end is bounded, with its beginning and its end", async () => {
  const { content } = await run("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
  expect(content.startsWith("first\nxxx")).toBe(true);
  expect(content.endsWith("last\n[exit code 0]")).toBe(true);
  expect(content.length).toBeLessThan(401_000);
  expect(content).toContain("characters left out");
});

test("aborted, it ends with all its children, even those that do not want to", async () => {
  const running = run("trap '' INT TERM; sleep 1000 & echo $! > pid; echo ready; wait");
  await expect.poll(() => previews.flat(), WAIT).toContain("ready");
  controller.abort();
  const { isError, content } = await running;
  expect([isError, content]).toEqual([true, "ready\n[ended by SIGKILL]"]);
  const pid = Number(await readFile(join(cwd, "pid"), "utf8"));
  await expect.poll(() => isAlive(pid), WAIT).toBe(false);
});

test("what it leaves behind does not hold it up, and ends with it", async () => {
  const { content } = await run("sleep 1000 & echo $! > pid; echo done");
  expect(content).toBe("done\n[exit code 0]");
  const pid = Number(await readFile(join(cwd, "pid"), "utf8"));
  await expect.poll(() => isAlive(pid), WAIT).toBe(false);
});

test("a call that names no time has thirty seconds", () => {
  expect(shellCommandTool.timeoutMs).toBe(30_000);
});

test.each([
  [{ command: "rm -rf build" }, "rm -rf build", "rm -rf build"],
  [
    { command: "rm -rf build", dir: "src", description: "Say hello" },
    "rm -rf build",
    "rm -rf build\n(in src)\nDescribed as: Say hello",
  ],
  [{ command: "cd src\nrm a" }, "cd src…", "cd src\nrm a"],
  [{ command: "x".repeat(201) }, `${"x".repeat(200)}…`, "x".repeat(201)],
])("a person is asked about the command itself: %j", async (call, title, detail) => {
  const input = shellCommandTool.input.parse(call);
  expect(await shellCommandTool.describe(input, { cwd, files: new FileMemory() })).toEqual({ title, detail });
});
