/** The place of the choice that a person means by its number, counted from 1, or by its words; null: none of them. */
export function chosenIndex(labels: readonly string[], text: string): number | null {
  const words = text.trim().toLowerCase();
  const byWords = labels.findIndex((label) => label.trim().toLowerCase() === words);
  if (byWords >= 0) return byWords;
  const number = /^#?(\d{1,4})[.)]?$/.exec(words)?.[1];
  if (number === undefined) return null;
  const index = Number(number) - 1;
  return index >= 0 && index < labels.length ? index : null;
}

/** One part for each of `count` things, when the text can be cut that way: lines, else semicolons, else commas; or null. */
export function partsFor(count: number, text: string): readonly string[] | null {
  for (const separator of ["\n", ";", ","]) {
    const parts = partsOf(text, separator);
    if (parts.length === count) return parts;
  }
  return null;
}

export function partsOf(text: string, separator: string | RegExp): readonly string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
