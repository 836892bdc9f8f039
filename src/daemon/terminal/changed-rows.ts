import type { Terminal } from "@xterm/headless";

/** `end` is exclusive. */
export interface Rows {
  readonly start: number;
  readonly end: number;
}

/** What xterm.js has but does not declare: which rows it would have to draw anew; undefined: all of them. */
interface Core {
  readonly _inputHandler: {
    onRequestRefreshRows(
      tell: (rows: { readonly start: number; readonly end: number } | undefined) => void,
    ): void;
  };
}

/** Which rows of a terminal may show something else than when they were last asked for. All of them, at first. */
export class ChangedRows {
  private start = 0;
  private end = Infinity;

  constructor(private readonly terminal: Terminal) {
    coreOf(terminal)._inputHandler.onRequestRefreshRows((rows) => {
      // Theirs is the last one that is to be drawn.
      if (rows) this.add(rows.start, rows.end + 1);
      else this.add(0, Infinity);
    });
  }

  /** Null: none has. */
  take(): Rows | null {
    const rows = { start: Math.max(0, this.start), end: Math.min(this.end, this.terminal.rows) };
    this.start = Infinity;
    this.end = 0;
    return rows.start < rows.end ? rows : null;
  }

  private add(start: number, end: number): void {
    this.start = Math.min(this.start, start);
    this.end = Math.max(this.end, end);
  }
}

/** The version of xterm.js is fixed by the lock file, and this says so if it changes. */
function coreOf(terminal: Terminal): Core {
  const { _core: core } = terminal as { readonly _core?: Partial<Core> };
  if (typeof core?._inputHandler?.onRequestRefreshRows !== "function")
    throw new Error("this version of xterm.js has other insides");
  return core as Core;
}
