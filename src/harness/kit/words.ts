/** Texts for a person, within bounds. */

/** The beginning of a text that is too long, with how much is missing: whoever decides about it must know. */
export function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax)}\n… ${text.length - lengthMax} more characters are not shown`;
}

/** A title is one line; what is cut says so. */
export function titleLine(title: string, lengthMax: number): string {
  const line = title.trim().replaceAll(/\s+/g, " ");
  return line.length > lengthMax ? `${line.slice(0, lengthMax - 1)}…` : line;
}

/** The parts that say anything, each on a line of its own. */
export function linesOf(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join("\n");
}
