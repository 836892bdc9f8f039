import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { JournalError } from "../journal-error.js";

/**
 * Makes sure that a file is there and that only its owner may read it. SQLite gives the files it puts beside it the same
 * mode.
 *
 * A file that is there is not opened: closing it would end the locks that SQLite holds on it in this process.
 */
export function createPrivateFile(path: string): void {
  try {
    if (!hasFile(path)) closeSync(openSync(path, "wx", 0o600));
    else chmodSync(path, 0o600);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new JournalError("io", `${path} cannot be created: ${reason}`, { cause: error });
  }
}

function hasFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
