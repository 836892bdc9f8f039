/** What an agent writes and does in a turn, and how the turn ends. */
import { describe, expect, test } from "vitest";
import type { Json, SessionFact } from "../../../src/core/index.js";
import type { Output } from "../../../src/runtime/harness.js";
import { type AcpPeer, fact, NOW_MS, opened, working } from "./acp-peer.js";

const STREAM = { type: "stream", streamId: "run-1-turn-1" } as const;

function chunk(text: string, more: object = {}): Json {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...more };
}

function call(more: object): Json {
  return { sessionUpdate: "tool_call_update", toolCallId: "c1", ...more };
}

function end(peer: AcpPeer, result: Json): AcpPeer {
  return peer.answers("session/prompt", { result });
}

function ids(...updates: readonly Json[]): readonly (string | undefined)[] {
  const peer = working();
  return updates.flatMap((update) => {
    const [output] = peer.updates(update).outputs;
    return output?.type === "stream" && output.event.endsWith("_delta") ? [output.messageId] : [];
  });
}

describe("what it writes", () => {
  test("text and thoughts", () => {
    expect(working().updates(chunk("hi")).outputs).toEqual([
      { ...STREAM, event: "text_delta", payload: { text: "hi" }, messageId: "run-1-message-1" },
    ]);
    const thought = { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } };
    expect(working().updates(thought).outputs).toEqual([
      { ...STREAM, event: "thinking_delta", payload: { text: "hm" }, messageId: "run-1-message-1" },
    ]);
  });

  test("a message goes on until a call comes between, or another message of its own", () => {
    const started = call({ title: "bash", status: "pending" });
    expect(ids(chunk("a"), chunk("b"), started, chunk("c"))).toEqual([
      "run-1-message-1",
      "run-1-message-1",
      undefined,
      "run-1-message-2",
    ]);
    const [one, two] = [{ messageId: "x" }, { messageId: "y" }];
    expect(ids(chunk("a", one), chunk("b", one), chunk("c", two))).toEqual([
      "run-1-message-1",
      "run-1-message-1",
      "run-1-message-2",
    ]);
  });

  test("what a subagent writes is a message of its own", () => {
    const peer = working().updates(chunk("a", { _meta: { parentToolCallId: "c9" } }));
    expect(peer.outputs).toEqual([
      {
        ...STREAM,
        event: "text_delta",
        payload: { text: "a" },
        messageId: "run-1-turn-1-call-c9",
        parentMessageId: "c9",
      },
    ]);
  });

  test.each([
    [{ type: "image", data: "…", mimeType: "image/png" }, "[image]"],
    [{ type: "resource_link", uri: "file:///a", name: "a" }, "file:///a"],
    [{ type: "resource", resource: { uri: "file:///a", text: "words" } }, "words"],
  ])("what is no text is named: %j", (content, text) => {
    const peer = working().updates({ sessionUpdate: "agent_message_chunk", content });
    expect(peer.outputs).toMatchObject([{ payload: { text } }]);
  });

  test("between two turns it belongs to neither", () => {
    const peer = end(working(), { stopReason: "end_turn" }).updates(chunk("late"));
    expect(peer.outputs).toMatchObject([{ streamId: "run-1-after-1" }]);
  });

  test.each([
    [{ sessionUpdate: "plan", entries: [{ content: "x" }] }, "metadata", { plan: [{ content: "x" }] }],
    [{ sessionUpdate: "current_mode_update", currentModeId: "plan" }, "status", { mode: "plan" }],
    [
      { sessionUpdate: "available_commands_update", availableCommands: [{ name: "init" }] },
      "metadata",
      { commands: ["init"] },
    ],
    [
      {
        sessionUpdate: "config_option_update",
        configOptions: [
          { id: "model", name: "Model", currentValue: "m", options: [] },
          { id: "fast", currentValue: true },
        ],
      },
      "metadata",
      {
        options: [
          { id: "model", value: "m" },
          { id: "fast", value: true },
        ],
      },
    ],
    [{ sessionUpdate: "session_info_update", title: "T" }, "metadata", { title: "T" }],
    [
      { sessionUpdate: "usage_update", used: 5, size: 9 },
      "status",
      { contextTokens: 5, contextTokensMax: 9 },
    ],
  ])("it tells of itself: %j", (update, event, payload) => {
    expect(working().updates(update).outputs).toEqual([{ ...STREAM, event, payload }]);
  });

  test("what repeats us, and what belongs to another conversation, is no content", () => {
    const echo = { sessionUpdate: "user_message_chunk", content: { type: "text", text: "go" } };
    expect(working().updates(echo).outputs).toEqual([]);
    const params = { sessionId: "another", update: chunk("x") };
    const other = working().hears({ jsonrpc: "2.0", method: "session/update", params });
    const payload = { otherSession: "another", update: "agent_message_chunk" };
    expect(other.outputs).toEqual([{ ...STREAM, event: "metadata", payload }]);
  });
});

