/**
 * Gemini CLI. A dialog is a box of lines, and the last thing on the screen. Otherwise its last rows are a ruler, the
 * input box with `>`, and a footer of two rows; the spinner stands right above the ruler. Tools' output stands in boxes
 * too, but always above the input box.
 */
import { asksForApproval, byNumber, numberedDialog, promptOf, type ListDialog } from "../dialogs.js";
import { fingerprintOf } from "../fingerprint.js";
import { boxAbove, unframed } from "../frames.js";
import { typedIn } from "../input-box.js";
import { isPrompt } from "../shell-prompt.js";
import { rowWith, titleWith, type Rule, type RuleTable } from "../rule.js";
import { spinnerRules } from "../spinner-rules.js";
import { findAbove, rowsOf, type Region, type View } from "../view.js";

const SPINNER = /^ ?(?:[⠁-⣿]|\S) \S.*\(esc to cancel(?:, .*)?\)/;
const SELECTED = /^[\s│]*● +\d+\. /;
const FAILED = /^ ?✕ \[/;
/** The first line of an answer. */
const ANSWER = /^ ?✦ \S/;
/** A message in the transcript, or the lower edge of its box. */
const MESSAGE = /^(?: > |▀{10,}$)/;
const CUT_OFF = /^\s*Press Ctrl\+O to show more lines/;
const INPUT_ROWS_MAX = 30;
const SPINNER_ROWS_MAX = 4;
const FOOTER_ROWS_MAX = 16;

export const GEMINI: RuleTable = {
  rules: [
    dialog("confirmation dialog", "approval"),
    dialog("selection dialog", "question"),
    ...spinnerRules({
      box: aboveInput,
      at: aboveInput,
      spinner: rowWith(SPINNER),
      supports: [titleWith(/^✦/)],
      atRest: {
        needs: [footer, hasStarted],
        unless: [titleWith(/^(?:✦|✋)/)],
        supports: [rowWith(/\? for shortcuts$/), titleWith(/^◇/)],
      },
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
    supports: [rowWith(/[│] (?:Allow |Apply this change|Do you want )/), titleWith(/^✋/)],
    prompt: (view, region) => {
      const list = listIn(view, region);
      if (list === null) return null;
      const isApproval = asksForApproval(list.options.map(({ label }) => label));
      return isApproval === (activity === "approval") ? promptOf(list, byNumber) : null;
    },
  };
}

/** The box is the last thing on the screen, but for a way to see the rest of it. */
function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  return boxAbove(view, CUT_OFF.test(view.rows[last] ?? "") ? last - 1 : last);
}

function listIn(view: View, region: Region): ListDialog | null {
  return numberedDialog(unframed(rowsOf(view, region)), view.cols - 4);
}

interface InputBox {
  readonly ruler: number;
  readonly input: Region;
}

/**
 * The last ruler, and `>` below it; where there are enough colours, the input stands in a box of its own between half
 * blocks, as the messages in the transcript do, but those have no ruler above them. A list of commands may stand between
 * the input and the footer.
 */
function inputBox(view: View): InputBox | null {
  const ruler = findAbove(view, view.rows.length, INPUT_ROWS_MAX + FOOTER_ROWS_MAX, (row) =>
    /^─{10,}$/.test(row),
  );
  if (ruler < 0) return null;
  const first = view.rows.findIndex((row, at) => at > ruler && /^ [>!*](?: |$)/.test(row));
  if (first < 0 || first - ruler > 4) return null;
  const isBoxed = /^▄{10,}$/.test(view.rows[first - 1] ?? "");
  const end = view.rows.findIndex((row, at) => at > first && (isBoxed ? /^▀{10,}$/.test(row) : row === ""));
  return { ruler, input: { start: first, end: end < 0 ? view.rows.length : end } };
}

function aboveInput(view: View): Region | null {
  const box = inputBox(view);
  return box && { start: Math.max(0, box.ruler - SPINNER_ROWS_MAX), end: box.ruler };
}

function footer(view: View): string | null {
  const box = inputBox(view);
  return box && rowWith(/\S {3,}(?:\S.*)?\S$/)(view, { start: box.input.end, end: view.rows.length });
}

/** Its first picture is an input box with nothing above it, which takes nothing yet; then comes its name, or a dialog. */
function hasStarted(view: View): string | null {
  const box = inputBox(view);
  const isOwn = (row: string) => row.trim() !== "" && !isPrompt(row) && !/^ {30,}\S/.test(row);
  const at = box ? findAbove(view, box.ruler, view.rows.length, isOwn) : -1;
  return box === null || at < 0 ? null : (answerAbove(view, box.ruler) ?? "something stands above it");
}

/** What the last message was answered with: a short turn may be over before any work was shown. */
function answerAbove(view: View, ruler: number): string | null {
  const kinds = [FAILED, ANSWER, MESSAGE];
  const at = findAbove(view, ruler, view.rows.length, (row) => kinds.some((kind) => kind.test(row)));
  const row = view.rows[at] ?? "";
  // Its words are the model's, and no evidence of anything: only which answer it is.
  if (ANSWER.test(row)) return `✦ answer ${fingerprintOf([row])}`;
  return FAILED.test(row) ? row.trim() : null;
}

function readInput(view: View): string | null {
  const box = inputBox(view);
  return box && typedIn(view, box.input, 3);
}
