import { homedir } from "node:os";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness } from "../../runtime/harness.js";
import { findProgram, readVersion } from "../find-program.js";
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
  async launch({ args, env }) {
    const command = await findProgram("codex", { ...process.env, ...env });
    if (command === null) throw new Error(`codex is not installed. Run: ${INSTALL_COMMAND}`);
    return { command, args: ["app-server", ...args], env: {}, hooks: false };
  },
  probe: () => probeCodex(process.env, homedir()),
};

export async function probeCodex(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Promise<HarnessReport> {
  const path = await findProgram("codex", env);
  const { login, problems, hint } = await codexLogin(env, home);
  if (path === null) {
    return {
      name: "codex",
      installed: false,
      version: null,
      path,
      login,
      problems: ["codex is not installed"],
      hint: INSTALL_COMMAND,
    };
  }
  const { version, problem } = await readVersion(path, ["--version"], env);
  const found = problem === null ? problems : [problem, ...problems];
  return { name: "codex", installed: true, version, path, login, problems: found, hint };
}
