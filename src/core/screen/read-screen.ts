/**
 * What a terminal's screen shows, by tables of rules: one per agent, the first rule that matches decides. A live dialog
 * comes before a spinner, a spinner before an input box.
 *
 * Everything an agent prints can hold text that looks like its own dialogs. What tells the real one is its place: it is
 * the last thing on the screen, where text that was only printed has the input box below it.
 */
import { CLAUDE } from "./agents/claude.js";
import { CN } from "./agents/cn.js";
import { CODEX } from "./agents/codex.js";
import { COPILOT } from "./agents/copilot.js";
import { GEMINI } from "./agents/gemini.js";
import { GROK } from "./agents/grok.js";
import { KILO } from "./agents/kilo.js";
import { KIMI } from "./agents/kimi.js";
import { NANOCODER } from "./agents/nanocoder.js";
import { OPENCODE } from "./agents/opencode.js";
import { PI } from "./agents/pi.js";
import { QWEN } from "./agents/qwen.js";
import type { ScreenAgent } from "./agent-programs.js";
import { saidGoodbye } from "./goodbye.js";
import type { ScreenReading } from "./reading.js";
import { applyRule, type RuleTable } from "./rule.js";
import type { Screen } from "./screen.js";
import { SHELL } from "./shell-prompt.js";
import { readStructure } from "./structure.js";
import { viewOf, type View } from "./view.js";

const TABLES: Readonly<Record<ScreenAgent, RuleTable>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
  kilo: KILO,
  copilot: COPILOT,
  qwen: QWEN,
  pi: PI,
  kimi: KIMI,
  cn: CN,
  grok: GROK,
  nanocoder: NANOCODER,
};

/**
 * `agent` is the agent whose process runs in the terminal, `null` when it is a shell or not known. Total and quick; what
 * no rule recognises is a question where it plainly is a dialog, and `unknown` otherwise, never idle. Where no agent runs,
 * nothing is a question: any program may ask its own.
 */
export function readScreen(agent: string | null, screen: Screen): ScreenReading {
  const view = viewOf(screen);
  if (view.rows.length === 0) return unknown("the screen is blank");
  if (agent === null) return firstMatch(SHELL, view) ?? unknown("no rule for a shell matched");
  const table = tableOf(agent);
  const reading = table && firstMatch(table, view);
  if (reading) return reading;
  if (saidGoodbye(agent, view)) {
    const ended = firstMatch(SHELL, view);
    if (ended) return { ...ended, evidence: [`${agent} said goodbye`, ...ended.evidence] };
  }
  const plain = readStructure(view);
  if (plain) return plain;
  return table
    ? { ...unknown(`no rule for ${agent} matched`), input: table.input(view) }
    : unknown(`no rules for ${agent}`);
}

function tableOf(agent: string): RuleTable | null {
  return Object.hasOwn(TABLES, agent) ? TABLES[agent as ScreenAgent] : null;
}

function firstMatch(table: RuleTable, view: View): ScreenReading | null {
  for (const rule of table.rules) {
    const reading = applyRule(rule, view, table.input);
    if (reading !== null) return reading;
  }
  return null;
}

function unknown(why: string): ScreenReading {
  return { activity: "unknown", basis: "rule", confidence: 0, evidence: [why], prompt: null, input: null };
}
