import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FIRST_TERMINAL_SIZE, terminalHarness } from "./terminal-harness.js";

const SETTINGS = { harness: "terminal", title: "", cwd: "/", model: null, args: [], env: {} };
const START = { dataDir: "", resume: null, prompt: null };
const ENV = { TERM: "xterm-256color", COLORTERM: "truecolor" };
const LAUNCHED = { args: [], env: ENV, pty: FIRST_TERMINAL_SIZE, hooks: false };

test("args are the command and its arguments", async () => {
  expect(await terminalHarness.launch({ ...SETTINGS, args: ["vi", "-R", "x"] }, START)).toEqual({
    ...LAUNCHED,
    command: "vi",
    args: ["-R", "x"],
  });
});

test.each([
  [{ SHELL: "/bin/fish" }, "/bin/zsh", "/bin/fish"],
  [{}, "/bin/zsh", "/bin/zsh"],
  [{}, "", "/bin/sh"],
])("without args it is a shell: session %j, daemon %j", async (env, ours, command) => {
  vi.stubEnv("SHELL", ours);
  try {
    expect(await terminalHarness.launch({ ...SETTINGS, env }, START)).toEqual({ ...LAUNCHED, command });
  } finally {
    vi.unstubAllEnvs();
  }
});

async function claudeArgs(args: readonly string[], resume: string | null = null) {
  const launched = await terminalHarness.launch(
    { ...SETTINGS, args: ["/opt/claude", ...args] },
    { ...START, resume },
  );
  return {
    hooks: launched.hooks,
    args: launched.args.map((arg) => (arg.startsWith("{") ? "SETTINGS" : arg)),
  };
}

test("Claude tells what it does by hooks, for this session only, and asks before it acts", async () => {
  expect(await claudeArgs(["--model", "x"], "id")).toEqual({
    hooks: true,
    args: ["--settings", "SETTINGS", "--permission-mode", "default", "--resume", "id", "--model", "x"],
  });
  expect(await claudeArgs(["--settings=mine.json", "--permission-mode", "plan", "-c"], "id")).toEqual({
    hooks: false,
    args: ["--settings=mine.json", "--permission-mode", "plan", "-c"],
  });
  expect(await claudeArgs(["mcp", "list"])).toEqual({ hooks: false, args: ["mcp", "list"] });
  expect(await claudeArgs(["-p", "hello"])).toEqual({ hooks: false, args: ["-p", "hello"] });
});

test("hooks write whole lines, however many run at once and however long they are", async () => {
  const { args } = await terminalHarness.launch({ ...SETTINGS, args: ["claude"] }, START);
  const { hooks } = JSON.parse(args[1] ?? "") as {
    hooks: Record<string, [{ hooks: [{ command: string }] }]>;
  };
  const command = hooks["Stop"]?.[0].hooks[0].command ?? "";
  const folder = await mkdtemp(join(tmpdir(), "signalbox-hooks-"));
  const file = join(folder, "hooks");
  const texts = Array.from({ length: 24 }, (_, at) => `{"n":${at},\n"text":"${String(at).repeat(50_000)}"}`);
  try {
    await Promise.all(texts.map((text) => runHook(command, file, text)));
    const lines = (await readFile(file, "utf8")).split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.toSorted()).toEqual(texts.map((text) => text.replace("\n", "")).toSorted());
  } finally {
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
});

test("a hook that cannot write is silent", async () => {
  const { args } = await terminalHarness.launch({ ...SETTINGS, args: ["claude"] }, START);
  const command = /"command":"(.*?[^\\])"/.exec(args[1] ?? "")?.[1] ?? "";
  const shell = JSON.parse(`"${command}"`) as string;
  expect(await runHook(shell, "/nowhere/to/be/found", "{}")).toEqual({ code: 0, stdout: "" });
});

async function runHook(command: string, file: string, input: string): Promise<object> {
  return await new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "", SIGNALBOX_HOOKS_FILE: file };
    const child = execFile("sh", ["-c", command], { env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
    child.stdin?.end(input);
  });
}
