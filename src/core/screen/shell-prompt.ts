/**
 * A shell that waits for a command. Only asked where no agent runs: `❯` and `>` are prompts of agents too, and stand for
 * nothing here.
 */
import type { Mark, RuleTable } from "./rule.js";
import type { Region, View } from "./view.js";

const WITH_HOST = /^(?:\([^)]{1,40}\) )?\[?[\w.-]{1,40}@[\w.-]{1,64}[: ][^$#%>]{0,200}[$#%>](?: |$)/;
const WITH_PATH = /^(?:PS )?(?:~|\/|[A-Z]:\\)[\w./~\\-]{0,200} ?[$#%>](?: |$)/;
const BARE = /^(?:(?:ba|z|da)?sh-[\d.]+)?[$#%](?: |$)/;
const PROMPTS = [WITH_HOST, WITH_PATH, BARE];
/** No command that somebody types is longer. */
const COMMAND_ROWS_MAX = 20;

export const SHELL: RuleTable = {
  rules: [
    {
      name: "shell prompt with a host",
      activity: "shell",
      looksAt: "last row",
      find: commandLine,
      needs: [beginsWith(WITH_HOST)],
      supports: [nothingTyped],
    },
    {
      name: "shell prompt",
      activity: "shell",
      looksAt: "last row",
      find: commandLine,
      needs: [beginsWith(WITH_PATH, BARE)],
    },
  ],
  input: () => null,
};

/** Whether a row begins with a shell's prompt. */
export function isPrompt(row: string): boolean {
  return PROMPTS.some((prompt) => prompt.test(row));
}

/** Whether the last line is a shell's prompt that waits for a command. */
export function isAtShellPrompt(view: View): boolean {
  return commandLine(view) !== null;
}

/**
 * The last line on the screen, when it begins with a prompt and has the cursor: a command that runs has moved the cursor
 * below the line that started it. A long command goes on in the next rows.
 */
function commandLine(view: View): Region | null {
  const last = view.rows.length - 1;
  // A shell writes line after line; the other screen belongs to programs that draw.
  if (last < 0 || view.cursorRow !== last || view.altScreen) return null;
  for (let at = last; at >= Math.max(0, last - COMMAND_ROWS_MAX); at -= 1) {
    const row = view.rows[at] ?? "";
    if (at < last && row.length < view.cols) return null;
    if (isPrompt(row)) return { start: at, end: last + 1 };
  }
  return null;
}

function beginsWith(...prompts: readonly RegExp[]): Mark {
  return (view, { start }) => {
    const row = view.rows[start] ?? "";
    return prompts.some((prompt) => prompt.test(row)) ? row : null;
  };
}

function nothingTyped(view: View): string | null {
  return /[$#%>]$/.test(view.rows.at(-1) ?? "") ? "nothing typed" : null;
}
