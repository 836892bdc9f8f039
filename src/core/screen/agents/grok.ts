/**
 * Grok CLI. Its last rows are the input box, `❯` in a frame, and a footer with the model; while it works, a spinner with
 * a way to interrupt stands above the box, and the box has no cursor. A dialog takes the place of the box: a list whose
 * selection is drawn inverse, and which knows only arrows.
 */
import { KEYS, meaningOf, numberedOptions } from "../choices.js";
import { asksForApproval, byArrows, promptOf, type KeysOf } from "../dialogs.js";
import { framedInput, typedIn } from "../input-box.js";
import { rowWith, type Prompt, type RuleTable } from "../rule.js";
import { rowsAbove, spinnerRules } from "../spinner-rules.js";
import { findAbove, rowsOf, type Region, type View } from "../view.js";

const SPINNER = /^ {2}\S \S.*\besc to interrupt\)/;
const HINT = /^ {2}↑↓ navigate • Enter select • Esc cancel/;
const CALL = /^ {2}⏺ \S/;
const FOOTER_ROWS_MAX = 16;
const DIALOG_ROWS_MAX = 40;
const SPINNER_ROWS_MAX = 4;

export const GROK: RuleTable = {
  rules: [
    {
      name: "confirmation dialog",
      activity: "approval",
      looksAt: "dialog",
      find: dialogRegion,
      needs: [rowWith(HINT)],
      supports: [rowWith(/^ {2}Do you want to proceed/)],
      prompt: readDialog,
    },
    ...spinnerRules({
      box: inputBox,
      at: (view) => rowsAbove(inputBox(view), SPINNER_ROWS_MAX),
      spinner: rowWith(SPINNER),
      atRest: { needs: [cursorIn, footer] },
    }),
  ],
  input: (view) => {
    const box = inputBox(view);
    return box && typedIn(view, box, 5).replace(/^ /gm, "");
  },
};

/** From the call that waits down to the hint, which is the last thing on the screen. */
function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  if (!HINT.test(view.rows[last] ?? "")) return null;
  const call = findAbove(view, last, DIALOG_ROWS_MAX, (row) => CALL.test(row));
  return { start: Math.max(call, 0, last - DIALOG_ROWS_MAX), end: last + 1 };
}

function readDialog(view: View, region: Region): Prompt | null {
  const rows = rowsOf(view, region);
  const isSelected = (row: number) => view.highlights.some((span) => span.row === region.start + row);
  const options = numberedOptions(rows, { start: 0, end: rows.length }).map((option) => {
    return { ...option, selected: isSelected(option.row) };
  });
  if (!asksForApproval(options.map(({ label }) => label))) return null;
  return promptOf({ rows, options, cols: view.cols }, keysOf);
}

/** Escape refuses from wherever the selection is; with feedback, it asks for words first. */
const keysOf: KeysOf = (option, index, options) => {
  if (meaningOf(option.label) !== "reject") return byArrows(option, index, options);
  return option.label.includes("feedback") ? null : KEYS.esc;
};

/** In a narrow terminal it loses the blanks around its mark when a line is wrapped. */
function inputBox(view: View): Region | null {
  return framedInput(view, /^ {2}│ ?❯/, FOOTER_ROWS_MAX);
}

/** The cursor that it draws itself while it takes what is typed. The terminal's own comes back when it has ended. */
function cursorIn(view: View, { start, end }: Region): string | null {
  if (view.cursorVisible) return null;
  const cursor = view.highlights.find((span) => span.row >= start && span.row < end);
  return cursor ? "a cursor in the box" : null;
}

function footer(view: View, { end }: Region): string | null {
  return rowWith(/^ {2}\S .*\bauto-edit: /)(view, { start: end, end: view.rows.length });
}
