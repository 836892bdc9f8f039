/** Starting an agent, and seeing whether it could be. The only part that touches the world. */
import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { LaunchSpec, LaunchStart } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import { findAgent, findProgram, NOT_ASKED, readVersion } from "../find-program.js";
import type { AcpAgent, AcpLogin, Environment } from "./acp-agents.js";

/** `args`: what a person adds to the agent's own. */
export async function launchAgent(
  agent: AcpAgent,
  args: readonly string[],
  settings: SessionSettings,
  { resume, program }: LaunchStart,
): Promise<LaunchSpec> {
  const inherited = { ...process.env, ...settings.env };
  const missing = `${agent.title} is not installed: there is no ${agent.program}. Install it with: ${agent.install}`;
  const command = await findAgent(program, agent.program, inherited, missing);
  if (resume !== null) await agent.beforeResume?.(resume, inherited);
  const env = agent.environment?.(inherited) ?? {};
  return { command, args: [...agent.args, ...args], env, hooks: false };
}

/** Any command that speaks ACP. */
export async function launchCommand(
  [program = "", ...args]: readonly string[],
  settings: SessionSettings,
): Promise<LaunchSpec> {
  const command = await findProgram(program, { ...process.env, ...settings.env });
  if (command === null) throw new Error(`There is no program ${JSON.stringify(program)}.`);
  return { command, args, env: {}, hooks: false };
}

export async function probeAgent(
  agent: AcpAgent,
  env: Environment,
  program?: string | null,
  onlyPath?: true,
): Promise<HarnessReport> {
  const path = await findProgram(program ?? agent.program, env);
  if (path === null) {
    const { name, install: hint } = agent;
    return { name, installed: false, version: null, path, login: "unknown", problems: [], hint };
  }
  const { version, problem, isLate } =
    agent.tellsNoVersion || onlyPath ? NOT_ASKED : await readVersion(path, ["--version"], env);
  const login = await loginOf(agent.login, env);
  return {
    name: agent.name,
    installed: true,
    version,
    path,
    login,
    problems: problem === null ? [] : [problem],
    // One that cannot even tell its version has to be put right before anybody can log in.
    hint:
      problem !== null && isLate !== true ? agent.install : login === "missing" ? agent.login.command : null,
  };
}

/** Seen from outside: agents tell only when they are asked to work. */
async function loginOf(
  { variables, files, otherwise }: AcpLogin,
  env: Environment,
): Promise<HarnessReport["login"]> {
  if (variables.some((name) => (env[name] ?? "") !== "")) return "ok";
  for (const file of files) if (await exists(join(env["HOME"] ?? "", file))) return "ok";
  return otherwise;
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

/** Longer than this, and the session would be given up before the agent is ready. */
const WAIT_MS_MAX = 20_000;
const MINUTE_MS = 60_000;
/** The clock may be read a little early. */
const MARGIN_MS = 250;

/**
 * Gemini CLI names the file of a conversation after the minute in which it began and the first digits of its id. Whoever
 * loads the conversation begins one, under the same id: in the same minute that is the same file, and what was in it is
 * gone. So the minute must be another.
 */
export async function waitForNextMinute(
  sessionId: string,
  inherited: Environment,
  nowMs: number = Date.now(),
): Promise<void> {
  const minute = new Date(nowMs).toISOString().slice(0, 16).replace(":", "-");
  if (!(await hasFile(`session-${minute}-${sessionId.slice(0, 8)}.`, inherited))) return;
  const waitMs = MINUTE_MS - (nowMs % MINUTE_MS) + MARGIN_MS;
  if (waitMs > WAIT_MS_MAX)
    throw new Error(
      `Gemini CLI loses a conversation that is resumed in the minute in which it began: try again in ${Math.ceil(waitMs / 1000)} s`,
    );
  await sleep(waitMs);
}

async function hasFile(start: string, { HOME, GEMINI_CLI_HOME }: Environment): Promise<boolean> {
  const projects = join(GEMINI_CLI_HOME ?? HOME ?? "", ".gemini", "tmp");
  for (const project of await namesIn(projects)) {
    const names = await namesIn(join(projects, project, "chats"));
    if (names.some((name) => name.startsWith(start))) return true;
  }
  return false;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    // Nothing is there: nothing can be lost.
    return [];
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Fits every tool, as `*` does; but `*` may stand in a person's own file, and must not be replaced there. */
const EVERYTHING = "**";

/**
 * Makes OpenCode, and what is made from it, ask about every call that a person's own configuration says nothing of.
 *
 * The last rule that fits decides there, and variables are read after every file: a plain "ask for everything" would undo
 * what a person forbids. So `tools`, from which it makes the first rules of all, gives `**` its place before them, and the
 * permission gives it its value. A list of things to do harms nobody and is not asked about.
 *
 * Over ACP, nobody hears what a subagent asks, nor a question to the person: the agent would wait for ever. So both are
 * forbidden, whoever allows them.
 */
export function askForEverything(prefix: string, inherited: Environment): Readonly<Record<string, string>> {
  const [configName, permissionName] = [`${prefix}_CONFIG_CONTENT`, `${prefix}_PERMISSION`];
  const config = parsed(inherited[configName]);
  const permission = parsed(inherited[permissionName]);
  const tools = { [EVERYTHING]: true, todowrite: true, todoread: true, ...fieldsOf(config?.["tools"]) };
  return {
    // What we cannot read may be more than JSON: it is left as it is.
    ...(config && { [configName]: JSON.stringify({ ...config, tools }) }),
    [permissionName]: JSON.stringify({
      [EVERYTHING]: "ask",
      ...permission,
      task: "deny",
      question: "deny",
      suggest: "deny",
    }),
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Null for what cannot be read as JSON. */
function parsed(text: string | undefined): Fields | null {
  if (text === undefined) return {};
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}
