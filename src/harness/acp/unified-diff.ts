/** A difference as one hunk: what is the same before and after the change is left out, but for a few lines around it. */
const CONTEXT_LINES = 3;

/** `oldText` null: there was no such file. */
export function unifiedDiff(path: string, oldText: string | null, newText: string): string {
  if (oldText === newText) return "";
  const [before, after] = [linesOf(oldText ?? ""), linesOf(newText)];
  const same = sameLines(before, after);
  const end = sameLines(before.slice(same).reverse(), after.slice(same).reverse());
  const start = Math.max(0, same - CONTEXT_LINES);
  const lead = before.slice(start, same);
  const removed = before.slice(same, before.length - end);
  const added = after.slice(same, after.length - end);
  const trail = before.slice(before.length - end, before.length - end + CONTEXT_LINES);
  const around = lead.length + trail.length;
  const hunk = `@@ -${range(start, removed.length + around)} +${range(start, added.length + around)} @@`;
  const lines = [
    `--- ${oldText === null ? "/dev/null" : path}`,
    `+++ ${path}`,
    hunk,
    ...lead.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...trail.map((line) => ` ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** How many lines both have in common, from their beginning. */
function sameLines(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) if (a[index] !== b[index]) return index;
  return length;
}

/** From which line on, and how many; nothing stands after the line before. */
function range(start: number, length: number): string {
  return `${length === 0 ? start : start + 1},${length}`;
}
