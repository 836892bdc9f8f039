import { expect, test } from "vitest";
import { TOKEN_PRINCIPAL } from "../protocol/principal.js";
import { agentLines, create, feed, request, startedBench } from "../../test/sim/runtime-fixture.js";
import { explanationSchema } from "../protocol/api-schemas.js";
import { explain } from "./explain.js";
import type { SessionRecord } from "./session-record.js";

function known(record: SessionRecord | null): SessionRecord {
  if (!record) throw new Error("there is no such session");
  return record;
}

test("every change has its evidence, newest first", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  await feed(bench, id, 1, agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
  await feed(bench, id, 1, agentLines(3, { type: "ask", askId: "q", ask: "command", detail: "ls" }));
  const explanation = await explain(bench.journal, known(bench.runtime.session(id)), null);
  const change = (from: string, to: string, reason: string, source: string, seq: number, body: object) => ({
    atMs: 1_000,
    from,
    to,
    reason,
    source,
    evidence: { seq, type: reason, body },
  });
  expect(explanation).toEqual({
    sessionId: id,
    status: "waiting_approval",
    sinceMs: 1_000,
    because: "Needs approval since the agent's own protocol reported ask:command; before: Working.",
    process: { run: 1, alive: true, pid: null },
    changes: [
      change("streaming", "waiting_approval", "ask:command", "protocol", 11, {
        type: "ask:command",
        askId: "q",
        partial: false,
      }),
      change("creating", "streaming", "api_req_started", "protocol", 7, { type: "api_req_started" }),
      {
        ...change("idle", "creating", "start_session", "request", 1, {
          type: "start_session",
          asksClose: "explicit",
          approve: "ask",
          messageId: "id2",
          by: TOKEN_PRINCIPAL,
        }),
        by: TOKEN_PRINCIPAL,
      },
    ],
    waitingFor: ["what the rules say about q", "the agent's output, or its end"],
  });
  expect(explanationSchema.parse(explanation)).toEqual(explanation);
});

test("a session in which nothing happened says so", async () => {
  const bench = await startedBench();
  const id = await create(bench, null);
  const record = known(bench.runtime.session(id));
  const untouched = { ...record, id: "other", state: { ...record.state, status: "idle" as const } };
  const explanation = await explain(bench.journal, untouched, null);
  expect([explanation.because, explanation.changes, explanation.sinceMs]).toEqual([
    "Nothing has happened yet.",
    [],
    record.createdAtMs,
  ]);
});

test("an error, its source, and all that could change it", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  bench.clock.advance(30_000);
  await feed(bench, id, 1, Buffer.alloc(0));
  const explanation = await explain(bench.journal, known(bench.runtime.session(id)), null);
  expect(explanation.because).toBe(
    "Failed since a timer reported timer_fired; before: Starting. The error: the agent was not ready after 30 s",
  );
  expect(explanation.waitingFor).toEqual(["the agent's output, or its end"]);
});

test("a question, a timer, queued messages and the agent's own retry are waited for", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  const lines = [
    { type: "ready", sessionId: "S" },
    { type: "request" },
    { type: "retry", attempt: 2, atMs: 5 },
    { type: "ask", askId: "q", ask: "followup", partial: true },
  ];
  await feed(bench, id, 1, agentLines(1, ...lines));
  await request(bench, id, { type: "send_message", text: "more" });
  const { waitingFor } = await explain(bench.journal, known(bench.runtime.session(id)), null);
  expect(waitingFor).toEqual([
    "the timer settle:1:1",
    "the agent's output, or its end",
    "a queued message to be delivered",
    "the agent's own attempt 3",
  ]);
});

test("what put it there is told, also after many phases", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  bench.clock.advance(5);
  await feed(bench, id, 1, agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
  const calls = Array.from({ length: 100 }, (_, index) => [
    { type: "tool", callId: `c${index}`, name: "sh" },
    { type: "tool_done", callId: `c${index}`, ok: true },
  ]).flat();
  bench.clock.advance(5);
  await feed(bench, id, 1, agentLines(3, ...calls));
  const { because, sinceMs, changes } = await explain(bench.journal, known(bench.runtime.session(id)), null);
  expect([because, sinceMs, changes.length]).toEqual([
    "Working since the agent's own protocol reported api_req_started; before: Starting.",
    1_005,
    11,
  ]);
  expect(changes.at(-1)).toEqual({
    atMs: 1_005,
    from: "creating",
    to: "streaming",
    reason: "api_req_started",
    source: "protocol",
    evidence: { seq: 7, type: "api_req_started", body: { type: "api_req_started" } },
  });
});

test("at most ten changes are told besides", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  await feed(bench, id, 1, agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
  const asks = Array.from({ length: 8 }, (_, index) => [
    { type: "ask", askId: `q${index}`, ask: "followup" },
    { type: "ask_closed", askId: `q${index}` },
  ]).flat();
  await feed(bench, id, 1, agentLines(3, ...asks));
  const { changes } = await explain(bench.journal, known(bench.runtime.session(id)), null);
  expect(changes.map(({ from, to }) => `${from} ${to}`)).toEqual(
    Array.from({ length: 5 }, () => ["waiting_input streaming", "streaming waiting_input"]).flat(),
  );
});
