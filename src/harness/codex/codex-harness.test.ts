import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { codexHarness, codexLogin, probeCodex } from "./codex-harness.js";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "signalbox-codex-"));
  await mkdir(join(home, ".codex"));
  await mkdir(join(home, "bin"));
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

async function install(script: string): Promise<string> {
  const path = join(home, "bin", "codex");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

const SETTINGS = { harness: "codex", title: "", cwd: "/", model: null } as const;

describe("launch", () => {
  test("the app-server, with the arguments that were asked for", async () => {
    const command = await install("exit 0");
    const settings = { ...SETTINGS, args: ["--enable", "x"], env: { PATH: join(home, "bin") } };
    expect(await codexHarness.launch(settings, { dataDir: "", resume: null, prompt: "hi" })).toEqual({
      command,
      args: ["app-server", "--enable", "x"],
      env: {},
      hooks: false,
    });
  });

  test("without the program it says how to get it", async () => {
    const settings = { ...SETTINGS, args: [], env: { PATH: join(home, "bin") } };
    await expect(codexHarness.launch(settings, { dataDir: "", resume: null, prompt: null })).rejects.toThrow(
      "codex is not installed. Run: npm install -g @openai/codex",
    );
  });
});

describe("probe", () => {
  test("installed, its version, and the login it lacks", async () => {
    const path = await install("echo codex-cli 0.166.0");
    expect(await probeCodex({ PATH: join(home, "bin") }, home)).toEqual({
      name: "codex",
      installed: true,
      version: "0.166.0",
      path,
      login: "missing",
      problems: [],
      hint: "codex login",
    });
  });

  test("a program that tells no version", async () => {
    await install("exit 3");
    const { installed, version, problems } = await probeCodex({ PATH: join(home, "bin") }, home);
    expect({ installed, version, problems: problems.length }).toEqual({
      installed: true,
      version: null,
      problems: 1,
    });
  });

  test("not installed", async () => {
    expect(await probeCodex({ PATH: join(home, "bin") }, home)).toEqual({
      name: "codex",
      installed: false,
      version: null,
      path: null,
      login: "missing",
      problems: [],
      hint: "npm install -g @openai/codex",
    });
  });
});

describe("login", () => {
  const OK = { login: "ok", problems: [], hint: null };
  const MISSING = { login: "missing", problems: [], hint: "codex login" };
  const auth = (text: string) => writeFile(join(home, ".codex", "auth.json"), text);
  const config = (text: string) => writeFile(join(home, ".codex", "config.toml"), text);

  test.each([
    ['{"OPENAI_API_KEY":"sk"}', OK],
    ['{"OPENAI_API_KEY":null,"tokens":{"access_token":"x"}}', OK],
    ['{"OPENAI_API_KEY":null,"tokens":null}', MISSING],
    ["{}", MISSING],
    ["[]", MISSING],
    ["broken", MISSING],
  ])("auth.json %s", async (text, report) => {
    await auth(text);
    expect(await codexLogin({}, home)).toEqual(report);
  });

  test.each([
    ['model_provider = "mine"', OK],
    ['model_provider = "openai"', MISSING],
    ['[profiles.x]\nmodel_provider = "mine"', MISSING],
    ['cli_auth_credentials_store = "keyring"', { login: "unknown", problems: [], hint: "codex login" }],
  ])("config.toml %s", async (text, report) => {
    await config(text);
    expect(await codexLogin({}, home)).toEqual(report);
  });

  test("a configuration that cannot be read is a problem, not a login", async () => {
    await config("model_provider = ");
    const { login, problems } = await codexLogin({}, home);
    expect(login).toBe("unknown");
    expect(problems[0]).toContain("config.toml");
  });

  test("CODEX_HOME is where it looks", async () => {
    await auth('{"OPENAI_API_KEY":"sk"}');
    expect(await codexLogin({ CODEX_HOME: join(home, "elsewhere") }, home)).toEqual(MISSING);
    expect(await codexLogin({ CODEX_HOME: join(home, ".codex") }, "/nowhere")).toEqual(OK);
  });

  test("a key in the environment is not read by the app-server, and that is said", async () => {
    expect(await codexLogin({ OPENAI_API_KEY: "sk" }, home)).toEqual({
      login: "missing",
      problems: ["OPENAI_API_KEY is set, but codex app-server does not read it"],
      hint: "printenv OPENAI_API_KEY | codex login --with-api-key",
    });
  });
});
