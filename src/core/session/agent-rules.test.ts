/** Agents that come and go in a shell, and screens that nobody understands: whole steps. */
import { expect, test } from "vitest";
import type { SessionEffect } from "./effects.js";
import type { SessionEvent } from "./events.js";
import { transition } from "./session-machine.js";
import { initialSession, type SessionState } from "./state.js";

const CLAUDE = { name: "claude", start: "100:1" };
const SHELL: SessionState = { ...initialSession, run: 1, alive: true, addressee: "agent" };
const WORKING: SessionState = {
  ...SHELL,
  status: "streaming",
  phase: "calling_llm",
  agent: CLAUDE,
  seen: { sessionCreated: true, apiReqStarted: true },
};

function changed(
  from: SessionState["status"],
  to: SessionState["status"],
  reason: string,
  more: Partial<Extract<SessionEffect, { type: "emit_state_changed" }>> = {},
): SessionEffect {
  const phaseOf = (status: SessionState["status"]): SessionState["phase"] =>
    status === "streaming" ? "calling_llm" : null;
  const change = { from, to, fromPhase: phaseOf(from), toPhase: phaseOf(to), reason };
  return { type: "emit_state_changed", ...change, ...more };
}

function play(state: SessionState, ...events: readonly SessionEvent[]): SessionState {
  return events.reduce((at, event) => transition(at, event).state, state);
}

test("a terminal started as a shell is idle, and takes no message", () => {
  const created = play(initialSession, { type: "start_session", addressee: "agent" });
  expect(transition(created, { type: "shell_ready", run: 1 })).toEqual({
    state: SHELL,
    effects: [changed("creating", "idle", "shell_ready"), { type: "cancel_timer", timerId: "ready:1" }],
    result: "ok",
  });
  const message = "no agent is in front of the terminal: a message is never typed into a shell";
  expect(transition(SHELL, { type: "send_message", messageId: "m1", force: true })).toEqual({
    state: SHELL,
    effects: [
      {
        type: "emit_session_error",
        code: "no_agent",
        message,
        retryable: false,
        source: "orchestrator",
      },
    ],
    result: "rejected",
    error: { code: "no_agent", message },
  });
});

test("an agent that starts is not understood, and no timer waits for it", () => {
  const created = play(initialSession, { type: "start_session", addressee: "agent" });
  expect(transition(created, { type: "agent_started", run: 1, ...CLAUDE, sinceMs: 7 })).toEqual({
    state: {
      ...SHELL,
      status: "streaming",
      phase: "calling_llm",
      agent: CLAUDE,
      certainty: "unknown",
      unknownSinceMs: 7,
    },
    effects: [
      changed("creating", "streaming", "agent_started"),
      { type: "cancel_timer", timerId: "ready:1" },
    ],
    result: "ok",
  });
});

test("an agent that ends leaves a shell, and its whole line comes back in order", () => {
  const busy: SessionState = {
    ...WORKING,
    delivering: "m1",
    queue: ["m2", "m3"],
    tools: ["c1"],
    background: 2,
    answered: ["a0"],
    harnessSessionId: "h1",
    interrupting: true,
    interruptTimer: "interrupt:1:1",
  };
  expect(transition(busy, { type: "agent_ended", run: 1, start: "100:1" })).toEqual({
    state: { ...SHELL, returned: ["m1", "m2", "m3"] },
    effects: [
      changed("streaming", "idle", "agent_ended"),
      { type: "cancel_timer", timerId: "interrupt:1:1" },
      { type: "return_messages", messageIds: ["m1", "m2", "m3"], reason: "agent_gone" },
      { type: "notify", reason: "agent_gone" },
    ],
    result: "ok",
  });
});

test("what the agent asked can be answered no more when it ends", () => {
  const asking: SessionState = {
    ...WORKING,
    status: "waiting_approval",
    phase: null,
    asks: [{ askId: "a1", ask: "tool", needsHuman: true }],
  };
  expect(transition(asking, { type: "agent_ended", start: "100:1" })).toEqual({
    state: { ...SHELL, closedAsks: ["a1"] },
    effects: [
      changed("waiting_approval", "idle", "agent_ended"),
      { type: "void_asks", askIds: ["a1"], reason: "agent_ended" },
      { type: "notify", reason: "agent_gone" },
    ],
    result: "ok",
  });
});

