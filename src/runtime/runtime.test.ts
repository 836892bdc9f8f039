import { describe, expect, test } from "vitest";
import { TOKEN_PRINCIPAL } from "../protocol/principal.js";
import {
  agentLines,
  type Bench,
  create,
  deafQuestion,
  feed,
  HeldJournal,
  READY,
  NotingDriver,
  openBench,
  request,
  SETTINGS,
  SLOW_HARNESS,
  startedBench,
} from "../../test/sim/runtime-fixture.js";
import { settleMicrotasks } from "../../test/sim/scheduler.js";
import type { Submission } from "./submission.js";

/** A driver that hangs. */
function never(): Promise<never> {
  return new Promise(() => {
    // Nobody ever answers.
  });
}

describe("001", () => {
  test("content of an unknown session is a session_error, and nothing else", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    const before = bench.runtime.session(id);
    const position = bench.runtime.lastPosition();
    await feed(bench, "ghost", 1, READY);
    const entries = await bench.journal.entries("ghost");
    expect(entries.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        eventId: `ghost:stray:${position + 1}`,
        timestampMs: 1_000,
        sessionId: "ghost",
        payload: {
          type: "session_error",
          code: "session_not_found",
          message: "There is no such session.",
          retryable: false,
          source: "orchestrator",
        },
      },
    ]);
    expect(bench.published.at(-1)).toEqual({
      sync: "normal",
      entries,
      sessionIds: [],
      removedSessionIds: [],
    });
    expect([bench.runtime.session("ghost"), bench.runtime.session(id)]).toEqual([null, before]);
    expect([...bench.runtime.sessions()].map((record) => record.id)).toEqual([id]);
  });

  test("an invalid transition keeps the state", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    const before = bench.runtime.session(id)?.state;
    expect(await request(bench, id, { type: "interrupt" })).toEqual({
      ok: false,
      code: "state_transition_invalid",
      message: "interrupt is not possible while creating",
    });
    expect(bench.runtime.session(id)?.state).toEqual(before);
  });

  test("every stream event is forwarded, also those that the machine ignores", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY);
    await request(bench, id, { type: "cancel_session" });
    bench.steps.length = 0;
    bench.published.length = 0;
    await feed(bench, id, 1, agentLines(3, { type: "text", text: "late" }, { type: "done" }));
    expect(bench.steps.map(({ event, result }) => `${event.type} ${result}`)).toEqual([
      "harness_stream ignored",
      "harness_stream ignored",
      "ask:completion_result ignored",
    ]);
    const types = bench.published
      .flatMap(({ entries }) => entries)
      .map(({ kind, body }) => `${kind} ${(JSON.parse(body) as { type: string }).type}`);
    expect(types).toEqual(["stream text_delta", "stream completed"]);
  });

  test("output of a run that was replaced is nobody's", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY);
    await feed(bench, id, 1, agentLines(3, { type: "done" }));
    await request(bench, id, { type: "start_session" });
    const position = bench.runtime.lastPosition();
    await feed(bench, id, 1, agentLines(4, { type: "text", text: "old" }));
    expect([bench.runtime.lastPosition(), bench.runtime.cursor(id)?.run]).toEqual([position, 2]);
  });
});

