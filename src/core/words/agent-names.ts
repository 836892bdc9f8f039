/** What agents are called by those who make them. A name that is not here is one that a person has given. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["claude", "Claude Code"],
  ["claude-acp", "Claude Code (ACP)"],
  ["codex", "Codex"],
  ["codex-acp", "Codex (ACP)"],
  ["gemini", "Gemini CLI"],
  ["opencode", "OpenCode"],
  ["kilo", "Kilo Code"],
  ["qwen", "Qwen Code"],
  ["copilot", "Copilot CLI"],
  ["acp", "Another agent (ACP)"],
  ["builtin", "Signalbox agent"],
  ["demo", "Demo"],
  ["terminal", "Terminal"],
  ["script", "Script"],
  ["pi", "Pi"],
  ["kimi", "Kimi"],
  ["cn", "Continue"],
  ["amp", "Amp"],
  ["auggie", "Auggie"],
  ["cline", "Cline"],
  ["crush", "Crush"],
  ["droid", "Droid"],
]);

/** Of a harness, or of an agent in a terminal: `claude` is Claude Code. */
export function agentName(name: string): string {
  return NAMES.get(name) ?? name;
}
