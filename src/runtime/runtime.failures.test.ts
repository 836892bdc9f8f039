/** When the journal cannot be written, or not be read. */
import { describe, expect, test } from "vitest";
import { TOKEN_PRINCIPAL } from "../protocol/principal.js";
import {
  agentLines,
  create,
  deafQuestion,
  feed,
  HeldJournal,
  READY,
  request,
  SETTINGS,
  startedBench,
  type Bench,
} from "../../test/sim/runtime-fixture.js";
import { settleMicrotasks } from "../../test/sim/scheduler.js";
import { NotCommitted } from "./not-committed.js";
import type { MessageRecord } from "./ports.js";
import type { Answer, Submission } from "./submission.js";

const UNAVAILABLE: Answer = {
  ok: false,
  code: "internal",
  message: "The journal could not be written, and nothing was changed: disk full",
  unavailable: true,
};

/** Everything that anybody could know of it. */
async function knownOf({ runtime, journal, published, driver }: Bench): Promise<unknown> {
  return structuredClone({
    loaded: await journal.load(),
    entries: await journal.entries(),
    sessions: [...runtime.sessions()],
    roster: runtime.roster(),
    position: runtime.lastPosition(),
    published: published.length,
    calls: driver.calls,
  });
}

async function positions({ journal }: Bench): Promise<readonly number[]> {
  return (await journal.entries()).map(({ position }) => position);
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

describe("requests", () => {
  test("are answered unavailable, and nothing has changed", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    const before = await knownOf(bench);
    bench.journal.failNext();
    expect(await request(bench, id, { type: "send_message", text: "more" })).toEqual(UNAVAILABLE);
    expect(await knownOf(bench)).toEqual(before);
    expect(bench.failures).toEqual(["commit: Error: disk full"]);
  });

  test("of a new session leave no session", async () => {
    const bench = await startedBench();
    const before = await knownOf(bench);
    bench.journal.failNext();
    const submission: Submission = { type: "create", settings: SETTINGS, text: "hi", approve: "ask" };
    expect(await bench.runtime.submit(submission, null, TOKEN_PRINCIPAL)).toEqual(UNAVAILABLE);
    await settleMicrotasks();
    expect(await knownOf(bench)).toEqual(before);
  });

  test("succeed when they are sent again with the same id", async () => {
    const bench = await startedBench();
    const draft = { clientId: "c", fingerprint: "f" };
    const submission: Submission = { type: "create", settings: SETTINGS, text: "hi", approve: "ask" };
    bench.journal.failNext();
    expect(await bench.runtime.submit(submission, draft, TOKEN_PRINCIPAL)).toEqual(UNAVAILABLE);
    const answer = await bench.runtime.submit(submission, draft, TOKEN_PRINCIPAL);
    expect(answer.ok).toBe(true);
    await settleMicrotasks();
    expect(await positions(bench)).toEqual(upTo(5));
    expect(bench.driver.items.map(({ call }) => call.type)).toEqual(["spawn", "write"]);
  });

  test("that gathered behind the commit that failed are refused with it", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    const before = await knownOf(bench);
    bench.journal.hold();
    bench.journal.failNext();
    const first = request(bench, id, { type: "send_message", text: "one" });
    await settleMicrotasks();
    const second = request(bench, id, { type: "cancel_session" });
    bench.journal.release();
    expect(await Promise.all([first, second])).toEqual([UNAVAILABLE, UNAVAILABLE]);
    expect(await knownOf(bench)).toEqual(before);
  });

  test("a removal that failed leaves the session as it was", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await bench.runtime.interrupted(id, 1);
    const before = await knownOf(bench);
    bench.journal.failNext();
    expect(await bench.runtime.submit({ type: "remove", sessionId: id }, null, TOKEN_PRINCIPAL)).toEqual(
      UNAVAILABLE,
    );
    expect(await knownOf(bench)).toEqual(before);
    expect((await bench.runtime.submit({ type: "remove", sessionId: id }, null, TOKEN_PRINCIPAL)).ok).toBe(
      true,
    );
    expect([...bench.runtime.sessions()]).toEqual([]);
  });
});

