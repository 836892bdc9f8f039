/** A unified diff, line by line. */
export interface DiffLine {
  readonly type: "added" | "removed" | "context" | "hunk" | "file";
  /** `+`, `-` or a space: it reads without colours. */
  readonly sign: string;
  readonly text: string;
}

export function diffLines(diff: string): readonly DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  let isBody = !lines.some((line) => line.startsWith("@@"));
  return lines.map((line, index) => {
    if (line.startsWith("@@")) {
      isBody = true;
      return { type: "hunk", sign: "", text: line };
    }
    if (isFileLine(lines, index)) {
      isBody = !lines.slice(index).some((other) => other.startsWith("@@"));
      return { type: "file", sign: "", text: line };
    }
    return isBody ? bodyLine(line) : { type: "file", sign: "", text: line };
  });
}

/** `--- a` with `+++ b` below it is a head; alone it is a line that was taken away. */
function isFileLine(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  if (line.startsWith("--- ")) return lines[index + 1]?.startsWith("+++ ") === true;
  if (line.startsWith("+++ ")) return lines[index - 1]?.startsWith("--- ") === true;
  return line.startsWith("diff --git ");
}

function bodyLine(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { type: "added", sign: "+", text };
  if (line.startsWith("-")) return { type: "removed", sign: "-", text };
  return { type: "context", sign: " ", text: line.startsWith(" ") ? text : line };
}

/** Whether a text that an agent shows is a change of a file. */
export function looksLikeDiff(text: string): boolean {
  if (/^@@ .*@@/m.test(text) || /^--- .*\n\+\+\+ /m.test(text)) return true;
  const [, ...lines] = text.split("\n");
  const marked = lines.filter((line) => /^[+-]/.test(line)).length;
  return marked > 0 && lines.every((line) => line === "" || /^[+\- ]/.test(line));
}

export function diffCounts(lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const { type } of lines) {
    if (type === "added") added += 1;
    else if (type === "removed") removed += 1;
  }
  return { added, removed };
}
