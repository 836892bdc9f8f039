/**
 * Copilot CLI. A dialog is a box of lines at the bottom of the screen, with a hint in it or right below it. Otherwise its
 * last rows are the input box, `❯` between two rulers, and a footer, which says `Working` for as long as it works. Its
 * window title holds what a person asked, and is never looked at.
 */
import {
  asksForApproval,
  byNumberOrArrows,
  numberedDialog,
  plainDialog,
  promptOf,
  type KeysOf,
} from "../dialogs.js";
import { KEYS, meaningOf } from "../choices.js";
import { boxAbove, unframed } from "../frames.js";
import { ruledBox, typedIn } from "../input-box.js";
import { rowWith, type Rule, type RuleTable } from "../rule.js";
import { findAbove, isRuler, rowsOf, type Region, type View } from "../view.js";

const HINT = /↑\/?↓ to navigate · enter to select/;
const SELECTED = /^[\s│]*❯ +\d+\. /;
const FORM_HINT = /^ .*enter accept · .*esc cancel/;
const WORKING = /^ \S Working\b/;
const FORM_ROWS_MAX = 60;

export const COPILOT: RuleTable = {
  rules: [
    dialog("permission dialog", "approval"),
    dialog("selection dialog", "question"),
    {
      name: "question form",
      activity: "question",
      looksAt: "dialog",
      find: formRegion,
      needs: [rowWith(FORM_HINT), rowWith(/^ ❯ \S/)],
      supports: [rowWith(/^ Copilot needs information/)],
      prompt: (view, region) => {
        const list = plainDialog(rowsOf(view, region), view.cols);
        return list && promptOf(list, byNumberOrArrows);
      },
    },
    {
      name: "footer says that it works",
      activity: "working",
      looksAt: "footer",
      find: footer,
      needs: [rowWith(WORKING)],
      supports: [rowWith(/\besc (?:esc )?(?:interrupt|edit prompt)/)],
    },
    {
      name: "input box and a footer at rest",
      activity: "idle",
      looksAt: "footer",
      find: footer,
      needs: [rowWith(/^ \S.* · /)],
      supports: [rowWith(/Interactive|Plan|Autopilot/), rowWith(/\/ commands|@ files/)],
    },
  ],
  input: readInput,
};

function dialog(name: string, activity: "approval" | "question"): Rule {
  return {
    name,
    activity,
    looksAt: "dialog",
    find: dialogRegion,
    needs: [rowWith(HINT), rowWith(SELECTED)],
    supports: [rowWith(/│ Do you (?:want|trust)/)],
    prompt: (view, region) => {
      const list = numberedDialog(unframed(rowsOf(view, region)), view.cols - 5);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      return isApproval === (activity === "approval") ? promptOf(list, keysOf) : null;
    },
  };
}

/** Its refusal asks for a reason when it is chosen by number; Esc only refuses. */
const keysOf: KeysOf = ({ label, number }, _, options) => {
  if (meaningOf(label) === "reject" && /\(esc\b/i.test(label)) return KEYS.esc;
  return options.length <= 9 ? number : null;
};

function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  const hintBelow = HINT.test(view.rows[last] ?? "");
  const box = boxAbove(view, hintBelow ? last - 1 : last);
  return box && { start: box.start, end: last + 1 };
}

/** Between two rulers, the lower of which is the last thing on the screen. */
function formRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  if (!isRuler(view.rows[last] ?? "")) return null;
  const upper = findAbove(view, last, FORM_ROWS_MAX, isRuler);
  return { start: upper + 1, end: last };
}

function inputBox(view: View): Region | null {
  return ruledBox(view, { prompt: /^[❯!](?: |$)/, belowMax: 2 });
}

function footer(view: View): Region | null {
  const box = inputBox(view);
  return box && { start: box.end + 1, end: view.rows.length };
}

function readInput(view: View): string | null {
  const box = inputBox(view);
  return box && typedIn(view, box, 2);
}
