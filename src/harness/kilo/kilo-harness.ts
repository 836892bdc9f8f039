import type { Harness, LaunchSpec, LaunchStart } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import { acpAgentNamed } from "../acp/acp-agents.js";
import { acpHarness } from "../acp/acp-harness.js";
import { findAgent } from "../find-program.js";
import { decodeKilo, encodeKilo, startKilo } from "./kilo-codec.js";
import { isKiloState } from "./kilo-state.js";

const LEGACY = "--json-io";
const current = acpHarness(acpAgentNamed("kilo"));

/** Kilo over ACP; or, with `--json-io` as its first argument, the legacy `kilocode` in its own words. */
export const kiloHarness: Harness = {
  ...current,
  start: (start) => (isLegacy(start.settings) ? startKilo(start) : current.start(start)),
  starting: (state) => (isKiloState(state) ? null : (current.starting?.(state) ?? null)),
  decode: (state, line, nowMs) =>
    isKiloState(state) ? decodeKilo(state, line, nowMs) : current.decode(state, line, nowMs),
  encode: (state, effect, text) =>
    isKiloState(state) ? encodeKilo(state, effect, text) : current.encode(state, effect, text),
  launch: (settings, start) =>
    isLegacy(settings) ? launchLegacy(settings, start) : current.launch(settings, start),
};

function isLegacy({ args: [first] }: SessionSettings): boolean {
  return first === LEGACY;
}

async function launchLegacy(settings: SessionSettings, start: LaunchStart): Promise<LaunchSpec> {
  const { resume, prompt, program } = start;
  const missing = "The legacy Kilo CLI is not installed: there is no kilocode.";
  const command = await findAgent(program, "kilocode", { ...process.env, ...settings.env }, missing);
  const args = [
    ...settings.args,
    `--workspace=${settings.cwd}`,
    ...(settings.model === null ? [] : [`--model=${settings.model}`]),
    ...(resume === null ? [] : [`--session=${resume}`]),
    // A prompt may look like an option.
    ...(prompt === null ? [] : ["--", prompt]),
  ];
  return { command, args, env: {}, hooks: false };
}
