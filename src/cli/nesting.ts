const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENERS: readonly number[] = [0x5b, 0x7b];
const CLOSERS: readonly number[] = [0x5d, 0x7d];

/**
 * Whether a JSON text nests its lists and objects deeper than `depthMax`. It is asked before the text is parsed: a few
 * megabytes of `[` would cost the parser fifty times as many, and what comes out could not be printed again.
 */
export function nestsDeeperThan(depthMax: number, json: string): boolean {
  if (json.length <= depthMax) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charCodeAt(index);
    if (character === QUOTE) inString = !inString;
    else if (inString) index += character === BACKSLASH ? 1 : 0;
    else if (OPENERS.includes(character)) depth += 1;
    else if (CLOSERS.includes(character)) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}
