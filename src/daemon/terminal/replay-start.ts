import { readdir } from "node:fs/promises";
import { spoolSegmentStart } from "../../protocol/keeper-format.js";

/** The newest output that is kept, so that a screen can be made of it. */
export const REPLAY_BYTES = 1024 * 1024;

/** Where to begin reading the spool of a run, which reaches to `end`, and whose beginning may be gone. */
export async function replayStart(runFolder: string, end: number): Promise<number> {
  if (end === 0) return 0;
  const starts = (await readdir(runFolder)).flatMap((name) => spoolSegmentStart(name) ?? []);
  return starts.length === 0 ? end : Math.max(Math.min(...starts), end - REPLAY_BYTES);
}