describe("a call", () => {
  const delta = (payload: Readonly<Record<string, Json>>): Output => ({
    ...STREAM,
    event: "tool_call_delta",
    payload: { callId: "c1", ...payload },
  });
  const completed = (payload: Readonly<Record<string, Json>>): Output => ({
    ...STREAM,
    event: "tool_call_completed",
    payload: { callId: "c1", ...payload },
  });
  const content = [{ type: "content", content: { type: "text", text: "one\n" } }];

  test("begins at its first sight, and tells only what is new", () => {
    const peer = working().updates(call({ sessionUpdate: "tool_call", title: "bash", rawInput: {} }));
    expect(peer.outputs).toEqual([
      delta({ name: "bash" }),
      fact({ type: "tool_started", callId: "c1", toolName: "bash" }),
    ]);
    const running = call({ status: "in_progress", title: "ls", rawInput: { command: "ls" }, content });
    expect(peer.updates(running).outputs).toEqual([
      delta({ name: "bash", argsDelta: '{"command":"ls"}', replace: true }),
      delta({ outputDelta: "one\n", replace: true }),
    ]);
    expect(peer.updates(running).outputs).toEqual([]);
    expect(peer.updates(call({ status: "completed", content })).outputs).toEqual([
      completed({ output: "one\n", isError: false }),
      fact({ type: "tool_finished", callId: "c1", ok: true }),
    ]);
    expect(peer.updates(call({ status: "completed", content })).outputs).toEqual([]);
  });

  test("that is only seen to end has begun too", () => {
    const failed = call({ status: "failed", title: "x y", kind: "fetch", rawOutput: { error: "no" } });
    expect(working().updates(failed).outputs).toEqual([
      delta({ name: "fetch" }),
      fact({ type: "tool_started", callId: "c1", toolName: "fetch" }),
      completed({ output: "no", isError: true }),
      fact({ type: "tool_finished", callId: "c1", ok: false }),
    ]);
  });

  test("tells its name later, and its output in pieces", () => {
    const peer = working().updates(call({ title: "run the tests", kind: "execute" }));
    const terminal = { terminal_output_delta: { data: "a" } };
    expect(peer.updates(call({ name: "exec_command", _meta: terminal })).outputs).toEqual([
      delta({ name: "exec_command", replace: true }),
      delta({ outputDelta: "a" }),
    ]);
    expect(peer.updates(call({ status: "completed", _meta: terminal })).outputs).toEqual([
      delta({ outputDelta: "a" }),
      completed({ isError: false }),
      fact({ type: "tool_finished", callId: "c1", ok: true }),
    ]);
  });

  test("shows at its end what it changed, even if it was told before", () => {
    const diff = { type: "diff", path: "/a", oldText: null, newText: "x\n" };
    const peer = working().updates(call({ title: "write", content: [diff] }));
    expect(peer.updates(call({ status: "completed", rawOutput: "ok" })).outputs[0]).toEqual(
      completed({ output: "ok", isError: false, diff: "--- /dev/null\n+++ /a\n@@ -0,0 +1,1 @@\n+x\n" }),
    );
  });

  test("that is not over when the turn is, was cancelled", () => {
    const peer = working().updates(call({ title: "bash" }));
    expect(end(peer, { stopReason: "cancelled" }).outputs).toEqual([
      completed({ isError: true, canceled: true }),
      fact({ type: "tool_finished", callId: "c1", ok: false }),
      { ...STREAM, event: "completed", payload: { reason: "cancelled" } },
      fact({ type: "turn_interrupted" }),
    ]);
  });
});

