/** A terminal emulator's active screen as plain data. Only looks at it; what it needs, xterm's `Terminal` has. */
import type { Screen, Span } from "./screen.js";

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
  isDim(): number;
  getFgColorMode(): number;
  getFgColor(): number;
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
 * How the cells of a row are drawn: three numbers each, of which the second is the foreground and the third the
 * background. They are laid out as xterm keeps them, so that an emulator can lend its own (`CELL`).
 */
export type CellsOf = (y: number) => Uint32Array | null;

/** Where what is in the numbers of a cell. */
const CELL = {
  size: 3,
  colour: 0x00ffffff,
  mode: 0x03000000,
  palette256: 0x02000000,
  rgb: 0x03000000,
  /** In the foreground. */
  inverse: 0x04000000,
  /** In the background. */
  dim: 0x08000000,
} as const;

/** Rows that have not changed are taken from what was seen before. `cellsOf` is a quicker way to the same cells. */
export function screenOf(
  terminal: ShownTerminal,
  told: Told,
  before: SeenBefore | null = null,
  cellsOf: CellsOf = slowly(terminal),
): Screen {
  const { active } = terminal.buffer;
  const changed = before?.changed ?? Array.from({ length: terminal.rows }, (_, row) => row);
  const rows = before ? [...before.screen.rows] : [];
  const highlights: Span[] = [];
  const faint: Span[] = [];
  for (const row of changed) {
    const y = active.baseY + row;
    const line = active.getLine(y);
    rows[row] = (line?.translateToString(true, 0, terminal.cols) ?? "").trimEnd();
    const cells = line && cellsOf(y);
    if (!cells) continue;
    const found = spansIn(cells, Math.min(terminal.cols, cells.length / CELL.size));
    const placeOf = ONE_CELL_EACH.test(rows[row])
      ? (col: number) => col
      : (col: number) => line.translateToString(false, 0, col).length;
    for (const span of found.highlights) highlights.push(spanOf(row, span, placeOf));
    for (const span of found.faint) faint.push(spanOf(row, span, placeOf));
  }
  const isKept = ({ row }: Span) => !changed.includes(row);
  const merged = (kept: readonly Span[] | undefined, found: Span[]) =>
    before ? [...(kept ?? []).filter(isKept), ...found].sort(byPlace) : found;
  return {
    rows,
    cols: terminal.cols,
    cursor: { row: active.cursorY, col: active.cursorX, visible: told.cursorVisible },
    title: told.title,
    altScreen: active.type === "alternate",
    highlights: merged(before?.screen.highlights, highlights),
    faint: merged(before?.screen.faint, faint),
  };
}

/** Latin, lines, arrows and the like: a character is a cell. */
const ONE_CELL_EACH = /^[\x20-\u02ff\u2010-\u2027\u2030-\u205e\u2100-\u2328\u232b-\u2bff]*$/;

type Stretch = readonly [start: number, end: number];

function spanOf(row: number, [start, end]: Stretch, placeOf: (col: number) => number): Span {
  return { row, start: placeOf(start), end: placeOf(end) };
}

function byPlace(one: Span, other: Span): number {
  return one.row - other.row || one.start - other.start;
}

/** By the declared way to a terminal's cells. */
function slowly({ buffer: { active }, cols }: ShownTerminal): CellsOf {
  const cell = active.getNullCell();
  const cells = new Uint32Array(cols * CELL.size);
  return (y) => {
    const line = active.getLine(y);
    if (!line) return null;
    for (let col = 0; col < cols; col += 1) {
      const found = line.getCell(col, cell);
      const at = col * CELL.size;
      cells[at + 1] = found
        ? numberOf(found.getFgColorMode(), found.getFgColor(), found.isInverse() ? CELL.inverse : 0)
        : 0;
      cells[at + 2] = found
        ? numberOf(found.getBgColorMode(), found.getBgColor(), found.isDim() ? CELL.dim : 0)
        : 0;
    }
    return cells;
  };
}

