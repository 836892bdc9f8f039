/** What `top` shows: a pure function from what is known to lines that fit the terminal. */
import { doingWords, type Doing } from "../../core/words/doing.js";
import { wordsForFailure } from "../../core/words/failure-words.js";
import {
  endWords,
  isNotKnown,
  isShellSession,
  returnedWords,
  runsWithoutWall,
} from "../../protocol/session-words.js";
import { askWords } from "../../core/words/ask-words.js";
import type { HealthCheck } from "../../protocol/api-schemas.js";
import type { AskSummary, SessionSummary } from "../../protocol/session.js";
import type { Colour } from "../paint.js";
import { clipped, oneLine, plainText, visibleLine, visibleText } from "../plain-text.js";
import { shortIds } from "../session-name.js";
import { statusColour, statusWord } from "../status-words.js";
import { brokenLine, columnsOf, leading } from "../text-width.js";
import { timeSpan } from "../time-span.js";
import { CONNECTED_MARK } from "../session-table.js";
import type { Link, Seats } from "./session-board.js";
import { needsPerson, openAsk } from "./attention.js";
import { FOOTER_ROWS, footerLines, HELP_LINES } from "./top-help.js";

export interface Part {
  readonly text: string;
  readonly colour?: Colour;
  readonly inverse?: boolean;
}
export type Line = readonly Part[];

/** What the keys do now: move about, or write. */
interface MessageMode {
  readonly type: "message";
  readonly text: string;
  readonly sessionId: string;
  /** What the session asked then: an answer goes to no other question. */
  readonly question: string | null;
  /** Also into a screen that nobody understands. */
  readonly force: boolean;
}

export type Mode =
  | { readonly type: "list" }
  | { readonly type: "help" }
  | { readonly type: "filter"; readonly text: string }
  /** Of the session, and of the ask, that was chosen when it began: another may be chosen before it ends. */
  | { readonly type: "stop"; readonly sessionId: string }
  | MessageMode
  | { readonly type: "reject"; readonly text: string; readonly sessionId: string; readonly askId: string };

export interface TopView {
  /** Those that the filter lets through, in order. */
  readonly shown: readonly SessionSummary[];
  readonly all: readonly SessionSummary[];
  readonly selected: SessionSummary | null;
  readonly filter: string;
  readonly mode: Mode;
  readonly notice: string;
  readonly link: Link;
  readonly seats: Seats;
  readonly problems: readonly HealthCheck[];
  /** The end of what a session said. */
  readonly linesOf: (sessionId: string, count: number) => readonly string[];
  /** What it does just now. */
  readonly doingOf: (sessionId: string) => Doing;
  /** The line of the ask that is the first on the screen, where not all of them fit. */
  readonly askLine: number;
  /** Its last line was on the screen: only then may it be approved. */
  readonly isAskSeen: boolean;
  readonly nowMs: number;
}

/** What of an ask is on the screen. */
export interface AskPart {
  readonly first: number;
  readonly count: number;
  readonly total: number;
}

export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}

const DETAIL_ROWS_MAX = 12;
const PROBLEMS_SHOWN_MAX = 2;
const ID_COLUMNS = 8;
const STATUS_COLUMNS = 16;
const HARNESS_COLUMNS = 9;
const AGE_COLUMNS = 4;

/** As many lines as the terminal has, at most; none is wider. */
export function topView(view: TopView, size: ScreenSize): readonly Line[] {
  const footer = footerLines(view, size.cols);
  const header = headerLines(view, size.cols);
  const room = bodyRows(view, size);
  const body = view.mode.type === "help" ? HELP_LINES.map((text) => [{ text }]) : boardLines(view, size);
  const filled = [...body.slice(0, room), ...Array<Line>(Math.max(0, room - body.length)).fill([])];
  return [...header, ...filled, ...footer].map((line) => fitted(line, size.cols));
}

/** Null when the selected session asks for nothing. */
export function askPart(view: TopView, size: ScreenSize): AskPart | null {
  const ask = view.selected && openAsk(view.selected);
  if (!view.selected || !ask) return null;
  const { length } = askLines(view.selected, ask, size.cols);
  return partOf(length, view.askLine, rowsFor(view, size).detail - 1);
}

