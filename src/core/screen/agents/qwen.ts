/**
 * Qwen Code. A dialog is a box of lines with `Waiting for user confirmation` below it. Otherwise its last rows are the
 * input box, `>` between two rulers, and a footer or a list of commands; the spinner stands above the upper ruler.
 */
import type { Option } from "../choices.js";
import {
  asksForApproval,
  byArrows,
  byNumber,
  numberedDialog,
  promptOf,
  type ListDialog,
} from "../dialogs.js";
import { boxAbove, unframed } from "../frames.js";
import { ruledBox, typedIn } from "../input-box.js";
import { rowWith, type Rule, type RuleTable } from "../rule.js";
import { findAbove, rowsOf, type Region, type View } from "../view.js";

/** In a narrow terminal the time stands in a row of its own. Whatever the model says is indented further. */
const SPINNER = /^ {2}(?:[⠁-⣿] +\S|(?:\S.*)?\((?:\d+[hms] ?)+·.*\besc to cancel\))/;
const WAITING = /^\s*(?:[⠁-⣿]|\.{1,3}) +Waiting for user confirmation/;
const SELECTED = /^[\s│]*[›●❯] +\d+\. /;
const LIST_ROWS_MAX = 14;
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
        const list = spacedList(unframed(rowsOf(view, region)), view.cols - 8);
        return list && promptOf(list, byArrows);
      },
    },
    {
      name: "spinner above the input box",
      activity: "working",
      looksAt: "spinner",
      find: aboveInput,
      needs: [rowWith(SPINNER)],
    },
    {
      name: "input box without a spinner",
      activity: "idle",
      looksAt: "input box",
      find: inputBox,
      needs: [belowInput],
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
    needs: [rowWith(SELECTED)],
    supports: [rowWith(WAITING), rowWith(/[│] (?:Allow execution|Apply this change)/)],
    prompt: (view, region) => {
      const list = numberedDialog(unframed(rowsOf(view, region)), view.cols - 8);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      return isApproval === (activity === "approval") ? promptOf(list, byNumber) : null;
    },
  };
}

/** The last box, with nothing but the waiting line below it. */
function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  const edge = findAbove(view, last + 1, 4, (row) => /^\s*[╰└]─+[╯┘]$/.test(row));
  if (edge < 0) return null;
  const below = view.rows.slice(edge + 1).filter((row) => row !== "");
  const box = below.every((row) => WAITING.test(row)) ? boxAbove(view, edge) : null;
  return box && { start: box.start, end: last + 1 };
}

/** Each option stands below a blank row, and what it means right below it. */
function spacedList(rows: readonly string[], cols: number): ListDialog | null {
  const selected = rows.findIndex((row) => /^› \S/.test(row));
  const options = rows.flatMap((row, at): readonly Option[] => {
    const isOption = (rows[at - 1] ?? "") === "" && /^[› ] \S/.test(row);
    return isOption ? [{ row: at, number: null, label: row.slice(2).trim(), selected: at === selected }] : [];
  });
  return selected < 0 || options.length < 2 ? null : { rows, cols, options };
}

function inputBox(view: View): Region | null {
  return ruledBox(view, { prompt: /^[>!*](?: |$)/, belowMax: LIST_ROWS_MAX - 1 });
}

function aboveInput(view: View): Region | null {
  const box = inputBox(view);
  return box && { start: Math.max(0, box.start - 1 - SPINNER_ROWS_MAX), end: box.start - 1 };
}

/** The footer, or a list of commands to choose from. */
function belowInput(view: View, { end }: Region): string | null {
  return rowWith(/^ {2}\S/)(view, { start: end + 1, end: view.rows.length });
}

function readInput(view: View): string | null {
  const box = inputBox(view);
  return box && typedIn(view, box, 2);
}
