/**
 * A shell that waits for a command. Only asked where no agent runs: `❯` and `>` are prompts of agents too, and stand for
 * nothing here.
 */
import { rowWith, type RuleTable } from "./rule.js";
import type { Region, View } from "./view.js";

const WITH_HOST = /^(?:\([^)]{1,40}\) )?\[?[\w.-]{1,40}@[\w.-]{1,64}[: ][^$#%>]{0,200}[$#%>](?: |$)/;
const WITH_PATH = /^(?:PS )?(?:~|\/|[A-Z]:\\)[\w./~\\-]{0,200} ?[$#%>](?: |$)/;
const BARE = /^(?:(?:ba|z|da)?sh-[\d.]+)?[$#%](?: |$)/;

export const SHELL: RuleTable = {
  rules: [
    {
      name: "shell prompt with a host",
      activity: "shell",
      looksAt: "last row",
      find: lineWithCursor,
      needs: [rowWith(WITH_HOST)],
      supports: [atItsEnd],
    },
    {
      name: "bare shell prompt",
      activity: "shell",
      looksAt: "last row",
      find: lineWithCursor,
      needs: [firstRowWith(WITH_PATH, BARE)],
    },
  ],
  input: () => null,
};

/** Whether the last line is a shell's prompt that waits for a command. */
export function isAtShellPrompt(view: View): boolean {
  const region = lineWithCursor(view);
  return (
    region !== null &&
    [WITH_HOST, WITH_PATH, BARE].some((prompt) => prompt.test(view.rows[region.start] ?? ""))
  );
}

/**
 * The last line on the screen, with all the rows that it fills; null when the cursor is elsewhere. A command that runs
 * has moved the cursor below the line that started it.
 */
function lineWithCursor(view: View): Region | null {
  const last = view.rows.length - 1;
  let start = last;
  while (start > 0 && (view.rows[start - 1] ?? "").length >= view.cols) start -= 1;
  return last >= 0 && view.cursorRow === last ? { start, end: last + 1 } : null;
}

function firstRowWith(...patterns: readonly RegExp[]) {
  return (view: View, { start }: Region): string | null => {
    const row = view.rows[start] ?? "";
    return patterns.some((pattern) => pattern.test(row)) ? row : null;
  };
}

/** Nothing typed yet. */
function atItsEnd(view: View): string | null {
  return /[$#%>]$/.test(view.rows.at(-1) ?? "") ? "nothing typed" : null;
}
