/** Boxes drawn with lines: where the last one on a screen is, and what stands in it. */
import type { Region, View } from "./view.js";

/** Where a scroll bar stands at the right, it lies over the corner. */
const TOP = /^\s*[╭┌]─+[╮┐]?\s*[█│]?$/;
const BOTTOM = /^\s*[╰└]─+[╯┘]?\s*[█│]?$/;

export function isUpperEdge(row: string): boolean {
  return TOP.test(row);
}

export function isLowerEdge(row: string): boolean {
  return BOTTOM.test(row);
}

/** The box whose lower edge is row `bottom`; null when that is none. One that begins above the screen is cut there. */
export function boxAbove(view: View, bottom: number): Region | null {
  const edge = view.rows[bottom] ?? "";
  if (!isLowerEdge(edge)) return null;
  const indent = edge.search(/[╰└]/);
  for (let at = bottom - 1; at >= 0; at -= 1) {
    const row = view.rows[at] ?? "";
    if (row.search(/[╭┌]/) === indent && TOP.test(row)) return { start: at, end: bottom + 1 };
    if (!/[│├]/.test(row.charAt(indent)))
      return at === bottom - 1 ? null : { start: at + 1, end: bottom + 1 };
  }
  return { start: 0, end: bottom + 1 };
}

/** The rows without the lines around them, boxes in boxes too. A row of nothing but lines is blank. */
export function unframed(rows: readonly string[]): readonly string[] {
  return rows.map((row) => withoutFrame(withoutFrame(row)));
}

function withoutFrame(row: string): string {
  if (/^[\s─━╌▔╭╮╰╯┌┐└┘├┤]*$/.test(row)) return "";
  const framed = /^\s*[│┃] ?(.*?)\s*[│┃]?\s*$/.exec(row);
  return framed?.[1] ?? row;
}
