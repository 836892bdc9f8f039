import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Harness, LaunchStart } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import { commandBuiltin, decodeBuiltin, encodeBuiltin, startBuiltin } from "./builtin-codec.js";

const AGENT = fileURLToPath(new URL("../../agent/main.js", import.meta.url));

/** Signalbox's own agent. */
export const builtinHarness: Harness = builtin("builtin", null);

/** The same with its offline model: it shows every state without a key. */
export const demoHarness: Harness = builtin("demo", "demo");

function builtin(name: string, model: string | null): Harness {
  return {
    name,
    asksClose: "explicit",
    // Every call of a tool is asked for before it is done.
    enforcement: "enforced",
    framing: "lines",
    start: startBuiltin,
    decode: decodeBuiltin,
    encode: encodeBuiltin,
    command: commandBuiltin,
    launch: (settings, start) =>
      Promise.resolve({
        command: process.execPath,
        args: [AGENT, ...argsFor(settings, start, model)],
        env: {},
        hooks: false,
      }),
    probe: () =>
      Promise.resolve({
        name,
        installed: true,
        version: process.version,
        path: AGENT,
        login: "ok",
        problems: [],
        hint: null,
      }),
  };
}

function argsFor(
  settings: SessionSettings,
  { resume, dataDir, trusted }: LaunchStart,
  model: string | null,
): readonly string[] {
  const chosen = model ?? settings.model;
  return [
    "--conversations",
    join(dataDir, "conversations"),
    ...(chosen === null ? [] : ["--model", chosen]),
    ...(resume === null ? [] : ["--resume", resume]),
    ...(trusted === true ? ["--trusted"] : []),
    ...settings.args,
  ];
}
