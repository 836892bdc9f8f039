/** What a terminal shows at one moment, as plain data. */
export interface Screen {
  /** The visible rows from the top, right-trimmed. */
  readonly rows: readonly string[];
  readonly cols: number;
  readonly cursor: { readonly row: number; readonly col: number; readonly visible: boolean };
  /** The window title that the program set. Other programs' text may stand in it. */
  readonly title: string;
  readonly altScreen: boolean;
  /**
   * Cells that stand out by their background or by inverse video, for the menus that show their selection by colour
   * alone. `end` is exclusive. Left out, or with a row left out: nobody looked.
   */
  readonly highlights?: readonly Highlight[];
}

export interface Highlight {
  readonly row: number;
  readonly start: number;
  readonly end: number;
}
