/**
 * Everything that is used of xterm.js and that it does not declare, in this one file. Its version is fixed by the lock
 * file; `internalsOf` fails when another version has other internals.
 */
import type { Terminal } from "@xterm/headless";
import { z } from "zod";
import { TERMINAL_SIZE_MAX } from "../../protocol/keeper-format.js";

interface Internals {
  readonly _inputHandler: {
    readonly _dirtyRowTracker: DirtyRowTracker;
    /** Without rows: all of them. */
    onRequestRefreshRows(tell: (rows: object | undefined) => void): void;
  };
  readonly buffers: {
    readonly active: { readonly lines: { get(index: number): Line | undefined } };
    readonly alt: {
      readonly lines: { readonly length: number; get(index: number): Line | undefined };
      getNullCell(): unknown;
    };
  };
  readonly coreService: { readonly isCursorHidden: boolean };
  registerCsiHandler(
    sequence: { readonly prefix?: string; readonly final: string },
    handle: (parameters: { readonly params: Int32Array }) => boolean,
  ): void;
}

interface DirtyRowTracker {
  markDirty(row: number): void;
  markRangeDirty(first: number, last: number): void;
  markAllDirty(): void;
}

interface Line {
  /** Three numbers for each cell: what stands there, its foreground, its background. */
  readonly _data: Uint32Array;
  resize(cols: number, filling: unknown): void;
}

/** Checked once for each terminal: reading the cursor is on the path of every screen. */
const checked = new WeakMap<Terminal, Internals>();

function internalsOf(terminal: Terminal): Internals {
  const known = checked.get(terminal);
  if (known) return known;
  const { _core: core } = terminal as { readonly _core?: Partial<Internals> };
  const tracker: Partial<DirtyRowTracker> | undefined = core?._inputHandler?._dirtyRowTracker;
  const isKnown =
    tracker?.markDirty !== undefined &&
    tracker.markRangeDirty !== undefined &&
    tracker.markAllDirty !== undefined &&
    typeof core?.buffers?.alt.lines.get === "function" &&
    core.buffers.active.lines.get(0)?._data instanceof Uint32Array &&
    typeof core.coreService?.isCursorHidden === "boolean" &&
    typeof core.registerCsiHandler === "function";
  if (!isKnown) throw new Error("this version of xterm.js has other internals");
  const internals = core as Internals;
  checked.set(terminal, internals);
  return internals;
}

// Which rows changed

/** Which rows of a terminal may show something else than when they were last asked for. All of them, at first. */
export class ChangedRows {
  private readonly isChanged = new Uint8Array(TERMINAL_SIZE_MAX);
  private isAll = true;

  constructor(private readonly terminal: Terminal) {
    const core = internalsOf(terminal);
    const { _inputHandler: input } = core;
    const tracker = input._dirtyRowTracker;
    const { isChanged } = this;
    // In the place of its own notes, which are for those who draw: nobody does here, and it is told for every character.
    tracker.markDirty = (row) => {
      isChanged[row] = 1;
    };
    tracker.markRangeDirty = (first, last) => {
      isChanged.fill(1, Math.max(0, Math.min(first, last)), Math.max(first, last) + 1);
    };
    tracker.markAllDirty = () => {
      this.isAll = true;
    };
    input.onRequestRefreshRows((rows) => {
      if (rows === undefined) this.isAll = true;
    });
    // Of what is erased, only the first and the last row are noted.
    for (const prefix of ["", "?"])
      core.registerCsiHandler({ ...(prefix === "" ? {} : { prefix }), final: "J" }, () => {
        this.isAll = true;
        return false;
      });
  }

  take(): readonly number[] {
    const rows: number[] = [];
    for (let row = 0; row < this.terminal.rows; row += 1) {
      if (this.isAll || this.isChanged[row] === 1) rows.push(row);
    }
    this.isAll = false;
    this.isChanged.fill(0);
    return rows;
  }
}

/** How the cells of each row are drawn, as `screenOf` takes them, without a copy. */
export function cellsOf(terminal: Terminal): (y: number) => Uint32Array | null {
  const { buffers } = internalsOf(terminal);
  return (y) => buffers.active.lines.get(y)?._data ?? null;
}

// Bounds

