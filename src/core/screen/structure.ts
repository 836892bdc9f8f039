/**
 * Reads what no rule knows: a dialog or a prompt that plainly waits for a person, whoever drew it. A list with a
 * selection, a line that asks for yes or no, or for a key or a password, as the last live thing on the screen.
 *
 * What tells them from text that was only printed is where a person types: a program that takes text shows a cursor,
 * its own or one that it draws, in its input box below whatever it printed. A list has none; a line prompt has it right
 * behind its words. Words confirm, and never decide alone. Nothing else is ever told of an agent that nobody knows.
 */
import { numberedOptions } from "./choices.js";
import { fingerprintOf } from "./fingerprint.js";
import { isLowerEdge, isUpperEdge, unframed } from "./frames.js";
import type { ScreenReading } from "./reading.js";
import type { Prompt } from "./rule.js";
import { isRuler, type View } from "./view.js";

/** How far up from the last row a dialog is looked for, and how much of it is shown. */
const DIALOG_ROWS_MAX = 40;
const DETAIL_ROWS_MAX = 30;
/** What may stand below a list: hints, and the edges of a box. */
const ROWS_BELOW_MAX = 8;
/** How far above a list its input box can be, when it only completes what is typed there. */
const COMPLETED_ROWS_MAX = 8;
/** Alone, the place and a selection: not as sure as a rule that knows its agent. */
const CONFIDENCE = 0.5;

const SELECTED = /^(\s*)([❯›●▶▸►→➜➤◉>])(\s+)(\S.*)$/u;
/** Is a quotation's mark too, and an input box's. */
const WEAK_MARK = ">";
/** Stands before every line of a transcript as well. */
const BULLET = "●";
const HINTS =
  /(?:↑|↓|\barrows?\b|\bup\/down\b).*\b(?:navigate|select|choose|move)|\b(?:enter|return|↵|⏎)\b.{0,6}\b(?:select|confirm|choose|submit|continue)|\besc\b.{0,6}\b(?:cancel|exit|dismiss|go back|back)\b/i;
const PRESS_ON = /(?:^|[.!] )\W*press (?:return|enter|any key)\b.*\bto /i;
const ASKS =
  /[?:]$|\b(?:select|choose|pick|which|log ?in|sign ?in|continue|confirm|trust|allow|permission|provider|account)\b/i;
const YES_OR_NO = /[[(]\(?y\)?(?:es)?\s*[/|,]\s*\(?n\)?(?:o)?(?:\s*[/|,][^)]{0,40})?[\])]\s*[:?>›]?$/i;
const SECRET =
  /\b(?:api[ -]?key|access key|password|passphrase|passcode|token|secret|code|pin|e-?mail(?: address)?|user ?name)\b[^:?>›]{0,40}[:?>›]$/i;
const FRAMED_PROMPT = /^\s*[│┃] ?[❯›>](?: |$)/;
/** An input box that nobody has typed into: what stands above it was only printed. */
const EMPTY_INPUT = /^\s*[│┃]?\s*[❯›>$]\s*[│┃]?$/;

/** What is found: the rows of the dialog, and which of them makes it one. */
interface Found {
  readonly name: string;
  readonly start: number;
  /** The first row of what can be answered. */
  readonly answers: number;
  readonly mark: string;
}

export function readStructure(view: View): ScreenReading | null {
  const rows = unframed(view.rows);
  const found = linePrompt(view, rows) ?? menu(view, rows);
  if (found === null) return null;
  const prompt = promptOf(rows, found);
  return {
    activity: "question",
    basis: "structure",
    confidence: CONFIDENCE,
    evidence: [`${found.name} that no rule knows`, found.mark.trim()],
    prompt,
    input: null,
  };
}

/** A question at the end of which the cursor stands. */
function linePrompt(view: View, rows: readonly string[]): Found | null {
  const at = view.cursorRow;
  if (!view.cursorVisible || at < 0 || at >= view.rows.length) return null;
  const row = view.rows[at] ?? "";
  if (view.cursorCol < row.length) return null;
  // Only what has a frame around it may have something below it.
  if (rows.slice(at + 1).some((below) => below.trim() !== "")) return null;
  const asked = row.replace(/[\s*•●]+$/u, "");
  const name = YES_OR_NO.test(asked)
    ? "prompt for yes or no"
    : SECRET.test(asked)
      ? "prompt for a key"
      : null;
  if (name === null || asked.length + 2 + (row.length - asked.length) < view.cursorCol) return null;
  return { name, start: paragraphAbove(view, at), answers: at, mark: asked };
}

/** A list with a selection, or with a hint that says how to move it. */
function menu(view: View, rows: readonly string[]): Found | null {
  if (hasFramedInput(view)) return null;
  const top = Math.max(0, rows.length - DIALOG_ROWS_MAX);
  return markedList(view, rows, top) ?? hintedList(view, rows, top) ?? pressOn(view, rows);
}

/**
 * A frame near the end whose first row begins with a prompt takes text, also while its cursor is away: what stands above
 * it was printed, and a list below it completes what is typed. A dialog in a frame says first what it asks.
 */
function hasFramedInput({ rows }: View): boolean {
  const first = rows.findLastIndex((row, at) => FRAMED_PROMPT.test(row) && isUpperEdge(rows[at - 1] ?? ""));
  return first >= 0 && rows.length - first <= ROWS_BELOW_MAX && rows.slice(first).some(isLowerEdge);
}

