/** Ways to damage a journal's file, by what is in it. */
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";

/** Every copy of `text` in the file gets a byte that no UTF-8 has in the place of its first. */
export function flipText(path: string, text: string): number {
  const bytes = readFileSync(path);
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    bytes[at] = 0xff;
    count += 1;
  }
  writeFileSync(path, bytes);
  return count;
}

export function flipBytes(path: string, offset: number, length: number): void {
  const bytes = readFileSync(path);
  for (let at = offset; at < Math.min(offset + length, bytes.length); at += 1)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

export function halve(path: string): void {
  truncateSync(path, Math.floor(statSync(path).size / 2));
}
