/**
 * Codex. Its last rows are either a dialog, which ends with a hint such as `Press enter to confirm`, or the input box:
 * `›`, a blank row, and a status line. Every turn ends with a mark in the transcript, `Worked for 2s` or `■`.
 *
 * While it streams text there is no spinner on the screen; its window title, which only holds the folder's name and a
 * spinner, goes on turning. Where no title is set, a turn without its mark is still going on.
 */
import {
  asksForApproval,
  byArrows,
  byLetter,
  numberedDialog,
  promptOf,
  type ListDialog,
} from "../dialogs.js";
import { typedIn } from "../input-box.js";
import { rowWith, titleWith, type Mark, type Rule, type RuleTable } from "../rule.js";
import { findAbove, rowsOf, type Region, type View } from "../view.js";

const HINT = /^ {0,3}(?:press )?enter (?:to )?(?:confirm|select|submit|continue)\b/i;
/** Where it says so, a number only selects, and Enter goes on. */
const ENTER_GOES_ON = /\benter (?:to )?continue\b/i;
const ANSWER_HINT = /^ {2}(?:tab to .* \| )?enter to submit (?:answer|all)\b/;
const QUESTION_HEAD = /^ {2}Question \d+\/\d+\b/;
const DIALOG_ROWS_MAX = 60;
const INPUT_ROWS_MAX = 40;
const TRANSCRIPT_ROWS_MAX = 120;

const SPINNER = /^[•◦] \S.*\((?:\d+[hms] ?)+ ?• esc to interrupt\)/;
const DONE = /^(?: {2}Worked for .*\d|■ )/;
const STATUS = /^ {2}\S.* · (?:~|\/|…|\w:\\)/;
const HELP = /\? for shortcuts|tab to queue message|\d+ warnings? · f2/;
const TITLE_WORKING = /^[⠁-⣿] /;
const TITLE_ASKS = /^\[ . \] Action Required/;
const QUESTION = /^ {2}Would you like to /;

export const CODEX: RuleTable = {
  rules: [
    dialog("approval dialog", "approval"),
    dialog("menu", "question"),
    {
      name: "question of the model",
      activity: "question",
      looksAt: "dialog",
      find: questionRegion,
      needs: [rowWith(ANSWER_HINT), rowWith(/^ {2}› \d+\. /)],
      supports: [titleWith(TITLE_ASKS)],
      prompt: (view, region) => {
        const list = listIn(view, region);
        return list && promptOf(withoutDescriptions(list), byArrows);
      },
    },
    {
      name: "spinner above the input box",
      activity: "working",
      looksAt: "spinner",
      find: sinceLastTurn,
      needs: [rowWith(SPINNER)],
      supports: [titleWith(TITLE_WORKING)],
    },
    {
      name: "window title turns",
      activity: "working",
      looksAt: "input box",
      find: inputBox,
      needs: [titleWith(TITLE_WORKING)],
      supports: [unfinished],
    },
    {
      name: "input box below a finished turn",
      activity: "idle",
      looksAt: "input box",
      find: inputBox,
      needs: [finished, statusLine],
      supports: [ownTitle, rowBelowWith(/\? for shortcuts/)],
    },
    {
      name: "input box, and the window title stands still",
      activity: "idle",
      looksAt: "input box",
      find: inputBox,
      needs: [ownTitle],
      supports: [rowBelowWith(/\? for shortcuts/)],
    },
    {
      name: "turn without an end",
      activity: "working",
      looksAt: "transcript",
      find: sinceLastTurn,
      needs: [unfinished],
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
    needs: [rowWith(HINT), rowWith(/^[›>] \d+\. /)],
    supports: [rowWith(QUESTION), titleWith(TITLE_ASKS)],
    prompt: (view, region) => {
      const list = listIn(view, region);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      const keysOf = ENTER_GOES_ON.test(view.rows.at(-1) ?? "") ? byArrows : byLetter;
      return isApproval === (activity === "approval") ? promptOf(list, keysOf) : null;
    },
  };
}

/** The hint is the last thing on the screen; the dialog begins below the last two blank rows above its options. */
function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  if (!HINT.test(view.rows[last] ?? "")) return null;
  const option = findAbove(view, last, DIALOG_ROWS_MAX, (row) => /^[›> ] 1\. \S/.test(row));
  if (option < 0) return null;
  const question = findAbove(view, option, DIALOG_ROWS_MAX, (row) => QUESTION.test(row));
  if (question >= 0) return { start: question, end: last + 1 };
  const text = findAbove(view, option, 3, (row) => row !== "");
  const blank = findAbove(view, text, 8, (row) => row === "");
  return { start: (blank < 0 ? option - 1 : blank) + 1, end: last + 1 };
}

