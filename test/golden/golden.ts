/** Whole outputs, kept as files: `UPDATE=1` writes them anew, and the difference is read before it is committed. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const FOLDER = fileURLToPath(new URL("./", import.meta.url));

/** A file of this folder, such as a recording. */
export function goldenFile(path: string): string {
  return readFileSync(join(FOLDER, path), "utf8");
}

export function matchGolden(path: string, actual: string): void {
  const file = join(FOLDER, path);
  if (process.env["UPDATE"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, actual);
  }
  expect(actual).toBe(readFileSync(file, "utf8"));
}