describe("the end of a turn", () => {
  const END = "run-1-turn-1:end";

  test.each<readonly [string, SessionFact]>([
    ["end_turn", { type: "ask:completion_result", askId: END }],
    ["something_new", { type: "ask:completion_result", askId: END }],
    [
      "max_tokens",
      {
        type: "ask:completion_result",
        askId: END,
        text: "The answer reached the model's limit of tokens.",
        ending: "max_tokens",
      },
    ],
    [
      "max_turn_requests",
      {
        type: "ask:completion_result",
        askId: END,
        text: "The agent reached its limit of requests for one turn.",
      },
    ],
    [
      "refusal",
      {
        type: "ask:completion_result",
        askId: END,
        text: "The model refused to answer.",
        ending: "refusal",
      },
    ],
    ["cancelled", { type: "turn_interrupted" }],
  ])("%s", (stopReason, ended) => {
    expect(end(working(), { stopReason }).facts).toEqual([ended]);
  });

  test.each<readonly [Json, SessionFact]>([
    [
      { code: 400, message: '{"error":{"code":400,"message":"bad request"}}' },
      { type: "ask:api_req_failed", askId: END, text: "400 bad request" },
    ],
    [
      { code: -32_603, message: "Internal error", data: { details: "429 slow down" } },
      { type: "ask:api_req_failed", askId: END, text: "429 slow down" },
    ],
    [
      { code: -32_603, message: "Internal error: model not found: x" },
      { type: "ask:invalid_model", askId: END, text: "model not found: x" },
    ],
    [
      { code: 402, message: "no money" },
      { type: "ask:payment_required_prompt", askId: END, text: "no money" },
    ],
    [
      { code: -32_000, message: "Authentication required" },
      {
        type: "process_error",
        code: "login_required",
        error: "Authentication required. Log in with: its own login",
      },
    ],
  ])("an error: %j", (error, ended) => {
    expect(working().answers("session/prompt", { error }).facts).toEqual([ended]);
  });

  test("an error of a turn that we cancelled is its interruption", () => {
    const peer = working();
    peer.does({ type: "interrupt_run", run: 1 });
    peer.answers("session/prompt", { error: { code: -32_603, message: "aborted" } });
    expect(peer.facts).toEqual([{ type: "turn_interrupted" }]);
  });

  test("an end of which nothing came, and for which nothing was used, is a failure (OpenCode 1.17)", () => {
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const nothing = end(working(), { stopReason: "end_turn", usage });
    expect(nothing.facts).toMatchObject([{ type: "ask:api_req_failed", askId: END }]);
    const completed = [{ type: "ask:completion_result", askId: END }];
    expect(end(working().updates(chunk("hi")), { stopReason: "end_turn", usage }).facts).toEqual(completed);
    const used = { ...usage, outputTokens: 1, totalTokens: 1 };
    expect(end(working(), { stopReason: "end_turn", usage: used }).facts).toEqual(completed);
  });

  test("a failure that Copilot writes as if it were an answer", () => {
    const failed = working("copilot").updates(chunk("Error: 400 bad request"));
    expect(end(failed, { stopReason: "end_turn" }).facts).toEqual([
      { type: "ask:api_req_failed", askId: END, text: "400 bad request" },
    ]);
    const answered = working("copilot").updates(chunk("Error: 400 bad request")).updates(chunk(" means …"));
    expect(end(answered, { stopReason: "end_turn" }).facts).toEqual([
      { type: "ask:completion_result", askId: END },
    ]);
    const other = working().updates(chunk("Error: 400 bad request"));
    expect(end(other, { stopReason: "end_turn" }).facts).toEqual([
      { type: "ask:completion_result", askId: END },
    ]);
  });

  test("a failure of Codex, and that it tries again", () => {
    const news = (codex: Json) => ({ sessionUpdate: "session_info_update", _meta: { codex } });
    const peer = opened("codex-acp", { prompt: { messageId: "m1", text: "go" } });
    peer.answers("session/set_mode", { result: {} });
    expect(peer.updates(news({ error: { message: "Reconnecting... 2/5", willRetry: true } })).facts).toEqual([
      { type: "retry_scheduled", attempt: 2, atMs: NOW_MS },
    ]);
    peer.updates(news({ threadStatus: { type: "systemError" } }));
    peer.updates(chunk('{"error":{"message":"bad request"}}'));
    expect(end(peer, { stopReason: "end_turn" }).facts).toEqual([
      { type: "ask:api_req_failed", askId: END, text: "bad request" },
    ]);
  });

  test("Copilot tries again", () => {
    const peer = working("copilot").updates(
      chunk("Info: Request failed due to a transient API error. Retrying..."),
    );
    expect(peer.facts).toEqual([{ type: "retry_scheduled", attempt: 1, atMs: NOW_MS }]);
  });
});

