import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { BatchWriter } from "./batch-writer.js";

/** Takes a write only when it is let. */
class SlowReader extends Writable {
  readonly taken: string[] = [];
  private go: (() => void) | null = null;

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.go = () => {
      this.taken.push(chunk);
      done();
    };
  }

  takeOne(): void {
    this.go?.();
  }
}

class BrokenReader extends Writable {
  constructor(private readonly code: string) {
    super();
  }

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: (error: Error) => void): void {
    done(Object.assign(new Error("broken"), { code: this.code }));
  }
}

test("gathers small pieces into one write", async () => {
  const reader = new SlowReader();
  const writer = new BatchWriter(reader);
  expect([writer.write("a"), writer.write("b")]).toEqual([undefined, undefined]);
  const flushed = writer.flush();
  reader.takeOne();
  await flushed;
  expect(reader.taken).toEqual(["ab"]);
});

test("waits for a slow reader once a batch is full", async () => {
  const reader = new SlowReader();
  const writer = new BatchWriter(reader);
  let out = false;
  const written = writer.write("x".repeat(70_000))?.then(() => (out = true));
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(out).toBe(false);
  reader.takeOne();
  await written;
  expect({ out, sizes: reader.taken.map((batch) => batch.length) }).toEqual({ out: true, sizes: [70_000] });
});

test("takes a reader that went away as a reason to end", async () => {
  const writer = new BatchWriter(new BrokenReader("EPIPE"));
  void writer.write("a");
  await writer.flush();
  expect(writer.readerIsGone).toBe(true);
  void writer.write("b");
  await writer.flush();
});

test("throws what else is wrong with the stream", async () => {
  const writer = new BatchWriter(new BrokenReader("ENOSPC"));
  void writer.write("a");
  await expect(writer.flush()).rejects.toMatchObject({ code: "ENOSPC" });
  expect(writer.readerIsGone).toBe(false);
});
