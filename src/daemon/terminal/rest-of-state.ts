/** What belongs to a terminal's state and is forgotten by the serializer of xterm.js, as escape sequences. */
import type { Terminal } from "@xterm/headless";
import { z } from "zod";

/** What xterm.js has but does not declare. Its version is fixed by the lock file, and this says so if it changes. */
const coreSchema = z.object({
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

/** Asked for every reading of the screen, and so without the schema. */
export function isCursorHidden(terminal: Terminal): boolean {
  const { _core: core } = terminal as { readonly _core?: { readonly coreService?: unknown } };
  return (core?.coreService as { readonly isCursorHidden?: unknown } | undefined)?.isCursorHidden === true;
}

/** To be written after what the serializer gives. */
export function restOfState(terminal: Terminal): string {
  const core = coreSchema.parse((terminal as { readonly _core?: unknown })._core);
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

type ActiveBuffer = z.infer<typeof coreSchema>["buffers"]["active"];

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
