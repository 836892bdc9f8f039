import { describe, expect, test } from "vitest";
import type { SessionEvent } from "./events.js";
import { transition } from "./session-machine.js";
import { deriveStateEvents, type DerivedStateEvent } from "./state-events.js";
import { initialSession, type Ask, type SessionState } from "./state.js";

const approval: Ask = { askId: "a1", ask: "tool", needsHuman: false };
const question: Ask = { askId: "q1", ask: "followup", needsHuman: true };

function streaming(fields: Partial<SessionState> = {}): SessionState {
  const seen = { sessionCreated: true, apiReqStarted: true };
  return {
    ...initialSession,
    status: "streaming",
    phase: "calling_llm",
    run: 1,
    alive: true,
    seen,
    ...fields,
  };
}

function inStatus(status: SessionState["status"], fields: Partial<SessionState> = {}): SessionState {
  return streaming({ status, phase: null, ...fields });
}

/** What a step of the machine itself gives rise to. */
function derived(before: SessionState, event: SessionEvent): readonly DerivedStateEvent[] {
  return deriveStateEvents(before, event, transition(before, event).state);
}

function callCompleted(payload: Readonly<Record<string, string | boolean>>): SessionEvent {
  const envelope = { schemaVersion: "1.0", eventId: "e1", sessionId: "x", harness: "claude" } as const;
  const place = { streamId: "s1", seq: 1, timestampMs: 1 };
  return { type: "harness_stream", event: { ...envelope, ...place, type: "tool_call_completed", payload } };
}

describe("tool calls", () => {
  test("a call runs, named when its name is known", () => {
    expect(derived(streaming(), { type: "tool_started", callId: "c1" })).toEqual([
      { type: "tool_lifecycle", callId: "c1", status: "running" },
    ]);
    expect(derived(streaming(), { type: "tool_started", callId: "c1", toolName: "shell" })).toEqual([
      { type: "tool_lifecycle", callId: "c1", toolName: "shell", status: "running" },
    ]);
  });

  test("a call that runs already is not told again", () => {
    expect(derived(streaming({ tools: ["c1"] }), { type: "tool_started", callId: "c1" })).toEqual([]);
  });

  test.each([
    [true, "succeeded"],
    [false, "failed"],
  ] as const)("finished, ok %j: %s", (ok, status) => {
    expect(derived(streaming({ tools: ["c1", "c2"] }), { type: "tool_finished", callId: "c1", ok })).toEqual([
      { type: "tool_lifecycle", callId: "c1", status },
    ]);
  });

  test.each([
    [{ callId: "c1" }, "succeeded"],
    [{ callId: "c1", isError: false }, "succeeded"],
    [{ callId: "c1", isError: true }, "failed"],
  ] as const)("completed in the stream with %j: %s", (payload, status) => {
    expect(derived(streaming({ tools: ["c1"] }), callCompleted(payload))).toEqual([
      { type: "tool_lifecycle", callId: "c1", status },
    ]);
  });

  test("completed in the stream without a call id: nothing is known", () => {
    expect(derived(streaming({ tools: ["c1"] }), callCompleted({}))).toEqual([]);
  });

  test("the end of the turn cancels what is open", () => {
    expect(derived(streaming({ tools: ["c1", "c2"] }), { type: "cancel_session" })).toEqual([
      { type: "tool_lifecycle", callId: "c1", status: "canceled" },
      { type: "tool_lifecycle", callId: "c2", status: "canceled" },
    ]);
  });

  test("an ask in the middle of a turn cancels no call", () => {
    expect(derived(streaming({ tools: ["c1"] }), { type: "ask:tool", askId: "a1" })).toEqual([
      { type: "ask_opened", askId: "a1", ask: "tool", needsHuman: false },
    ]);
  });

  test("nothing about calls: nothing is told", () => {
    expect(derived(streaming({ tools: ["c1"] }), { type: "api_req_started" })).toEqual([]);
    expect(derived(inStatus("completed"), { type: "background_changed", count: 1 })).toEqual([]);
  });
});