function bodyRows(view: TopView, { rows, cols }: ScreenSize): number {
  return Math.max(1, rows - FOOTER_ROWS - headerLines(view, cols).length);
}

/** What the list does not need is for what is asked and said. */
function rowsFor(view: TopView, size: ScreenSize): { readonly list: number; readonly detail: number } {
  const { shown } = view;
  const room = bodyRows(view, size);
  const detailMin = Math.min(DETAIL_ROWS_MAX, Math.max(3, Math.floor(room / 2)));
  const list = Math.min(Math.max(1, room - detailMin - 1), Math.max(1, shown.length));
  return { list, detail: room - list };
}

/** How many there are of each, and what keeps all of them from their work. */
function headerLines(view: TopView, cols: number): readonly Line[] {
  const problems = view.problems
    .slice(0, PROBLEMS_SHOWN_MAX)
    .map(({ name, heading, detail, remedy }): Line => {
      const todo = remedy === null ? "" : ` ${remedy}`;
      return [{ text: clipped(`${heading ?? name}: ${detail}.${todo}`, cols), colour: "red" }];
    });
  return [headerLine(view, cols), ...problems];
}

function headerLine({ all, link, filter }: TopView, cols: number): Line {
  const name = cols < 50 ? "" : "signalbox  ";
  if (link === "connecting")
    return [
      { text: name, colour: "bold" },
      { text: "connecting…", colour: "dim" },
    ];
  const waiting = all.filter(needsPerson).length;
  const working = all.filter(({ ui }) => ui.showSpinner).length;
  const failed = all.filter(({ status }) => status === "error").length;
  const counts = [
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? "needs" : "need"} you`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${working} working`,
    `${all.length} in all`,
    ...(filter === "" ? [] : [`filter: ${clipped(filter, 20)}`]),
  ].join(", ");
  return [
    { text: name, colour: "bold" },
    { text: counts, ...(waiting > 0 ? { colour: "yellow" as const } : {}) },
    ...(link === "live" ? [] : [{ text: "  the daemon is away", colour: "red" as const }]),
  ];
}

function boardLines(view: TopView, size: ScreenSize): readonly Line[] {
  if (view.all.length === 0) return emptyLines(view);
  const rows = rowsFor(view, size);
  return [...listLines(view, size.cols, rows.list), ...detailLines(view, size.cols, rows.detail)];
}

function emptyLines({ link }: TopView): readonly Line[] {
  if (link === "connecting") return [];
  if (link === "away") return [[{ text: "Waiting for the daemon.", colour: "dim" }]];
  return [
    [],
    [{ text: "No sessions yet. In another terminal, try:" }],
    [],
    [{ text: '  signalbox run demo "Show me"', colour: "bold" }],
  ];
}

/** The part of the list around the selected one. */
function listLines(view: TopView, cols: number, rows: number): readonly Line[] {
  const { shown, selected } = view;
  if (shown.length === 0)
    return [[{ text: "No session has these words. Esc ends the filter.", colour: "dim" }]];
  const index = shown.findIndex(({ id }) => id === selected?.id);
  const first = Math.max(0, Math.min(index - Math.floor(rows / 2), shown.length - rows));
  const short = shortIds(view.all.map(({ id }) => id));
  return shown
    .slice(first, first + rows)
    .map((session) => sessionLine(session, short.get(session.id) ?? session.id, view, cols));
}

