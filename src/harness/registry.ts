/** Every harness, by name. */
import type { Harness } from "../runtime/harness.js";
import { ACP_AGENTS } from "./acp/acp-agents.js";
import { acpHarness, anyAcpHarness, namedAcpHarness } from "./acp/acp-harness.js";
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

/** Any other name is that of an agent that a person has configured, or had. */
export function harnessNamed(name: string): Harness {
  return HARNESSES.find((harness) => harness.name === name) ?? namedAcpHarness(name);
}