describe("facts that only we know", () => {
  test("are written a second later, in order, whatever they were", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY);
    bench.journal.failNext();
    bench.runtime.fact(id, { type: "background_changed", run: 1, count: 1 }, "daemon");
    bench.runtime.fact(id, { type: "background_changed", run: 1, count: 2 }, "daemon");
    await settleMicrotasks();
    expect(bench.runtime.session(id)?.state.background).toBe(0);
    bench.clock.advance(1_000);
    await settleMicrotasks();
    const counts = (await bench.journal.bodies(id)).flatMap((body) =>
      body instanceof Object && "count" in body ? [body.count] : [],
    );
    expect([counts, bench.runtime.session(id)?.state.background]).toEqual([[1, 2], 2]);
  });

  test("a timer that fired", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    bench.journal.failNext(2);
    bench.clock.advance(30_000);
    await settleMicrotasks();
    expect(bench.runtime.session(id)?.state.status).toBe("creating");
    bench.clock.advance(1_000);
    await settleMicrotasks();
    expect([bench.runtime.session(id)?.state.status, (await bench.journal.load()).timers.length]).toEqual([
      "creating",
      1,
    ]);
    bench.clock.advance(1_000);
    await settleMicrotasks();
    expect([bench.runtime.session(id)?.state.status, (await bench.journal.load()).timers]).toEqual([
      "error",
      [],
    ]);
  });

  test("what came of a call, which is not made again", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY);
    bench.driver.act = ({ call }) => {
      if (call.type !== "check_permission") return { facts: [] };
      bench.journal.failNext();
      const fact = { type: "permission_resolved", run: 1, askId: call.askId, verdict: "allow" } as const;
      return { facts: [{ fact, source: "rule" }] };
    };
    await feed(bench, id, 1, agentLines(3, { type: "ask", askId: "q", ask: "tool" }));
    expect(bench.runtime.session(id)?.state.status).toBe("waiting_approval");
    expect((await bench.journal.load()).outbox.map(({ call }) => call.type)).toEqual(["check_permission"]);
    bench.clock.advance(1_000);
    await settleMicrotasks();
    expect(bench.runtime.session(id)?.state.status).toBe("streaming");
    expect((await bench.journal.load()).outbox).toEqual([]);
    expect(bench.driver.items.map(({ call }) => call.type)).toEqual([
      "spawn",
      "write",
      "check_permission",
      "write",
    ]);
  });

  test("of a session that was removed meanwhile nothing is written", async () => {
    const bench = await startedBench();
    bench.driver.act = ({ call }) => {
      if (call.type === "write") bench.journal.failNext();
      const fact = { type: "delivery_failed", run: 1, messageId: "id2", error: "ended" } as const;
      return { facts: call.type === "write" ? [{ fact, source: "process" }] : [] };
    };
    const id = await create(bench, "hello");
    await bench.runtime.interrupted(id, 1);
    await bench.runtime.submit({ type: "remove", sessionId: id }, null, TOKEN_PRINCIPAL);
    const position = bench.runtime.lastPosition();
    bench.clock.advance(1_000);
    await settleMicrotasks();
    expect([await bench.journal.entries(id), bench.runtime.lastPosition()]).toEqual([[], position]);
    expect((await bench.journal.load()).sessions).toEqual([]);
  });
});

