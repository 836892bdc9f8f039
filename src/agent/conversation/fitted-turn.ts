import type { Entry } from "../../core/index.js";

/** Of a result that must be cut, at least this much stays. */
const RESULT_LENGTH_MIN = 1_000;

export function lengthOf(turn: readonly Entry[]): number {
  return turn.reduce((length, entry) => length + JSON.stringify(entry).length, 0);
}

/**
 * A turn that is too long by itself: results of tools are cut, the oldest first, until it fits. Every call keeps its result,
 * and everything that was said stays.
 */
export function fittedTurn(turn: readonly Entry[], lengthMax: number): readonly Entry[] {
  let excess = lengthOf(turn) - lengthMax;
  return turn.map((entry) => {
    if (excess <= 0 || entry.type !== "tool_result") return entry;
    const content = cut(entry.content, excess);
    excess -= entry.content.length - content.length;
    return content === entry.content ? entry : { ...entry, content };
  });
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
