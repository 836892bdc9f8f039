/** A frame must fit into what the daemon takes at once, whatever is in it, escaped as JSON. */
const INPUT_LENGTH_MAX = 8_000;

/** What is typed into a terminal, in parts that each fit into a frame; none ends within a pair of surrogates. */
export function* inputParts(text: string): Generator<string, void, undefined> {
  for (let start = 0; start < text.length;) {
    const end = start + INPUT_LENGTH_MAX;
    const isWithinPair = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1));
    const part = text.slice(start, isWithinPair ? end - 1 : end);
    yield part;
    start += part.length;
  }
}
