import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness } from "../../runtime/harness.js";
import { findAgent, findProgram, NOT_ASKED, readVersion } from "../find-program.js";
import { decodeCodex, encodeCodex, startCodex } from "./codex-codec.js";
import { codexControls, codexMessageFlaw, controlCodex } from "./controls.js";
import { LOGIN_COMMAND } from "./turns.js";

const INSTALL_COMMAND = "npm install -g @openai/codex";

/** OpenAI's Codex through its app-server: JSON-RPC on stdin and stdout, one message per line. */
export const codexHarness: Harness = {
  name: "codex",
  asksClose: "explicit",
  enforcement: "when-asked",
  framing: "lines",
  start: startCodex,
  decode: decodeCodex,
  encode: encodeCodex,
  controls: codexControls,
  control: controlCodex,
  messageFlaw: codexMessageFlaw,
  async launch({ args, env }, { program }) {
    const missing = `codex is not installed. Run: ${INSTALL_COMMAND}`;
    const command = await findAgent(program, "codex", { ...process.env, ...env }, missing);
    return { command, args: ["app-server", ...args], env: {}, hooks: false };
  },
  probe: (setup) => probeCodex({ ...process.env, ...setup?.env }, homedir(), setup?.program, setup?.onlyPath),
};

export async function probeCodex(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  program?: string | null,
  onlyPath?: true,
): Promise<HarnessReport> {
  const path = await findProgram(program ?? "codex", env);
  const { login, problems, hint } = await codexLogin(env, home);
  if (path === null) {
    return {
      name: "codex",
      installed: false,
      version: null,
      path,
      login,
      problems: [],
      hint: INSTALL_COMMAND,
    };
  }
  const { version, problem, isLate } = onlyPath ? NOT_ASKED : await readVersion(path, ["--version"], env);
  const report = { name: "codex", installed: true, version, path, login } as const;
  if (problem === null) return { ...report, problems, hint };
  // One that cannot even tell its version has to be put right before anybody can log in.
  return { ...report, problems: [problem, ...problems], hint: isLate === true ? hint : INSTALL_COMMAND };
}

type Environment = Readonly<Record<string, string | undefined>>;
type LoginReport = Pick<HarnessReport, "login" | "problems" | "hint">;

const LOGGED_IN: LoginReport = { login: "ok", problems: [], hint: null };

/** `home`: the person's home directory. */
export async function codexLogin(env: Environment, home: string): Promise<LoginReport> {
  const folder = env["CODEX_HOME"] ?? join(home, ".codex");
  const config = readConfig(await readIfThere(join(folder, "config.toml")));
  if (typeof config === "string") return { login: "unknown", problems: [config], hint: null };
  const provider = config["model_provider"];
  if (typeof provider === "string" && provider !== "openai") return LOGGED_IN;
  if (hasCredentials(await readIfThere(join(folder, "auth.json")))) return LOGGED_IN;
  const store = config["cli_auth_credentials_store"];
  if (store === "keyring" || store === "auto") return { login: "unknown", problems: [], hint: LOGIN_COMMAND };
  const key = ["OPENAI_API_KEY", "CODEX_API_KEY"].find((name) => env[name] !== undefined && env[name] !== "");
  if (key === undefined) return { login: "missing", problems: [], hint: LOGIN_COMMAND };
  return {
    login: "missing",
    problems: [`${key} is set, but codex app-server does not read it`],
    hint: `printenv ${key} | ${LOGIN_COMMAND} --with-api-key`,
  };
}

function hasCredentials(text: string | null): boolean {
  if (text === null) return false;
  try {
    const auth: unknown = JSON.parse(text);
    if (typeof auth !== "object" || auth === null) return false;
    return Object.entries(auth).some(([name, value]) => CREDENTIALS.has(name) && Boolean(value));
  } catch {
    // Codex could not read it either.
    return false;
  }
}

const CREDENTIALS: ReadonlySet<string> = new Set(["OPENAI_API_KEY", "tokens", "agent_identity"]);

/** The problem, in words, when it is no TOML. */
function readConfig(text: string | null): Readonly<Record<string, unknown>> | string {
  if (text === null) return {};
  try {
    return parse(text);
  } catch (error) {
    return `Codex's config.toml: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // What cannot be read is as good as absent: Codex runs as the same user.
    return null;
  }
}
