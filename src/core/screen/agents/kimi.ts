/**
 * Kimi Code. Its last rows are the input box, `>` in a frame, and a footer that names the model and how full the context
 * is; a moon that wanes stands right above the box while it works. A dialog between two rulers takes the place of the
 * box.
 */
import {
  asksForApproval,
  byArrows,
  byNumber,
  numberedDialog,
  plainDialog,
  promptOf,
  spacedDialog,
} from "../dialogs.js";
import { framedInput, typedIn } from "../input-box.js";
import { rowWith, type Rule, type RuleTable } from "../rule.js";
import { rowsAbove, spinnerRules } from "../spinner-rules.js";
import { findAbove, isRuler, rowsOf, type Region, type View } from "../view.js";

const FOOTER = /\bcontext: \d+%/;
const MOON = /^ {1,3}(?:[🌑🌒🌓🌔🌕🌖🌗🌘]|[⠁-⣿])/u;
const FOOTER_ROWS_MAX = 16;
const DIALOG_ROWS_MAX = 60;
const SPINNER_ROWS_MAX = 4;

export const KIMI: RuleTable = {
  rules: [
    dialog("approval dialog", "approval"),
    dialog("selection dialog", "question"),
    ...spinnerRules({
      what: "moon",
      box: inputBox,
      at: (view) => rowsAbove(inputBox(view), SPINNER_ROWS_MAX),
      spinner: rowWith(MOON),
      atRest: { needs: [footer] },
    }),
  ],
  input: (view) => {
    const box = inputBox(view);
    return box && typedIn(view, box, 5);
  },
};

function dialog(name: string, activity: "approval" | "question"): Rule {
  return {
    name,
    activity,
    looksAt: "dialog",
    find: dialogRegion,
    needs: [rowWith(/^\s*[▶❯] (?:\d+\. )?\S/)],
    supports: [rowWith(/↑\/?↓ (?:select|navigate)/)],
    prompt: (view, region) => {
      const rows = rowsOf(view, region);
      const numbered = numberedDialog(rows, view.cols - 4);
      const list = numbered ?? spacedDialog(rows, view.cols) ?? plainDialog(rows, view.cols);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      if (isApproval !== (activity === "approval")) return null;
      return promptOf(list, numbered ? byNumber : byArrows);
    },
  };
}

/** Between two rulers, the lower of which has nothing but the footer below it. */
function dialogRegion(view: View): Region | null {
  const lower = findAbove(view, view.rows.length, 4, isRuler);
  const upper = findAbove(view, lower, DIALOG_ROWS_MAX, isRuler);
  return lower < 0 || upper < 0 || inputBox(view) !== null ? null : { start: upper + 1, end: lower };
}

function inputBox(view: View): Region | null {
  return framedInput(view, /^\s*│ [>!] /, FOOTER_ROWS_MAX);
}

function footer(view: View, { end }: Region): string | null {
  return rowWith(FOOTER)(view, { start: end, end: view.rows.length });
}
