import { expect, test } from "vitest";
import { settleMicrotasks } from "../../test/sim/scheduler.js";
import { HeldJournal } from "../../test/sim/runtime-fixture.js";
import { Compactor } from "./compactor.js";
import type { FinishedStream } from "./ports.js";

function stream(streamId: string): FinishedStream {
  return { sessionId: "s", streamId };
}

function bench() {
  const log: string[] = [];
  const finish: ((error?: Error) => void)[] = [];
  const journal = new HeldJournal();
  journal.compact = ({ streamId }) => {
    log.push(`begin ${streamId}`);
    return new Promise((resolve, reject) => {
      finish.push((error) => (error ? reject(error) : resolve()));
    });
  };
  const observer = {
    stepped: () => undefined,
    unknownMessage: () => undefined,
    failed: (what: string, error: unknown) => void log.push(`${what}: ${String(error)}`),
  };
  const compactor = new Compactor(journal, observer, (point) => void log.push(point));
  return { compactor, log, finish };
}

test("streams are compacted one after the other", async () => {
  const { compactor, log, finish } = bench();
  compactor.add([stream("a"), stream("b")]);
  compactor.add([stream("c")]);
  await settleMicrotasks();
  expect(log).toEqual(["begin a", "during_compaction"]);
  finish[0]?.();
  await settleMicrotasks();
  finish[1]?.();
  await settleMicrotasks();
  expect(log.filter((line) => line.startsWith("begin"))).toEqual(["begin a", "begin b", "begin c"]);
});

test("one that fails is reported, and the next goes on", async () => {
  const { compactor, log, finish } = bench();
  compactor.add([stream("a"), stream("b")]);
  finish[0]?.(new Error("full"));
  await settleMicrotasks();
  expect(log).toEqual([
    "begin a",
    "during_compaction",
    "compaction: Error: full",
    "begin b",
    "during_compaction",
  ]);
});

test("closing waits for the one that runs, and begins no other", async () => {
  const { compactor, log, finish } = bench();
  compactor.add([stream("a"), stream("b")]);
  let isClosed = false;
  const closing = compactor.close().then(() => {
    isClosed = true;
  });
  await settleMicrotasks();
  expect(isClosed).toBe(false);
  finish[0]?.();
  await closing;
  compactor.add([stream("c")]);
  expect(log).toEqual(["begin a", "during_compaction"]);
});
