/**
 * Qwen Code. A dialog is a box of lines with `Waiting for user confirmation` below it. Otherwise its last rows are the
 * input box, `>` between two rulers, and a footer or a list of commands; the spinner stands above the upper ruler.
 */
import { asksForApproval, byArrows, byNumber, numberedDialog, promptOf, spacedDialog } from "../dialogs.js";
import { boxAbove, isLowerEdge, unframed } from "../frames.js";
import { ruledBox, typedIn } from "../input-box.js";
import { rowWith, type Rule, type RuleTable } from "../rule.js";
import { rowsAbove, spinnerRules } from "../spinner-rules.js";
import { findAbove, rowsOf, type Region, type View } from "../view.js";

/** In a narrow terminal the time stands in a row of its own. Whatever the model says is indented further. */
const SPINNER =
  /^(?: {2}(?:[⠁-⣿] *\S|(?:\S.*)?\((?:\d+[hms] ?)+·.*\besc to cancel\))|(?:[⠁-⣿] .*)?\(esc to cancel)/;
const WAITING = /^\s*(?:[⠁-⣿]|\.{1,3}) +Waiting for user confirmation/;
const SELECTED = /^[\s│]*[›●❯] +\d+\. /;
const LIST_ROWS_MAX = 14;
const DIALOG_ROWS_MAX = 40;
const SPINNER_ROWS_MAX = 8;

export const QWEN: RuleTable = {
  rules: [
    dialog("confirmation dialog", "approval"),
    dialog("selection dialog", "question"),
    {
      name: "list without numbers",
      activity: "question",
      looksAt: "dialog",
      find: dialogRegion,
      needs: [rowWith(/^\s*│ › \S/), rowWith(/^\s*│ Select \S/)],
      prompt: (view, region) => {
        const list = spacedDialog(unframed(rowsOf(view, region)), view.cols - 8);
        return list && promptOf(list, byArrows);
      },
    },
    ...spinnerRules({
      box: inputBox,
      at: aboveInput,
      spinner: rowWith(SPINNER),
      atRest: { needs: [belowInput], unless: [startsAbove] },
    }),
  ],
  input: readInput,
};

function dialog(name: string, activity: "approval" | "question"): Rule {
  return {
    name,
    activity,
    looksAt: "dialog",
    find: dialogRegion,
    needs: [rowWith(SELECTED)],
    supports: [rowWith(WAITING), rowWith(/[│] (?:Allow execution|Apply this change)/)],
    prompt: (view, region) => {
      const list = numberedDialog(unframed(withoutBar(view, region)), view.cols - 8);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      return isApproval === (activity === "approval") ? promptOf(list, byNumber) : null;
    },
  };
}

/** The last box, with nothing but the waiting line below it; newer versions draw no box around a call. */
function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  const edge = findAbove(view, last + 1, 4, isLowerEdge);
  if (edge < 0) return unframedRegion(view);
  const below = view.rows.slice(edge + 1).filter((row) => row !== "");
  const box = below.every((row) => WAITING.test(row)) ? boxAbove(view, edge) : null;
  return box && { start: box.start, end: last + 1 };
}

/** From the call that waits down to the line that says so. */
function unframedRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  if (!WAITING.test(view.rows[last] ?? "") || inputBox(view) !== null) return null;
  const call = findAbove(view, last, DIALOG_ROWS_MAX, (row) => /^ {2}\? \S/.test(row));
  return call < 0 ? null : { start: call, end: last };
}

/** Newer versions draw a scroll bar in the last column, and take it away again. */
function withoutBar(view: View, region: Region): readonly string[] {
  return rowsOf(view, region).map((row) =>
    row.length >= view.cols ? row.slice(0, view.cols - 1).trimEnd() : row,
  );
}

function inputBox(view: View): Region | null {
  return ruledBox(view, { prompt: /^[>!*](?: |$)/, belowMax: LIST_ROWS_MAX - 1 });
}

function aboveInput(view: View): Region | null {
  return rowsAbove(inputBox(view), SPINNER_ROWS_MAX);
}

/** The footer, or a list of commands to choose from; while it starts, a spinner stands there. */
function belowInput(view: View, { end }: Region): string | null {
  return rowWith(/^ {2}[^\s⠁-⣿]/)(view, { start: end + 1, end: view.rows.length });
}

/** While it starts, a spinner without a way to cancel turns above the box, or in the place of the footer. */
function startsAbove(view: View): string | null {
  const region = aboveInput(view);
  return region && rowWith(/^[⠁-⣿] \S/)(view, region);
}

function readInput(view: View): string | null {
  const box = inputBox(view);
  return box && typedIn(view, box, 2);
}
