import { describe, expect, test } from "vitest";
import { response, running, toolRequest } from "../../../test/golden/claude/claude-talk.js";
import { claudeAnswered } from "./claude-codec.js";

describe("what the rules say", () => {
  const hook = (input: object) => ({
    type: "control_request",
    request_id: "h1",
    request: { subtype: "hook_callback", callback_id: "pre_tool_use", input },
  });
  const call = {
    hook_event_name: "PreToolUse",
    tool_name: "Read",
    tool_input: { file_path: "/a" },
    tool_use_id: "c1",
  };

  test("is asked about every call, with the folder it runs in", () => {
    const talk = running();
    const query = (tool: object) => ({ type: "query", queryId: "h1", query: { type: "permission", tool } });
    expect(talk.hear(hook({ ...call, cwd: "/proj" }))).toEqual([
      query({ name: "Read", input: { file_path: "/a" } }),
    ]);
    expect(talk.hear(hook({ ...call, cwd: "/else" }))).toEqual([
      query({ name: "Read", input: { file_path: "/a" }, cwd: "/else" }),
    ]);
    const [detail] = talk.hear(toolRequest("c1", "Read", {}, { tool_use_id: "c1" }));
    expect(detail).toMatchObject({ tool: { name: "Read", input: {}, cwd: "/else" } });
  });

  test("a call that cannot be read is asked about", () => {
    expect(running().hear(hook({ hook_event_name: "Stop" }))).toEqual([
      {
        type: "write",
        data: `${JSON.stringify(
          response("h1", {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "ask",
              permissionDecisionReason: "Signalbox could not read what this call is.",
            },
          }),
        )}\n`,
      },
    ]);
  });

  test.each([
    [
      "deny",
      "Read(*)",
      {
        permissionDecision: "deny",
        permissionDecisionReason: "Signalbox's rule Read(*) denies this. Because.",
      },
    ],
    [
      "ask",
      "Read(*)",
      {
        permissionDecision: "ask",
        permissionDecisionReason: "Signalbox's rule Read(*) asks a person about this. Because.",
      },
    ],
    ["deny", null, { permissionDecision: "deny", permissionDecisionReason: "Because." }],
    ["allow", "Read(*)", null],
    ["none", null, null],
  ] as const)("%s, by %s", (verdict, rule, output) => {
    const { state } = running();
    const decision = { verdict, rule, file: null, because: "Because." };
    const told = claudeAnswered(state, "h1", { type: "decided", decision });
    const expected = output
      ? { hookSpecificOutput: { hookEventName: "PreToolUse", ...output } }
      : { continue: true };
    expect(told).toEqual({
      state,
      outputs: [{ type: "write", data: `${JSON.stringify(response("h1", expected))}\n` }],
    });
  });

  test("an answer of another kind makes it ask", () => {
    const { outputs } = claudeAnswered(null, "h1", { type: "failed", message: "no" });
    expect(JSON.stringify(outputs)).toContain("could not find out what its rules say");
  });
});

test("a request that is made twice is asked once", () => {
  const talk = running();
  const request = toolRequest("a1", "Bash", { command: "ls" });
  expect(talk.facts(request, request)).toEqual([{ type: "ask:command", askId: "a1" }]);
});

test.each([
  ["Bash", "ask:command"],
  ["mcp__git__log", "ask:use_mcp_server"],
  ["Edit", "ask:tool"],
  ["AskUserQuestion", "ask:tool"],
])("permission for %s is %s", (name, type) => {
  expect(running().facts(toolRequest("a1", name, {}))).toEqual([{ type, askId: "a1" }]);
});

test("a person reads who asks, and why", () => {
  const more = { agent_id: "x", decision_reason: "it writes" };
  const [detail] = running().hear(toolRequest("a1", "Bash", { command: "ls" }, more));
  expect(detail).toEqual({
    type: "ask_detail",
    askId: "a1",
    title: "Run ls",
    detail: "ls\n\nA subagent asks.\nWhy it asks: it writes",
    tool: { name: "Bash", input: { command: "ls" } },
  });
});
