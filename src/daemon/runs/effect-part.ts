/**
 * A call may take several steps at the keeper, each of which must act once. The keeper knows effects as `seq.index`, and
 * drops what is not newer than the newest: so every call has a range of numbers, and its steps take theirs from it.
 */
import { LAST_PART } from "../../terminal/typing/typed-terminal.js";

const PARTS = LAST_PART + 1;

/** Names a step of a call: 0 for a call of one step, rising for others. */
export function effectPart(effectId: string, part: number): string {
  const [seq = 0, index = 0] = effectId.split(".").map(Number);
  return `${seq}.${index * PARTS + part}`;
}

/** How far the keeper has got with a call: the newest of its steps; 0: none that we know of. */
export function donePart(effectId: string, newest: string | null): number {
  if (newest === null) return 0;
  const [seq = 0, index = 0] = effectId.split(".").map(Number);
  const [newestSeq = 0, newestPart = 0] = newest.split(".").map(Number);
  const newestIndex = Math.floor(newestPart / PARTS);
  if (newestSeq === seq && newestIndex === index) return newestPart % PARTS;
  return newestSeq > seq || (newestSeq === seq && newestIndex > index) ? LAST_PART : 0;
}
