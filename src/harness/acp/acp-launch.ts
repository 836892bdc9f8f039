/** Starting an agent, and seeing whether it could be. The only part that touches the world. */
import { access } from "node:fs/promises";
import { join } from "node:path";
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
