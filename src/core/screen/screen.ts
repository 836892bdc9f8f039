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
   * What stands out by its background or by inverse video: the selection of a menu, or a cursor that the program draws
   * itself. Left out: nobody looked.
   */
  readonly highlights?: readonly Span[];
  /** What is drawn dim or grey, as ghost text and placeholders are. Left out: nobody looked. */
  readonly faint?: readonly Span[];
}

/** A stretch of a row, in characters of its text; `end` is exclusive. It may go on behind the text. */
export interface Span {
  readonly row: number;
  readonly start: number;
  readonly end: number;
}
