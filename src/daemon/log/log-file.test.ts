import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { boundedLog } from "./log-file.js";

const SIZE_BYTES_MAX = 1_000;

let folder = "";
let path = "";
let fd = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-log-"));
  path = join(folder, "daemon.log");
  fd = openSync(path, "a");
});

afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

/** Writes at once, as standard error does to a file. */
function toFile(): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      writeSync(fd, chunk);
      done();
    },
  });
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `${String(from + index).padStart(99, "0")}\n`).join("");

test("a log file has a bound, and what was said before is beside it", () => {
  writeSync(fd, lines(0, 8));
  const log = boundedLog({ path, fd, stream: toFile(), sizeBytesMax: SIZE_BYTES_MAX });
  for (let index = 8; index < 25; index += 1) log.write(lines(index, index + 1));
  expect(readFileSync(`${path}.old`, "utf8")).toBe(lines(10, 20));
  expect(readFileSync(path, "utf8")).toBe(lines(20, 25));
});

test("where the older lines cannot be kept, they are given up", () => {
  mkdirSync(`${path}.old`);
  const log = boundedLog({ path, fd, stream: toFile(), sizeBytesMax: SIZE_BYTES_MAX });
  for (let index = 0; index < 25; index += 1) log.write(lines(index, index + 1));
  expect(readFileSync(path, "utf8")).toBe(lines(20, 25));
});

test("what goes elsewhere is left alone", () => {
  const stream = toFile();
  for (const other of [join(folder, "none"), folder])
    expect(boundedLog({ path: other, fd, stream })).toBe(stream);
});