/** The default colour has no mode. */
function numberOf(mode: number, colour: number, flag: number): number {
  return mode === 0 ? flag : mode | colour | flag;
}

/** What stands on another background than most of the row, and what is drawn dim or grey. */
function spansIn(
  cells: Uint32Array,
  cols: number,
): { readonly highlights: readonly Stretch[]; readonly faint: readonly Stretch[] } {
  const backgrounds: { start: number; end: number; background: number }[] = [];
  const faint: [number, number][] = [];
  let start = 0;
  while (start < cols) {
    const fg = cells[start * CELL.size + 1] ?? 0;
    const bg = cells[start * CELL.size + 2] ?? 0;
    // Most cells are drawn like the one before.
    let end = start + 1;
    while (end < cols && cells[end * CELL.size + 1] === fg && cells[end * CELL.size + 2] === bg) end += 1;
    const background = backgroundOf(fg, bg);
    const stretch = backgrounds.at(-1);
    if (stretch?.background === background) stretch.end = end;
    else backgrounds.push({ start, end, background });
    if (isFaint(fg, bg)) {
      const span = faint.at(-1);
      if (span?.[1] === start) span[1] = end;
      else faint.push([start, end]);
    }
    start = end;
  }
  return { highlights: standingOut(backgrounds), faint };
}

function standingOut(
  stretches: readonly { readonly start: number; readonly end: number; readonly background: number }[],
): readonly Stretch[] {
  if (stretches.length < 2) return [];
  const widths = new Map<number, number>();
  for (const { background, start, end } of stretches)
    widths.set(background, (widths.get(background) ?? 0) + end - start);
  const usual = [...widths].reduce((widest, entry) => (entry[1] > widest[1] ? entry : widest))[0];
  return stretches
    .filter(({ background }) => background !== usual)
    .map(({ start, end }) => [start, end] as const);
}

/** One number for each way a cell can stand out; their order means nothing. */
function backgroundOf(fg: number, bg: number): number {
  const colour = bg & (CELL.mode | CELL.colour);
  return (fg & CELL.inverse) === 0 ? colour : -1 - colour;
}

/** No placeholder is drawn in a brighter grey, and nothing that was typed in a darker one. */
const GREY_MAX = 0xbf;
/** How much a grey may have of a colour: themes tint theirs. */
const TINT_MAX = 40;
const BRIGHT_BLACK = 8;

/** Dim, or a grey on what is darker still: dark text on a bright background is meant to be seen. */
function isFaint(fg: number, bg: number): boolean {
  if ((fg & CELL.inverse) !== 0) return false;
  if ((bg & CELL.dim) !== 0) return true;
  const mode = fg & CELL.mode;
  if (mode === 0) return false;
  if (mode !== CELL.rgb && (fg & CELL.colour) < 16) return (fg & CELL.colour) === BRIGHT_BLACK;
  const [most, least] = brightness(rgbOf(fg));
  return most <= GREY_MAX && most - least <= TINT_MAX && most > brightness(rgbOf(bg))[0];
}

/** Of the red, green and blue in a colour: the brightest and the darkest. */
function brightness(rgb: number): readonly [most: number, least: number] {
  const [red, green, blue] = [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff];
  return [Math.max(red, green, blue), Math.min(red, green, blue)];
}

/** The default is taken for black, and so are the sixteen colours that a terminal's owner chooses. */
function rgbOf(word: number): number {
  const colour = word & CELL.colour;
  switch (word & CELL.mode) {
    case CELL.rgb:
      return colour;
    case CELL.palette256:
      return colour < 16 ? 0 : paletteColour(colour);
    default:
      return 0;
  }
}

/** Of the 256 colours: the cube of 6 × 6 × 6, and the ramp of greys behind it. */
function paletteColour(index: number): number {
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x010101;
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  return (level(Math.floor(cube / 36)) << 16) | (level(Math.floor(cube / 6) % 6) << 8) | level(cube % 6);
}