function markedList(view: View, rows: readonly string[], top: number): Found | null {
  for (let at = rows.length - 1; at >= top; at -= 1) {
    const match = SELECTED.exec(rows[at] ?? "");
    if (!match) continue;
    const [, indent = "", mark = "", gap = "", label = ""] = match;
    if (isPlaceholder(view, at, label)) return null;
    if (mark === BULLET && rows.filter((row) => row.startsWith(indent + mark)).length > 1) continue;
    const column = indent.length + mark.length + gap.length;
    const options = optionsAround(rows, at, column);
    const start = options[0] ?? at;
    const last = options.at(-1) ?? at;
    if (options.length < 2 || !isLive(view, rows, at, last)) continue;
    const isNumbered = numberedOptions(rows, { start, end: last + 1 }).length >= 2;
    const paragraph = paragraphAbove(view, start);
    const isAsked =
      isHinted(rows, start, top) || texts(rows, paragraph, start).some((text) => ASKS.test(text));
    if (!isAsked && (mark === WEAK_MARK || !isNumbered)) continue;
    return {
      name: "list with a selection",
      start: paragraph,
      answers: start,
      mark: rows[at] ?? "",
    };
  }
  return null;
}

/** The rows whose text begins where the selected one's does, with what belongs to them in between. */
function optionsAround(rows: readonly string[], selected: number, column: number): readonly number[] {
  const isOption = (row: string) => row.slice(0, column).trim() === "" && /^\S/.test(row.slice(column));
  const belongs = (row: string) => row.slice(0, column).trim() === "";
  const options = [selected];
  for (let at = selected - 1; at >= 0 && belongs(rows[at] ?? "x"); at -= 1)
    if (isOption(rows[at] ?? "")) options.unshift(at);
  for (let at = selected + 1; at < rows.length && belongs(rows[at] ?? "x"); at += 1)
    if (isOption(rows[at] ?? "")) options.push(at);
  return options;
}

/** Cards or coloured rows: what says how to choose one stands above or below them. */
function hintedList(view: View, rows: readonly string[], top: number): Found | null {
  const at = rows.findLastIndex((row) => HINTS.test(row) && /↑|↓|arrow|select|choose/i.test(row));
  if (at < top || !isLive(view, rows, top, at)) return null;
  const start = paragraphAbove(view, at);
  if (at - start < 2) return null;
  return { name: "list with a hint", start, answers: start, mark: rows[at] ?? "" };
}

/** Nothing to choose, but a key to press, in a paragraph of its own: a hint in a footer goes on from other hints. */
function pressOn(view: View, rows: readonly string[]): Found | null {
  const at = rows.findLastIndex((row) => row.trim() !== "");
  if (!PRESS_ON.test(rows[at] ?? "") || !isLive(view, rows, at, at)) return null;
  if ((rows[at - 1] ?? "").trim() !== "") return null;
  const start = paragraphAbove(view, at);
  return { name: "key to press", start, answers: at, mark: rows[at] ?? "" };
}

/** A selection is drawn to be seen: a mark before faint text alone is an input box with its placeholder. */
function isPlaceholder(view: View, row: number, label: string): boolean {
  const text = label.trimEnd();
  const at = (view.rows[row] ?? "").indexOf(text);
  return view.faint.some((span) => span.row === row && span.start <= at && span.end >= at + text.length);
}

/** Nothing is typed below or beside it: no cursor, neither shown nor drawn, and no empty input box. */
function isLive(view: View, rows: readonly string[], start: number, last: number): boolean {
  const below = rows.slice(last + 1).filter((row) => row.trim() !== "");
  if (below.length > ROWS_BELOW_MAX || below.some((row) => EMPTY_INPUT.test(row))) return false;
  if (view.cursorVisible) return false;
  return !view.highlights.some(
    ({ row, start: from, end }) =>
      row >= start - COMPLETED_ROWS_MAX && end - from === 1 && row < view.rows.length,
  );
}

function isHinted(rows: readonly string[], start: number, top: number): boolean {
  return rows.slice(Math.max(top, start - 12)).some((row) => HINTS.test(row));
}

/** Where the dialog begins: below a line or above the text that leads to row `at`. */
function paragraphAbove(view: View, at: number): number {
  const top = Math.max(0, at - DETAIL_ROWS_MAX);
  for (let row = at - 1; row >= top; row -= 1) if (isRuler(view.rows[row] ?? "")) return row + 1;
  let start = at;
  for (let row = at - 1, blanks = 0; row >= top && blanks < 2; row -= 1) {
    if ((view.rows[row] ?? "").trim() === "") blanks += 1;
    else {
      blanks = 0;
      start = row;
    }
  }
  return start;
}

function texts(rows: readonly string[], start: number, end: number): readonly string[] {
  return rows
    .slice(start, end)
    .map((row) => row.trim())
    .filter((text) => text !== "");
}

/** As it is shown; its fingerprint leaves out the selection, which moves, and what counts or turns. */
function promptOf(rows: readonly string[], { start, answers }: Found): Prompt {
  const shown = rows.slice(start, start + DETAIL_ROWS_MAX);
  const above = texts(rows, start, answers);
  const title =
    above.findLast((text) => text.endsWith("?")) ??
    above.findLast((text) => ASKS.test(text)) ??
    texts(rows, start, rows.length)[0] ??
    "";
  const still = shown.map((row) => row.replace(/[⠁-⣿❯›●○▶▸►→➜➤◉◯>]|\d+/gu, ""));
  const detail = shown
    .map((row) => row.trimEnd())
    .join("\n")
    .trim();
  return { fingerprint: fingerprintOf([title, ...still]), title, detail, choices: [] };
}