describe("after the commit, and only then", () => {
  test("subscribers see events, drivers get effects, and whoever asked is answered", async () => {
    const bench = await startedBench();
    bench.journal.hold();
    const submission: Submission = { type: "create", settings: SETTINGS, text: "hi", approve: "ask" };
    let answered = false;
    const answer = bench.runtime.submit(submission, null, TOKEN_PRINCIPAL).then((value) => {
      answered = true;
      return value;
    });
    await settleMicrotasks();
    expect([answered, bench.published, bench.driver.items, bench.runtime.lastPosition()]).toEqual([
      false,
      [],
      [],
      0,
    ]);
    bench.journal.release();
    expect((await answer).ok).toBe(true);
    await settleMicrotasks();
    expect(bench.published[0]?.entries.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
    expect(bench.driver.calls).toEqual([
      "id1 3.0 spawn",
      'id1 3.1 write {"n":1,"type":"prompt","text":"hi"}',
    ]);
  });

  test("while the disk takes its time, subscribers see events, and others' words go on; answers and drivers wait", async () => {
    const bench = await startedBench();
    const other = await create(bench, "hello");
    bench.published.length = 0;
    bench.driver.items.length = 0;
    bench.journal.holdSyncs();
    let answered = false;
    const answer = create(bench, "hi").then(() => (answered = true));
    await settleMicrotasks();
    await feed(bench, other, 1, READY);
    expect([answered, bench.published.map(({ sync }) => sync), bench.driver.calls]).toEqual([
      false,
      ["full", "normal"],
      [],
    ]);
    bench.journal.releaseSyncs();
    await answer;
    await settleMicrotasks();
    expect(bench.driver.items.map(({ call }) => call.type)).toEqual(["spawn", "write"]);
  });

  test("what the disk may not keep is not granted, and nothing is done about it", async () => {
    const bench = await startedBench();
    bench.journal.failNextSync();
    const submission: Submission = { type: "create", settings: SETTINGS, text: "hi", approve: "ask" };
    expect(await bench.runtime.submit(submission, null, TOKEN_PRINCIPAL)).toEqual({
      ok: false,
      code: "internal",
      message: "It was written, but the disk may not keep it: disk broken",
    });
    expect([bench.driver.items, bench.failures]).toEqual([[], ["sync: Error: disk broken"]]);
  });

  test("a timer runs only once it is in the journal", async () => {
    const bench = await startedBench();
    bench.journal.hold();
    void create(bench, "hi");
    await settleMicrotasks();
    expect(bench.clock.waiting).toBe(0);
    bench.journal.release();
    await settleMicrotasks();
    expect(bench.clock.waiting).toBe(1);
  });

  test("content alone is not synced, what answers or acts is", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    bench.published.length = 0;
    await feed(bench, id, 1, READY);
    await feed(bench, id, 1, agentLines(3, { type: "text", text: "hi" }));
    await feed(bench, id, 1, agentLines(4, { type: "ask", askId: "q", ask: "tool" }));
    await request(bench, id, { type: "set_approve", approve: "auto" });
    const syncs = bench.published.filter(({ entries }) => entries.length > 0).map(({ sync }) => sync);
    expect(syncs).toEqual(["normal", "normal", "full", "full"]);
  });
});

describe("receipts", () => {
  const draft = { clientId: "c", fingerprint: "f" };
  const submission: Submission = { type: "create", settings: SETTINGS, text: "hi", approve: "ask" };

  test("the same request again, at once, later and after a restart, is done once", async () => {
    const bench = await startedBench();
    const { runtime } = bench;
    const first = await Promise.all([
      runtime.submit(submission, draft, TOKEN_PRINCIPAL),
      runtime.submit(submission, draft, TOKEN_PRINCIPAL),
    ]);
    const later = await runtime.submit(submission, draft, TOKEN_PRINCIPAL);
    const again = await startedBench(new HeldJournal(bench.journal));
    const afterwards = await again.runtime.submit(submission, draft, TOKEN_PRINCIPAL);
    expect([...first, later, afterwards]).toEqual(Array.from({ length: 4 }, () => first[0]));
    expect([...again.runtime.sessions()].length).toBe(1);
    const conflict = await again.runtime.submit(
      submission,
      { ...draft, fingerprint: "other" },
      TOKEN_PRINCIPAL,
    );
    expect(conflict.ok ? null : conflict.code).toBe("conflict");
  });
});

describe("runs", () => {
  test("an agent takes its seat when its process is there, and leaves it with its end", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    expect(bench.runtime.roster().seats).toEqual([
      { seat: id, agent: "script", status: "connected", order: 1 },
    ]);
    await feed(bench, id, 1, READY);
    await bench.runtime.exit(id, 1, { code: 0, signal: null });
    expect(bench.runtime.roster().connected).toBeNull();
    expect([bench.runtime.session(id)?.state.status, bench.runtime.session(id)?.seatedRun]).toEqual([
      "completed",
      0,
    ]);
    expect(bench.published.at(-1)?.sync).toBe("full");
  });

  test("an end waits for what is still to be said to the run", async () => {
    const bench = await startedBench();
    let finish = (): void => undefined;
    bench.driver.act = (item) =>
      item.call.type === "write"
        ? new Promise((resolve) => {
            const fact = { type: "delivery_failed", run: 1, messageId: "id2", error: "ended" } as const;
            finish = () => resolve({ facts: [{ fact, source: "process" }] });
          })
        : { facts: [], started: item.call.type === "spawn" };
    const id = await create(bench, "hello");
    const end = bench.runtime.exit(id, 1, { code: 1, signal: null });
    await settleMicrotasks();
    expect(bench.runtime.session(id)?.state.alive).toBe(true);
    finish();
    await end;
    const facts = (await bench.journal.entries(id)).filter(({ kind }) => kind === "fact");
    expect(facts.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      "delivery_failed",
      "process_exit",
    ]);
  });

  test("a spawn that never started has one end all the same", async () => {
    const bench = await startedBench();
    bench.driver.act = ({ call }) => ({
      facts:
        call.type === "spawn"
          ? [
              { fact: { type: "process_error", run: 1, error: "no such program" }, source: "process" },
              { fact: { type: "process_exit", run: 1, code: null }, source: "process" },
            ]
          : [],
    });
    const id = await create(bench, "hello");
    const state = bench.runtime.session(id)?.state;
    expect([state?.status, state?.alive, state?.error?.message]).toEqual(["error", false, "no such program"]);
    expect(bench.runtime.roster().connected).toBeNull();
  });

  test("a run found dead is interrupted, for good", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await feed(bench, id, 1, READY);
    expect([...bench.runtime.liveRuns()]).toEqual([{ sessionId: id, run: 1 }]);
    await bench.runtime.interrupted(id, 1);
    expect([bench.runtime.session(id)?.state.status, [...bench.runtime.liveRuns()]]).toEqual(["paused", []]);
    expect(bench.published.at(-1)?.sync).toBe("full");
  });

  test("a run whose start is not in the journal yet is nobody's to miss", async () => {
    const bench = await startedBench();
    bench.journal.hold();
    void create(bench, "hello");
    await settleMicrotasks();
    expect([...bench.runtime.liveRuns()]).toEqual([]);
    bench.driver.act = never;
    bench.journal.release();
    await settleMicrotasks();
    expect([...bench.runtime.liveRuns()]).toEqual([{ sessionId: "id1", run: 1 }]);
    expect([bench.runtime.awaitsSpawn("id1", 1), bench.runtime.awaitsSpawn("id1", 2)]).toEqual([true, false]);
  });
});

