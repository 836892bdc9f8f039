import { homedir } from "node:os";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness } from "../../runtime/harness.js";
import { findAgent, findProgram, NOT_ASKED, readVersion } from "../find-program.js";
import { decodeCodex, encodeCodex, startCodex } from "./codex-codec.js";
import { codexLogin } from "./codex-login.js";

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
