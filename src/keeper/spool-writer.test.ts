import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../test/reliability/until.js";
import { SPOOL_SEGMENT_BYTES, spoolSegmentName } from "../protocol/keeper-format.js";
import { SpoolWriter, type Pace } from "./spool-writer.js";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-spool-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Gives the pieces to a writer one after the other, as a run does. */
class Feeder {
  readonly ends: number[] = [];
  took = 0;
  readonly writer: SpoolWriter;

  constructor(
    private readonly pieces: Buffer[],
    bytesMax = Infinity,
    where = folder,
    ...pace: readonly Pace[]
  ) {
    this.writer = new SpoolWriter(where, bytesMax, this, ...pace.slice(0, 1));
  }

  start(): void {
    const piece = this.pieces.shift();
    if (piece !== undefined) this.writer.push(piece);
  }

  spoolGrew(): void {
    this.ends.push(this.writer.end);
  }

  spoolTook(): void {
    this.took += 1;
    this.start();
  }
}

function segments(where = folder): readonly (readonly [string, number])[] {
  const names = readdirSync(where).filter((name) => name.startsWith("out-"));
  return names.map((name) => [name, statSync(join(where, name)).size] as const);
}

/** Bytes that differ everywhere. */
function bytes(length: number): Buffer {
  const data = Buffer.alloc(length);
  for (let index = 0; index + 4 <= length; index += 4) data.writeUInt32LE(index, index);
  return data;
}

test("pieces are written in order, and cut where a segment ends", async () => {
  const data = bytes(SPOOL_SEGMENT_BYTES + 100);
  const feeder = new Feeder([data.subarray(0, 10), data.subarray(10, -10), data.subarray(-10)]);
  feeder.start();
  await until(() => feeder.took === 3);
  expect(feeder.ends).toEqual([10, SPOOL_SEGMENT_BYTES, data.length - 10, data.length]);
  expect(segments()).toEqual([
    [spoolSegmentName(0), SPOOL_SEGMENT_BYTES],
    [spoolSegmentName(SPOOL_SEGMENT_BYTES), 100],
  ]);
  const written = segments().map(([name]) => readFileSync(join(folder, name)));
  expect(Buffer.concat(written).equals(data)).toBe(true);
  feeder.writer.abandon();
});

test("the newest segment stays while the run lives, also when it is full and consumed", async () => {
  const feeder = new Feeder([bytes(SPOOL_SEGMENT_BYTES)]);
  feeder.start();
  await until(() => feeder.took === 1);
  expect(feeder.writer.consume(SPOOL_SEGMENT_BYTES + 1)).toBe(false);
  expect(feeder.writer.consume(SPOOL_SEGMENT_BYTES)).toBe(true);
  await sleep(50);
  expect(segments()).toEqual([[spoolSegmentName(0), SPOOL_SEGMENT_BYTES]]);
  feeder.writer.finish();
  await until(() => segments().length === 0);
});

test("at the bound it waits for the reader, and then goes on", async () => {
  const feeder = new Feeder([bytes(60), bytes(60), bytes(60)], 100);
  feeder.start();
  await until(() => feeder.writer.stalled);
  await sleep(50);
  expect([feeder.ends, feeder.writer.stalled, feeder.writer.busy]).toEqual([[60, 100], true, true]);
  feeder.writer.consume(5);
  await until(() => feeder.writer.end === 105);
  await sleep(50);
  expect([feeder.ends, feeder.writer.stalled]).toEqual([[60, 100, 105], true]);
  feeder.writer.consume(90);
  await until(() => feeder.took === 3);
  expect([feeder.ends, feeder.writer.stalled, feeder.writer.busy]).toEqual([
    [60, 100, 105, 120, 180],
    false,
    false,
  ]);
  expect(
    readFileSync(join(folder, spoolSegmentName(0))).equals(Buffer.concat([bytes(60), bytes(60), bytes(60)])),
  ).toBe(true);
  feeder.writer.abandon();
});

test("a folder that is not there yet is waited for", async () => {
  const where = join(folder, "later");
  const feeder = new Feeder([bytes(10)], Infinity, where);
  feeder.start();
  await until(() => feeder.writer.stalled);
  // Also while it tries again: somebody may rely on it.
  const deadlineMs = performance.now() + 500;
  while (performance.now() < deadlineMs) {
    expect(feeder.writer.stalled).toBe(true);
    await nextTurn();
  }
  mkdirSync(where);
  await until(() => feeder.took === 1);
  expect(segments(where)).toEqual([[spoolSegmentName(0), 10]]);
  feeder.writer.abandon();
});

test("a full disk is waited for, and nothing is lost or written twice", async (context) => {
  const small = join(folder, "small");
  mkdirSync(small);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", small], { encoding: "utf8" });
  if (mounted.status !== 0) context.skip(`a small disk cannot be mounted: ${mounted.stderr}`);
  try {
    const ballast = join(small, "ballast");
    writeFileSync(ballast, Buffer.alloc(700 * 1024));
    // Many odd pieces: the disk takes a part of one of them.
    const data = bytes(900_000);
    const pieces = Array.from({ length: 130 }, (_, index) =>
      data.subarray(index * 7_000, (index + 1) * 7_000),
    );
    const feeder = new Feeder(pieces, Infinity, small);
    feeder.start();
    await until(() => feeder.writer.stalled);
    await sleep(500);
    const stalledAt = feeder.writer.end;
    expect(stalledAt % 7_000).not.toBe(0);
    expect(stalledAt).toBeLessThan(data.length);
    rmSync(ballast);
    await until(() => feeder.writer.end === data.length);
    expect(readFileSync(join(small, spoolSegmentName(0))).equals(data)).toBe(true);
    feeder.writer.abandon();
    await sleep(50);
  } finally {
    execFileSync("umount", ["-l", small]);
  }
});

test("who is far ahead of the daemon is slowed down, and goes on at once when the daemon has caught up", async () => {
  const feeder = new Feeder([bytes(8), bytes(8), bytes(8)], Infinity, folder, {
    aheadBytes: 16,
    pauseMs: 1_000_000,
  });
  feeder.start();
  await until(() => feeder.took === 2);
  await nextTurn();
  expect([feeder.ends, feeder.writer.busy, feeder.writer.stalled]).toEqual([[8, 16], true, false]);
  expect(feeder.writer.consume(8)).toBe(true);
  await until(() => feeder.took === 3);
  expect(feeder.ends).toEqual([8, 16, 24]);
});

test("who is far ahead goes on after each pause", async () => {
  const feeder = new Feeder([bytes(8), bytes(8), bytes(8)], Infinity, folder, { aheadBytes: 8, pauseMs: 1 });
  feeder.start();
  await until(() => feeder.took === 3);
  expect(feeder.ends).toEqual([8, 16, 24]);
});
