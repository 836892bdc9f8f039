/** Of a terminal that nobody gave a size, as `script` and containers may have it: it says 0. */
const COLS = 80;
const ROWS = 24;

export interface SizedOutput {
  readonly columns: number;
  readonly rows: number;
}

export function terminalSize({ columns, rows }: SizedOutput): {
  readonly cols: number;
  readonly rows: number;
} {
  return { cols: columns > 0 ? columns : COLS, rows: rows > 0 ? rows : ROWS };
}

/** For what is written over while it changes: only a terminal can do that. */
export function liveSize(output: SizedOutput & { readonly isTTY: boolean }): {
  readonly liveSize?: () => { readonly cols: number; readonly rows: number };
} {
  return output.isTTY ? { liveSize: () => terminalSize(output) } : {};
}
