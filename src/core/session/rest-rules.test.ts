/** Idle agents rest: whole steps. */
import { expect, test } from "vitest";
import type { SessionEffect } from "./effects.js";
import type { SessionEvent } from "./events.js";
import { transition } from "./session-machine.js";
import { initialSession, type SessionState } from "./state.js";
import { deriveStateEvents } from "./state-events.js";

const WORKING: SessionState = {
  ...initialSession,
  status: "streaming",
  phase: "calling_llm",
  run: 1,
  alive: true,
  seen: { sessionCreated: true, apiReqStarted: true },
  harnessSessionId: "h1",
  idleAfterMs: 60_000,
};
const DONE: SessionState = {
  ...WORKING,
  status: "completed",
  phase: null,
  closedAsks: ["end"],
  timerCount: 1,
  rest: { step: "waiting", timerId: "idle:1:1" },
};
const ENDING: SessionState = {
  ...DONE,
  stopRequested: true,
  rest: { step: "ending", timerId: "idle:1:1" },
};
const RESTING: SessionState = { ...ENDING, alive: false, rest: { step: "resting", timerId: "idle:1:1" } };

function ok(state: SessionState, ...effects: readonly SessionEffect[]) {
  return { state, effects, result: "ok" };
}

const end: SessionEvent = { type: "ask:completion_result", run: 1, askId: "end" };
const completed: SessionEffect = {
  type: "emit_state_changed",
  from: "streaming",
  to: "completed",
  fromPhase: "calling_llm",
  toPhase: null,
  reason: "ask:completion_result",
};

test("the time is counted from completed on, and only where a start gave one", () => {
  expect(transition(WORKING, end)).toEqual(
    ok(DONE, completed, { type: "start_timer", timerId: "idle:1:1", timer: "idle", delayMs: 60_000 }),
  );
  const never = { ...WORKING, idleAfterMs: null };
  expect(transition(never, end)).toEqual(
    ok({ ...DONE, idleAfterMs: null, timerCount: 0, rest: null }, completed),
  );
  const started = transition(initialSession, { type: "start_session", idleAfterMs: 5 }).state;
  expect(started.idleAfterMs).toBe(5);
  const again = transition({ ...started, status: "stopped", alive: false }, { type: "start_session" });
  expect(again.state.idleAfterMs).toBe(null);
});

test.each<Partial<SessionState>>([
  { harnessSessionId: null },
  { background: 1 },
  { addressee: "agent", agent: { name: "claude", start: "1" } },
  { certainty: "unknown", unknownSinceMs: 1 },
])("nobody who is %j is waited for", (fields) => {
  const { state } = transition({ ...WORKING, ...fields }, end);
  expect([state.status, state.rest]).toEqual(["completed", null]);
});

test("work in the background ends the wait, and its end begins another", () => {
  const busy = { ...DONE, background: 1, rest: null };
  expect(transition(DONE, { type: "background_changed", run: 1, count: 1 })).toEqual(
    ok(busy, { type: "cancel_timer", timerId: "idle:1:1" }),
  );
  expect(transition(busy, { type: "background_changed", run: 1, count: 0 })).toEqual(
    ok(
      { ...DONE, timerCount: 2, rest: { step: "waiting", timerId: "idle:1:2" } },
      { type: "start_timer", timerId: "idle:1:2", timer: "idle", delayMs: 60_000 },
    ),
  );
});

test("who else lives in the run is looked at before it is ended", () => {
  const checking: SessionState = { ...DONE, rest: { step: "checking", timerId: "idle:1:1" } };
  expect(transition(DONE, { type: "timer_fired", timerId: "idle:1:1" })).toEqual(
    ok(checking, { type: "check_rest", run: 1, timerId: "idle:1:1" }),
  );
  const checked = { type: "rest_checked", run: 1, timerId: "idle:1:1" } as const;
  expect(transition(checking, { ...checked, mayRest: true })).toEqual(
    ok(ENDING, { type: "stop_harness", run: 1 }),
  );
  expect(transition(checking, { ...checked, mayRest: false })).toEqual(
    ok(
      { ...DONE, timerCount: 2, rest: { step: "waiting", timerId: "idle:1:2" } },
      { type: "start_timer", timerId: "idle:1:2", timer: "idle", delayMs: 60_000 },
    ),
  );
  const other = { ...checked, timerId: "idle:1:0", mayRest: true };
  expect(transition(checking, other)).toEqual({
    state: checking,
    effects: [],
    result: "ignored",
    because: "another rest",
  });
});

test.each<SessionEvent>([
  { type: "process_exit", run: 1, code: 0 },
  { type: "process_exit", run: 1, code: null, signal: "SIGTERM" },
  { type: "interrupted", run: 1 },
])("however its process ends, by %j, it rests and is still done", (event) => {
  expect(transition(ENDING, event)).toEqual(ok(RESTING));
  expect(deriveStateEvents(ENDING, event, RESTING)).toEqual([{ type: "rest_changed", resting: true }]);
});

test.each([ENDING, RESTING])("the next message resumes it", (state) => {
  const event: SessionEvent = { type: "send_message", messageId: "m1" };
  const step = transition(state, event);
  expect(step).toEqual(
    ok(
      {
        ...state,
        status: "streaming",
        phase: "calling_llm",
        run: 2,
        alive: true,
        stopRequested: false,
        seen: { sessionCreated: false, apiReqStarted: false },
        closedAsks: [],
        queue: ["m1"],
        onReady: "message",
        readyTimer: "ready:2",
        rest: null,
      },
      {
        type: "emit_state_changed",
        from: "completed",
        to: "streaming",
        fromPhase: null,
        toPhase: "calling_llm",
        reason: "send_message",
      },
      { type: "spawn_harness", run: 2, resume: true },
      { type: "start_timer", timerId: "ready:2", timer: "ready", delayMs: 30_000 },
    ),
  );
  const told = state === RESTING ? [{ type: "rest_changed", resting: false }] : [];
  expect(deriveStateEvents(state, event, step.state)).toEqual([
    { type: "message_status", messageId: "m1", status: "queued" },
    ...told,
  ]);
});

test("a late line of who is to rest changes nothing", () => {
  const late = transition(ENDING, { type: "api_req_started", run: 1 });
  expect([late.state === ENDING, late.result]).toEqual([true, "ignored"]);
});

test("who rests can be stopped", () => {
  expect(transition(RESTING, { type: "cancel_session" })).toEqual(
    ok(
      { ...RESTING, status: "stopped", rest: null },
      {
        type: "emit_state_changed",
        from: "completed",
        to: "stopped",
        fromPhase: null,
        toPhase: null,
        reason: "cancel_session",
      },
    ),
  );
});
