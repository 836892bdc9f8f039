/** The journal could not take it; what was fed is to be fed again, from the cursor. */
export class NotCommitted extends Error {
  override readonly name = "NotCommitted";
}

/** It is in the journal, but the disk did not say that it keeps it. */
export class NotSynced extends Error {
  override readonly name = "NotSynced";
}
