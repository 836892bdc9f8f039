/** The end of what a run has printed, as text. */
import { SpoolReader } from "../keeper/spool-reader.js";

export interface NewestOutput {
  readonly text: string;
  /** There was more before it. */
  readonly truncated: boolean;
}

/** At most so many bytes, cut between characters. `isOver`: nothing more comes. */
export async function newestOutput(
  runFolder: string,
  bytesMax: number,
  isOver: boolean,
): Promise<NewestOutput> {
  const reader = new SpoolReader(runFolder);
  try {
    const end = await reader.end();
    const start = Math.max(0, end - bytesMax);
    const pieces: Buffer[] = [];
    for (let offset = start; offset < end;) {
      const piece = await reader.read(offset, end - offset);
      if (piece.length === 0) break;
      pieces.push(piece);
      offset += piece.length;
    }
    return { text: wholeCharacters(Buffer.concat(pieces), start > 0, !isOver), truncated: start > 0 };
  } finally {
    await reader.close();
  }
}

/** UTF-8 without the part of a character at a cut: at its beginning, and at its end. */
export function wholeCharacters(bytes: Buffer, isCutBefore: boolean, isCutAfter: boolean): string {
  const start = isCutBefore ? startOfWhole(bytes) : 0;
  return bytes.toString("utf8", start, isCutAfter ? endOfWhole(bytes) : bytes.length);
}

function startOfWhole(bytes: Buffer): number {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start += 1;
  return start;
}

function endOfWhole(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