describe("removal", () => {
  test("while the agent lives: it is stopped, nobody knows the session, and it goes with the agent's end", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    const more = await request(bench, id, { type: "send_message", text: "more" });
    expect(await bench.runtime.submit({ type: "remove", sessionId: id }, null, TOKEN_PRINCIPAL)).toEqual({
      ok: true,
      value: { sessionId: id },
    });
    expect(bench.runtime.session(id)).toBeNull();
    expect((await request(bench, id, { type: "interrupt" })).ok).toBe(false);
    await bench.runtime.exit(id, 1, { code: null, signal: "SIGTERM" });
    expect([await bench.journal.entries(id), bench.runtime.roster().seats]).toEqual([[], []]);
    expect(bench.published.at(-1)?.removedSessionIds).toEqual([id]);
    const messageId = more.ok ? (more.value.messageId ?? "") : "";
    expect(await bench.journal.readMessage(messageId)).toBeNull();
    const told = bench.published
      .flatMap(({ entries }) => entries)
      .filter(({ body }) => body.includes("message_status") && body.includes(messageId))
      .map(({ body }) => (JSON.parse(body) as { payload: { status: string } }).payload.status);
    expect(told).toEqual(["queued", "failed"]);
  });

  test("one that is being removed is removed after a restart too", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    await bench.runtime.submit({ type: "remove", sessionId: id }, null, TOKEN_PRINCIPAL);
    const again = await startedBench(new HeldJournal(bench.journal));
    expect([again.runtime.session(id), [...again.runtime.liveRuns()]]).toEqual([
      null,
      [{ sessionId: id, run: 1 }],
    ]);
    await again.runtime.interrupted(id, 1);
    expect((await again.journal.load()).sessions).toEqual([]);
  });
});

describe("messages settle", () => {
  test("from queued to sending to sent, in the journal as on the state channel", async () => {
    const bench = await startedBench();
    const id = await create(bench, "first");
    await feed(bench, id, 1, READY);
    const answer = await request(bench, id, { type: "send_message", text: "second" });
    const messageId = answer.ok ? (answer.value.messageId ?? "") : "";
    const status = async () => (await bench.journal.readMessage(messageId))?.status;
    expect(await status()).toBe("queued");
    await feed(bench, id, 1, agentLines(3, { type: "done" }));
    expect(await status()).toBe("sending");
    await feed(bench, id, 1, agentLines(4, { type: "request" }));
    expect(await status()).toBe("sent");
    expect((await bench.journal.load()).unsettledMessages).toEqual([]);
  });

  test("one that comes back after it was settled is sent again in its own words", async () => {
    const bench = await startedBench();
    const id = await deafQuestion(bench);
    await request(bench, id, { type: "send_message", text: "blue" });
    expect(bench.runtime.session(id)?.state.queue).toEqual(["id3"]);
    await bench.runtime.exit(id, 1, { code: 0, signal: null });
    await request(bench, id, { type: "retry" });
    await feed(bench, id, 2, agentLines(1, { type: "ready", sessionId: "S" }));
    expect(bench.driver.calls.at(-1)).toContain('{"n":1,"type":"prompt","text":"blue"}');
  });
});

