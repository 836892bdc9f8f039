/**
 * How rows are read from a file that may be damaged.
 *
 * The driver ends the process when a text is not UTF-8, or when a number has become such a text. So texts are read as bytes
 * and numbers are cast; and a row carries the CRC-32 of what it held when it was written, because SQLite's own checks take
 * flipped bytes in a body for good ones.
 */
import { crc32 } from "node:zlib";

/** A text as the driver gives it. Null only where the file is damaged. */
export type StoredText = ArrayBuffer | null;

/** Null in rows of a version that wrote none: they are not checked. */
export type StoredChecksum = number | null;

export function textColumn(column: string, name = column): string {
  return `CAST(${column} AS BLOB) AS ${name}`;
}

export function numberColumn(column: string, name = column): string {
  return `CAST(${column} AS INTEGER) AS ${name}`;
}

export function textOf(stored: StoredText): string {
  return stored === null ? "" : Buffer.from(stored).toString("utf8");
}

/** Of a row's numbers with commas between them, and its texts, as one text. */
export function checksumOfText(text: string): number {
  return crc32(text);
}

/** Of a row's numbers and texts, in the order of its statement. */
export function checksumOf(numbers: readonly number[], texts: readonly (string | StoredText)[]): number {
  let checksum = crc32(numbers.join(","));
  for (const text of texts) {
    if (typeof text === "string") checksum = crc32(text, checksum);
    else if (text !== null) checksum = crc32(new Uint8Array(text), checksum);
  }
  return checksum;
}

export function isIntact(
  crc: StoredChecksum,
  numbers: readonly number[],
  texts: readonly StoredText[],
): boolean {
  if (texts.includes(null)) return false;
  return crc === null || crc === checksumOf(numbers, texts);
}

/** The same, of a row whose last text is JSON: of one without a checksum that much can be seen. */
export function isIntactJson(
  crc: StoredChecksum,
  numbers: readonly number[],
  texts: readonly StoredText[],
): boolean {
  return isIntact(crc, numbers, texts) && (crc !== null || isJson(textOf(texts.at(-1) ?? null)));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
