/** Every harness, by name. */
import type { Harness } from "../runtime/harness.js";
import { ACP_AGENTS } from "./acp/acp-agents.js";
import { acpHarness, anyAcpHarness } from "./acp/acp-harness.js";
import { builtinHarness, demoHarness } from "./builtin/builtin-harness.js";
import { claudeHarness } from "./claude/claude-harness.js";
import { codexHarness } from "./codex/codex-harness.js";
import { kiloHarness } from "./kilo/kilo-harness.js";
import { scriptHarness } from "./script/script-harness.js";
import { terminalHarness } from "./terminal/terminal-harness.js";

export const HARNESSES: readonly Harness[] = [
  claudeHarness,
  codexHarness,
  ...ACP_AGENTS.map((agent) => (agent.name === kiloHarness.name ? kiloHarness : acpHarness(agent))),
  anyAcpHarness,
  builtinHarness,
  demoHarness,
  terminalHarness,
  scriptHarness,
];

export function harnessNamed(name: string): Harness {
  return HARNESSES.find((harness) => harness.name === name) ?? missing(name);
}

/** A session of a harness that this version does not have: it can be read, and cannot be started. */
function missing(name: string): Harness {
  const problem = `this version has no harness ${JSON.stringify(name)}`;
  return {
    name,
    asksClose: "implicit",
    enforcement: "none",
    framing: "lines",
    start: () => ({ state: null, input: "" }),
    decode: (state) => ({ state, outputs: [{ type: "unknown", kind: "line" }] }),
    encode: (state) => ({ state, writes: [], failure: problem }),
    launch: () => Promise.reject(new Error(problem)),
    probe: () =>
      Promise.resolve({
        name,
        installed: false,
        version: null,
        path: null,
        login: "unknown",
        problems: [problem],
        hint: null,
      }),
  };
}
