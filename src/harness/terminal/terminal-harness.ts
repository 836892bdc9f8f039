import { launchedProgram } from "../../core/index.js";
import type { Harness } from "../../runtime/harness.js";
import { claudeArgs } from "./claude-hooks.js";
import {
  decodeTerminal,
  decodeTerminalHook,
  encodeTerminal,
  observeTerminal,
  startTerminal,
} from "./terminal-codec.js";

/** Of a terminal that nobody has looked at yet: large enough for the dialogs of agents. */
export const FIRST_TERMINAL_SIZE = { cols: 120, rows: 40 } as const;

/** The terminal that we are, whatever the daemon was started in. */
const TERMINAL_ENV = { TERM: "xterm-256color", COLORTERM: "truecolor" };

/** Any interactive program in a terminal of its own: `args` are its command and arguments, or else it is a shell. */
export const terminalHarness: Harness = {
  name: "terminal",
  asksClose: "explicit",
  enforcement: "none",
  framing: "bytes",
  start: startTerminal,
  decode: decodeTerminal,
  decodeHook: decodeTerminalHook,
  observe: observeTerminal,
  encode: encodeTerminal,
  launch({ args: words, env }, { resume }) {
    const [command, ...args] = words;
    const program = launchedProgram(words);
    const isClaude = program.type === "agent" && program.agent === "claude";
    const how = isClaude ? claudeArgs(args, resume) : { args, hooks: false };
    return Promise.resolve({
      command: command ?? shellIn(env, process.env),
      args: how.args,
      env: TERMINAL_ENV,
      pty: FIRST_TERMINAL_SIZE,
      hooks: how.hooks,
    });
  },
  probe: () =>
    Promise.resolve({
      name: "terminal",
      installed: true,
      version: null,
      path: shellIn(process.env),
      login: "unknown",
      problems: [],
      hint: null,
    }),
};

/** The shell that a person has chosen; the first environment that names one decides. */
function shellIn(...environments: readonly Readonly<Record<string, string | undefined>>[]): string {
  return (
    environments.map((env) => env["SHELL"]).find((shell) => shell !== undefined && shell !== "") ?? "/bin/sh"
  );
}
