import { expect, test, vi } from "vitest";
import { FIRST_TERMINAL_SIZE, terminalHarness } from "./terminal-harness.js";

const SETTINGS = { harness: "terminal", title: "", cwd: "/", model: null, args: [], env: {} };
const START = { dataDir: "", resume: null, prompt: null };
const LAUNCHED = { args: [], env: {}, pty: FIRST_TERMINAL_SIZE, hooks: false };

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