/** Insert and delete lines, scroll up and down. */
const BY_ROWS = ["L", "M", "S", "T"];
/** Tabs forth and back, repeat a character. */
const BY_COLS = ["I", "Z", "b"];

/**
 * Some sequences say how often something is repeated. More often than there are rows, or columns, means nothing, but
 * xterm.js would do it a thousand million times if told to, and the daemon would do nothing else for minutes. The
 * declared way to handle a sequence gives a copy of its parameters, in which a bound would not count.
 */
export function boundRepeats(terminal: Terminal): void {
  const core = internalsOf(terminal);
  const bound = (final: string, timesMax: () => number): void =>
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, timesMax());
      // What it means is up to the emulator.
      return false;
    });
  for (const final of BY_ROWS) bound(final, () => terminal.rows);
  for (const final of BY_COLS) bound(final, () => terminal.cols);
}

/**
 * In a narrower terminal the rows of a full-screen program keep what stood at their right, out of sight: xterm.js cuts
 * only the rows of the usual screen. Whoever reads them, or makes a snapshot of them, would find it there.
 */
export function cutAlternate(terminal: Terminal): void {
  const { alt } = internalsOf(terminal).buffers;
  for (let index = 0; index < alt.lines.length; index += 1)
    alt.lines.get(index)?.resize(terminal.cols, alt.getNullCell());
}

// What the serializer forgets

/** Asked for every reading of the screen, and so without the schema. */
export function isCursorHidden(terminal: Terminal): boolean {
  return internalsOf(terminal).coreService.isCursorHidden;
}

const stateSchema = z.object({
  buffers: z.object({
    active: z.object({
      x: z.number(),
      y: z.number(),
      ybase: z.number(),
      scrollTop: z.number(),
      scrollBottom: z.number(),
      savedX: z.number(),
      savedY: z.number(),
    }),
  }),
  coreService: z.object({ isCursorHidden: z.boolean() }),
  coreMouseService: z.object({ activeEncoding: z.string() }),
  _charsetService: z.object({ glevel: z.number(), charset: z.record(z.string(), z.string()).optional() }),
});

const MOUSE_ENCODINGS = new Map([
  ["SGR", "\x1b[?1006h"],
  ["SGR_PIXELS", "\x1b[?1016h"],
]);

/** What belongs to a terminal's state and is not in the serializer's data: to be written after it. */
export function restOfState(terminal: Terminal): string {
  const core = stateSchema.parse(internalsOf(terminal));
  const { glevel, charset } = core._charsetService;
  const drawing = charset?.["q"] === "─" ? (glevel === 1 ? "\x1b)0\x0e" : "\x1b(0") : "";
  const mouse = MOUSE_ENCODINGS.get(core.coreMouseService.activeEncoding) ?? "";
  return (
    places(terminal, core.buffers.active) +
    drawing +
    mouse +
    (core.coreService.isCursorHidden ? "\x1b[?25l" : "")
  );
}

type ActiveBuffer = z.infer<typeof stateSchema>["buffers"]["active"];

/** The margins, the saved cursor and the cursor. Setting one moves the cursor, so that the cursor comes last. */
function places(terminal: Terminal, buffer: ActiveBuffer): string {
  const { x, y, ybase, scrollTop, scrollBottom, savedX, savedY } = buffer;
  const { originMode } = terminal.modes;
  const margins =
    scrollTop === 0 && scrollBottom === terminal.rows - 1 ? "" : `\x1b[${scrollTop + 1};${scrollBottom + 1}r`;
  const savedRow = Math.max(0, savedY - ybase);
  const saved = savedX === 0 && savedRow === 0 ? "" : `${moveTo(savedX, savedRow)}\x1b7`;
  const moving = margins + saved;
  // With its next character in the next row, where no sequence can put it: the serializer has just written that row.
  if (x === terminal.cols && moving === "" && !originMode) return "";
  const cursor = moveTo(Math.min(x, terminal.cols - 1), originMode ? y - scrollTop : y);
  return originMode ? `\x1b[?6l${moving}\x1b[?6h${cursor}` : moving + cursor;
}

function moveTo(x: number, y: number): string {
  return `\x1b[${y + 1};${x + 1}H`;
}
