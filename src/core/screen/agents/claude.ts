/**
 * Claude Code. Its last rows are either a dialog, which ends with a hint such as `Esc to cancel`, or the input box:
 * a ruler, `❯`, a ruler, and a footer. What stands above is its transcript, in which everything but its own marks is
 * indented; so a dialog that a tool printed is never at the bottom, and a spinner at the margin is its own.
 *
 * Footer and spinner come and go: the footer says `esc to interrupt` only while nothing is typed, the spinner leaves
 * while a long text streams, and a list of commands covers both. Idle needs a mark of its own, not just their absence.
 */
import {
  asksForApproval,
  byNumber,
  byNumberOrArrows,
  numberedDialog,
  plainDialog,
  promptOf,
  type ListDialog,
} from "../dialogs.js";
import { boxAbove, unframed } from "../frames.js";
import { ruledBox, typedIn } from "../input-box.js";
import { rowWith, titleWith, type Mark, type Rule, type RuleTable } from "../rule.js";
import { findAbove, isRuler, rowsOf, type Region, type View } from "../view.js";

const HINT = /^\s{0,4}(?:Enter|Esc) to \S.*/;
const QUESTION = /^[\s│]*(?:Do you want|Would you like) to /;
const DIALOG_ROWS_MAX = 60;
/** A person can have a status line of several rows. */
const FOOTER_ROWS_MAX = 10;
const SPINNER_ROWS_MAX = 20;

const SPINNER = /^[·✢✳✶✻✽*∗] (?:\S.*…(?: |$)|.* · Retrying in \d+s? · attempt \d+)/;
const DONE = /^[·✢✳✶✻✽*∗] \S+ for \d+[hms]/;
const FAILED = /^(?:●| {2}⎿ ) ?API Error\b/;
const INTERRUPTED = /^ {2}⎿ {2}(?:Interrupted ·|.*rejected)/;
const TITLE_WORKING = /^[◐◑◒◓⠁-⣿]/;
const TITLE_IDLE = /^✳/;
const INTERRUPT_HINT = " · esc to interrupt";
const MODE = /\? for shortcuts|^ {2}(?:⏸|⏵⏵) .* on\b/;
const ESC_TO_INTERRUPT = /\besc to interrupt\b/;

export const CLAUDE: RuleTable = {
  rules: [
    dialog("permission dialog", "approval", hintedRegion, rowWith(HINT)),
    dialog("question dialog", "question", hintedRegion, rowWith(HINT)),
    // Other versions draw a box around it, or leave the hint out.
    dialog("permission dialog without a hint", "approval", unhintedRegion, rowWith(QUESTION)),
    {
      name: "menu that does not fit on the screen",
      activity: "question",
      looksAt: "menu",
      find: menuRegion,
      needs: [rowWith(/^\s*❯ \d+\. \S/)],
      prompt: (view, region) => {
        const list = numberedDialog(rowsOf(view, region), view.cols);
        return list && promptOf(list, byNumber);
      },
    },
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
      needs: [emptyInput, modeWithoutWork],
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

function dialog(name: string, activity: "approval" | "question", find: Rule["find"], mark: Mark): Rule {
  return {
    name,
    activity,
    looksAt: "dialog",
    find,
    needs: [mark, rowWith(/^[\s│]*❯ \S/)],
    supports: [rowWith(/^ ?[─▔]{10,}/), rowWith(QUESTION)],
    prompt: (view, region) => {
      const list = listIn(view, region);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      return isApproval === (activity === "approval") ? promptOf(list, byNumberOrArrows) : null;
    },
  };
}

/** From the ruler above the options to the hint, which is the last thing on the screen. */
function hintedRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  if (!HINT.test(view.rows[last] ?? "")) return null;
  const option = findAbove(view, last, DIALOG_ROWS_MAX, (row) => /^\s*❯ (?:1\. )?\S/.test(row));
  if (option < 0 || inputBox(view) !== null) return null;
  const ruler = findAbove(view, option, DIALOG_ROWS_MAX, isRuler);
  return { start: Math.max(ruler, 0), end: last + 1 };
}

/** A box that is the last thing on the screen, or a question down to its last answer. */
function unhintedRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  if (inputBox(view) !== null) return null;
  const box = boxAbove(view, last);
  if (box) return box;
  if (!/^\s*(?:❯ )?\d+\. \S/.test(view.rows[last] ?? "")) return null;
  const question = findAbove(view, last, DIALOG_ROWS_MAX, (row) => QUESTION.test(row));
  return question < 0 ? null : { start: question, end: last + 1 };
}

/** Below a line of its own kind, down to the last row. */
function menuRegion(view: View): Region | null {
  const top = findAbove(view, view.rows.length, view.rows.length, (row) => /^▔{10,}/.test(row));
  return top < 0 || inputBox(view) !== null ? null : { start: top + 1, end: view.rows.length };
}

function listIn(view: View, region: Region): ListDialog | null {
  const rows = unframed(rowsOf(view, region));
  return numberedDialog(rows, view.cols - 6) ?? plainDialog(rows, view.cols);
}

/** The rows of the input box, without its rulers. */
function inputBox(view: View): Region | null {
  return ruledBox(view, { prompt: /^[❯!#](?: |$)/, belowMax: FOOTER_ROWS_MAX });
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
  const at = findAbove(view, box.start - 1, view.rows.length, (row) => row !== "" && !/^ {20,}/.test(row));
  const row = view.rows[at] ?? "";
  if (DONE.test(row) || INTERRUPTED.test(row) || FAILED.test(row)) return row.trim();
  // What a command of its own has said is no turn.
  if (/^ {2}⎿ /.test(row) && (view.rows[at - 1] ?? "").startsWith("❯ /")) return row.trim();
  return /^ ▝▝ {3}▝▝ /.test(row) ? "nothing asked yet" : null;
}

/** Nothing typed, and nothing waiting to be sent when its turn is over. */
function emptyInput(view: View): string | null {
  const box = inputBox(view);
  const isQueueing = box && rowWith(/^❯ Press up to edit queued messages/)(view, box) !== null;
  return readInput(view) === "" && !isQueueing ? "nothing typed" : null;
}

/**
 * The footer names the mode and no way to interrupt, though there would be room for it: in a narrow terminal its end is
 * cut off.
 */
function modeWithoutWork(view: View, { start, end }: Region): string | null {
  const row = rowsOf(view, { start, end }).find((text) => MODE.test(text));
  if (row === undefined || row.length + INTERRUPT_HINT.length > view.cols) return null;
  return row.trim();
}

function readInput(view: View): string | null {
  const box = inputBox(view);
  return box && typedIn(view, box, 2);
}
