/** The run whose output is read, and how far. */
export interface Cursor {
  readonly run: number;
  readonly outOffset: number;
  readonly hooksOffset: number;
}