function sessionLine(session: SessionSummary, shortId: string, view: TopView, cols: number): Line {
  const isSelected = session.id === view.selected?.id;
  const ask = openAsk(session);
  const wide = cols >= 60;
  const sinceMs = view.nowMs - (ask?.openedAtMs ?? session.unknownSinceMs ?? session.statusSinceMs);
  const before = [
    `${isSelected ? ">" : " "}${needsPerson(session) ? "!" : " "}`,
    ...(cols >= 44 ? [shortId.padEnd(ID_COLUMNS)] : []),
  ].join(" ");
  const mark = view.seats.get(session.id) === "connected" ? CONNECTED_MARK : " ";
  const after = wide
    ? `${mark}${session.harness.slice(0, HARNESS_COLUMNS).padEnd(HARNESS_COLUMNS)} ${timeSpan(Math.max(0, sinceMs)).padStart(AGE_COLUMNS)} `
    : " ";
  const status = statusWord(session).padEnd(STATUS_COLUMNS);
  const rest = cols - before.length - after.length - status.length - 2;
  const title = clipped(session.title, Math.max(1, rest));
  const said = ask
    ? visibleLine(ask.title)
    : session.ui.showSpinner
      ? busyWords(session, view)
      : quietWords(session);
  const saidRoom = rest - columnsOf(title) - 3;
  return [
    { text: before, ...(isSelected ? { inverse: true } : {}) },
    { text: ` ${status}`, colour: ask ? "yellow" : statusColour(session) },
    { text: after },
    { text: title, ...(isSelected ? { colour: "bold" as const } : {}) },
    ...(said !== "" && saidRoom >= 12
      ? [{ text: `  ${clipped(said, saidRoom)}`, colour: "dim" as const }]
      : []),
  ];
}

/** What it does; of what it writes, the end. */
function busyWords({ id, status, phase, certainty }: SessionSummary, view: TopView): string {
  const words = doingWords(status, phase, view.doingOf(id), certainty);
  if (words !== "" && words !== "Writing") return oneLine(words);
  const [live = ""] = view.linesOf(id, 1);
  return oneLine([words, live].filter((part) => part !== "").join(": "));
}

/** What is to be known of one that does nothing, or of which it is not known. */
function quietWords(session: SessionSummary): string {
  if (isNotKnown(session)) return "not understood: look at it";
  if (session.returned.length > 0) return `${session.returned.length} not delivered`;
  if (isShellSession(session)) return "no agent";
  return session.status === "completed" ? endWords(session.ending, 0) : "";
}

/** Where only a terminal helps, how to get there. */
function terminalLines(session: SessionSummary, cols: number): readonly Line[] {
  const { id, returned, ui } = session;
  const attach = `signalbox attach ${id}`;
  const words = [
    ...(isNotKnown(session)
      ? [`What the terminal shows is not understood. ${attach} shows it; f sends a message anyway.`]
      : []),
    ...(isShellSession(session) ? [`A shell without an agent: ${attach}, or signalbox type ${id} TEXT`] : []),
    ...(returned.length > 0 ? [`${returnedWords(returned.length)}: signalbox show ${id}`] : []),
  ];
  const colour = ui.needsAttention ? ({ colour: "yellow" } as const) : {};
  return words.flatMap((text) => wrapped(text, cols, "words")).map((text): Line => [{ text, ...colour }]);
}

function detailLines(view: TopView, cols: number, rows: number): readonly Line[] {
  const { selected: session } = view;
  if (session === null || rows < 2) return [];
  const head = clipped(`-- ${session.id}  ${session.cwd} `, cols - 2);
  const marks = marksOf(session, view);
  const taken = [head, ...marks.map(({ text }) => text)].reduce((sum, text) => sum + columnsOf(text), 0);
  const rule: Line = [
    { text: head, colour: "dim" },
    ...marks,
    { text: "-".repeat(Math.max(0, cols - taken)), colour: "dim" },
  ];
  const ask = openAsk(session);
  if (ask) {
    const asked = withinRoom(askLines(session, ask, cols), view.askLine, rows - 1);
    // What it said before is under it, where there is room for more than a scrap.
    const left = rows - 1 - asked.length - 1;
    const said = left >= 2 ? saidLines(view, session, cols, left) : [];
    return [rule, ...asked, ...(said.length > 0 ? [[], ...said.map(dimmed)] : [])];
  }
  const error = session.error === null ? [] : failureLines(session.error, cols);
  const errorLines = error.slice(0, rows - 1).map((text): Line => [{ text, colour: "red" }]);
  const noted = [...errorLines, ...terminalLines(session, cols)].slice(0, rows - 1);
  const room = rows - 1 - noted.length;
  return [rule, ...noted, ...saidLines(view, session, cols, room)];
}

