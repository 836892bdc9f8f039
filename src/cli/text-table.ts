import { clipped, oneLine } from "./plain-text.js";
import type { Colour, Paint } from "./paint.js";
import { terminalSize } from "./terminal-size.js";
import { columnsOf, padded } from "./text-width.js";

export interface Cell {
  readonly text: string;
  readonly colour?: Colour;
}

export interface TableLook {
  readonly paint: Paint;
  /** Lines are cut here; absent: not at all. */
  readonly widthMax?: number;
}

const GAP = "  ";

/** A line for the header and one for each row, in columns. Texts from agents come out plain. */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
  { paint, widthMax = Infinity }: TableLook,
): readonly string[] {
  const cells = rows.map((row) => row.map(plainCell));
  const widths = header.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => columnsOf(row[column]?.text ?? ""))),
  );
  const line = (row: readonly Cell[]) => {
    let room = widthMax;
    const parts = row.flatMap(({ text, colour }, column) => {
      // In a terminal that is too narrow for all columns, the last ones are left out.
      if (room <= 0) return [];
      const last = column === row.length - 1;
      const whole = last ? text : padded(text, widths[column] ?? 0);
      const shown = columnsOf(whole) > room ? clipped(text, room) : whole;
      room -= columnsOf(shown) + GAP.length;
      return [colour === undefined ? shown : paint(colour, shown)];
    });
    return parts.join(GAP).trimEnd();
  };
  return [line(header.map((text) => ({ text, colour: "dim" }))), ...cells.map(line)];
}

function plainCell(cell: string | Cell): Cell {
  return typeof cell === "string" ? { text: oneLine(cell) } : { ...cell, text: oneLine(cell.text) };
}

/** How wide a table on stdout may be. */
export function outputWidth(): { readonly widthMax?: number } {
  return process.stdout.isTTY ? { widthMax: terminalSize(process.stdout).cols } : {};
}
