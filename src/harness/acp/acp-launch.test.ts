import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acpAgentNamed } from "./acp-agents.js";
import { acpHarness, anyAcpHarness } from "./acp-harness.js";
import { probeAgent, waitForNextMinute } from "./acp-launch.js";

let folder: string;
let PATH: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-acp-"));
  PATH = join(folder, "bin");
  await mkdir(PATH);
  for (const program of ["gemini", "opencode", "mine"]) {
    await writeFile(join(PATH, program), "#!/bin/sh\necho version 1.2.3\n");
    await chmod(join(PATH, program), 0o700);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const BEGIN = { dataDir: "", resume: null, prompt: "hello" };

function settings(harness: string, args: readonly string[]) {
  return { harness, title: "", cwd: folder, model: null, args, env: { PATH, HOME: folder } };
}

describe("launch", () => {
  test("an agent of the registry, in its asking mode, with a person's arguments after its own", async () => {
    expect(await acpHarness(acpAgentNamed("gemini")).launch(settings("gemini", ["--debug"]), BEGIN)).toEqual({
      command: join(PATH, "gemini"),
      args: ["--acp", "--approval-mode", "default", "--debug"],
      env: {},
      hooks: false,
    });
    const { args, env } = await acpHarness(acpAgentNamed("opencode")).launch(settings("opencode", []), BEGIN);
    expect([args, Object.keys(env)]).toEqual([["acp"], ["OPENCODE_CONFIG_CONTENT", "OPENCODE_PERMISSION"]]);
  });

  test("acp: by name, or any command", async () => {
    expect(await anyAcpHarness.launch(settings("acp", ["gemini", "-d"]), BEGIN)).toMatchObject({
      args: ["--acp", "--approval-mode", "default", "-d"],
    });
    expect(await anyAcpHarness.launch(settings("acp", ["--command", "mine", "--acp"]), BEGIN)).toEqual({
      command: join(PATH, "mine"),
      args: ["--acp"],
      env: {},
      hooks: false,
    });
  });

  test.each([[[]], [["--command"]], [["nobody"]], [["--help"]]])("acp %j is a wrong use", async (args) => {
    await expect(anyAcpHarness.launch(settings("acp", args), BEGIN)).rejects.toThrow(
      /^The arguments of acp are the name of an agent \(gemini, opencode, .*\), or --command and a program/,
    );
  });

  test("what is not installed says how to install it", async () => {
    await expect(acpHarness(acpAgentNamed("qwen")).launch(settings("qwen", []), BEGIN)).rejects.toThrow(
      "Qwen Code is not installed: there is no qwen. Install it with: npm install -g @qwen-code/qwen-code",
    );
    await expect(anyAcpHarness.launch(settings("acp", ["--command", "nothing"]), BEGIN)).rejects.toThrow(
      'There is no program "nothing".',
    );
  });
});

describe("probe", () => {
  test("installed, and logged in by a variable, a file, or not", async () => {
    const gemini = acpAgentNamed("gemini");
    const report = {
      name: "gemini",
      installed: true,
      version: "1.2.3",
      path: join(PATH, "gemini"),
      problems: [],
    };
    const env = { PATH, HOME: folder };
    expect(await probeAgent(gemini, env)).toEqual({ ...report, login: "missing", hint: "gemini" });
    expect(await probeAgent(gemini, { ...env, GEMINI_API_KEY: "k" })).toEqual({
      ...report,
      login: "ok",
      hint: null,
    });
    await mkdir(join(folder, ".gemini"), { recursive: true });
    await writeFile(join(folder, ".gemini", "oauth_creds.json"), "{}");
    expect(await probeAgent(gemini, env)).toEqual({ ...report, login: "ok", hint: null });
    expect(await probeAgent(acpAgentNamed("opencode"), env)).toMatchObject({ login: "unknown", hint: null });
  });

  test("not installed", async () => {
    expect(await probeAgent(acpAgentNamed("kilo"), { PATH })).toEqual({
      name: "kilo",
      installed: false,
      version: null,
      path: null,
      login: "unknown",
      problems: [],
      hint: "npm install -g @kilocode/cli",
    });
  });
});

test("a conversation of Gemini is not resumed in the minute in which it began", async () => {
  const chats = join(folder, ".gemini", "tmp", "proj", "chats");
  await mkdir(chats, { recursive: true });
  await writeFile(join(chats, "session-2026-11-16T08-30-12345678.jsonl"), "");
  const at = (time: string) => Date.parse(`2026-11-16T${time}Z`);
  const wait = (id: string, time: string) => waitForNextMinute(id, { HOME: folder }, at(time));
  await expect(wait("12345678-9", "08:30:10")).rejects.toThrow(
    "Gemini CLI loses a conversation that is resumed in the minute in which it began: try again in 51 s",
  );
  await expect(waitForNextMinute("12345678-9", { GEMINI_CLI_HOME: folder }, at("08:30:20"))).rejects.toThrow(
    "try again in 41 s",
  );
  // Near its end the next one is waited for; another conversation, or another minute, waits for nothing.
  await wait("12345678-9", "08:30:59.900");
  await wait("87654321-9", "08:30:10");
  await wait("12345678-9", "08:31:10");
  await waitForNextMinute("12345678-9", { HOME: join(folder, "nobody") }, at("08:30:10"));
});