describe("restarts", () => {
  test("timers, calls and finished streams that were left are taken up, and no sooner than the start", async () => {
    const stuck = new NotingDriver();
    stuck.act = never;
    const first = await startedBench(new HeldJournal(), stuck);
    const id = await create(first, "hello");
    const second = await openBench(new HeldJournal(first.journal));
    expect([second.driver.calls, second.clock.waiting, second.runtime.outboxDepth]).toEqual([[], 0, 2]);
    second.runtime.start();
    await settleMicrotasks();
    expect(second.driver.calls).toEqual([
      `${id} 3.0 spawn`,
      `${id} 3.1 write {"n":1,"type":"prompt","text":"hello"}`,
    ]);
    second.clock.advance(30_000);
    await settleMicrotasks();
    expect(second.runtime.session(id)?.state.error?.message).toBe("the agent was not ready after 30 s");
    expect(second.runtime.session(id)?.createdAtMs).toBe(1_000);
  });

  test("what is decided before the start comes after what was left", async () => {
    const stuck = new NotingDriver();
    stuck.act = never;
    const first = await startedBench(new HeldJournal(), stuck);
    const id = await create(first, "hello");
    const second = await openBench(new HeldJournal(first.journal));
    await request(second, id, { type: "cancel_session" });
    second.runtime.start();
    await settleMicrotasks();
    expect(second.driver.items.map(({ call }) => call.type)).toEqual(["spawn", "write", "stop"]);
  });

  test("closing writes down what is under way, and does nothing more", async () => {
    const bench = await startedBench();
    const id = await create(bench, "hello");
    bench.journal.hold();
    const fed = bench.runtime.feed(id, 1, READY);
    const closing = bench.runtime.close();
    bench.journal.release();
    await closing;
    await fed;
    expect((await bench.journal.load()).sessions[0]?.state.status).toBe("streaming");
    bench.runtime.fact(id, { type: "interrupted", run: 1 }, "process");
    await expect(bench.runtime.exit(id, 1, { code: 0, signal: null })).rejects.toThrow("closed");
    await settleMicrotasks();
    expect((await bench.journal.load()).sessions[0]?.state.alive).toBe(true);
    expect(bench.clock.waiting).toBe(0);
  });
});

describe("an agent that is slow to start", () => {
  const STATUS = "The agent is still starting: it has not answered `initialize` yet.";

  async function starting(): Promise<{ readonly bench: Bench; readonly id: string }> {
    const bench = await startedBench(undefined, undefined, undefined, SLOW_HARNESS);
    return { bench, id: await create(bench, null) };
  }

  async function pass(bench: Bench, seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 30) {
      bench.clock.advance(30_000);
      await settleMicrotasks();
    }
  }

  async function toldTexts({ journal }: Bench): Promise<readonly unknown[]> {
    const bodies = (await journal.bodies()) as readonly { type?: string; payload?: { text?: string } }[];
    return bodies.filter(({ type }) => type === "status").map(({ payload }) => payload?.text);
  }

  test("is left to start, and it is told what is waited for", async () => {
    const { bench, id } = await starting();
    await pass(bench, 90);
    expect(bench.runtime.session(id)?.state.status).toBe("creating");
    expect(await toldTexts(bench)).toEqual([STATUS, STATUS, STATUS]);
    const lines = [
      { id: 1, result: {} },
      { id: 2, result: { sessionId: "s1" } },
    ].map((line) => JSON.stringify(line));
    await feed(bench, id, 1, Buffer.from(`${lines.join("\n")}\n`));
    expect(bench.runtime.session(id)?.state.status).toBe("completed");
  });

  test("is given up after five minutes, with what was waited for", async () => {
    const { bench, id } = await starting();
    await pass(bench, 300);
    expect(bench.runtime.session(id)?.state.error?.message).toBe(
      "the agent was not ready after 300 s: it has not answered `initialize` yet",
    );
    expect(bench.clock.waiting).toBe(0);
  });
});

test("the time that an agent has to be ready begins with its process, however long that waits for its turn", async () => {
  let begin = (_performed: { facts: []; started: true }): void => undefined;
  const driver = new NotingDriver();
  driver.act = ({ call }) =>
    call.type === "spawn"
      ? new Promise((resolve) => {
          begin = resolve;
        })
      : { facts: [] };
  const journal = new HeldJournal();
  const bench = await startedBench(journal, driver);
  const id = await create(bench, null);
  for (let waits = 0; waits < 3; waits += 1) {
    bench.clock.advance(31_000);
    await settleMicrotasks();
  }
  expect(bench.runtime.session(id)?.state.status).toBe("creating");
  // Its time began anew a moment before it would have run out, and that is not in the journal yet.
  bench.clock.advance(29_500);
  journal.hold();
  begin({ facts: [], started: true });
  await settleMicrotasks();
  bench.clock.advance(1_000);
  journal.release();
  await settleMicrotasks();
  bench.clock.advance(28_000);
  await settleMicrotasks();
  expect(bench.runtime.session(id)?.state.status).toBe("creating");
  bench.clock.advance(2_000);
  await settleMicrotasks();
  expect(bench.runtime.session(id)?.state.error?.message).toBe("the agent was not ready after 30 s");
});
