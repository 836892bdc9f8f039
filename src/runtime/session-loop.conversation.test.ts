/** A small conversation, step by step and entry by entry. */
import { expect, test } from "vitest";
import {
  AT_MS,
  changed,
  loopBench,
  NEW_RECORD,
  streamed,
  told,
  written,
} from "../../test/sim/loop-fixture.js";
import { agentLines } from "../../test/sim/runtime-fixture.js";
import type { Call } from "./call.js";

const { loop, during, started, fed } = loopBench();

function outbox(effectId: string, call: Call) {
  return { sessionId: "s", effectId, call };
}

test("start", () => {
  const batch = started();
  const cause = [1, "start_session", "request"] as const;
  expect(written(batch)).toEqual([
    ["request", 0, { type: "start_session", messageId: "m1", asksClose: "explicit" }],
    ["state", 0, told(2, changed(["idle", null], ["creating", null], "start_session"), cause)],
    ["state", 0, told(3, { type: "message_status", messageId: "m1", status: "sending" }, cause)],
  ]);
  expect(batch.entries.map(({ position, sessionId, seq, atMs }) => [position, sessionId, seq, atMs])).toEqual(
    [
      [101, "s", 1, AT_MS],
      [102, "s", 2, AT_MS],
      [103, "s", 3, AT_MS],
    ],
  );
  const data = '{"n":1,"type":"prompt","text":"hello"}\n';
  const onFailure = { type: "delivery_failed", run: 1, messageId: "m1" } as const;
  expect(batch.outbox).toEqual([
    outbox("3.0", { type: "spawn", run: 1, resume: null, prompt: "hello" }),
    outbox("3.1", { type: "write", run: 1, data, onFailure }),
  ]);
  expect(batch.startedTimers).toEqual([{ sessionId: "s", timerId: "ready:1", dueAtMs: AT_MS + 30_000 }]);
  expect([batch.sync, [...batch.touchedSessionIds]]).toEqual(["full", ["s"]]);
});

test("ready", () => {
  const batch = fed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
  const cause = [5, "api_req_started", "protocol"] as const;
  expect(written(batch)).toEqual([
    ["fact", 1, { type: "session_created", sessionId: "S" }],
    ["fact", 1, { type: "api_req_started" }],
    [
      "state",
      1,
      told(6, changed(["creating", null], ["streaming", "calling_llm"], "api_req_started"), cause),
    ],
    ["state", 1, told(7, { type: "message_status", messageId: "m1", status: "sent" }, cause)],
  ]);
  expect([batch.sync, batch.outbox]).toEqual(["normal", []]);
  expect(batch.endedTimers).toEqual([{ sessionId: "s", timerId: "ready:1" }]);
});

test("text", () => {
  const batch = fed(agentLines(3, { type: "text", text: "Hi", messageId: "a1" }));
  expect(written(batch)).toEqual([["stream", 1, streamed(8, "text_delta", { text: "Hi" }, "a1")]]);
  expect([batch.sync, [...batch.touchedSessionIds]]).toEqual(["normal", ["s"]]);
});

test("ask", () => {
  const batch = fed(agentLines(4, { type: "ask", askId: "q", ask: "command", title: "Run?", detail: "ls" }));
  const cause = [10, "ask:command", "protocol"] as const;
  const ask = { askId: "q", ask: "command", title: "Run?", detail: "ls" };
  expect(written(batch)).toEqual([
    ["stream", 1, streamed(9, "ask", { ...ask, partial: false })],
    ["fact", 1, { type: "ask:command", askId: "q", partial: false }],
    [
      "state",
      1,
      told(11, changed(["streaming", "calling_llm"], ["waiting_approval", null], "ask:command"), cause),
    ],
    ["state", 1, told(12, { type: "ask_opened", ...ask, needsHuman: false, openedAtMs: AT_MS }, cause)],
  ]);
  expect(batch.outbox).toEqual([outbox("12.0", { type: "check_permission", run: 1, askId: "q" })]);
  expect(loop.snapshot().askDetails).toEqual({
    q: { title: "Run?", detail: "ls", openedAtMs: AT_MS, tool: { name: "command", input: "ls" } },
  });
});

test("approve", () => {
  const batch = during((writing) => loop.request({ type: "approve_action", askId: "q" }, writing));
  const cause = [13, "approve_action", "request"] as const;
  const approved = changed(["waiting_approval", null], ["streaming", "executing_tools"], "approve_action");
  expect(written(batch)).toEqual([
    ["request", 1, { type: "approve_action", askId: "q" }],
    ["state", 1, told(14, approved, cause)],
    ["state", 1, told(15, { type: "ask_closed", askId: "q", reason: "approve_action" }, cause)],
  ]);
  const data = '{"n":2,"type":"answer","askId":"q","decision":"approve","text":null}\n';
  const effect = { type: "answer_ask", run: 1, askId: "q" };
  const onFailure = { type: "effect_failed", run: 1, effect, what: "the approval of “Run?”" } as const;
  expect(batch.outbox).toEqual([outbox("15.0", { type: "write", run: 1, data, onFailure })]);
  expect([batch.sync, loop.snapshot().askDetails]).toEqual(["full", {}]);
});

test("done", () => {
  const batch = fed(agentLines(5, { type: "usage", inputTokens: 2, outputTokens: 1 }, { type: "done" }));
  const processing = changed(
    ["streaming", "executing_tools"],
    ["streaming", "processing_response"],
    "harness_stream",
  );
  const completed = changed(
    ["streaming", "processing_response"],
    ["completed", null],
    "ask:completion_result",
  );
  expect(written(batch)).toEqual([
    ["stream", 1, streamed(16, "completed", { reason: "done" })],
    ["state", 1, told(17, { ...processing, streamId: "run-1-turn-1" }, [16, "stream:completed", "protocol"])],
    ["fact", 1, { type: "ask:completion_result", askId: "run-1-turn-1:end" }],
    ["state", 1, told(19, completed, [18, "ask:completion_result", "protocol"])],
  ]);
  expect(batch.finishedStreams).toEqual([{ sessionId: "s", streamId: "run-1-turn-1" }]);
});

test("the record at the end", () => {
  const { state, ...record } = loop.snapshot();
  const { state: _, ...before } = NEW_RECORD;
  expect(record).toEqual({
    ...before,
    updatedAtMs: AT_MS,
    statusSinceMs: AT_MS,
    seq: 19,
    progress: {
      run: 1,
      outOffset: agentLinesLength(),
      hooksOffset: 0,
      skipping: false,
      codec: { run: 1, received: 6, sent: 2, turn: 1, continues: false },
    },
    usage: { inputTokens: 2, outputTokens: 1, cachedTokens: 0, costUsd: null },
  });
  expect([state.status, state.alive, state.harnessSessionId]).toEqual(["completed", true, "S"]);
});

/** All that the agent wrote above. */
function agentLinesLength(): number {
  return agentLines(
    1,
    { type: "ready", sessionId: "S" },
    { type: "request" },
    { type: "text", text: "Hi", messageId: "a1" },
    { type: "ask", askId: "q", ask: "command", title: "Run?", detail: "ls" },
    { type: "usage", inputTokens: 2, outputTokens: 1 },
    { type: "done" },
  ).length;
}
