/** A terminal emulator's active screen as plain data. Only looks at it; what it needs, xterm's `Terminal` has. */
import type { Highlight, Screen } from "./screen.js";

export interface ShownTerminal {
  readonly cols: number;
  readonly rows: number;
  readonly buffer: { readonly active: ShownBuffer };
}

interface ShownBuffer {
  readonly type: "normal" | "alternate";
  readonly cursorX: number;
  readonly cursorY: number;
  readonly baseY: number;
  getLine(y: number): ShownLine | undefined;
  getNullCell(): ShownCell;
}

interface ShownLine {
  translateToString(trimRight?: boolean, start?: number, end?: number): string;
  getCell(x: number, into?: ShownCell): ShownCell | undefined;
}

interface ShownCell {
  isInverse(): number;
  getBgColorMode(): number;
  getBgColor(): number;
}

/** What an emulator tells by events, not by its buffer. */
export interface Told {
  readonly title: string;
  readonly cursorVisible: boolean;
}

/** What was seen of the same terminal before, in the same size, and which rows may have changed since. */
export interface SeenBefore {
  readonly screen: Screen;
  readonly changed: readonly number[];
}

/**
 * Highlights are looked for in every cell, which costs more than all the rest: leave them out for agents whose rules do
 * not look at them (`looksAtColours`). Rows that have not changed are taken from what was seen before.
 */
export function screenOf(
  terminal: ShownTerminal,
  told: Told,
  withHighlights = true,
  before: SeenBefore | null = null,
): Screen {
  const { active } = terminal.buffer;
  const changed = before?.changed ?? Array.from({ length: terminal.rows }, (_, row) => row);
  const rows = before ? [...before.screen.rows] : [];
  const cell = withHighlights ? active.getNullCell() : null;
  const found: Highlight[] = [];
  for (const row of changed) {
    const line = active.getLine(active.baseY + row);
    rows[row] = (line?.translateToString(true, 0, terminal.cols) ?? "").trimEnd();
    if (cell && line) found.push(...highlightsIn(line, row, terminal.cols, cell));
  }
  const screen = {
    rows,
    cols: terminal.cols,
    cursor: { row: active.cursorY, col: active.cursorX, visible: told.cursorVisible },
    title: told.title,
    altScreen: active.type === "alternate",
  };
  if (!withHighlights) return screen;
  const kept = (before?.screen.highlights ?? []).filter(({ row }) => !changed.includes(row));
  return { ...screen, highlights: [...kept, ...found].sort(byPlace) };
}

function byPlace(one: Highlight, other: Highlight): number {
  return one.row - other.row || one.start - other.start;
}

/** The stretches of a row on another background than most of the row. */
function highlightsIn(line: ShownLine, row: number, cols: number, cell: ShownCell): readonly Highlight[] {
  const spans: { start: number; end: number; background: number }[] = [];
  for (let col = 0; col < cols; col += 1) {
    const background = backgroundOf(line.getCell(col, cell));
    const last = spans.at(-1);
    if (last?.background === background) last.end = col + 1;
    else spans.push({ start: col, end: col + 1, background });
  }
  if (spans.length < 2) return [];
  const widths = new Map<number, number>();
  for (const { background, start, end } of spans) {
    widths.set(background, (widths.get(background) ?? 0) + end - start);
  }
  const usual = [...widths].reduce((widest, entry) => (entry[1] > widest[1] ? entry : widest))[0];
  return spans
    .filter(({ background }) => background !== usual)
    .map(({ start, end }) => ({ row, start, end }));
}

/** One number for each way a cell can stand out; their order means nothing. */
function backgroundOf(cell: ShownCell | undefined): number {
  if (!cell) return 0;
  const color = cell.getBgColorMode() === 0 ? 0 : cell.getBgColorMode() + cell.getBgColor() + 1;
  return cell.isInverse() === 0 ? color : -1 - color;
}
