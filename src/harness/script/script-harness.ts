import { fileURLToPath } from "node:url";
import type { Harness } from "../../runtime/harness.js";
import { decodeScript, decodeScriptHook, encodeScript, startScript } from "./script-codec.js";

/** An agent that plays a file of timed events and reacts to answers: everything can be tried with a real process. */
export const scriptHarness: Harness = {
  name: "script",
  asksClose: "explicit",
  enforcement: "enforced",
  framing: "lines",
  start: startScript,
  decode: decodeScript,
  decodeHook: decodeScriptHook,
  encode: encodeScript,
  launch: (settings, { resume }) =>
    Promise.resolve({
      ...programOf(settings.args, resume),
      env: {},
      hooks: settings.args.includes("--hooks"),
    }),
  probe: () =>
    Promise.resolve({
      name: "script",
      installed: true,
      version: null,
      path: process.execPath,
      login: "unknown",
      problems: [],
      hint: null,
    }),
};

const AGENT = fileURLToPath(new URL("./script-agent.js", import.meta.url));

/** `--program FILE …` runs another program that speaks the same wire: one small enough to run a thousand times. */
function programOf(
  args: readonly string[],
  resume: string | null,
): { readonly command: string; readonly args: readonly string[] } {
  const [option, program, ...rest] = args;
  if (option === "--program" && program !== undefined) return { command: program, args: rest };
  const resuming = resume === null ? [] : ["--resume", resume];
  return { command: process.execPath, args: [AGENT, ...resuming, ...args] };
}