/** From below its number to the hint, which is the last thing on the screen. */
function questionRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  const hint = findAbove(view, last + 1, 3, (row) => ANSWER_HINT.test(row));
  const head = findAbove(view, hint, DIALOG_ROWS_MAX, (row) => QUESTION_HEAD.test(row));
  return hint < 0 || head < 0 || inputBox(view) !== null ? null : { start: head + 1, end: last + 1 };
}

/** What an answer means stands behind it, in a column of its own. */
function withoutDescriptions(list: ListDialog): ListDialog {
  const options = list.options.map((option) => {
    const [, label = option.label] = /\d\. +(.*?)(?: {2,}.*)?$/.exec(list.rows[option.row] ?? "") ?? [];
    return { ...option, label };
  });
  return { ...list, options };
}

function listIn(view: View, region: Region): ListDialog | null {
  return numberedDialog(rowsOf(view, region), view.cols - 2);
}

/** From `›` to the blank row above the status line. What a person types stands indented below its first row. */
function inputBox(view: View): Region | null {
  const status = findAbove(view, view.rows.length, 3, (row) => STATUS.test(row) || HELP.test(row));
  if (status < 0) return null;
  const first = findAbove(view, status, INPUT_ROWS_MAX, (row) => /^›(?: |$)/.test(row));
  const blank = findAbove(view, view.rows.length, 4, (row) => row === "");
  return first >= 0 && blank > first ? { start: first, end: blank } : null;
}

/** What stands above the input box and below the last turn's end. */
function sinceLastTurn(view: View): Region | null {
  const box = inputBox(view);
  if (!box) return null;
  const done = findAbove(view, box.start, TRANSCRIPT_ROWS_MAX, (row) => DONE.test(row));
  return { start: done + 1, end: box.start };
}

/** A message to it, and no end of what it does about it. A list of commands stands right above the input box. */
function unfinished(view: View): string | null {
  const region = sinceLastTurn(view);
  if (!region) return null;
  const asked = rowWith(/^› (?!\/)/)(view, region);
  const answered = rowWith(/^[•◦✔✗] /)(view, region);
  return answered ?? asked;
}

function finished(view: View): string | null {
  const region = sinceLastTurn(view);
  if (!region || unfinished(view) !== null) return null;
  if (region.start > 0) return (view.rows[region.start - 1] ?? "").trim();
  return rowWith(/^ {2}>_ OpenAI Codex/)(view, region) && "nothing asked yet";
}

/** Names the model and the folder. While Codex starts, it shows an input box that takes nothing yet, and no such line. */
function statusLine(view: View): string | null {
  return view.rows.slice(-3).find((row) => STATUS.test(row)) ?? null;
}

/** The title is the name of the folder that the status line shows: Codex set it, and it says that nothing goes on. */
function ownTitle(view: View): string | null {
  const status = statusLine(view) ?? "";
  const path = / · (\S+)/.exec(status)?.[1] ?? "";
  const folder = path.slice(path.lastIndexOf("/") + 1);
  return folder !== "" && view.title === folder ? `title ${view.title}` : null;
}

function rowBelowWith(pattern: RegExp): Mark {
  const found = rowWith(pattern);
  return (view, { end }) => found(view, { start: end, end: view.rows.length });
}

function readInput(view: View): string | null {
  const box = inputBox(view);
  return box && typedIn(view, box, 2);
}
