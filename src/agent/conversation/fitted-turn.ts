import type { Entry, Json } from "../../core/index.js";

/** Of a text that must be cut, at least this much stays. */
const RESULT_LENGTH_MIN = 1_000;

export function lengthOf(turn: readonly Entry[]): number {
  return turn.reduce((length, entry) => length + JSON.stringify(entry).length, 0);
}

/**
 * A turn that is too long by itself: results of tools are cut, the oldest first, until it fits; where that is not enough, so
 * are long texts that the model gave to its tools. Every call keeps its result, and everything that was said stays.
 */
export function fittedTurn(turn: readonly Entry[], lengthMax: number): readonly Entry[] {
  let excess = lengthOf(turn) - lengthMax;
  const shortened = (text: string): string => {
    const shorter = excess > 0 ? cut(text, excess) : text;
    excess -= text.length - shorter.length;
    return shorter;
  };
  return turn
    .map((entry) =>
      excess > 0 && entry.type === "tool_result" ? { ...entry, content: shortened(entry.content) } : entry,
    )
    .map((entry) =>
      excess > 0 && entry.type === "tool_call"
        ? { ...entry, input: withShortened(entry.input, shortened) }
        : entry,
    );
}

function withShortened(input: Json, shortened: (text: string) => string): Json {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === "string" ? shortened(value) : value,
    ]),
  );
}

/** Its beginning and its end. */
function cut(content: string, excess: number): string {
  const keep = Math.max(RESULT_LENGTH_MIN, content.length - excess);
  const lost = content.length - keep;
  const mark = `\n[${lost} characters left out]\n`;
  if (lost <= mark.length) return content;
  const half = Math.floor((keep - mark.length) / 2);
  return `${content.slice(0, half)}${mark}${content.slice(-half)}`;
}
