import type { Terminal } from "@xterm/headless";
import { TERMINAL_SIZE_MAX } from "../../protocol/keeper-format.js";

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
  private readonly isChanged = new Uint8Array(TERMINAL_SIZE_MAX);
  private isAll = true;

  constructor(private readonly terminal: Terminal) {
    const { _inputHandler: input } = coreOf(terminal);
    const notes = input._dirtyRowTracker;
    const theirs = {
      one: notes.markDirty.bind(notes),
      range: notes.markRangeDirty.bind(notes),
      all: notes.markAllDirty.bind(notes),
    };
    notes.markDirty = (row) => {
      this.isChanged[row] = 1;
      theirs.one(row);
    };
    notes.markRangeDirty = (first, last) => {
      this.isChanged.fill(1, Math.max(0, Math.min(first, last)), Math.max(first, last) + 1);
      theirs.range(first, last);
    };
    notes.markAllDirty = () => {
      this.isAll = true;
      theirs.all();
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

/** The version of xterm.js is fixed by the lock file, and this says so if it changes. */
function coreOf(terminal: Terminal): Core {
  const { _core: core } = terminal as { readonly _core?: Partial<Core> };
  const notes: Partial<RowNotes> | undefined = core?._inputHandler?._dirtyRowTracker;
  if (!notes?.markDirty || !notes.markRangeDirty || !notes.markAllDirty)
    throw new Error("this version of xterm.js has other insides");
  return core as Core;
}
