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
  finished,
  play,
  ok,
  result,
  connecting,
  streaming,
  streamDone,
  idle,
} from "../../../test/model/turn-fixture.js";
import type { TurnEffect } from "./effects.js";
import type { TurnEvent } from "./events.js";
import { transition, turnMachine } from "./turn-machine.js";

const toolCall: TurnEffect = {
  type: "append",
  entry: { type: "tool_call", id: "t1", name: "read_file", input },
};
const persist: TurnEffect = { type: "persist" };
const turnEnded: TurnEffect = { type: "turn_ended" };
const t1 = { id: "t1", name: "read_file", input };

/** As the seed's own tests, with the whole step compared. */
describe("a turn, step by step", () => {
  const inStream = play(initial, submit, started);

  test("a message starts a turn", () => {
    expect(transition(initial, submit)).toEqual(
      ok(
        { ...initial, mode: connecting, streamId: 1 },
        { type: "append", entry: { type: "user_message", messageId: "m1", content: "hello" } },
        { type: "start_stream", streamId: 1, sessionId: null },
      ),
    );
  });

  test("the stream starts", () => {
    const state = play(initial, submit);
    expect(transition(state, started)).toEqual(ok({ ...state, mode: streaming }));
  });

  test("chunks add up", () => {
    const state = play(inStream, chunk("Hello "));
    expect(transition(state, chunk("world!"))).toEqual(ok({ ...state, text: "Hello world!" }));
  });

  test("a stream without tools ends the turn", () => {
    const state = play(inStream, chunk("Hi there!"));
    expect(transition(state, { type: "stream_done", sessionId: "s1" })).toEqual(
      ok(
        { ...state, mode: idle, text: "", sessionId: "s1" },
        { type: "append", entry: { type: "text", content: "Hi there!" } },
        persist,
        turnEnded,
      ),
    );
  });

  test("a tool call is checked", () => {
    expect(transition(inStream, call("t1"))).toEqual(
      ok({ ...inStream, tools: [{ ...t1, state: "checking_permission" }], turnToolIds: ["t1"] }, toolCall, {
        type: "check_permission",
        toolId: "t1",
        name: "read_file",
        input,
      }),
    );
  });

  test.each(["allowed", "session_granted"] as const)("%s runs the tool", (response) => {
    const state = play(inStream, call("t1"));
    expect(transition(state, resolved(response))).toEqual(
      ok(
        { ...state, tools: [{ ...t1, state: "executing" }] },
        { type: "execute_tool", toolId: "t1", name: "read_file", input },
      ),
    );
  });

  test("ask waits for the person", () => {
    const state = play(inStream, call("t1"));
    expect(transition(state, resolved("ask"))).toEqual(
      ok({ ...state, tools: [{ ...t1, state: "awaiting_permission" }] }),
    );
  });

  test("the last result after the stream goes on with another stream", () => {
    const state = play(inStream, call("t1"), done, resolved("allowed"));
    expect(state.mode).toEqual(streamDone);
    expect(transition(state, finished())).toEqual(
      ok(
        {
          ...state,
          mode: connecting,
          streamId: 2,
          tools: [{ ...t1, state: "completed" }],
          turnToolIds: [],
          continuations: 1,
        },
        result("t1", "contents", false),
        { type: "start_stream", streamId: 2, sessionId: null },
      ),
    );
  });

  test("a continuation without tools ends the turn", () => {
    const state = play(inStream, call("t1"), done, resolved("allowed"), finished(), started, chunk("Here."));
    expect(transition(state, done)).toEqual(
      ok(
        { ...state, mode: idle, text: "" },
        { type: "append", entry: { type: "text", content: "Here." } },
        persist,
        turnEnded,
      ),
    );
  });

  test("a tool that is done before its stream waits for it", () => {
    const state = play(inStream, call("t1"), resolved("allowed"));
    expect(transition(state, finished())).toEqual(
      ok({ ...state, tools: [{ ...t1, state: "completed" }] }, result("t1", "contents", false)),
    );
  });

  test("cancel while streaming keeps the partial text with a mark", () => {
    const state = play(inStream, chunk("partial text"));
    expect(transition(state, { type: "cancel" })).toEqual(
      ok(
        { ...state, mode: idle, text: "" },
        { type: "abort_stream", streamId: 1 },
        { type: "append", entry: { type: "text", content: "partial text\n\n[User cancelled here]" } },
        persist,
      ),
    );
  });

  test("cancel with a running tool aborts it and tells the model", () => {
    const state = play(inStream, call("t1"), done, resolved("allowed"));
    const cancelled = {
      ...state,
      mode: idle,
      tools: [{ ...t1, state: "completed" as const }],
      turnToolIds: [],
    };
    expect(transition(state, { type: "cancel" })).toEqual(
      ok(
        cancelled,
        { type: "abort_tool", toolId: "t1" },
        result("t1", "Error: the user cancelled this tool call", true),
        {
          type: "append",
          entry: {
            type: "system_context",
            content: "The user cancelled the last turn; its unfinished tool calls were aborted.",
          },
        },
        persist,
      ),
    );
    const after = play(state, { type: "cancel" });
    for (const late of [finished(), resolved("allowed")]) {
      expect(transition(after, late)).toMatchObject({ effects: [], result: "ignored" });
      expect(transition(after, late).state).toBe(after);
    }
  });

  test("deny goes on with another stream", () => {
    const state = play(inStream, call("t1"), done, resolved("ask"));
    expect(transition(state, { type: "permission_user_choice", toolId: "t1", choice: "deny" })).toEqual(
      ok(
        {
          ...state,
          mode: connecting,
          streamId: 2,
          tools: [{ ...t1, state: "denied" }],
          turnToolIds: [],
          continuations: 1,
        },
        result("t1", "Error: the user denied this tool call", true),
        { type: "start_stream", streamId: 2, sessionId: null },
      ),
    );
  });

  test("an error, and another try", () => {
    const failed = transition(inStream, { type: "stream_error", message: "fail" });
    expect(failed).toEqual(ok({ ...inStream, mode: { type: "error", message: "fail" } }, persist));
    expect(transition(failed.state, { type: "retry" })).toEqual(
      ok(
        { ...inStream, mode: connecting, streamId: 2 },
        { type: "start_stream", streamId: 2, sessionId: null },
      ),
    );
  });
});

