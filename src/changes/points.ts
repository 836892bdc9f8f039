/** States of the files by their names. */
import type { Kept } from "./store.js";

export type ChangesErrorCode = "no_changes" | "no_turn" | "git";

/** What cannot be told or done, in words for a person. */
export class ChangesError extends Error {
  override readonly name = "ChangesError";
  constructor(
    readonly code: ChangesErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export function keptAt(all: readonly Kept[], turn: number): Kept {
  const kept = all.find(({ name }) => name === String(turn));
  if (kept) return kept;
  const turns = turnsOf(all);
  const known = turns.length === 0 ? "none is" : `${turns.join(", ")} ${turns.length === 1 ? "is" : "are"}`;
  throw new ChangesError("no_turn", `The files of turn ${turn} were not kept; ${known}.`);
}

/** What was there when the turn began: its own, else the end of the turn before that was kept. */
export function startOf(all: readonly Kept[], turn: number): Kept {
  const own = all.find(({ name }) => name === `${turn}-start`);
  if (own) return own;
  const before = turnsOf(all).filter((other) => other < turn);
  return keptAt(all, before.at(-1) ?? 0);
}

/** With the start, which is 0. */
export function turnsOf(all: readonly Kept[]): readonly number[] {
  return all
    .filter(({ name }) => /^\d+$/.test(name))
    .map(({ name }) => Number(name))
    .sort((a, b) => a - b);
}
