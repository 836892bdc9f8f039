/** How much of a line is read. The parser takes long for a few things that no person writes: these are counted first. */

/** A brace that may begin a list is looked for its end through the rest of the word: so many characters in all. */
const BRACE_STEPS_MAX = 2_000_000;

/** Programs and lines inside each other: `nohup nice bash -c …` is three. */
export const DEPTH_MAX = 24;

/** Why a text is not read; null when it is. */
export function whyTooLong(text: string): string | null {
  const braces = text.match(/(?<!\$)\{(?![\s}])/g)?.length ?? 0;
  return braces * text.length > BRACE_STEPS_MAX ? "it has too many braces" : null;
}
