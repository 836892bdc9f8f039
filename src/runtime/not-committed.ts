/** The journal could not take it; what was fed is to be fed again, from the cursor. */
export class NotCommitted extends Error {
  override readonly name = "NotCommitted";
}
