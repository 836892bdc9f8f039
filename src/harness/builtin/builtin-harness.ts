import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  AGENT_PROVIDERS,
  isDemoModel,
  modelNameFlaw,
  providersWithKeys,
} from "../../protocol/agent-providers.js";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import type { Harness, LaunchStart } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import {
  builtinControls,
  commandBuiltin,
  controlBuiltin,
  decodeBuiltin,
  encodeBuiltin,
  startBuiltin,
} from "./builtin-codec.js";

const AGENT = fileURLToPath(new URL("../../agent/main.js", import.meta.url));

/** Signalbox's own agent. */
export const builtinHarness: Harness = builtin("builtin", null);

/** The same with its offline model: it shows every state without a key. */
/** It shows what an agent may ask for. */
export const demoHarness: Harness = { ...builtin("demo", "demo"), asksPerson: true };

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
    controls: builtinControls,
    control: controlBuiltin,
    modelFlaw: (asked) => {
      if (model === null || isDemoModel(asked)) return modelNameFlaw(asked);
      return `The demo has no model ${JSON.stringify(asked)}: leave it out, or say demo/hasty.`;
    },
    launch: (settings, start) =>
      Promise.resolve({
        command: process.execPath,
        args: [AGENT, ...argsFor(settings, start, model)],
        env: {},
        hooks: false,
      }),
    probe: (setup) =>
      Promise.resolve({
        name,
        installed: true,
        version: null,
        path: AGENT,
        problems: [],
        ...(model === null ? keysIn({ ...process.env, ...setup?.env }) : { login: "ok", hint: null }),
      }),
  };
}

/** Which providers of models it can use, by the variables that its sessions get: inherited, or configured for it. */
function keysIn(
  env: Readonly<Record<string, string | undefined>>,
): Pick<HarnessReport, "login" | "hint" | "note"> {
  const names = providersWithKeys(env);
  if (names.length > 0) return { login: "ok", hint: null, note: `has keys for ${names.join(", ")}` };
  const keys = Object.values(AGENT_PROVIDERS).flatMap(({ key }) => key ?? []);
  const hint = `set one of ${keys.join(", ")}, or choose a model of Ollama; without, the demo answers`;
  return { login: "missing", hint, note: "no API key is set" };
}

function argsFor(
  settings: SessionSettings,
  { resume, dataDir, conversationsDir, trusted }: LaunchStart,
  model: string | null,
): readonly string[] {
  // A project's model is for agents that have it: the demo has its own.
  const chosen = model === null || isDemoModel(settings.model ?? "") ? settings.model : model;
  return [
    "--conversations",
    conversationsDir ?? join(dataDir, "conversations"),
    ...(chosen === null ? [] : ["--model", chosen]),
    ...(resume === null ? [] : ["--resume", resume]),
    ...(trusted === true ? ["--trusted"] : []),
    ...settings.args,
  ];
}
