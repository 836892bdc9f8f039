import type { Terminal } from "@xterm/headless";

/** What xterm.js has but does not declare: it notes which rows it would have to draw anew. */
interface Core {
  readonly _inputHandler: {
    readonly _dirtyRowTracker: RowNotes;
    /** Without rows: all of them. */
    onRequestRefreshRows(tell: (rows: object | undefined) => void): void;
  };
}

interface RowNotes {
  markDirty(row: number): void;
  markRangeDirty(first: number, last: number): void;
  markAllDirty(): void;
}

/** Which rows of a terminal may show something else than when they were last asked for. All of them, at first. */
export class ChangedRows {
  private readonly rows = new Set<number>();
  private isAll = true;

  constructor(private readonly terminal: Terminal) {
    const { _inputHandler: input } = coreOf(terminal);
    const notes = input._dirtyRowTracker;
    const { markDirty, markRangeDirty, markAllDirty } = notes;
    notes.markDirty = (row) => {
      this.rows.add(row);
      markDirty.call(notes, row);
    };
    notes.markRangeDirty = (first, last) => {
      for (let row = Math.min(first, last); row <= Math.max(first, last); row += 1) this.rows.add(row);
      markRangeDirty.call(notes, first, last);
    };
    notes.markAllDirty = () => {
      this.isAll = true;
      markAllDirty.call(notes);
    };
    input.onRequestRefreshRows((rows) => {
      if (rows === undefined) this.isAll = true;
    });
    // Of what is erased, only the first and the last row are noted.
    for (const prefix of ["", "?"])
      terminal.parser.registerCsiHandler({ ...(prefix === "" ? {} : { prefix }), final: "J" }, () => {
        this.isAll = true;
        return false;
      });
  }

  /** In no order. */
  take(): readonly number[] {
    const count = this.terminal.rows;
    const rows = this.isAll
      ? Array.from({ length: count }, (_, row) => row)
      : [...this.rows].filter((row) => row >= 0 && row < count);
    this.isAll = false;
    this.rows.clear();
    return rows;
  }
}

/** The version of xterm.js is fixed by the lock file, and this says so if it changes. */
function coreOf(terminal: Terminal): Core {
  const { _core: core } = terminal as { readonly _core?: Partial<Core> };
  const notes: Partial<RowNotes> | undefined = core?._inputHandler?._dirtyRowTracker;
  if (!notes?.markDirty || !notes.markRangeDirty || !notes.markAllDirty)
    throw new Error("this version of xterm.js has other insides");
  return core as Core;
}
