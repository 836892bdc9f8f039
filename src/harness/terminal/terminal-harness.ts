import type { Harness } from "../../runtime/harness.js";
import { decodeTerminal, encodeTerminal, startTerminal } from "./terminal-codec.js";

/** Of a terminal that nobody has looked at yet. */
export const FIRST_TERMINAL_SIZE = { cols: 80, rows: 24 } as const;

/** Any interactive program in a terminal of its own: `args` are its command and arguments, or else it is a shell. */
export const terminalHarness: Harness = {
  name: "terminal",
  asksClose: "explicit",
  enforcement: "none",
  framing: "bytes",
  start: startTerminal,
  decode: decodeTerminal,
  encode: encodeTerminal,
  launch({ args: [command, ...args], env }) {
    return Promise.resolve({
      command: command ?? shellIn(env, process.env),
      args,
      env: {},
      pty: FIRST_TERMINAL_SIZE,
      hooks: false,
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
