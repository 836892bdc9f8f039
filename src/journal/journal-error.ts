/** What can go wrong with a journal, as a value that crosses threads. */
export const JOURNAL_ERROR_CODES = [
  /** No room on the disk. */
  "full",
  /** The disk, or the way to it, failed. */
  "io",
  /** Somebody else has it open. */
  "busy",
  /** Not a journal, or one that cannot be read as a whole. */
  "corrupt",
  /** One row is not as it was written. */
  "damaged",
  /** Written by a newer version. */
  "too_new",
  /** A position, or a session's `seq`, is taken. */
  "conflict",
  /** It was closed, or its commit thread died. */
  "closed",
] as const;

export type JournalErrorCode = (typeof JOURNAL_ERROR_CODES)[number];

/** Nothing of what was asked has happened; after all but `closed` the next commit may succeed. */
export class JournalError extends Error {
  override readonly name = "JournalError";

  constructor(
    readonly code: JournalErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
