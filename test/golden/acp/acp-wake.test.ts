/** An agent that goes on by itself when something in the background has ended: as Claude Code's bridge tells it. */
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { type AcpPeer, fact, opened, PROMPT } from "./acp-peer.js";

const PONG = { error: { code: -32_601, message: "no" } };
const OVER: Json = {
  sessionUpdate: "usage_update",
  used: 10,
  size: 100,
  _meta: { "_claude/origin": { kind: "task-notification" } },
};

function chunk(text: string): Json {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

/** It has answered, and waits. */
function idle(agent: string | null): AcpPeer {
  const peer = opened(agent, { prompt: PROMPT });
  peer.answers("_signalbox/ping", PONG);
  return peer.answers("session/prompt", { result: { stopReason: "end_turn" } });
}

test("it works from its first word until it says that this is over, each time anew", () => {
  const peer = idle("claude-acp");
  for (const wake of [1, 2]) {
    const stream = { type: "stream", streamId: `run-1-wake-${wake}` } as const;
    expect(peer.updates(chunk("so ")).said).toEqual([
      fact({ type: "api_req_started" }),
      { ...stream, event: "text_delta", payload: { text: "so " }, messageId: expect.any(String) as string },
    ]);
    expect(peer.updates(chunk("it ended")).facts).toEqual([]);
    // How full its context is says nothing by itself.
    expect(peer.updates({ sessionUpdate: "usage_update", used: 9, size: 100 }).facts).toEqual([]);
    expect(peer.updates(OVER).said).toEqual([
      { ...stream, event: "status", payload: { contextTokens: 10, contextTokensMax: 100 } },
      { ...stream, event: "completed", payload: { reason: "end_turn" } },
      fact({ type: "ask:completion_result", askId: `run-1-wake-${wake}:end` }),
    ]);
  }
});

test("a call of a tool is work too; the end of one that began before is not, nor is a subagent's word", () => {
  const call = { toolCallId: "c", title: "ls", kind: "execute", rawInput: { command: "ls" } };
  const began = idle("claude-acp").updates({ sessionUpdate: "tool_call", ...call, status: "pending" });
  expect(began.facts[0]).toEqual({ type: "api_req_started" });
  const ended = { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" };
  expect(idle("claude-acp").updates(ended).facts).not.toContainEqual({ type: "api_req_started" });
  const child = { ...(chunk("x") as object), _meta: { claudeCode: { parentToolUseId: "c" } } };
  expect(idle("claude-acp").updates(child).facts).toEqual([]);
});

test("told to stop, it has stopped when it has heard that", () => {
  const peer = idle("claude-acp").updates(chunk("so "));
  peer.does({ type: "interrupt_run", run: 1 });
  expect(peer.told).toMatchObject([{ method: "session/cancel" }, { method: "_signalbox/ping" }]);
  expect(peer.answers("_signalbox/ping", PONG).facts).toEqual([{ type: "turn_interrupted" }]);
  expect(peer.updates(OVER).facts).toEqual([]);
});

test("what it asks meanwhile ends nothing when it is answered", () => {
  const peer = idle("claude-acp").updates(chunk("so "));
  peer.asks(7, "session/request_permission", {
    toolCall: { toolCallId: "c", title: "touch x", kind: "execute", rawInput: { command: "touch x" } },
    options: [{ optionId: "yes", kind: "allow_once", name: "Yes" }],
  });
  peer.approves("request-7");
  expect(peer.updates(chunk("it ran")).facts).toEqual([]);
  expect(peer.updates(OVER).facts.at(-1)).toEqual({
    type: "ask:completion_result",
    askId: "run-1-wake-1:end",
  });
});

test("of an agent that would not say when that is over, nothing is made of it", () => {
  expect(idle("gemini").updates(chunk("late")).facts).toEqual([]);
  expect(idle(null).updates(chunk("late")).facts).toEqual([]);
});

const START = { sessionId: "s", source: "background_notification", taskId: "bg_1", turnId: "t" };
const END = {
  jsonrpc: "2.0",
  method: "_qwencode/end_turn",
  params: { sessionId: "s", reason: "end_turn", turnId: "t", source: "background_notification" },
};

test("Qwen asks whether it may go on by itself, works, and says that this is over", () => {
  const peer = idle("qwen").asks(4, "_qwencode/start_turn", START);
  expect(peer.told).toEqual([{ jsonrpc: "2.0", id: 4, result: { accepted: true } }]);
  expect(peer.facts).toEqual([{ type: "api_req_started" }]);
  expect(peer.updates(chunk("it ended")).facts).toEqual([]);
  expect(peer.hears(END).said).toEqual([
    { type: "stream", streamId: "run-1-wake-1", event: "completed", payload: { reason: "end_turn" } },
    fact({ type: "ask:completion_result", askId: "run-1-wake-1:end" }),
  ]);
  expect(peer.hears(END).said).toEqual([]);
});

test("while a prompt of a person's is under way, Qwen has to wait", () => {
  const peer = opened("qwen", { prompt: PROMPT });
  peer.answers("_signalbox/ping", PONG).asks(4, "_qwencode/start_turn", START);
  expect(peer.told).toEqual([{ jsonrpc: "2.0", id: 4, result: { accepted: false } }]);
  expect(peer.facts).toEqual([]);
});

test("a goal that Qwen follows by itself is work too", () => {
  const goal = { sessionId: "s", source: "goal" };
  const peer = idle("qwen").hears({ jsonrpc: "2.0", method: "_qwencode/start_turn", params: goal });
  expect(peer.said).toEqual([fact({ type: "api_req_started" })]);
  expect(peer.hears(END).facts).toEqual([{ type: "ask:completion_result", askId: "run-1-wake-1:end" }]);
});