describe("a dangerous command", () => {
  const suggest: TurnEvent = {
    type: "suggest_command",
    id: "sc1",
    input: { command: "rm -rf /", danger: "high" },
  };
  const suggested = play(initial, submit, started, suggest);
  const confirming = {
    ...suggested,
    mode: { type: "idle", confirmation: { command: "rm -rf /", timeoutId: 0 } } as const,
    nextTimeoutId: 1,
  };

  test("must be confirmed within 5 s", () => {
    expect(transition(suggested, { type: "execute_command" })).toEqual(
      ok(confirming, { type: "schedule_timeout", timeoutId: 0, delayMs: 5_000, kind: "confirmation" }),
    );
  });

  test("runs the second time", () => {
    expect(transition(confirming, { type: "execute_command" })).toEqual(
      ok(
        { ...confirming, mode: idle },
        { type: "exit_app", action: { type: "execute", command: "rm -rf /" } },
      ),
    );
  });

  test("is forgotten when its time is over", () => {
    expect(transition(confirming, { type: "confirmation_timeout", timeoutId: 0 })).toEqual(
      ok({ ...confirming, mode: idle }),
    );
  });
});

describe("values that are no events", () => {
  test.each([
    ["null", null],
    ["an unknown type", { type: "stream_paused" }],
    ["no message id", { type: "user_submit", text: "hello" }],
    ["an empty message id", { type: "user_submit", messageId: "", text: "hello" }],
    ["a text that is no text", { type: "user_submit", messageId: "m1", text: 5 }],
    ["no input", { type: "stream_tool_call", id: "t1", name: "read_file" }],
    ["a stream id that is no number", { type: "stream_chunk", text: "a", streamId: "1" }],
    ["an unknown choice", { type: "permission_user_choice", toolId: "t1", choice: "maybe" }],
    ["an unknown response", { type: "permission_resolved", toolId: "t1", response: "yes" }],
    ["no outcome", { type: "tool_execution_done", toolId: "t1" }],
    ["half an outcome", { type: "tool_execution_done", toolId: "t1", outcome: { isError: false } }],
    ["no session id", { type: "stream_done" }],
    ["lines that are no list", { type: "tool_preview_update", toolId: "t1", lines: "a" }],
  ])("%s", (_, value) => {
    expect(turnMachine.parseEvent(value).ok).toBe(false);
  });

  test("a field that nobody knows does no harm", () => {
    expect(turnMachine.parseEvent({ type: "cancel", since: "yesterday" }).ok).toBe(true);
  });
});

test("the machine's first state is the one that is documented", () => {
  expect(turnMachine.initial).toEqual({
    mode: { type: "idle", confirmation: null },
    streamId: 0,
    text: "",
    tools: [],
    turnToolIds: [],
    suggestion: null,
    queue: [],
    queuedTexts: {},
    foreignCalls: [],
    nextTimeoutId: 0,
    sessionId: null,
    archivedStreamId: null,
    continuations: 0,
    config: { capabilities: [], tools: {}, maxContinuations: 200 },
  });
  expect(turnMachine.parseState(turnMachine.initial).ok).toBe(true);
});
