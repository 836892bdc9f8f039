/** What Claude writes, and what it says about itself. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../core/index.js";
import type { Output } from "../../runtime/harness.js";
import { decodeClaude, startClaude } from "./claude-codec.js";
import { diffOfResult } from "./content.js";

const SETTINGS = { harness: "claude", title: "", cwd: "/proj", model: null, args: [], env: {} };

function started(): (message: object | string, nowMs?: number) => readonly Output[] {
  const prompt = { messageId: "m1", text: "go" };
  let state: Json = startClaude({ run: 1, settings: SETTINGS, resume: null, prompt, continues: false }).state;
  const hear = (message: object | string, nowMs?: number) => {
    const line = typeof message === "string" ? message : JSON.stringify(message);
    const decoded = decodeClaude(state, line, nowMs);
    state = decoded.state;
    return decoded.outputs;
  };
  hear({
    type: "control_response",
    response: { subtype: "success", request_id: "initialize", response: {} },
  });
  hear({ type: "system", subtype: "session_state_changed", state: "running" });
  return hear;
}

const piece = (event: object, parent: string | null = null) => ({
  type: "stream_event",
  event,
  parent_tool_use_id: parent,
});
const begun = (id: string) => piece({ type: "message_start", message: { id } });
const block = (index: number, content: object) =>
  piece({ type: "content_block_start", index, content_block: content });
const delta = (index: number, change: object) => piece({ type: "content_block_delta", index, delta: change });
const whole = (id: string, content: readonly object[], more: object = {}) => ({
  type: "assistant",
  uuid: `uuid-${id}`,
  message: { id, content },
  ...more,
});
const stream = (event: string, payload: object, more: object = {}) => ({
  type: "stream",
  streamId: "run-1-turn-1",
  event,
  payload,
  ...more,
});

describe("a message of the main conversation", () => {
  test("is told piece by piece, and not again as a whole", () => {
    const hear = started();
    expect(hear(begun("m"))).toEqual([{ type: "fact", fact: { type: "api_req_started" } }]);
    expect(hear(block(0, { type: "thinking", thinking: "" }))).toEqual([]);
    expect(hear(delta(0, { type: "thinking_delta", thinking: "hm" }))).toEqual([
      stream("thinking_delta", { text: "hm" }, { messageId: "m:0" }),
    ]);
    expect(hear(delta(0, { type: "signature_delta", signature: "x" }))).toEqual([]);
    expect(hear(block(1, { type: "text", text: "Well" }))).toEqual([
      stream("text_delta", { text: "Well" }, { messageId: "m:1" }),
    ]);
    expect(hear(whole("m", [{ type: "text", text: "Well" }]))).toEqual([]);
    expect(hear(block(2, { type: "tool_use", id: "c1", name: "Bash", input: {} }))).toEqual([
      stream("tool_call_delta", { callId: "c1", name: "Bash" }),
    ]);
    expect(hear(delta(2, { type: "input_json_delta", partial_json: '{"a"' }))).toEqual([
      stream("tool_call_delta", { callId: "c1", argsDelta: '{"a"' }),
    ]);
    expect(hear(whole("m", [{ type: "tool_use", id: "c1", name: "Bash", input: { a: 1 } }]))).toEqual([
      { type: "fact", fact: { type: "tool_started", callId: "c1", toolName: "Bash" } },
    ]);
    expect(hear(piece({ type: "message_stop" }))).toEqual([]);
  });

  test("that breaks off and is asked for again is taken back", () => {
    const hear = started();
    hear(begun("m"));
    hear(block(0, { type: "text", text: "Half a" }));
    hear(block(1, { type: "tool_use", id: "c1", name: "Bash" }));
    const retry = {
      type: "system",
      subtype: "api_retry",
      attempt: 1,
      retry_delay_ms: 1_500,
      error: "overloaded",
    };
    expect(hear({ ...retry, error_status: 529 }, 10_000)).toEqual([
      stream("text_delta", { text: "", replace: true }, { messageId: "m:0" }),
      stream("tool_call_completed", { callId: "c1", canceled: true }),
      stream("status", {
        text: "The model could not be asked (overloaded, 529); attempt 2 in 2 s.",
        attempt: 1,
        delayMs: 1_500,
      }),
      { type: "fact", fact: { type: "retry_scheduled", attempt: 1, atMs: 11_500 } },
    ]);
    // Nobody told the time: then nobody is told when.
    expect(hear(retry).map(({ type }) => type)).toEqual(["stream"]);
    expect(hear(begun("m2"))).toEqual([{ type: "fact", fact: { type: "api_req_started" } }]);
  });
});

test("what an interrupted turn left unfinished stays", () => {
  const hear = started();
  const state = (name: string) => ({ type: "system", subtype: "session_state_changed", state: name });
  hear(begun("m"));
  hear(block(0, { type: "text", text: "Half a" }));
  hear(state("idle"));
  hear(state("running"));
  const retried = hear({ type: "system", subtype: "api_retry", attempt: 1, retry_delay_ms: 0 });
  expect(retried.map((output) => (output.type === "stream" ? output.event : output.type))).toEqual([
    "status",
  ]);
});

describe("a subagent", () => {
  test("has a stream of its own until it has ended", () => {
    const hear = started();
    const more = { parent_tool_use_id: "c1" };
    const place = { streamId: "run-1-agent-1", parentMessageId: "c1" };
    expect(hear(whole("s1", [{ type: "text", text: "I look" }], more))).toEqual([
      stream("text_delta", { text: "I look" }, { ...place, messageId: "uuid-s1:0" }),
    ]);
    expect(hear(whole("s1", [{ type: "tool_use", id: "c2", name: "Read", input: { a: 1 } }], more))).toEqual([
      stream("tool_call_delta", { callId: "c2", name: "Read", argsDelta: '{"a":1}' }, place),
      { type: "fact", fact: { type: "tool_started", callId: "c2", toolName: "Read" } },
    ]);
    const ended = {
      type: "system",
      subtype: "task_notification",
      tool_use_id: "c1",
      status: "stopped",
      summary: "S",
    };
    expect(hear(ended)).toEqual([
      stream("completed", { reason: "interrupted" }, place),
      stream("status", { text: "S" }),
    ]);
    expect(hear(ended)).toEqual([stream("status", { text: "S" })]);
    expect(hear(whole("s2", [{ type: "text", text: "More" }], more))).toEqual([
      stream(
        "text_delta",
        { text: "More" },
        {
          streamId: "run-1-agent-2",
          parentMessageId: "c1",
          messageId: "uuid-s2:0",
        },
      ),
    ]);
  });
});

test("what goes wrong in a subagent is its own", () => {
  const hear = started();
  const failed = { parent_tool_use_id: "c1", error: "model_not_found" };
  expect(hear(whole("s1", [{ type: "text", text: "No model" }], failed))).toEqual([
    stream(
      "text_delta",
      { text: "No model" },
      { streamId: "run-1-agent-1", parentMessageId: "c1", messageId: "uuid-s1:0" },
    ),
  ]);
});

describe("a tool's result", () => {
  const result = (content: Json, more: object = {}) => ({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content, ...more }] },
  });

  test.each([
    ["text", "text"],
    [[{ type: "text", text: "a" }, { type: "image", source: {} }, "b", 7], "a\n[image]\nb\n7"],
    [null, ""],
  ])("%j", (content, output) => {
    expect(started()(result(content))).toEqual([
      stream("tool_call_completed", { callId: "c1", output, isError: false }),
      { type: "fact", fact: { type: "tool_finished", callId: "c1", ok: true } },
    ]);
  });

  test("with the change that it made", () => {
    const patch = {
      filePath: "/a",
      structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }],
    };
    const diff = "--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n-a\n+b";
    const [completed] = started()({ ...result("ok"), tool_use_result: patch });
    expect(completed).toEqual(
      stream("tool_call_completed", { callId: "c1", output: "ok", isError: false, diff }),
    );
    const [failed] = started()({ ...result("no", { is_error: true }), tool_use_result: patch });
    expect(failed).toEqual(stream("tool_call_completed", { callId: "c1", output: "no", isError: true }));
  });

  test("closes an ask about it, whoever answered", () => {
    const hear = started();
    const request = { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "c1" };
    hear({ type: "control_request", request_id: "a1", request });
    expect(hear(result("ok"))[0]).toEqual({ type: "fact", fact: { type: "ask_closed", askId: "a1" } });
    expect(hear(result("ok"))).toHaveLength(2);
  });

  test("of a tool that the provider runs comes with the message", () => {
    const content = [
      { type: "server_tool_use", id: "c1", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "c1", content: [] },
    ];
    expect(started()(whole("m", content))).toEqual([
      stream("tool_call_delta", { callId: "c1", name: "web_search", argsDelta: "{}" }),
      { type: "fact", fact: { type: "tool_started", callId: "c1", toolName: "web_search" } },
      stream("tool_call_completed", { callId: "c1", output: "", isError: false }),
      { type: "fact", fact: { type: "tool_finished", callId: "c1", ok: true } },
    ]);
  });
});

describe("what it says about itself", () => {
  test.each([
    [{ subtype: "status", status: "compacting" }, "Compacts the conversation."],
    [{ subtype: "status", status: null, compact_error: "no" }, "no"],
    [{ subtype: "compact_boundary" }, "The conversation was compacted."],
    [{ subtype: "permission_denied", message: "denied" }, "denied"],
    [{ subtype: "informational", content: "careful" }, "careful"],
    [{ subtype: "notification", text: "note" }, "note"],
  ])("%j is a status", (message, text) => {
    expect(started()({ type: "system", ...message })).toEqual([stream("status", { text })]);
  });

  test("the output of a command of its own is text", () => {
    const message = { type: "system", subtype: "local_command_output", content: "out", uuid: "u" };
    expect(started()(message)).toEqual([stream("text_delta", { text: "out" }, { messageId: "u" })]);
  });

  test.each([
    { type: "system", subtype: "thinking_tokens" },
    { type: "system", subtype: "task_started" },
    { type: "system", subtype: "status", status: null },
    { type: "keep_alive" },
    { type: "tool_progress" },
    { type: "user", message: { content: "text" } },
    { type: "user", message: { content: [{ type: "text", text: "[Request interrupted by user]" }] } },
    { type: "control_response", response: { subtype: "success", request_id: "other" } },
    { type: "rate_limit_event", rate_limit_info: { status: "allowed" } },
    { type: "rate_limit_event", rate_limit_info: { status: "rejected", isUsingOverage: true } },
  ])("%j is nothing", (message) => {
    expect(started()(message)).toEqual([]);
  });

  test("a limit of the plan", () => {
    const info = { status: "rejected", resetsAt: 1_800 };
    expect(started()({ type: "rate_limit_event", rate_limit_info: info })).toEqual([
      stream("status", { text: "The limit of the plan is reached.", resetsAtMs: 1_800_000 }),
      { type: "fact", fact: { type: "retry_scheduled", attempt: 0, atMs: 1_800_000 } },
    ]);
  });
});

describe("what is not known", () => {
  test.each([
    ["not json", "line"],
    ["[1]", "line"],
    ["null", "line"],
    [`{"type":"system","x":${"[".repeat(3_000)}${"]".repeat(3_000)}}`, "line"],
    ['{"type":"new_thing"}', "new_thing"],
    ['{"type":"system","subtype":"newer"}', "system/newer"],
    ['{"type":"system","subtype":"session_state_changed","state":"asleep"}', "system/session_state_changed"],
    ['{"type":"stream_event","event":{"type":"newer"}}', "stream_event"],
    ['{"type":"Not A Name"}', "message"],
    ["{}", "message"],
    ['{"type":"control_request"}', "control_request"],
  ])("%s is kept and counted", (line, kind) => {
    expect(started()(line)).toEqual([
      { type: "unknown", kind },
      stream("metadata", { unknown: line.slice(0, 10_000) }),
    ]);
  });

  test("an unknown request is answered, so that Claude does not wait for ever", () => {
    const line = '{"type":"control_request","request_id":"r1","request":{"subtype":"mcp_message"}}';
    const error = { subtype: "error", request_id: "r1", error: "Signalbox has no answer to mcp_message" };
    expect(started()(line)).toEqual([
      { type: "write", data: `${JSON.stringify({ type: "control_response", response: error })}\n` },
      { type: "unknown", kind: "control_request/mcp_message" },
      stream("metadata", { unknown: line }),
    ]);
  });

  test("a dialog that nobody can see is cancelled", () => {
    const request = { subtype: "request_user_dialog", dialog_kind: "x", payload: {} };
    const cancelled = { subtype: "success", request_id: "r1", response: { behavior: "cancelled" } };
    expect(started()({ type: "control_request", request_id: "r1", request })).toEqual([
      { type: "write", data: `${JSON.stringify({ type: "control_response", response: cancelled })}\n` },
    ]);
  });

  test("an empty line is nothing", () => {
    expect(started()("  ")).toEqual([]);
  });
});

test("the diff of a changed file", () => {
  const hunk = {
    oldStart: 1,
    oldLines: 2,
    newStart: 1,
    newLines: 2,
    lines: ["-hello", "+goodbye", " world"],
  };
  expect(diffOfResult({ filePath: "/a.txt", structuredPatch: [hunk, hunk] })).toBe(
    "--- /a.txt\n+++ /a.txt\n@@ -1,2 +1,2 @@\n-hello\n+goodbye\n world\n@@ -1,2 +1,2 @@\n-hello\n+goodbye\n world",
  );
});

test("the diff of a new file", () => {
  const created = { type: "create", filePath: "/a.txt", content: "one\ntwo\n", structuredPatch: [] };
  expect(diffOfResult(created)).toBe("--- /dev/null\n+++ /a.txt\n@@ -0,0 +1,2 @@\n+one\n+two");
});

test("no diff without a change", () => {
  expect(diffOfResult({ stdout: "" })).toBeNull();
  expect(diffOfResult({ filePath: "/a.txt", structuredPatch: [] })).toBeNull();
  expect(diffOfResult({ filePath: "/a.txt", structuredPatch: [{ lines: [1] }] })).toBe(
    "--- /a.txt\n+++ /a.txt\n@@ -0,0 +0,0 @@",
  );
});