describe("asks", () => {
  test("opened", () => {
    expect(derived(streaming(), { type: "ask:command", askId: "a1" })).toEqual([
      { type: "ask_opened", askId: "a1", ask: "command", needsHuman: false },
    ]);
    expect(
      derived(inStatus("waiting_approval", { asks: [approval] }), { type: "ask:followup", askId: "q1" }),
    ).toEqual([{ type: "ask_opened", askId: "q1", ask: "followup", needsHuman: true }]);
  });

  test("told again when a person is needed after all", () => {
    const before = inStatus("waiting_approval", { asks: [approval, question] });
    expect(derived(before, { type: "permission_resolved", askId: "a1", verdict: "ask" })).toEqual([
      { type: "ask_opened", askId: "a1", ask: "tool", needsHuman: true },
    ]);
  });

  test("closed by what closed it", () => {
    const before = inStatus("waiting_approval", { asks: [approval, question] });
    expect(derived(before, { type: "approve_action", askId: "a1" })).toEqual([
      { type: "ask_closed", askId: "a1", reason: "approve_action" },
    ]);
    expect(derived(before, { type: "api_req_started" })).toEqual([
      { type: "ask_closed", askId: "a1", reason: "api_req_started" },
      { type: "ask_closed", askId: "q1", reason: "api_req_started" },
    ]);
  });

  test("another partial question opens the one before", () => {
    const before = streaming({ settle: { timerId: "settle:1:1", askId: "q1" }, timerCount: 1 });
    expect(derived(before, { type: "ask:followup", askId: "q2", partial: true })).toEqual([
      { type: "ask_opened", askId: "q1", ask: "followup", needsHuman: true },
    ]);
  });
});

describe("messages", () => {
  test("the first prompt is being sent, and sent once the run shows activity", () => {
    const start: SessionEvent = { type: "start_session", messageId: "m1" };
    expect(derived(initialSession, start)).toEqual([
      { type: "message_status", messageId: "m1", status: "sending" },
    ]);
    const creating = transition(initialSession, start).state;
    expect(derived(creating, { type: "session_created", sessionId: "h1" })).toEqual([]);
    expect(derived(creating, { type: "api_req_started" })).toEqual([
      { type: "message_status", messageId: "m1", status: "sent" },
    ]);
  });

  test("queued, being sent, sent", () => {
    const send: SessionEvent = { type: "send_message", messageId: "m2" };
    expect(derived(streaming({ queue: ["m1"] }), send)).toEqual([
      { type: "message_status", messageId: "m2", status: "queued" },
    ]);
    expect(derived(inStatus("completed", { queue: ["m1"] }), send)).toEqual([
      { type: "message_status", messageId: "m1", status: "sending" },
      { type: "message_status", messageId: "m2", status: "queued" },
    ]);
    expect(derived(streaming({ delivering: "m1" }), { type: "api_req_started" })).toEqual([
      { type: "message_status", messageId: "m1", status: "sent" },
    ]);
  });

  test("queued again when it was not taken", () => {
    const before = streaming({ delivering: "m1", queue: ["m2"] });
    const queued = { type: "message_status", messageId: "m1", status: "queued" };
    expect(derived(before, { type: "delivery_failed", messageId: "m1", error: "no" })).toEqual([queued]);
    expect(derived(before, { type: "process_exit", code: 1 })).toEqual([queued]);
  });

  test("an answer's message is sent with it, and queued again when the answer failed", () => {
    const asking = inStatus("waiting_input", { asks: [question] });
    const reply: SessionEvent = { type: "send_message", messageId: "m1" };
    expect(derived(asking, reply)).toEqual([
      { type: "ask_closed", askId: "q1", reason: "send_message" },
      { type: "message_status", messageId: "m1", status: "sent" },
    ]);
    const effect = { type: "answer_ask", run: 1, askId: "q1", messageId: "m1" };
    expect(
      derived(transition(asking, reply).state, { type: "effect_failed", effect, message: "no" }),
    ).toEqual([{ type: "message_status", messageId: "m1", status: "queued" }]);
  });

  test("a rejection may carry a message", () => {
    const asking = inStatus("waiting_approval", { asks: [approval] });
    expect(derived(asking, { type: "reject_action", messageId: "m1" })).toEqual([
      { type: "ask_closed", askId: "a1", reason: "reject_action" },
      { type: "message_status", messageId: "m1", status: "sent" },
    ]);
    expect(derived(asking, { type: "reject_action" })).toEqual([
      { type: "ask_closed", askId: "a1", reason: "reject_action" },
    ]);
  });
});

