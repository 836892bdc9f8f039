/** Whether `codex app-server` would find a login: read from its own files, and never shown. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import { LOGIN_COMMAND } from "./turn-failure.js";

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
