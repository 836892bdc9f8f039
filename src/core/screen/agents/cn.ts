/**
 * Continue's `cn`. Its last rows are the input box, `●` in a frame, and a footer with the folder; while it works, a
 * spinner of three characters and a way to interrupt stand above the box. A dialog is a frame in the same place.
 */
import { KEYS } from "../choices.js";
import { prompt } from "../dialogs.js";
import { boxAbove, unframed } from "../frames.js";
import { framedInput, typedIn } from "../input-box.js";
import { rowWith, type Prompt, type RuleTable } from "../rule.js";
import { rowsAbove, spinnerRules } from "../spinner-rules.js";
import { findAbove, rowsOf, type Region, type View } from "../view.js";

const WORKING = /^ [⠀-⣿]{3} .*\besc to interrupt\b/;
const HINT = /↑\/↓ to navigate, Enter to select/;
const SHIFT_TAB = "\x1b[Z";
const FOOTER_ROWS_MAX = 16;
const SPINNER_ROWS_MAX = 5;

/** Each answer has a key of its own, which stands behind it. */
const ANSWERS = [
  { pattern: /^[> ] (Continue) \(tab\)/, keys: "\t", meaning: "approve" },
  {
    pattern: /^[> ] (Continue \+ don't ask again) \(shift\+tab\)/,
    keys: SHIFT_TAB,
    meaning: "approve_always",
  },
  { pattern: /^[> ] (No\b.*) \(esc\)/, keys: KEYS.esc, meaning: "reject" },
] as const;

export const CN: RuleTable = {
  rules: [
    {
      name: "permission dialog",
      activity: "approval",
      looksAt: "dialog",
      find: dialogRegion,
      needs: [rowWith(/│ +[> ] Continue \(tab\)/), rowWith(/│ +[> ] No\b.*\(esc\)/)],
      supports: [rowWith(/│ +Would you like to continue\?/)],
      prompt: readPermission,
    },
    {
      name: "selection dialog",
      activity: "question",
      looksAt: "dialog",
      find: dialogRegion,
      needs: [rowWith(HINT), rowWith(/│ +➤ \S/)],
      prompt: (view, region) => {
        const texts = textsIn(view, region);
        return prompt(texts[0] ?? "", texts.slice(1).join("\n"), []);
      },
    },
    ...spinnerRules({
      box: inputBox,
      at: (view) => rowsAbove(inputBox(view), SPINNER_ROWS_MAX),
      spinner: rowWith(WORKING),
      atRest: { needs: [footer] },
    }),
  ],
  input: (view) => {
    const box = inputBox(view);
    return box && typedIn(view, box, 4);
  },
};

/** The last frame, with nothing but the footer below it. */
function dialogRegion(view: View): Region | null {
  const edge = findAbove(view, view.rows.length, 4, (row) => /^╰─+╯$/.test(row));
  return inputBox(view) === null ? boxAbove(view, edge) : null;
}

function readPermission(view: View, region: Region): Prompt {
  const texts = textsIn(view, region);
  const choices = ANSWERS.flatMap(({ pattern, keys, meaning }) => {
    const label = texts.map((text) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
    return label === undefined ? [] : [{ label, keys, meaning }];
  });
  const [title = "", ...detail] = texts.filter((text) => !ANSWERS.some(({ pattern }) => pattern.test(text)));
  return prompt(title.trim(), detail.map((text) => text.trim()).join("\n"), choices);
}

function textsIn(view: View, region: Region): readonly string[] {
  return unframed(rowsOf(view, region))
    .map((row) => row.replace(/^ /, "").trimEnd())
    .filter((row) => row.trim() !== "");
}

function inputBox(view: View): Region | null {
  return framedInput(view, /^│ [●$!] ?/, FOOTER_ROWS_MAX);
}

function footer(view: View, { end }: Region): string | null {
  return rowWith(/^ {2,}\S/)(view, { start: end, end: view.rows.length });
}
