import { access, readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness, LaunchSpec, LaunchStart } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import { findAgent, findProgram, NOT_ASKED, readVersion } from "../find-program.js";
import { parseObject } from "../kit/json.js";
import { claudeControls, controlClaude } from "./controls.js";
import { claudeAnswered, claudeForgot, decodeClaude, encodeClaude, startClaude } from "./claude-codec.js";

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
  controls: claudeControls,
  control: controlClaude,
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

export function claudeFolder(env: Environment): string {
  return env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude");
}

/**
 * Whether Claude Code has kept a conversation: it cannot go on with one that it has not, and it keeps the first turn only
 * after a while. When its folders cannot be looked into, it is left to Claude to say so.
 */
export async function hasConversation(sessionId: string, env: Environment): Promise<boolean> {
  const projects = join(claudeFolder(env), "projects");
  try {
    for (const project of await readdir(projects))
      if (await isFile(join(projects, project, `${sessionId}.jsonl`))) return true;
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    // Not there, or no folder at all where a project's should be.
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}
