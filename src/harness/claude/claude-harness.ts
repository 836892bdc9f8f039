import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness, LaunchSpec, LaunchStart } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import { findAgent, findProgram, NOT_ASKED, readVersion } from "../find-program.js";
import { claudeAnswered, claudeForgot, decodeClaude, encodeClaude, startClaude } from "./claude-codec.js";
import { claudeFolder, hasConversation } from "./conversation-file.js";
import { parseObject } from "./wire-object.js";

const PROGRAM = "claude";
const INSTALL = "npm install -g @anthropic-ai/claude-code";
const LOG_IN = "run `claude` in a terminal and type /login, or set ANTHROPIC_API_KEY";

/** Claude Code, by the protocol that its SDK speaks with it on stdin and stdout. */
export const claudeHarness: Harness = {
  name: "claude",
  asksClose: "explicit",
  enforcement: "enforced",
  framing: "lines",
  start: startClaude,
  decode: decodeClaude,
  answered: claudeAnswered,
  forgot: claudeForgot,
  encode: encodeClaude,
  launch: launchClaude,
  probe: (setup) => probeClaude({ ...process.env, ...setup?.env }, setup?.program, setup?.onlyPath),
};

type Environment = Readonly<Record<string, string | undefined>>;

async function launchClaude(settings: SessionSettings, start: LaunchStart): Promise<LaunchSpec> {
  const env = { ...process.env, ...settings.env };
  const command = await findAgent(
    start.program,
    PROGRAM,
    env,
    `Claude Code is not installed: there is no \`claude\` on PATH. Install it with: ${INSTALL}`,
  );
  const { resume } = start;
  const forgot = resume !== null && !(await hasConversation(resume, env));
  return {
    command,
    args: [
      "-p",
      ...["--input-format", "stream-json", "--output-format", "stream-json"],
      ...["--verbose", "--include-partial-messages"],
      // The strictest mode in which it still asks, and asks us.
      ...["--permission-prompt-tool", "stdio", "--permission-mode", "default"],
      ...(settings.model === null ? [] : ["--model", settings.model]),
      ...(resume === null ? [] : [forgot ? "--session-id" : "--resume", resume]),
      ...settings.args,
    ],
    env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" },
    hooks: false,
    ...(forgot ? { forgot } : {}),
  };
}

/** Nothing is asked of Claude but its version: it would call its provider. */
export async function probeClaude(
  env: Environment,
  program?: string | null,
  onlyPath?: true,
): Promise<HarnessReport> {
  const path = await findProgram(program ?? PROGRAM, env);
  if (path === null) {
    const nothing = { installed: false, version: null, path: null, login: "unknown" } as const;
    return { name: PROGRAM, ...nothing, problems: [], hint: INSTALL };
  }
  const { version, problem, isLate } = onlyPath ? NOT_ASKED : await readVersion(path, ["--version"], env);
  const login = await loginOf(env);
  return {
    name: PROGRAM,
    installed: true,
    version,
    path,
    login,
    problems: problem === null ? [] : [problem],
    // One that cannot even tell its version has to be put right before anybody can log in.
    hint: problem !== null && isLate !== true ? INSTALL : login === "missing" ? LOG_IN : null,
  };
}

const KEYS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
/** Other providers have their own ways to log in. */
const PROVIDERS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

async function loginOf(env: Environment): Promise<HarnessReport["login"]> {
  const isSet = (name: string) => (env[name] ?? "") !== "";
  if (KEYS.some(isSet)) return "ok";
  if (PROVIDERS.some(isSet)) return "unknown";
  const folder = claudeFolder(env);
  if (await exists(join(folder, ".credentials.json"))) return "ok";
  // A command that gives out the key.
  const settings = parseObject((await textOf(join(folder, "settings.json"))) ?? "");
  if (typeof settings?.["apiKeyHelper"] === "string") return "ok";
  // On macOS it keeps its login in the keychain, which cannot be looked into without asking the person.
  return process.platform === "darwin" ? "unknown" : "missing";
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    // Not there, or not ours to see.
    return false;
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // Not there, or not ours to read.
    return null;
  }
}
