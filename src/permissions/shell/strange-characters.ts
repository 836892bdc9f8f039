/** Characters that make a line look like something else than it is. */

/** What is strange about a line, or null. */
export function strangeCharacter(line: string): string | null {
  if (line.includes("\0")) return "it has a zero byte";

  if (/[\x01-\x08\x0b-\x1f\x7f-\x9f]/.test(line)) return "it has a control character";
  if (/[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u.test(line)) return "it has a character that cannot be seen";
  if (line.includes("\ufffd")) return "it has bytes that are no text";
  if (/(?! )\p{Zs}/u.test(line)) return "it has a space that is none to the shell";
  return null;
}

/** Names and options are plain; anything else looks like one and is another, as `rｍ` or `‐rf`. */
export function isLookAlike(word: string, isName: boolean): boolean {
  if (isName || word.startsWith("-")) return /[^\x20-\x7e]/.test(word);
  return /^\p{Pd}/u.test(word);
}