test("calls, then asks, then messages", () => {
  const before = inStatus("waiting_approval", { asks: [approval], tools: ["c1"], queue: ["m1"] });
  expect(derived(before, { type: "cancel_session" })).toEqual([
    { type: "tool_lifecycle", callId: "c1", status: "canceled" },
    { type: "ask_closed", askId: "a1", reason: "cancel_session" },
  ]);
  expect(derived({ ...before, tools: [] }, { type: "ask:completion_result", askId: "e1" })).toEqual([
    { type: "ask_closed", askId: "a1", reason: "ask:completion_result" },
    { type: "message_status", messageId: "m1", status: "sending" },
  ]);
});

describe("certainty", () => {
  const agent = { name: "claude", start: "7" };

  test("who is in front, what is not understood, and that a person was told", () => {
    const shell = inStatus("idle", { addressee: "agent" });
    const change = { type: "certainty_changed", certainty: "unknown", needsAttention: false } as const;
    expect(derived(shell, { type: "agent_started", run: 1, ...agent, sinceMs: 5 })).toEqual([
      { ...change, unknownSinceMs: 5, agent },
    ]);
    const unknown = streaming({ addressee: "agent", agent, certainty: "unknown", unknownSinceMs: 5 });
    expect(derived(unknown, { type: "screen_still", run: 1, sinceMs: 25 })).toEqual([
      { ...change, unknownSinceMs: 5, needsAttention: true, agent },
    ]);
    const known = { certainty: "known", unknownSinceMs: null, needsAttention: false } as const;
    expect(derived(unknown, { type: "certainty_changed", run: 1, certainty: "known", sinceMs: 9 })).toEqual([
      { type: "certainty_changed", ...known, agent },
    ]);
    expect(derived(unknown, { type: "agent_ended", run: 1, start: "7" })).toEqual([
      { type: "certainty_changed", ...known, agent: null },
    ]);
  });

  test("what stays as it is is not told", () => {
    expect(derived(streaming({ agent }), { type: "tool_started", callId: "c1" })).toMatchObject([
      { type: "tool_lifecycle" },
    ]);
  });
});

describe("messages that come back", () => {
  const agent = { name: "claude", start: "7" };
  const shell = { run: 1, alive: true, addressee: "agent" } as const;

  test("each is returned, once, and its agent's calls are canceled, also when another agent is in front", () => {
    const before = streaming({ ...shell, agent, delivering: "m1", queue: ["m2"], tools: ["c1"] });
    const back = [
      { type: "tool_lifecycle", callId: "c1", status: "canceled" },
      { type: "message_status", messageId: "m1", status: "returned" },
      { type: "message_status", messageId: "m2", status: "returned" },
    ];
    const ofThem = (event: SessionEvent) =>
      derived(before, event).filter(({ type }) => type !== "certainty_changed");
    expect(ofThem({ type: "agent_ended", start: "7" })).toEqual(back);
    expect(ofThem({ type: "agent_started", name: "codex", start: "8" })).toEqual(back);
  });

  test("one that is dropped goes nowhere any more", () => {
    const before = inStatus("idle", { ...shell, returned: ["m1", "m2"] });
    expect(derived(before, { type: "drop_message", messageId: "m1" })).toEqual([
      { type: "message_status", messageId: "m1", status: "failed" },
    ]);
  });
});

describe("asks of the wall", () => {
  const host = { askId: "w1", host: "a.test", port: 443 };

  test("are told when they open, and how they closed", () => {
    expect(derived(streaming(), { type: "wall_asked", ...host })).toEqual([
      { type: "wall_ask_opened", ...host },
    ]);
    const before = streaming({ wallAsks: [host] });
    const closed = (reason: string) => [{ type: "ask_closed", askId: "w1", reason }];
    expect(derived(before, { type: "wall_closed", askId: "w1", because: "expired" })).toEqual(
      closed("expired"),
    );
    expect(derived(before, { type: "approve_action", askId: "w1" })).toEqual(closed("approve_action"));
    expect(derived(before, { type: "process_exit", code: 0 })).toEqual(closed("process_exit"));
  });
});
