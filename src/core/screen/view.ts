/** A screen prepared for the rules: what they look at, found once. */
import type { Screen, Span } from "./screen.js";

export interface View {
  /** Right-trimmed, with plain spaces only, up to the last row that is not blank. */
  readonly rows: readonly string[];
  readonly cols: number;
  readonly title: string;
  readonly cursorRow: number;
  readonly cursorCol: number;
  readonly cursorVisible: boolean;
  readonly altScreen: boolean;
  readonly highlights: readonly Span[];
  readonly faint: readonly Span[];
}

/** No agent's dialog is taller, and a terminal of any size costs the same. */
const ROWS_MAX = 200;
const COLS_MAX = 500;

export function viewOf(screen: Screen): View {
  const end = screen.rows.findLastIndex((row) => row.trim() !== "") + 1;
  const start = Math.max(0, end - ROWS_MAX);
  return {
    rows: screen.rows.slice(start, end).map(plain),
    cols: screen.cols,
    title: screen.title.slice(0, COLS_MAX).trim(),
    cursorRow: screen.cursor.row - start,
    cursorCol: screen.cursor.col,
    cursorVisible: screen.cursor.visible,
    altScreen: screen.altScreen,
    highlights: shifted(screen.highlights, start),
    faint: shifted(screen.faint, start),
  };
}

function shifted(spans: readonly Span[] = [], by: number): readonly Span[] {
  return by === 0 ? spans : spans.map((span) => ({ ...span, row: span.row - by }));
}

function plain(row: string): string {
  return row
    .slice(0, COLS_MAX)
    .replace(/[\u00a0\u2000-\u200a\u202f]/g, " ")
    .trimEnd();
}

/** A stretch of rows. `end` is exclusive. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

export function rowsOf(view: View, { start, end }: Region): readonly string[] {
  return view.rows.slice(Math.max(0, start), end);
}

/** The nearest row above `before` that fits, looking at no more than `count` rows; -1 when there is none. */
export function findAbove(view: View, before: number, count: number, fits: (row: string) => boolean): number {
  const stop = Math.max(0, before - count);
  for (let at = before - 1; at >= stop; at -= 1) {
    if (fits(view.rows[at] ?? "")) return at;
  }
  return -1;
}

/**
 * A row without what nobody typed: text that is drawn faint, and the character right before it that a cursor stands on.
 * Ghost text and placeholders are such, whatever they say.
 */
export function typedRow(view: View, row: number): string {
  const text = view.rows[row] ?? "";
  const ghosts = view.faint.filter((span) => span.row === row);
  if (ghosts.length === 0) return text;
  const isCursor = (at: number) =>
    (view.cursorRow === row && view.cursorCol === at) ||
    view.highlights.some((span) => span.row === row && span.start === at && span.end === at + 1);
  const chars = [...text.split("")];
  for (const { start, end } of ghosts)
    chars.fill(" ", start > 0 && isCursor(start - 1) ? start - 1 : start, end);
  return chars.join("").trimEnd();
}

/** A line drawn across the screen: the edge of an input box, or the top of a dialog. */
export function isRuler(row: string): boolean {
  return /^\s?[─━▔]{10,}/.test(row);
}
