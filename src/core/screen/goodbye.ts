import type { Screen } from "./screen.js";
import { isAtShellPrompt } from "./shell-prompt.js";
import { viewOf, type View } from "./view.js";

/** What each agent prints when it ends: how to go on with the session. Its own text is never at these places. */
const GOODBYES: ReadonlyMap<string, RegExp> = new Map([
  ["claude", /^claude .*--resume [\da-f]{8}-/],
  ["codex", /^(?: {2}|.*run:? )codex resume [\da-f]{8}-|^Token usage/],
  ["gemini", /^│ +To resume this session: gemini --resume|^│ +Agent powering down\. Goodbye!/],
  ["opencode", /^ {2}Continue {2}opencode -s ses_/],
  ["kilo", / {2}kilo -s ses_/],
  ["kimi", /^ To resume this session: kimi -r session_/],
  ["copilot", / {3}Resume +copilot(?:$| --resume=)/],
  [
    "qwen",
    /^│? *(?:To (?:resume|continue) this session[:,]? .*qwen --resume|qwen --resume [\da-f]{8}-|Agent powering down\. Goodbye!)/,
  ],
]);

const ROWS_MAX = 30;

/**
 * Whether an agent has said goodbye and a shell asks for the next command: it has ended, where its process cannot be
 * seen. One without the other proves nothing.
 */
export function sawGoodbye(agent: string, screen: Screen): boolean {
  return saidGoodbye(agent, viewOf(screen));
}

export function saidGoodbye(agent: string, view: View): boolean {
  const goodbye = GOODBYES.get(agent);
  return (
    goodbye !== undefined &&
    isAtShellPrompt(view) &&
    view.rows.slice(-ROWS_MAX, -1).some((row) => goodbye.test(row))
  );
}
