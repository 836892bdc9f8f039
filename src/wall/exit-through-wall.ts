import { constants } from "node:os";
import type { RunExit } from "../protocol/keeper.js";

const SIGNAL_BASE = 128;

/**
 * A program that a signal ended inside is told by bubblewrap as the exit code 128 + n, as shells do: said as the signal
 * again. A program that exits by itself with such a code means the same by it.
 */
export function exitThroughWall(exit: RunExit): RunExit {
  if (exit.code === null || exit.code <= SIGNAL_BASE) return exit;
  const number = exit.code - SIGNAL_BASE;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return name === undefined ? exit : { code: null, signal: name };
}
