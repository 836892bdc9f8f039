import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { postToolHookSchema, type PostToolHook } from "../../protocol/agent-config.js";
import { runPostToolHooks, type AfterTool } from "./post-tool-hooks.js";

let cwd = "";
let told: string[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "signalbox-hooks-"));
  told = [];
});
afterEach(() => rm(cwd, { recursive: true, maxRetries: 5 }));

const DONE = { isError: false, content: "Wrote a." };
const { signal } = new AbortController();
const CALL = { name: "write_file", input: { file_path: "a" }, outcome: DONE, signal };

const hook = (fields: object): PostToolHook => postToolHookSchema.parse(fields);

function run(...hooks: readonly PostToolHook[]): Promise<AfterTool> {
  return runPostToolHooks(hooks, CALL, cwd, {
    started: () => void told.push("started"),
    finished: (ok) => void told.push(`finished ${ok}`),
  });
}

test("only hooks that fit are run, and none is told of when none does", async () => {
  const hooks = [
    hook({ command: "touch no", tools: ["read_*", "file"] }),
    hook({ command: "touch no", tools: ["write.file"] }),
  ];
  expect(await run(...hooks)).toEqual({ outcome: DONE });
  expect(told).toEqual([]);
  const failed = { ...CALL, outcome: { isError: true, content: "x" } };
  const listener = { started: () => undefined, finished: () => undefined };
  expect(await runPostToolHooks([hook({ command: "exit 1" })], failed, cwd, listener)).toEqual({
    outcome: failed.outcome,
  });
});

test("it gets the call, and no secrets", async () => {
  process.env["HOOK_TEST_SECRET"] = "s";
  expect(await run(hook({ command: "cat > in; env > env", tools: ["write_*"] }))).toEqual({ outcome: DONE });
  delete process.env["HOOK_TEST_SECRET"];
  expect(JSON.parse(await readFile(join(cwd, "in"), "utf8"))).toEqual({
    tool: "write_file",
    input: { file_path: "a" },
    isError: false,
  });
  const environment = await readFile(join(cwd, "env"), "utf8");
  expect([environment.includes("PATH="), environment.includes("SECRET")]).toEqual([true, false]);
  expect(told).toEqual(["started", "finished true"]);
});

test("a failure warns, is tried again, or stops the turn", async () => {
  expect(await run(hook({ command: "echo bad >&2; exit 3" }))).toEqual({
    outcome: {
      isError: false,
      content: 'Wrote a.\nThe hook "echo bad >&2; exit 3" failed:\nbad\n[exit code 3]',
    },
  });
  // Fails at first, and not again.
  const flaky = hook({ command: "test -e once || { touch once; exit 1; }", on_failure: "retry" });
  expect(await run(flaky)).toEqual({ outcome: DONE });
  const { stop } = await run(
    hook({ command: "exit 1", on_failure: "stop" }),
    hook({ command: "touch after" }),
  );
  expect(stop).toContain('The hook "exit 1" failed');
  await expect(readFile(join(cwd, "after"))).rejects.toThrow("ENOENT");
  expect(told).toEqual([
    "started",
    "finished false",
    "started",
    "finished true",
    "started",
    "finished false",
  ]);
});

test("one that does not end is ended, with its children", async () => {
  const { outcome } = await run(hook({ command: "sleep 1000 & sleep 1000", timeout_s: 0.2 }));
  expect(outcome.content).toContain("It took longer than 0.2 s.");
});

test("all that it says before it fails is told, however much it is", async () => {
  const command = "seq 1 2000; echo last >&2; exit 1";
  const { outcome } = await run(hook({ command }));
  expect(outcome.content).toMatch(/^Wrote a\.\n[^\n]+\n1\n2\n[\s\S]*\n2000\n(?:last\n)?\[exit code 1\]$/);
  expect(outcome.content).toContain("last\n");
});

test("what it leaves running in a session of its own does not hold it up", async () => {
  expect(await run(hook({ command: "setsid sleep 5 & true" }))).toEqual({ outcome: DONE });
});

test("interrupted, it ends, and neither tries again nor stops anything", async () => {
  const controller = new AbortController();
  const call = { ...CALL, signal: controller.signal };
  const hooks = [
    hook({ command: "touch began; sleep 1000", on_failure: "stop" }),
    hook({ command: "touch after" }),
  ];
  const running = runPostToolHooks(hooks, call, cwd, { started: () => undefined, finished: () => undefined });
  await expect.poll(() => readdir(cwd)).toEqual(["began"]);
  controller.abort();
  const { outcome, stop } = await running;
  expect([outcome.content, stop]).toEqual([expect.stringContaining("[It was interrupted.]"), undefined]);
  expect(await readdir(cwd)).toEqual(["began"]);
});
