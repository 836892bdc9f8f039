/** Where agents take what a person types: boxes between two lines, and what was typed into them. */
import { boxAbove } from "./frames.js";
import { isAtShellPrompt } from "./shell-prompt.js";
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

/** The rows in a frame whose first row begins with a prompt; the frame is the last on the screen. Without its edges. */
export function framedInput(view: View, prompt: RegExp, belowMax: number): Region | null {
  // What an agent leaves behind when it ends stands above a shell's prompt.
  if (isAtShellPrompt(view)) return null;
  const edge = findAbove(view, view.rows.length, belowMax + 1, (row) => /^\s*╰─+╯$/.test(row));
  const box = edge < 0 ? null : boxAbove(view, edge);
  if (!box || !prompt.test(view.rows[box.start + 1] ?? "")) return null;
  return { start: box.start + 1, end: edge };
}

/** What was typed into the rows of a box, whose text begins at column `indent`, and ends before `width`. */
export function typedIn(view: View, { start, end }: Region, indent: number, width?: number): string {
  const rows: string[] = [];
  for (let row = start; row < end; row += 1) rows.push(withoutEdge(typedRow(view, row).slice(indent, width)));
  return rows.join("\n").trimEnd();
}

function withoutEdge(row: string): string {
  return row.replace(/\s*│$/, "");
}
