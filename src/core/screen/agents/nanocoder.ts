/**
 * Nanocoder. Its last rows are the input box, a bar at the left of every row, and a footer that names its mode; while it
 * works, the last row in the box is a spinner with a way to cancel. A dialog takes the place of the box: a list, with a
 * way to cancel as the last thing on the screen, or in a frame. Messages in the transcript have a bar too, but no footer.
 */
import { KEYS, meaningOf } from "../choices.js";
import { asksForApproval, byArrows, plainDialog, promptOf, spacedDialog, type KeysOf } from "../dialogs.js";
import { boxAbove, unframed } from "../frames.js";
import { typedIn } from "../input-box.js";
import { rowWith, type Rule, type RuleTable } from "../rule.js";
import { spinnerRules } from "../spinner-rules.js";
import { findAbove, rowsOf, type Region, type View } from "../view.js";

const BAR = "┃";
const SPINNER = /^┃ [⠁-⣿] .*\bEsc to cancel\b/;
/** Its mode; in a narrow terminal in fewer words. */
const FOOTER = /^(?:▶|⏸|⏵+) \S/;
const CANCEL = /^(?:Press Escape to cancel|↑\/↓ to move · .*\bEsc to cancel)$/;
const SELECTED = /^[\s│]*[>❯] \S/;
const BOX_ROWS_MAX = 40;
const FOOTER_ROWS_MAX = 16;
const DIALOG_ROWS_MAX = 40;

export const NANOCODER: RuleTable = {
  rules: [
    dialog("confirmation dialog", "approval"),
    dialog("selection dialog", "question"),
    ...spinnerRules({
      box: inputBox,
      at: inputBox,
      spinner: rowWith(SPINNER),
      atRest: { needs: [footer] },
    }),
  ],
  input: (view) => {
    const box = inputBox(view);
    if (box === null) return null;
    const spinner = findAbove(view, box.end, box.end - box.start, (row) => SPINNER.test(row));
    const end = spinner < 0 ? box.end : spinner;
    // Its `>` stands there only before the placeholder.
    return typedIn(view, { start: box.start, end }, 2).replace(/^\n+/, "").replace(/^>$/, "");
  },
};

function dialog(name: string, activity: "approval" | "question"): Rule {
  return {
    name,
    activity,
    looksAt: "dialog",
    find: dialogRegion,
    needs: [rowWith(SELECTED)],
    supports: [rowWith(CANCEL)],
    prompt: (view, region) => {
      const rows = unframed(rowsOf(view, region)).map(withOneMark);
      const list = plainDialog(rows, view.cols) ?? spacedDialog(rows, view.cols);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      return isApproval === (activity === "approval") ? promptOf(list, keysOf(view)) : null;
    },
  };
}

/** Where Escape cancels it means no, wherever the selection is. */
function keysOf(view: View): KeysOf {
  const cancels = CANCEL.test(view.rows.at(-1) ?? "");
  return (option, index, options) =>
    cancels && meaningOf(option.label) === "reject" ? KEYS.esc : byArrows(option, index, options);
}

/** One mark for the selection, and none for what it would mean. */
function withOneMark(row: string): string {
  return row.replace(/^(\s*)> /, "$1❯ ").replace(/^(\s*(?:❯ )?)[✓✗] (?=\S)/, "$1");
}

/** The last thing on the screen: a frame, or what stands between the call and a way to cancel. */
function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  const frame = boxAbove(view, last);
  if (frame) return frame;
  if (!CANCEL.test(view.rows[last] ?? "")) return null;
  const starts = (row: string) => /^⚒ \S/.test(row) || row.startsWith(BAR);
  const found = findAbove(view, last, DIALOG_ROWS_MAX, starts);
  if (found < 0) return { start: Math.max(0, last - DIALOG_ROWS_MAX), end: last };
  return { start: (view.rows[found] ?? "").startsWith(BAR) ? topOf(view, found) : found, end: last };
}

/** The last rows with a bar, above nothing but the footer and lists of what could be typed. */
function inputBox(view: View): Region | null {
  const last = findAbove(view, view.rows.length, FOOTER_ROWS_MAX, (row) => row.startsWith(BAR));
  if (last < 0 || footer(view, { start: last, end: last + 1 }) === null) return null;
  return { start: topOf(view, last), end: last + 1 };
}

function topOf(view: View, last: number): number {
  return findAbove(view, last, BOX_ROWS_MAX, (row) => !row.startsWith(BAR)) + 1;
}

function footer(view: View, { end }: Region): string | null {
  return rowWith(FOOTER)(view, { start: end, end: view.rows.length });
}
