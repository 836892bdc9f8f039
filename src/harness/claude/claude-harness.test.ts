import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LaunchSpec } from "../../runtime/harness.js";
import { claudeHarness, probeClaude } from "./claude-harness.js";

let folder: string;
let program: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-claude-"));
  program = join(folder, "claude");
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function install(): Promise<void> {
  await writeFile(program, "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
  await chmod(program, 0o755);
}

const SETTINGS = { harness: "claude", title: "", cwd: "/proj", args: [] } as const;
const STRICT = [
  "-p",
  "--input-format",
  "stream-json",
  "--output-format",
  "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool",
  "stdio",
  "--permission-mode",
  "default",
];

test("it is launched in the strictest mode that asks", async () => {
  await install();
  const settings = { ...SETTINGS, model: null, env: { PATH: folder } };
  expect(await claudeHarness.launch(settings, { dataDir: "", resume: null, prompt: "hello" })).toEqual({
    command: program,
    args: STRICT,
    env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" },
    hooks: false,
  });
});

async function launchedToGoOn(): Promise<LaunchSpec> {
  await install();
  const env = { PATH: folder, CLAUDE_CONFIG_DIR: join(folder, "config") };
  const settings = { ...SETTINGS, model: "opus", env, args: ["--add-dir", "/more"] };
  return claudeHarness.launch(settings, { dataDir: "", resume: "s1", prompt: null });
}

test("model, conversation and a person's own arguments come after that", async () => {
  const project = join(folder, "config/projects/-proj");
  await mkdir(project, { recursive: true });
  await writeFile(join(project, "s1.jsonl"), "{}\n");
  const { args, forgot } = await launchedToGoOn();
  expect({ args, forgot }).toEqual({
    args: [...STRICT, "--model", "opus", "--resume", "s1", "--add-dir", "/more"],
    forgot: undefined,
  });
});

test.each(["config", "config/projects", "config/projects/-proj/another.jsonl"])(
  "a conversation that it never kept begins anew, under the same id (there is only %s)",
  async (path) => {
    await mkdir(join(folder, path), { recursive: true });
    const { args, forgot } = await launchedToGoOn();
    expect({ args, forgot }).toEqual({
      args: [...STRICT, "--model", "opus", "--session-id", "s1", "--add-dir", "/more"],
      forgot: true,
    });
  },
);

test("without Claude Code, the error says how to get it", async () => {
  const settings = { ...SETTINGS, model: null, env: { PATH: folder } };
  await expect(claudeHarness.launch(settings, { dataDir: "", resume: null, prompt: null })).rejects.toThrow(
    "Claude Code is not installed: there is no `claude` on PATH. Install it with: npm install -g @anthropic-ai/claude-code",
  );
  expect(await probeClaude({ PATH: folder })).toEqual({
    name: "claude",
    installed: false,
    version: null,
    path: null,
    login: "unknown",
    problems: [],
    hint: "npm install -g @anthropic-ai/claude-code",
  });
});

const FOUND = { name: "claude", installed: true, version: "2.1.325", problems: [], hint: null } as const;

test.each(["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"])(
  "%s is a login",
  async (name) => {
    await install();
    const report = await probeClaude({ PATH: folder, HOME: folder, [name]: "secret" });
    expect(report).toEqual({ ...FOUND, path: program, login: "ok" });
  },
);

test.each([
  [".credentials.json", "{}"],
  ["settings.json", '{"apiKeyHelper":"get-key"}'],
])("%s with %s is a login", async (name, text) => {
  await install();
  await mkdir(join(folder, ".claude"));
  await writeFile(join(folder, ".claude", name), text);
  expect(await probeClaude({ PATH: folder, HOME: folder })).toEqual({
    ...FOUND,
    path: program,
    login: "ok",
  });
  expect(
    await probeClaude({ PATH: folder, HOME: tmpdir(), CLAUDE_CONFIG_DIR: join(folder, ".claude") }),
  ).toEqual({
    ...FOUND,
    path: program,
    login: "ok",
  });
});

test.runIf(process.platform !== "darwin")("no login is missing, and the hint says what to do", async () => {
  await install();
  await mkdir(join(folder, ".claude"));
  await writeFile(join(folder, ".claude", "settings.json"), "not json");
  expect(await probeClaude({ PATH: folder, HOME: folder, ANTHROPIC_API_KEY: "" })).toEqual({
    ...FOUND,
    path: program,
    login: "missing",
    hint: "run `claude` in a terminal and type /login, or set ANTHROPIC_API_KEY",
  });
});

test("another provider has its own login", async () => {
  await install();
  const report = await probeClaude({ PATH: folder, HOME: folder, CLAUDE_CODE_USE_BEDROCK: "1" });
  expect(report).toEqual({ ...FOUND, path: program, login: "unknown" });
});

test("a program that does not work is a problem", async () => {
  await writeFile(program, "#!/bin/sh\necho 'needs a newer system' >&2\nexit 1\n");
  await chmod(program, 0o755);
  expect(await probeClaude({ PATH: folder, ANTHROPIC_API_KEY: "x" })).toEqual({
    ...FOUND,
    version: null,
    hint: "npm install -g @anthropic-ai/claude-code",
    path: program,
    login: "ok",
    problems: [`${program} --version ended with code 1: needs a newer system`],
  });
});
