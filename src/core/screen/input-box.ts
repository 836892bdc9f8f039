/** Where agents take what a person types: boxes between two lines, and what was typed into them. */
import { findAbove, isRuler, typedRow, type Region, type View } from "./view.js";

const INPUT_ROWS_MAX = 30;

export interface RuledBox {
  /** How the first row of the input begins. */
  readonly prompt: RegExp;
  /** How many rows there can be below the lower line: a footer, or a list of commands. */
  readonly belowMax: number;
}

/** The rows between two lines drawn across the screen; the lower one is the last on the screen. Without the lines. */
export function ruledBox(view: View, { prompt, belowMax }: RuledBox): Region | null {
  const lower = findAbove(view, view.rows.length, belowMax + 1, isRuler);
  if (lower < 0) return null;
  const first = findAbove(view, lower, INPUT_ROWS_MAX, (row) => prompt.test(row));
  return first > 0 && isRuler(view.rows[first - 1] ?? "") ? { start: first, end: lower } : null;
}

/** What was typed into the rows of a box, whose text begins at column `indent`. */
export function typedIn(view: View, { start, end }: Region, indent: number): string {
  const rows: string[] = [];
  for (let row = start; row < end; row += 1) rows.push(typedRow(view, row).slice(indent));
  return rows.join("\n").trimEnd();
}