describe("usage", () => {
  const usage = (peer: AcpPeer) =>
    peer.outputs.flatMap((output) => (output.type === "usage" ? [output.usage] : []));
  const NONE = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: null };

  test("of a turn", () => {
    const told = { inputTokens: 5, outputTokens: 2, cachedReadTokens: 3 };
    expect(usage(end(working(), { stopReason: "end_turn", usage: told }))).toEqual([
      { inputTokens: 5, outputTokens: 2, cachedTokens: 3, costUsd: null },
    ]);
    const _meta = { quota: { token_count: { input_tokens: 5, output_tokens: 2 } } };
    expect(usage(end(working("gemini"), { stopReason: "end_turn", _meta }))).toEqual([
      { inputTokens: 5, outputTokens: 2, cachedTokens: 0, costUsd: null },
    ]);
    expect(usage(end(working(), { stopReason: "end_turn", usage: null }))).toEqual([]);
  });

  test.each([
    ["beside it", { inputTokens: 5, cachedReadTokens: 3, cachedWriteTokens: 1, totalTokens: 11 }, 9],
    ["among it", { inputTokens: 9, cachedReadTokens: 3, cachedWriteTokens: 1, totalTokens: 11 }, 9],
    ["beside it, without a total", { inputTokens: 2, cachedReadTokens: 3 }, 5],
  ])("of input from a cache that is counted %s", (_name, told, inputTokens) => {
    const result = { stopReason: "end_turn", usage: { ...told, outputTokens: 2 } };
    expect(usage(end(working(), result))).toEqual([
      { inputTokens, outputTokens: 2, cachedTokens: 3, costUsd: null },
    ]);
  });

  test("of a request", () => {
    const _meta = { usage: { inputTokens: 5, outputTokens: 2 } };
    expect(usage(working("qwen").updates(chunk("", { _meta })))).toEqual([
      { inputTokens: 5, outputTokens: 2, cachedTokens: 0, costUsd: null },
    ]);
  });

  test("of all turns so far is counted once", () => {
    const peer = working("copilot");
    const turn = (inputTokens: number) => {
      const result = { stopReason: "end_turn", usage: { inputTokens, outputTokens: 1 } };
      const told = usage(end(peer, result));
      peer.does({ type: "deliver_message", run: 1, messageId: "m" }, "more");
      return told.map((one) => one.inputTokens);
    };
    expect([turn(10), turn(15), turn(15), turn(0), turn(20)]).toEqual([[10], [5], [], [], [5]]);
  });

  test("cost is a total, of the run or of the whole conversation", () => {
    const cost = (amount: number) => ({
      sessionUpdate: "usage_update",
      used: 1,
      size: 2,
      cost: { amount, currency: "USD" },
    });
    const costs = (peer: AcpPeer, ...amounts: readonly number[]) =>
      amounts.flatMap((amount) => usage(peer.updates(cost(amount))).map((one) => one.costUsd));
    expect(costs(working("claude-acp"), 0.5, 0.75, 0.75)).toEqual([0.5, 0.25]);
    expect(usage(working("claude-acp").updates(cost(0.5)))).toEqual([{ ...NONE, costUsd: 0.5 }]);
    const resumed = { resume: "s1", continues: true };
    expect(costs(opened("claude-acp", resumed), 0.5)).toEqual([0.5]);
    expect(costs(opened("opencode", resumed), 5, 5.5)).toEqual([0.5]);
  });
});

test.each([
  ["no JSON", "line"],
  ["[]", "line"],
  ['{"jsonrpc":"2.0","id":99,"result":{}}', "response"],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}', "response"],
  ['{"jsonrpc":"2.0","method":"_auth/status_update","params":{}}', "notification"],
  ['{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"hologram"}}}', "update"],
  ['{"jsonrpc":"2.0","method":"session/update","params":null}', "update"],
])("what is unknown is kept and counted: %s", (line, kind) => {
  const peer = working();
  const before = peer.json;
  expect(peer.hears(line).outputs).toMatchObject([
    { type: "unknown", kind },
    { ...STREAM, event: "metadata", payload: { kind } },
  ]);
  expect(peer.json).toEqual(before);
});

test("to go on is a short prompt", () => {
  const peer = end(working(), { stopReason: "cancelled" });
  const texts = (["resume", "retry"] as const).map((why) => {
    peer.does({ type: "continue_run", run: 1, why });
    return JSON.stringify(peer.told[0]);
  });
  expect(texts[0]).toContain("Continue where you left off.");
  expect(texts[1]).toContain("The last attempt failed.");
});

test("an agent that forgets a prompt that failed is told it again, unless something had come of it", () => {
  const failed = { error: { code: 400, message: "no" } };
  const again = (peer: AcpPeer) => {
    peer.answers("session/prompt", failed).does({ type: "continue_run", run: 1, why: "retry" });
    return JSON.stringify(peer.told[0]);
  };
  const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I will" } };
  expect(again(working("gemini"))).toContain('"text":"go"');
  expect(again(working("gemini").updates(chunk))).toContain("The last attempt failed.");
  expect(again(working("qwen"))).toContain("The last attempt failed.");
});