test("another agent in front: the one before has ended, and gets nothing of its line", () => {
  const queued: SessionState = { ...WORKING, queue: ["m1"] };
  expect(transition(queued, { type: "agent_started", name: "codex", start: "200:2" })).toEqual({
    state: {
      ...SHELL,
      status: "streaming",
      phase: "calling_llm",
      agent: { name: "codex", start: "200:2" },
      certainty: "unknown",
      returned: ["m1"],
    },
    effects: [
      changed("streaming", "idle", "agent_started"),
      changed("idle", "streaming", "agent_started"),
      { type: "return_messages", messageIds: ["m1"], reason: "agent_gone" },
      { type: "notify", reason: "agent_gone" },
    ],
    result: "ok",
  });
});

test("a delivery that fails after its agent is gone brings nothing back twice, and nothing to the next agent", () => {
  const gone = play({ ...WORKING, delivering: "m1" }, { type: "agent_ended", start: "100:1" });
  const next = play(gone, { type: "agent_started", name: "codex", start: "200:2" });
  const late: SessionEvent = { type: "delivery_failed", run: 1, messageId: "m1", error: "gone" };
  expect(transition(gone, late)).toEqual({ state: gone, effects: [], result: "ok" });
  expect(transition(next, late)).toEqual({ state: next, effects: [], result: "ok" });
});

test("an answer that fails after its agent is gone comes back", () => {
  const gone = play(WORKING, { type: "agent_ended", start: "100:1" });
  const effect = { type: "answer_ask", run: 1, askId: "q1", messageId: "m1" };
  expect(transition(gone, { type: "effect_failed", run: 1, effect, message: "gone" })).toEqual({
    state: { ...gone, returned: ["m1"] },
    effects: [{ type: "return_messages", messageIds: ["m1"], reason: "agent_gone" }],
    result: "ok",
  });
});

test("while nobody understands the screen the queue waits, until it is known", () => {
  const unknown: SessionState = { ...WORKING, certainty: "unknown", unknownSinceMs: 3, queue: ["m1"] };
  const ended = transition(unknown, { type: "ask:completion_result", askId: "e1" });
  expect(ended.effects).toEqual([changed("streaming", "completed", "ask:completion_result")]);
  expect(transition(ended.state, { type: "certainty_changed", certainty: "known", sinceMs: 9 })).toEqual({
    state: { ...WORKING, closedAsks: ["e1"], delivering: "m1" },
    effects: [
      changed("completed", "streaming", "certainty_changed"),
      { type: "deliver_message", run: 1, messageId: "m1" },
    ],
    result: "ok",
  });
});

test("whoever sends anyway gets the head of the line through", () => {
  const unknown: SessionState = { ...WORKING, certainty: "unknown", unknownSinceMs: 3, queue: ["m1"] };
  expect(transition(unknown, { type: "send_message", messageId: "m2", force: true })).toEqual({
    state: { ...unknown, delivering: "m1", queue: ["m2"] },
    effects: [{ type: "deliver_message", run: 1, messageId: "m1", force: true }],
    result: "ok",
  });
});

test("an unknown screen that is still is told once for each stretch", () => {
  const unknown: SessionState = { ...WORKING, certainty: "unknown", unknownSinceMs: 3 };
  const still: SessionEvent = { type: "screen_still", sinceMs: 3 };
  const told = { ...unknown, unknownNotified: true };
  expect(transition(unknown, still)).toEqual({
    state: told,
    effects: [{ type: "notify", reason: "unknown_screen" }],
    result: "ok",
  });
  expect(transition(told, still)).toEqual({
    state: told,
    effects: [],
    result: "ignored",
    because: "a person was told",
  });
  const again = play(
    told,
    { type: "certainty_changed", certainty: "known", sinceMs: 4 },
    { type: "certainty_changed", certainty: "unknown", sinceMs: 5 },
  );
  expect(again).toEqual({ ...unknown, unknownSinceMs: 5 });
});

test("the end of a turn tells how it ended, and what goes on behind it", () => {
  const { state, effects } = transition(
    { ...WORKING, background: 1 },
    { type: "ask:completion_result", askId: "e1", ending: "max_tokens" },
  );
  expect(effects).toEqual([
    changed("streaming", "completed", "ask:completion_result", { ending: "max_tokens", background: 1 }),
  ]);
  expect([state.ending, play(state, { type: "api_req_started" }).ending]).toEqual(["max_tokens", null]);
});
