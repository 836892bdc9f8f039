/**
 * Pi. Its last rows are the input box between two rulers and a footer, whose last row says how full the context is; its
 * spinner stands right above the box. A menu takes the place of the input. It never asks before it does something.
 */
import { prompt } from "../dialogs.js";
import { typedIn } from "../input-box.js";
import { rowWith, type RuleTable } from "../rule.js";
import { rowsAbove, spinnerRules } from "../spinner-rules.js";
import { findAbove, isRuler, rowsOf, type Region, type View } from "../view.js";

const FOOTER = /(?:^|\s)\d+(?:\.\d+)?%\/\d/;
const SPINNER = /^ [⠁-⣿] \S/;
const SELECTED = /^→ \S/;
const LIST_ROWS_MAX = 14;
const INPUT_ROWS_MAX = 40;
const SPINNER_ROWS_MAX = 6;

export const PI: RuleTable = {
  rules: [
    {
      name: "menu in the place of the input box",
      activity: "question",
      looksAt: "menu",
      find: inputBox,
      needs: [rowWith(SELECTED), rowWith(/^>(?: |$)/)],
      prompt: (view, region) => {
        const texts = rowsOf(view, region).map((row) => row.trim());
        const title = texts.find((text) => text !== "" && !text.startsWith(">")) ?? "";
        return prompt(title, texts.filter((text) => text !== "").join("\n"), []);
      },
    },
    ...spinnerRules({
      box: inputBox,
      at: (view) => rowsAbove(inputBox(view), SPINNER_ROWS_MAX),
      spinner: rowWith(SPINNER),
      atRest: { needs: [footer] },
    }),
  ],
  input: (view) => {
    const box = inputBox(view);
    return box && typedIn(view, box, 0);
  },
};

/** Between the last two rulers, with the footer below; a list of commands may stand between them. */
function inputBox(view: View): Region | null {
  if (!FOOTER.test(view.rows.at(-1) ?? "")) return null;
  const lower = findAbove(view, view.rows.length, LIST_ROWS_MAX, isRuler);
  const upper = findAbove(view, lower, INPUT_ROWS_MAX, isRuler);
  return upper < 0 ? null : { start: upper + 1, end: lower };
}

function footer(view: View): string | null {
  return view.rows.at(-1)?.trim() ?? null;
}
