/**
 * Claude Code. Its last rows are either a dialog, which ends with a hint such as `Esc to cancel`, or the input box:
 * a ruler, `❯`, a ruler, and a footer. What stands above is its transcript, in which everything but its own marks is
 * indented; so a dialog that a tool printed is never at the bottom, and a spinner at the margin is its own.
 *
 * Footer and spinner come and go: the footer says `esc to interrupt` only while nothing is typed, the spinner leaves
 * while a long text streams, and a list of commands covers both. Idle needs a mark of its own, not just their absence.
 */
import { KEYS, arrowKeys, type Option } from "../choices.js";
import {
  asksForApproval,
  byNumber,
  numberedDialog,
  promptOf,
  type KeysOf,
  type ListDialog,
} from "../dialogs.js";
import { unframed } from "../frames.js";
import { rowWith, titleWith, type Mark, type Rule, type RuleTable } from "../rule.js";
import { findAbove, isRuler, rowsOf, type Region, type View } from "../view.js";

const HINT = /^\s{0,4}(?:Enter|Esc) to \S.*/;
const DIALOG_ROWS_MAX = 60;
const FOOTER_ROWS_MAX = 4;
const INPUT_ROWS_MAX = 30;
const SPINNER_ROWS_MAX = 20;

const SPINNER = /^[·✢✳✶✻✽*∗] (?:\S.*…(?: |$)|.* · Retrying in \d+s? · attempt \d+)/;
const DONE = /^[·✢✳✶✻✽*∗] \S+ for \d+[hms]/;
const INTERRUPTED = /^ {2}⎿ {2}(?:Interrupted ·|.*rejected)/;
const TITLE_WORKING = /^[◐◑◒◓⠁-⣿]/;
const TITLE_IDLE = /^✳/;
const ESC_TO_INTERRUPT = /\besc to interrupt\b/;
const PLACEHOLDERS = /^(?:Press up to edit queued messages|Try ".*)$/;

export const CLAUDE: RuleTable = {
  rules: [
    dialog("permission dialog", "approval"),
    dialog("question dialog", "question"),
    {
      name: "spinner above the input box",
      activity: "working",
      looksAt: "spinner",
      find: aboveInput,
      needs: [rowWith(SPINNER)],
      supports: [footerWith(ESC_TO_INTERRUPT), titleWith(TITLE_WORKING)],
    },
    {
      name: "footer offers to interrupt",
      activity: "working",
      looksAt: "footer",
      find: footer,
      needs: [rowWith(ESC_TO_INTERRUPT)],
      supports: [titleWith(TITLE_WORKING)],
    },
    {
      name: "empty input box",
      activity: "idle",
      looksAt: "footer",
      find: footer,
      needs: [rowWith(/\? for shortcuts/)],
      unless: [titleWith(TITLE_WORKING)],
      supports: [doneAbove, titleWith(TITLE_IDLE)],
    },
    {
      name: "input box below a finished turn",
      activity: "idle",
      looksAt: "input box",
      find: inputBox,
      needs: [doneAbove],
      unless: [titleWith(TITLE_WORKING)],
      supports: [titleWith(TITLE_IDLE)],
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
    needs: [rowWith(HINT), rowWith(/^\s*❯ \S/)],
    supports: [rowWith(/^ ?[─▔]{10,}/), rowWith(/^\s*Do you want to /)],
    prompt: (view, region) => {
      const list = listIn(view, region);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      return isApproval === (activity === "approval") ? promptOf(list, keysOf) : null;
    },
  };
}

/** From the ruler above the options to the hint, which is the last thing on the screen. */
function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  if (!HINT.test(view.rows[last] ?? "")) return null;
  const option = findAbove(view, last, DIALOG_ROWS_MAX, (row) => /^\s*❯ (?:1\. )?\S/.test(row));
  if (option < 0 || inputBox(view) !== null) return null;
  const ruler = findAbove(view, option, DIALOG_ROWS_MAX, isRuler);
  return { start: Math.max(ruler, 0), end: last + 1 };
}

function listIn(view: View, region: Region): ListDialog | null {
  const rows = unframed(rowsOf(view, region));
  return numberedDialog(rows, view.cols - 6) ?? plainList(rows, view.cols);
}

/** Without numbers, as when it asks whether a folder is trusted: the rows between the blank ones around `❯`. */
function plainList(rows: readonly string[], cols: number): ListDialog | null {
  const selected = rows.findLastIndex((row) => /^\s*❯ \S/.test(row));
  if (selected < 0) return null;
  const start = rows.slice(0, selected).findLastIndex((row) => row === "") + 1;
  const blank = rows.findIndex((row, at) => at > selected && row === "");
  const end = blank < 0 ? rows.length : blank;
  const options = rows.slice(start, end).map((row, at): Option => {
    return {
      row: start + at,
      number: null,
      label: row.replace(/^\s*❯?\s*/, ""),
      selected: start + at === selected,
    };
  });
  return options.length < 2 ? null : { rows, cols, options };
}

const keysOf: KeysOf = (option, index, options) => {
  if (option.number !== null) return byNumber(option, index, options);
  return arrowKeys(
    options.findIndex(({ selected }) => selected),
    index,
    KEYS.up,
    KEYS.down,
  );
};

/** The rows of the input box, without its rulers. */
function inputBox(view: View): Region | null {
  const lower = findAbove(view, view.rows.length, FOOTER_ROWS_MAX + 1, isRuler);
  if (lower < 0) return null;
  const first = findAbove(view, lower, INPUT_ROWS_MAX, (row) => /^[❯>!#](?: |$)/.test(row));
  return first > 0 && isRuler(view.rows[first - 1] ?? "") ? { start: first, end: lower } : null;
}

function footer(view: View): Region | null {
  const box = inputBox(view);
  return box && { start: box.end + 1, end: view.rows.length };
}

function aboveInput(view: View): Region | null {
  const box = inputBox(view);
  return box && { start: Math.max(0, box.start - 1 - SPINNER_ROWS_MAX), end: box.start - 1 };
}

function footerWith(pattern: RegExp): Mark {
  const found = rowWith(pattern);
  return (view) => {
    const region = footer(view);
    return region && found(view, region);
  };
}

/** The last thing in the transcript says that the turn is over, or there is no turn yet. */
function doneAbove(view: View): string | null {
  const box = inputBox(view);
  if (!box) return null;
  const at = findAbove(view, box.start - 1, SPINNER_ROWS_MAX, (row) => row !== "" && !/^ {20,}/.test(row));
  const row = view.rows[at] ?? "";
  if (DONE.test(row) || INTERRUPTED.test(row)) return row.trim();
  return /^ ▝▝ {3}▝▝ /.test(row) ? "nothing asked yet" : null;
}

function readInput(view: View): string | null {
  const box = inputBox(view);
  if (!box) return null;
  const text = rowsOf(view, box)
    .map((row) => row.slice(2))
    .join("\n");
  return PLACEHOLDERS.test(text) ? "" : text;
}
