import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StderrFile } from "./stderr-file.js";

let folder = "";
const events = new EventEmitter();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-stderr-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function append(file: StderrFile, text: string): Promise<void> {
  const written = once(events, "written");
  file.append(Buffer.from(text));
  expect(file.busy).toBe(true);
  await written;
  expect(file.busy).toBe(false);
}

test("the newest is kept, and never more than 256 KiB", async () => {
  const file = new StderrFile(folder, () => events.emit("written"));
  const lines = Array.from({ length: 600 }, (_, index) => `${String(index).padStart(999)}\n`);
  for (const line of lines) await append(file, line);
  const kept = readFileSync(join(folder, "err.old"), "utf8") + readFileSync(join(folder, "err"), "utf8");
  expect(kept.length).toBeGreaterThan(128 * 1024);
  expect(kept.length).toBeLessThanOrEqual(256 * 1024);
  expect(kept).toBe(lines.join("").slice(-kept.length));
  expect(statSync(join(folder, "err")).mode & 0o777).toBe(0o600);
});

test("what cannot be written is no reason to wait", async () => {
  const file = new StderrFile(join(folder, "none"), () => events.emit("written"));
  await append(file, "lost");
  await append(file, "lost");
});
