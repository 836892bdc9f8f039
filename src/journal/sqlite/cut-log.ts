/** Whether the write-ahead log ends in the middle of a transaction: SQLite drops that part, and says nothing. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** A longer one is the rest of a log that was begun anew; nobody looks through all of it. */
const FRAMES_MAX = 65_536;

/** Call it before the journal is opened: then the log is read, and begins anew. */
export function isLogCut(path: string): boolean {
  const log = openLog(`${path}-wal`);
  if (log === null) return false;
  try {
    return endsWithinTransaction(log);
  } finally {
    closeSync(log);
  }
}

function openLog(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function endsWithinTransaction(log: number): boolean {
  const sizeBytes = fstatSync(log).size;
  if (sizeBytes === 0) return false;
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(log, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return true;
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  const frame = Buffer.alloc(FRAME_HEADER_BYTES);
  let isWithin = false;
  for (let index = 0; index < FRAMES_MAX; index += 1) {
    const start = HEADER_BYTES + index * frameBytes;
    const length = readSync(log, frame, 0, FRAME_HEADER_BYTES, start);
    if (length === 0) return isWithin;
    if (length < FRAME_HEADER_BYTES) return true;
    // What an earlier round left has other salts: the log ends here.
    if (!frame.subarray(8, 16).equals(header.subarray(16, 24))) return isWithin;
    if (start + frameBytes > sizeBytes) return true;
    isWithin = frame.readUInt32BE(4) === 0;
  }
  return false;
}
