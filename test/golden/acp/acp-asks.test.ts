/** What waits for a person, or for the rules, and what the agent is told then. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import type { Output } from "../../../src/runtime/harness.js";
import { fact, working, type AcpPeer } from "./acp-peer.js";

const OPTIONS = [
  { optionId: "A", name: "Always", kind: "allow_always" },
  { optionId: "N", name: "Never", kind: "reject_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
];

const COMMAND = {
  toolCallId: "c1",
  title: "Remove everything",
  kind: "execute",
  rawInput: { command: "rm -rf build" },
};

function asking(agent: string | null, toolCall: Json = COMMAND, options: Json = OPTIONS): AcpPeer {
  return working(agent).asks(7, "session/request_permission", { toolCall, options });
}

function detail(peer: AcpPeer): Extract<Output, { readonly type: "ask_detail" }> | undefined {
  return peer.outputs.find((output) => output.type === "ask_detail");
}

describe("a request for permission", () => {
  test("says first what exactly would be done", () => {
    const stream = { type: "stream", streamId: "run-1-turn-1" } as const;
    const title = "rm -rf build";
    const detail = "rm -rf build\nDescribed as: Remove everything";
    expect(asking(null).outputs).toEqual([
      {
        ...stream,
        event: "tool_call_delta",
        payload: { callId: "c1", name: "shell", argsDelta: '{"command":"rm -rf build"}' },
      },
      fact({ type: "tool_started", callId: "c1", toolName: "shell" }),
      {
        type: "ask_detail",
        askId: "request-7",
        title,
        detail,
        tool: { name: "shell", kind: "execute", input: { command: "rm -rf build" } },
      },
      {
        ...stream,
        event: "ask",
        payload: { askId: "request-7", ask: "command", title, detail },
      },
      fact({ type: "ask:command", askId: "request-7" }),
    ]);
  });

  const outcome = (chosen: Json) => [{ jsonrpc: "2.0", id: 7, result: { outcome: chosen } }];

  test.each([
    ["approve", OPTIONS, { outcome: "selected", optionId: "yes" }],
    ["approve", OPTIONS.slice(0, 2), { outcome: "selected", optionId: "A" }],
    ["approve", [], { outcome: "cancelled" }],
    ["reject", OPTIONS, { outcome: "selected", optionId: "no" }],
    ["reject", OPTIONS.slice(0, 2), { outcome: "selected", optionId: "N" }],
    ["reject", OPTIONS.slice(0, 1), { outcome: "cancelled" }],
  ] as const)("%s is said by the kind of the option", (decision, options, chosen) => {
    const peer = asking(null, COMMAND, options);
    peer.does({ type: "answer_ask", run: 1, askId: "request-7", decision, by: "user" });
    expect(peer.told).toEqual(outcome(chosen));
    // A second answer has nobody to hear it.
    expect(peer.approves("request-7").writes).toEqual([]);
  });

  test("that is voided, or interrupted, is answered as the protocol demands", () => {
    const voided = asking(null);
    voided.does({ type: "void_asks", askIds: ["request-7"], reason: "x" });
    expect(voided.told).toEqual(outcome({ outcome: "cancelled" }));
    const interrupted = asking(null);
    interrupted.does({ type: "interrupt_run", run: 1 });
    expect(interrupted.told).toEqual([
      { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s1" } },
      ...outcome({ outcome: "cancelled" }),
    ]);
  });

  test("that the agent takes back is closed", () => {
    const peer = asking(null).hears({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 7 } });
    expect(peer.said).toEqual([fact({ type: "ask_closed", askId: "request-7" })]);
    expect(peer.told).toEqual([
      { jsonrpc: "2.0", id: 7, error: { code: -32_800, message: "The request was cancelled." } },
    ]);
  });

  test("shows what would change in a file", () => {
    const content = [{ type: "diff", path: "/proj/a", oldText: "1\n2\n", newText: "1\n3\n" }];
    const toolCall = { toolCallId: "c", title: "Edit a", kind: "edit", content, rawInput: { secret: 1 } };
    expect(detail(asking(null, toolCall))).toMatchObject({
      detail: "--- /proj/a\n+++ /proj/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n",
      tool: { name: "edit", kind: "edit", input: { secret: 1 }, paths: ["/proj/a"] },
    });
  });

  test.each([
    ["mcp__github__get_issue", { name: "mcp__github__get_issue" }],
    ["mcp__github__get_issue", { rawInput: { server: "github", tool: "get_issue", arguments: {} } }],
    ["mcp_github_get_issue", { toolCallId: "mcp_github_get_issue__mcp_github_get_issue_17_0" }],
  ])("of a tool of an MCP server: %s", (name, more) => {
    const peer = asking(null, { toolCallId: "c", title: "get issue", kind: "other", ...more });
    expect(peer.facts.at(-1)).toEqual({ type: "ask:use_mcp_server", askId: "request-7" });
    expect(detail(peer)?.tool).toMatchObject({ name });
  });

  test("of an agent that gives no input: only where its title is known to be the command", () => {
    const toolCall = { toolCallId: "c", title: "git status", kind: "execute" };
    expect(detail(asking("gemini", toolCall))?.tool).toMatchObject({ input: { command: "git status" } });
    expect(detail(asking(null, toolCall))?.tool).toMatchObject({ input: null });
  });

  test("without an id of its call, or without anything, is still asked about", () => {
    expect(asking(null, {}, []).facts).toEqual([{ type: "ask:tool", askId: "request-7" }]);
  });

  test("after a turn is answered, and leaves the session as idle as it was", () => {
    const peer = working().answers("session/prompt", { result: { stopReason: "end_turn" } });
    peer.asks(7, "session/request_permission", { toolCall: COMMAND, options: OPTIONS });
    peer.approves("request-7");
    peer.updates({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
    expect(peer.facts).toEqual([
      { type: "tool_finished", callId: "c1", ok: true },
      { type: "ask:completion_result", askId: "request-7:end" },
    ]);
    peer.updates({ sessionUpdate: "tool_call_update", toolCallId: "c2", status: "completed" });
    expect(peer.facts.map(({ type }) => type)).toEqual(["tool_started", "tool_finished"]);
  });

  test("too many at once are refused", () => {
    const peer = working();
    for (let id = 0; id < 128; id += 1)
      peer.asks(id, "session/request_permission", { toolCall: COMMAND, options: OPTIONS });
    peer.asks("one more", "session/request_permission", { toolCall: COMMAND, options: OPTIONS });
    expect(peer.told).toEqual([
      {
        jsonrpc: "2.0",
        id: "one more",
        error: { code: -32_603, message: "Too many requests are waiting for an answer." },
      },
    ]);
  });
});

describe("what a person says while rejecting", () => {
  const promptOf = (peer: AcpPeer) => {
    const [first] = peer.told as readonly {
      readonly method: string;
      readonly params: { readonly prompt: Json };
    }[];
    return first?.method === "session/prompt" ? first.params.prompt : null;
  };

  test("is the next prompt, and the session is never idle between", () => {
    const peer = asking(null);
    peer.rejects("request-7", "use make clean");
    expect(peer.told).toEqual([
      { jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "selected", optionId: "no" } } },
      { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s1" } },
    ]);
    peer.answers("session/prompt", { result: { stopReason: "cancelled" } });
    expect(promptOf(peer)).toEqual([{ type: "text", text: "use make clean" }]);
    expect(peer.facts).toEqual([{ type: "tool_finished", callId: "c1", ok: false }]);
    expect(peer.answers("session/prompt", { result: { stopReason: "end_turn" } }).facts).toEqual([
      { type: "ask:completion_result", askId: "run-1-turn-2:end" },
    ]);
  });

  test("also when the agent takes the cancelling for an error of its own", () => {
    const peer = asking(null);
    peer.rejects("request-7", "use make clean");
    peer.answers("session/prompt", { error: { code: -32_603, message: "Request was aborted." } });
    expect(promptOf(peer)).toEqual([{ type: "text", text: "use make clean" }]);
  });

  test("waits while something else is asked", () => {
    const peer = asking(null);
    peer.asks(8, "session/request_permission", {
      toolCall: { ...COMMAND, toolCallId: "c2" },
      options: OPTIONS,
    });
    expect(peer.rejects("request-7", "one").writes).toHaveLength(1);
    expect(peer.rejects("request-8", "two").writes).toHaveLength(2);
    peer.answers("session/prompt", { result: { stopReason: "end_turn" } });
    expect(promptOf(peer)).toEqual([{ type: "text", text: "one\n\ntwo" }]);
  });

  test("is kept for the next prompt when the turn is interrupted or fails", () => {
    const interrupted = asking(null);
    interrupted.rejects("request-7", "one");
    interrupted.does({ type: "interrupt_run", run: 1 });
    interrupted.answers("session/prompt", { result: { stopReason: "cancelled" } });
    expect(interrupted.facts.at(-1)).toEqual({ type: "turn_interrupted" });
    interrupted.does({ type: "deliver_message", run: 1, messageId: "m" }, "two");
    expect(promptOf(interrupted)).toEqual([{ type: "text", text: "one\n\ntwo" }]);
  });

  test("is refused, not lost, when there is too much of it", () => {
    const peer = working();
    for (let id = 0; id < 18; id += 1)
      peer.asks(id, "session/request_permission", { toolCall: COMMAND, options: OPTIONS });
    const failures = Array.from({ length: 17 }, (_, id) => peer.rejects(`request-${id}`, "no").failure);
    expect(failures.filter((failure) => failure !== undefined)).toEqual([
      "Too many messages wait for the end of the turn.",
    ]);
  });
});

describe("an agent that asks about everything because we make it", () => {
  const read = (path: string) => ({ toolCallId: "c", title: "read", kind: "read", locations: [{ path }] });
  const tool = { name: "read", kind: "read", input: null, paths: ["/proj/a"] };

  test("the rules are asked first about what it would do unasked", () => {
    const peer = asking("opencode", read("/proj/a"));
    expect(peer.outputs.at(-1)).toEqual({
      type: "query",
      queryId: "request-7:rules",
      query: { type: "permission", tool },
    });
    expect(peer.facts).toEqual([{ type: "tool_started", callId: "c", toolName: "read" }]);
  });

  test.each([
    ["allow", "yes"],
    ["none", "yes"],
    ["deny", "no"],
  ] as const)("%s is an answer", (verdict, optionId) => {
    const peer = asking("opencode", read("/proj/a")).isDecided("request-7:rules", verdict);
    expect(peer.said).toEqual([]);
    expect(peer.told).toEqual([
      { jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "selected", optionId } } },
    ]);
  });

  test("a person is asked where a rule says so, and where the rules cannot be asked", () => {
    const asked = asking("opencode", read("/proj/a")).isDecided("request-7:rules", "ask");
    expect(asked.facts).toEqual([{ type: "ask:tool", askId: "request-7" }]);
    asked.approves("request-7");
    expect(asked.told).toHaveLength(1);
    const failed = asking("opencode", read("/proj/a"));
    failed.isAnswered("request-7:rules", { type: "failed", message: "?" });
    expect(failed.facts).toEqual([{ type: "ask:tool", askId: "request-7" }]);
  });

  test.each([
    ["/proj/.env", true],
    ["/proj/.env.local", true],
    ["/proj/.env.example", false],
    ["/proj/process.env.md", false],
  ])("secrets are for a person: %s", (path, isAsked) => {
    const asks = asking("opencode", read(path)).facts.filter(({ type }) => type === "ask:tool");
    expect(asks).toHaveLength(isAsked ? 1 : 0);
  });

  test("commands and changes are asked about as ever", () => {
    expect(asking("opencode").facts.at(-1)).toEqual({ type: "ask:command", askId: "request-7" });
  });
});

describe("a question", () => {
  const properties = {
    question_0: {
      type: "string",
      title: "Colour",
      oneOf: [
        { const: "Red", title: "Red — warm" },
        { const: "Blue", title: "Blue — cold" },
      ],
    },
    question_0_custom: { type: "string", title: "Other" },
  };
  const ask = (requestedSchema: Json) =>
    working().asks(9, "elicitation/create", { mode: "form", message: "Which colour?", requestedSchema });
  const reply = (peer: AcpPeer, text: string) => {
    peer.does(
      { type: "answer_ask", run: 1, askId: "request-9", decision: "reply", by: "user", messageId: "m" },
      text,
    );
    const [told] = peer.told as readonly { readonly result: Json }[];
    return told?.result;
  };

  test("is shown with its choices", () => {
    const peer = ask({ type: "object", properties });
    expect(peer.facts).toEqual([{ type: "ask:followup", askId: "request-9" }]);
    expect(detail(peer)).toMatchObject({
      title: "Which colour?",
      detail: "Which colour?\nColour:\n  1. Red — warm\n  2. Blue — cold",
    });
  });

  test.each([
    ["Blue", { question_0: "Blue" }],
    ["blue", { question_0: "Blue" }],
    ["2", { question_0: "Blue" }],
    ["red — warm", { question_0: "Red" }],
    ["something else", { question_0_custom: "something else" }],
  ])("is answered in words: %s", (text, content) => {
    expect(reply(ask({ type: "object", properties }), text)).toEqual({ action: "accept", content });
  });

  test("with several fields takes a line for each", () => {
    const several = {
      name: { type: "string", title: "Name" },
      age: { type: "integer" },
      sure: { type: "boolean" },
      tags: {
        type: "array",
        items: {
          anyOf: [
            { const: "x", title: "The X" },
            { const: "y", title: "Y" },
          ],
        },
      },
    };
    expect(reply(ask({ properties: several }), "Ada\n36\nyes\nthe x, y, z")).toEqual({
      action: "accept",
      content: { name: "Ada", age: 36, sure: true, tags: ["x", "y", "z"] },
    });
    expect(reply(ask({ properties: several }), "age: 36\nname: Ada")).toEqual({
      action: "accept",
      content: { age: 36, name: "Ada" },
    });
  });

  test("with nothing to fill in is a matter of yes or no", () => {
    const peer = ask({ type: "object", properties: {} });
    expect(peer.facts).toEqual([{ type: "ask:use_mcp_server", askId: "request-9" }]);
    peer.rejects("request-9");
    expect(peer.told).toEqual([{ jsonrpc: "2.0", id: 9, result: { action: "decline" } }]);
    const other = ask({});
    other.approves("request-9");
    expect(other.told).toEqual([{ jsonrpc: "2.0", id: 9, result: { action: "accept", content: {} } }]);
  });

  test("that is interrupted is cancelled", () => {
    const peer = ask({ properties });
    peer.does({ type: "interrupt_run", run: 1 });
    expect(peer.told.at(-1)).toEqual({ jsonrpc: "2.0", id: 9, result: { action: "cancel" } });
  });

  test("that leads to a page shows it", () => {
    const peer = working().asks(9, "elicitation/create", {
      mode: "url",
      message: "Log in",
      url: "https://x.example",
    });
    expect(detail(peer)).toMatchObject({ detail: "Log in\nhttps://x.example" });
    expect(reply(peer, "done")).toEqual({ action: "accept", content: {} });
  });
});