describe("output", () => {
  test("is refused, and fed again from the cursor: nothing is lost or repeated", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    const lines = Buffer.concat([
      READY,
      agentLines(3, { type: "text", text: "a" }, { type: "text", text: "b" }),
    ]);
    await feed(bench, id, 1, lines.subarray(0, 70));
    bench.journal.failNext();
    const offset = bench.runtime.cursor(id)?.outOffset ?? 0;
    await expect(bench.runtime.feed(id, 1, lines.subarray(offset))).rejects.toThrow(NotCommitted);
    const again = bench.runtime.cursor(id)?.outOffset ?? 0;
    expect(again).toBeLessThanOrEqual(offset);
    await feed(bench, id, 1, lines.subarray(again));
    const texts = (await bench.journal.bodies(id)).flatMap((body) => {
      const isText = body instanceof Object && "type" in body && body.type === "text_delta";
      return isText && "payload" in body ? [body.payload] : [];
    });
    expect(texts).toEqual([{ text: "a" }, { text: "b" }]);
    expect([bench.runtime.cursor(id)?.outOffset, await positions(bench)]).toEqual([
      lines.length,
      upTo(bench.runtime.lastPosition()),
    ]);
  });

  test("that was being read while another commit failed still belongs where it was read", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY.subarray(0, 20));
    const offset = bench.runtime.cursor(id)?.outOffset ?? 0;
    const read = READY.subarray(offset);
    bench.journal.failNext();
    expect(await request(bench, id, { type: "cancel_session" })).toEqual(UNAVAILABLE);
    await feed(bench, id, 1, read);
    expect([bench.runtime.session(id)?.state.status, bench.unknown]).toEqual(["streaming", []]);
  });

  test("a last line without an end is not lost when a commit fails before the run's end", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY.subarray(0, -1));
    bench.journal.failNext();
    await request(bench, id, { type: "set_approve", approve: "auto" });
    await bench.runtime.exit(id, 1, { code: 0, signal: null });
    expect(bench.runtime.session(id)?.state.status).toBe("completed");
  });

  test("its end is refused too, and can be told again", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY);
    bench.journal.failNext();
    await expect(bench.runtime.exit(id, 1, { code: 0, signal: null })).rejects.toThrow(NotCommitted);
    expect([bench.runtime.session(id)?.state.alive, bench.runtime.roster().connected]).toEqual([true, id]);
    await bench.runtime.exit(id, 1, { code: 0, signal: null });
    expect([bench.runtime.session(id)?.state.status, bench.runtime.roster().connected]).toEqual([
      "completed",
      null,
    ]);
  });

  test("the cursor in the journal passes a line that is too long, also in its middle", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY);
    const long = Buffer.alloc(17 * 1024 * 1024, "x");
    await feed(bench, id, 1, long);
    expect(bench.runtime.durableCursor(id)?.outOffset).toBe(READY.length + long.length);
    const again = await startedBench(bench.journal);
    expect(again.runtime.cursor(id)?.outOffset).toBe(READY.length + long.length);
    await feed(again, id, 1, Buffer.concat([Buffer.from("x\n"), agentLines(3, { type: "done" })]));
    expect([again.runtime.session(id)?.state.status, again.unknown]).toEqual([
      "completed",
      [`${id} script line_too_long`],
    ]);
  });
});

describe("a message that comes back while the journal cannot be read", () => {
  class UnreadableJournal extends HeldJournal {
    isReadable = true;

    override readMessage(messageId: string): Promise<MessageRecord | null> {
      return this.isReadable ? super.readMessage(messageId) : Promise.reject(new Error("no memory"));
    }
  }

  test("is taken back when it can be, and what is to be done after it waits", async () => {
    const journal = new UnreadableJournal();
    const bench = await startedBench(journal);
    const id = await deafQuestion(bench);
    journal.isReadable = false;
    await request(bench, id, { type: "send_message", text: "blue" });
    await request(bench, id, { type: "cancel_session" });
    expect(bench.failures).toEqual([`what came of write of ${id}: Error: no memory`]);
    expect(bench.driver.calls.at(-1)).toContain("write");
    expect(bench.runtime.session(id)?.state.queue).toEqual([]);
    journal.isReadable = true;
    bench.clock.advance(1_000);
    await settleMicrotasks();
    expect(bench.driver.calls.at(-1)).toContain("stop");
    expect(bench.runtime.session(id)?.state.queue).toEqual(["id3"]);
    expect(bench.failures).toHaveLength(1);
  });
});
