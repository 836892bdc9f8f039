import { describe, expect, test } from "vitest";
import {
  initial,
  submit,
  started,
  done,
  input,
  chunk,
  call,
  resolved,
  play,
  ok,
  result,
  connecting,
  streamDone,
} from "../../../test/model/turn-fixture.js";
import type { TurnEvent } from "./events.js";
import { FOREIGN_CALLS_MAX, QUEUE_LENGTH_MAX, TOOLS_MAX, type TurnState } from "./state.js";
import { transition } from "./turn-machine.js";

describe("what is rejected", () => {
  test("says what and where", () => {
    expect(transition(initial, { type: "retry" })).toEqual({
      state: initial,
      effects: [],
      result: "rejected",
      error: { code: "state_transition_invalid", message: "retry is not possible while idle" },
    });
  });

  test("the queue is full", () => {
    const fill = Array.from({ length: QUEUE_LENGTH_MAX }, (_, index): TurnEvent => {
      return { type: "user_submit", messageId: `q${index}`, text: "more" };
    });
    const full = play(initial, submit, ...fill);
    const step = transition(full, { type: "user_submit", messageId: "q100", text: "one too many" });
    expect(step).toEqual({
      state: full,
      effects: [],
      result: "rejected",
      error: { code: "queue_full", message: "100 messages are waiting already" },
    });
    expect(step.state).toBe(full);

    const skill: TurnEvent = { type: "skill_loaded", name: "review", content: "Do it." };
    const entry = {
      type: "out_of_band",
      name: "System",
      command: "/review",
      content: "Not started: the queue is full.",
    } as const;
    expect(transition(full, skill)).toEqual(ok(full, { type: "append", entry }));

    const failed = play(full, { type: "stream_error", message: "net" });
    const restarted = transition(failed, { type: "user_submit", messageId: "q100", text: "the head leaves" });
    expect(restarted.result).toBe("ok");
    expect(restarted.state.queue).toHaveLength(QUEUE_LENGTH_MAX);
  });
});

describe("bounds", () => {
  const inStream = play(initial, submit, started);
  const ids = Array.from({ length: TOOLS_MAX }, (_, index) => `c${index}`);

  test("the oldest resolved tools are forgotten", () => {
    const refused = ids.map((id) => call(id, "edit_file"));
    const state = play(inStream, call("open"), ...refused, call("last"));
    expect(state.tools.map(({ id }) => id)).toEqual(["open", ...ids.slice(2), "last"]);
    expect(state.turnToolIds).toHaveLength(TOOLS_MAX + 2);
    expect(transition(state, call("c0")).result).toBe("ignored");
    const over = play(state, done, resolved("denied", "open"));
    expect(over.mode).toEqual(streamDone);
    expect(play(over, resolved("denied", "last")).mode).toEqual(connecting);
  });

  test("a call beyond the unresolved ones that can be kept is refused", () => {
    const full = play(inStream, ...ids.map((id) => call(id)));
    const step = transition(full, call("extra"));
    expect(step).toEqual(
      ok(
        { ...full, turnToolIds: [...ids, "extra"] },
        { type: "append", entry: { type: "tool_call", id: "extra", name: "read_file", input } },
        result("extra", "Error: 256 tool calls are open already", true),
      ),
    );
    expect(transition(step.state, call("extra")).result).toBe("ignored");
  });

  test("an open remote call is never forgotten", () => {
    const state = play(inStream, call("first", "web_search"));
    const many = Array.from({ length: FOREIGN_CALLS_MAX - 1 }, (_, index) => call(`r${index}`, "web_search"));
    const full = play(state, ...many);
    const step = transition(full, call("extra", "web_search"));
    expect(step.effects).toEqual([
      { type: "append", entry: { type: "tool_call", id: "extra", name: "web_search", input } },
      result("extra", "Error: no result can be taken for this tool call", true),
    ]);
    expect(step.state.foreignCalls).toHaveLength(FOREIGN_CALLS_MAX);
    expect(step.state.foreignCalls[0]).toEqual({ id: "first", open: true });
  });
});

describe("names that objects know already", () => {
  test("a message named __proto__ keeps its text", () => {
    const state = play(initial, submit, { type: "user_submit", messageId: "__proto__", text: "mine" });
    const copy = JSON.parse(JSON.stringify(state)) as TurnState;
    for (const from of [state, copy]) {
      expect(transition(from, done).effects).toContainEqual({
        type: "append",
        entry: { type: "user_message", messageId: "__proto__", content: "mine" },
      });
    }
  });

  test("a queued id that the state has no text for is appended by its id", () => {
    const state = { ...play(initial, submit), queue: ["toString"] };
    expect(transition(state, done).effects).toContainEqual({
      type: "append",
      entry: { type: "user_message", messageId: "toString" },
    });
  });

  test("a message that is queued twice is said twice", () => {
    const again: TurnEvent = { type: "user_submit", messageId: "m2", text: "again" };
    const state = play(initial, submit, again, again);
    const first = transition(state, done);
    const second = transition(first.state, done);
    for (const { effects } of [first, second]) {
      expect(effects).toContainEqual({
        type: "append",
        entry: { type: "user_message", messageId: "m2", content: "again" },
      });
    }
    expect(second.state.queuedTexts).toEqual({});
  });
});

describe("steps without a change keep the state object", () => {
  const executing = play(initial, submit, started, call("t1"), resolved("allowed"));
  const interrupted = play(executing, { type: "interrupt_tools" });
  const shown = play(executing, { type: "tool_preview_update", toolId: "t1", lines: ["a"], exitCode: 0 });
  const searching = play(executing, { type: "stream_status_changed", status: "searching" });
  const fresh = play(initial, { type: "new_session" });
  const cases: readonly (readonly [TurnState, TurnEvent])[] = [
    [executing, chunk("")],
    [interrupted, { type: "interrupt_tools" }],
    [shown, { type: "tool_preview_update", toolId: "t1", lines: ["a"], exitCode: 1 }],
    [searching, { type: "stream_status_changed", status: "searching" }],
    [fresh, { type: "new_session" }],
    [initial, { type: "insert_command" }],
    [initial, { type: "stream_done", sessionId: "" }],
  ];
  test.each(cases)("%#", (state, event) => {
    const step = transition(state, event);
    expect(step.result).toBe("ok");
    expect(step.state).toBe(state);
  });
});
