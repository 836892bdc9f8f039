/** 001: what goes wrong names the stream that it goes wrong in. */
import { expect, test } from "vitest";
import type { EventOf } from "./events.js";
import { transition } from "./session-machine.js";
import { initialSession, type SessionState } from "./state.js";

const STREAMING: SessionState = {
  ...initialSession,
  status: "streaming",
  phase: "calling_llm",
  run: 1,
  alive: true,
  seen: { sessionCreated: true, apiReqStarted: true },
};
const OPEN = { streamId: "turn-1", seq: 4, closed: false };
const CLOSED = { streamId: "agent-2", seq: 9, closed: true };

function said(type: EventOf<"harness_stream">["event"]["type"], seq: number): EventOf<"harness_stream"> {
  const place = { sessionId: "s", harness: "script", streamId: "turn-1", seq, timestampMs: 1 };
  const event = { schemaVersion: "1.0", eventId: `s:${seq}`, ...place, type, payload: {} } as const;
  return { type: "harness_stream", run: 1, event };
}

test("the words of an ask open their stream, and change nothing else", () => {
  expect(transition(STREAMING, said("ask", 4))).toEqual({
    state: { ...STREAMING, streams: [OPEN] },
    effects: [],
    result: "ok",
  });
  const fresh = { ...STREAMING, status: "creating", phase: null, prompt: "m1" } as const;
  expect(transition(fresh, said("ask", 4))).toEqual({
    state: { ...fresh, streams: [OPEN] },
    effects: [],
    result: "ok",
  });
});

test("a rejected request names the newest stream that is open", () => {
  const state = { ...STREAMING, streams: [OPEN, CLOSED] };
  const error = {
    code: "state_transition_invalid",
    message: "retry is not possible while streaming",
  } as const;
  expect(transition(state, { type: "retry" })).toEqual({
    state,
    effects: [
      {
        type: "emit_session_error",
        ...error,
        retryable: false,
        source: "orchestrator",
        streamId: "turn-1",
      },
    ],
    result: "rejected",
    error,
  });
  const [quiet] = transition({ ...state, streams: [CLOSED] }, { type: "retry" }).effects;
  expect(quiet).toEqual({ type: "emit_session_error", ...error, retryable: false, source: "orchestrator" });
});

test("a turn that fails by an ask names its stream", () => {
  const error = { code: "api_req_failed", message: "no", retryable: true, source: "harness" } as const;
  const state = { ...STREAMING, streams: [OPEN] };
  expect(transition(state, { type: "ask:api_req_failed", askId: "e1", text: "no" })).toEqual({
    state: { ...state, status: "error", phase: null, closedAsks: ["e1"], error },
    effects: [
      { type: "emit_session_error", ...error, streamId: "turn-1" },
      {
        type: "emit_state_changed",
        from: "streaming",
        to: "error",
        fromPhase: "calling_llm",
        toPhase: null,
        reason: "ask:api_req_failed",
      },
    ],
    result: "ok",
  });
});