/** The words and the remedy first; the code is for who searches for it. */
function failureLines(
  { code, message }: NonNullable<SessionSummary["error"]>,
  cols: number,
): readonly string[] {
  const words = wordsForFailure(code);
  const what = words === null ? message : `${words.what}: ${message}`;
  const remedy = words === null ? [] : wrapped(words.remedy, cols, "words");
  return [...wrapped(plainText(`${what} (${code})`), cols), ...remedy];
}

/** What is to be known of whom it talks to, and what keeps it in. */
function marksOf(session: SessionSummary, view: TopView): readonly Part[] {
  const connection = connectionOf(session, view);
  return [
    ...(connection ? [connection] : []),
    ...(runsWithoutWall(session) ? [{ text: " No wall ", colour: "yellow" } as const] : []),
  ];
}

/** 004's words, for one whose agent runs. */
function connectionOf({ id }: SessionSummary, { seats }: TopView): Part | null {
  switch (seats.get(id)) {
    case "connected":
      return { text: " Connected ", colour: "green" };
    case "disconnected":
      return { text: " Disconnected ", colour: "yellow" };
    case "none":
    case undefined:
      return null;
  }
}

function dimmed(line: Line): Line {
  return line.map((part) => ({ ...part, colour: "dim" }));
}

/** All that is asked, and what more than a single approval would permit. */
function askLines(session: SessionSummary, ask: AskSummary, cols: number): readonly Line[] {
  const more = session.asks.filter((each) => each.needsHuman).length - 1;
  const kind =
    ask.source === "wall"
      ? "The wall asks"
      : ask.atTerminal === true
        ? "Shows"
        : ask.ask === "followup"
          ? "Asks"
          : "Needs approval";
  const where =
    ask.atTerminal === true ? wrapped(`answer it there: signalbox attach ${session.id}`, cols) : [];
  const { heading, rest } = askWords(ask);
  const title = wrapped(`${kind}${more > 0 ? ` (and ${more} more)` : ""}: ${visibleText(heading)}`, cols);
  const rules = ask.suggestions.flatMap((rule) =>
    wrapped(`s, p and A also allow from now on: ${visibleLine(rule)}`, cols),
  );
  return [
    ...title.map((text): Line => [{ text, colour: "yellow" }]),
    ...where.map((text): Line => [{ text, colour: "bold" }]),
    ...wrapped(visibleText(rest), cols - 2).map((text): Line => [{ text: `  ${text}` }]),
    ...rules.map((text): Line => [{ text, colour: "dim" }]),
  ];
}

function saidLines(view: TopView, { id }: SessionSummary, cols: number, room: number): readonly Line[] {
  const said = view.linesOf(id, room).flatMap((text) => wrapped(plainText(text), cols, "words"));
  return (room > 0 ? said.slice(-room) : []).map((text): Line => [{ text }]);
}

/** A person must not take a part for the whole. */
function withinRoom(lines: readonly Line[], from: number, room: number): readonly Line[] {
  const { first, count, total } = partOf(lines.length, from, room);
  const shown = lines.slice(first, first + count);
  if (count === total || room < 2) return shown;
  const after = total - first - count;
  const rest = after > 0 ? `  ... and ${lineCount(after)} more below` : `  ... ${lineCount(first)} above`;
  return [...shown, [{ text: rest, colour: "dim" }]];
}

function lineCount(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

/** Where not all fit, one row says so, unless it is the only one. */
function partOf(total: number, from: number, room: number): AskPart {
  const count = total <= room ? total : room < 2 ? Math.max(0, room) : room - 1;
  return { first: Math.max(0, Math.min(from, total - count)), count, total };
}

function wrapped(text: string, cols: number, between: "letters" | "words" = "letters"): readonly string[] {
  return text
    .replace(/\t/g, "  ")
    .split("\n")
    .flatMap((line) => brokenLine(line.trimEnd(), Math.max(8, cols), between));
}

/** Cut off at the right edge. */
function fitted(line: Line, cols: number): Line {
  let room = cols;
  return line.flatMap((part) => {
    const text = leading(part.text, room);
    room -= columnsOf(text);
    return text === "" ? [] : [{ ...part, text }];
  });
}
