/** A folder for the tests of this project, without links in its path, gone when the test has ended. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-permissions-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** With the folders that it needs. */
export function put(path: string, content: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

test("a folder is there while its test runs", () => {
  const path = put(join(temporaryFolder(), "a", "b"), "c");
  expect(dirname(path).endsWith("/a")).toBe(true);
});
