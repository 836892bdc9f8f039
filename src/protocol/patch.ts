/** How the lines of a unified diff, as git writes it, are to be read. */

export type PatchLine =
  /** `diff --git`: the next file begins. */
  | { readonly type: "file"; readonly text: string }
  /** What git says of a file before its first hunk. */
  | { readonly type: "head"; readonly text: string }
  | { readonly type: "hunk"; readonly text: string; readonly where: string; readonly within: string }
  | { readonly type: "context"; readonly text: string; readonly oldLine: number; readonly newLine: number }
  | { readonly type: "removed"; readonly text: string; readonly oldLine: number }
  | { readonly type: "added"; readonly text: string; readonly newLine: number }
  /** `\ No newline at end of file`. */
  | { readonly type: "note"; readonly text: string };

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

/** One for each line that it is given, in pieces of any length. */
export class PatchReader {
  private oldLine = 0;
  private newLine = 0;
  /** Lines of the hunk that are still to come: what looks like a head among them is none. */
  private oldLeft = 0;
  private newLeft = 0;

  read(line: string): PatchLine {
    // The last line of a hunk may be followed by a note about it.
    if (line.startsWith("\\")) return { type: "note", text: line.slice(2) };
    if (this.oldLeft > 0 || this.newLeft > 0) return this.body(line);
    if (line.startsWith("diff --git ")) return { type: "file", text: line };
    const hunk = HUNK.exec(line);
    if (!hunk) return { type: "head", text: line };
    const [, oldStart = "0", oldCount = "1", newStart = "0", newCount = "1", within = ""] = hunk;
    this.oldLine = Number(oldStart);
    this.newLine = Number(newStart);
    this.oldLeft = Number(oldCount);
    this.newLeft = Number(newCount);
    return { type: "hunk", text: line, where: `${newStart},${newCount}`, within };
  }

  private body(line: string): PatchLine {
    const text = line.slice(1);
    if (line.startsWith("+")) {
      this.newLeft -= 1;
      return { type: "added", text, newLine: this.newLine++ };
    }
    if (line.startsWith("-")) {
      this.oldLeft -= 1;
      return { type: "removed", text, oldLine: this.oldLine++ };
    }
    this.oldLeft -= 1;
    this.newLeft -= 1;
    return { type: "context", text, oldLine: this.oldLine++, newLine: this.newLine++ };
  }
}
