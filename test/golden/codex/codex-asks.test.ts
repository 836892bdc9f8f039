import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { type Peer, answer, asking, notice, working } from "./codex-peer.js";

describe("approvals", () => {
  const COMMAND = { command: "/bin/bash -lc 'rm -r build'", cwd: "/proj/sub", reason: "to start afresh" };

  test("a command: what will run, and where, is shown and can be judged", () => {
    const peer = working().hears(asking("item/commandExecution/requestApproval", COMMAND));
    const detail = "/bin/bash -lc 'rm -r build'\nin /proj/sub\nto start afresh";
    expect(peer.outputs).toEqual([
      {
        type: "ask_detail",
        askId: "ask-1-7",
        title: "Run rm -r build",
        detail,
        tool: {
          name: "commandExecution",
          input: { command: COMMAND.command, cwd: "/proj/sub" },
          cwd: "/proj/sub",
        },
      },
      {
        type: "stream",
        streamId: "U",
        event: "ask",
        payload: { askId: "ask-1-7", ask: "command", title: "Run rm -r build", detail },
      },
      { type: "fact", fact: { type: "ask:command", askId: "ask-1-7" } },
    ]);
    const accepted = [{ jsonrpc: "2.0", id: 7, result: { decision: "accept" } }];
    expect(peer.told(answer("ask-1-7", "approve"))).toEqual(accepted);
    expect(peer.told(answer("ask-1-7", "approve"))).toEqual([]);
    peer.hears(notice("serverRequest/resolved", { threadId: "T", requestId: 7 }));
    expect(peer.outputs).toEqual([{ type: "fact", fact: { type: "ask_closed", askId: "ask-1-7" } }]);
  });

  test("words with a refusal go first, into the turn that waits", () => {
    const peer = working().hears(asking("item/commandExecution/requestApproval", COMMAND));
    expect(peer.told(answer("ask-1-7", "reject", "m2"), "use a copy")).toEqual([
      {
        jsonrpc: "2.0",
        id: 5,
        method: "turn/steer",
        params: {
          threadId: "T",
          expectedTurnId: "U",
          input: [{ type: "text", text: "use a copy", text_elements: [] }],
        },
      },
      { jsonrpc: "2.0", id: 7, result: { decision: "decline" } },
    ]);
    peer.hears({ id: 5, error: { code: 1, message: "cannot be steered" } });
    expect(peer.writes).toMatchObject([
      { method: "turn/start", params: { input: [{ text: "use a copy" }] } },
    ]);
    peer.hears({ id: 6, error: { code: 1, message: "nor started" } });
    expect(peer.outputs).toEqual([
      {
        type: "stream",
        streamId: "run-1",
        event: "metadata",
        payload: { problem: "Codex refused the turn: nor started" },
      },
    ]);
  });

  const CASES: readonly (readonly [string, Readonly<Record<string, Json>>, Json, Json, Json])[] = [
    [
      "item/permissions/requestApproval",
      { permissions: { network: { enabled: true }, fileSystem: null }, cwd: "/proj", reason: "x" },
      { name: "permissions", input: { network: { enabled: true } }, cwd: "/proj" },
      { permissions: { network: { enabled: true } }, scope: "turn" },
      { permissions: {}, scope: "turn" },
    ],
    [
      "item/commandExecution/requestApproval",
      { command: "curl x", networkApprovalContext: { host: "x.org", protocol: "https" } },
      { name: "networkAccess", input: { host: "x.org", command: "curl x" }, cwd: "/proj" },
      { decision: "accept" },
      { decision: "decline" },
    ],
    [
      "item/commandExecution/requestApproval",
      { kind: "writeStdin", command: "python", reason: "types y" },
      { name: "writeStdin", input: { command: "python", reason: "types y" }, cwd: "/proj" },
      { decision: "accept" },
      { decision: "decline" },
    ],
    [
      "item/commandExecution/requestApproval",
      { command: "make", additionalPermissions: { network: { enabled: true } } },
      {
        name: "commandExecution",
        input: { command: "make", cwd: "/proj", additionalPermissions: { network: { enabled: true } } },
        cwd: "/proj",
      },
      { decision: "accept" },
      { decision: "decline" },
    ],
    [
      "execCommandApproval",
      { conversationId: "T", callId: "c", command: ["rm", "a b", "it's"], cwd: "/proj" },
      { name: "commandExecution", input: { command: `rm 'a b' 'it'\\''s'`, cwd: "/proj" }, cwd: "/proj" },
      { decision: "approved" },
      { decision: "denied" },
    ],
    [
      "applyPatchApproval",
      { conversationId: "T", callId: "c", fileChanges: { "/proj/a": { type: "add", content: "x\n" } } },
      { name: "fileChange", input: [{ path: "/proj/a", kind: "add" }], paths: ["/proj/a"] },
      { decision: "approved" },
      { decision: "denied" },
    ],
    [
      "mcpServer/elicitation/request",
      { serverName: "s", message: "Log in", url: "https://x.org", mode: "url" },
      { name: "mcpElicitation", input: { server: "s", message: "Log in", url: "https://x.org" } },
      { action: "accept", content: {}, _meta: null },
      { action: "decline", content: null, _meta: null },
    ],
  ];

  test.each(CASES)("%s %j", (method, params, tool, approved, refused) => {
    const peer = working().hears(asking(method, params));
    const [detail] = peer.outputs;
    expect(detail?.type === "ask_detail" ? detail.tool : null).toEqual(tool);
    const { state } = peer;
    const respond = (result: Json) => [{ jsonrpc: "2.0", id: 7, result }];
    expect(peer.told(answer("ask-1-7", "approve"))).toEqual(respond(approved));
    peer.state = state;
    expect(peer.told(answer("ask-1-7", "reject"))).toEqual(respond(refused));
  });

  test("a change of files is judged by all its files, moved ones too", () => {
    const changes = [
      { path: "/proj/a", kind: { type: "update", move_path: "/proj/b" }, diff: "@@ -1 +1 @@\n-x\n+y\n" },
      { path: "/etc/c", kind: { type: "add" }, diff: "z" },
    ];
    const item = { type: "fileChange", id: "c", changes, status: "inProgress" };
    const peer = working().hears(notice("item/started", { threadId: "T", turnId: "U", item }));
    peer.hears(asking("item/fileChange/requestApproval", {}));
    const paths = ["/proj/a", "/proj/b", "/etc/c"];
    expect(peer.outputs[0]).toEqual({
      type: "ask_detail",
      askId: "ask-1-7",
      title: "Change 3 files",
      detail: [
        "--- a/a",
        "+++ b/b",
        "@@ -1 +1 @@",
        "-x",
        "+y",
        "--- /dev/null",
        "+++ b//etc/c",
        "@@ -0,0 +1 @@",
        "+z",
        "\\ No newline at end of file",
        "",
      ].join("\n"),
      tool: { name: "fileChange", input: { files: paths }, paths },
    });
  });

  test.each([{}, { grantRoot: "/" }])(
    "without all files it names none, so that no rule allows it: %j",
    (more) => {
      const peer = working();
      if ("grantRoot" in more) {
        const item = { type: "fileChange", id: "c", changes: [{ path: "/proj/a", kind: { type: "add" } }] };
        peer.hears(notice("item/started", { threadId: "T", turnId: "U", item }));
      }
      peer.hears(asking("item/fileChange/requestApproval", more));
      const [detail] = peer.outputs;
      const tool = detail?.type === "ask_detail" ? detail.tool : {};
      expect(tool).not.toHaveProperty("paths");
    },
  );

  test("which MCP tool is called is known from the call, never guessed", () => {
    const started = (id: string, tool: string) => {
      const item = { type: "mcpToolCall", id, server: "s", tool, arguments: {} };
      return notice("item/started", { threadId: "T", turnId: "U", item });
    };
    const elicitation = (message: string) =>
      asking("mcpServer/elicitation/request", {
        serverName: "s",
        message,
        _meta: { codex_approval_kind: "mcp_tool_call", tool_params: { a: 1 } },
      });
    const toolOf = (peer: Peer) => {
      const [detail] = peer.outputs;
      return detail?.type === "ask_detail" ? detail.tool : null;
    };
    const peer = working().hears(started("c1", "get")).hears(started("c2", "put"));
    expect(toolOf(peer.hears(elicitation('run tool "put"?')))).toEqual({
      name: "mcpToolCall",
      input: { server: "s", tool: "put", arguments: { a: 1 } },
    });
    expect(toolOf(peer.hears(elicitation('run tool "other"? not "get" nor "put"')))).toEqual({
      name: "mcpToolCall",
      input: { server: "s", tool: null, arguments: { a: 1 } },
    });
  });
});

describe("questions", () => {
  const QUESTIONS = [
    { id: "a", header: "A", question: "Which?", options: [{ label: "Red", description: "warm" }] },
    { id: "b", header: "B", question: "How?", options: null },
  ];

  test("each is an ask of its own, and they are answered together", () => {
    const peer = working().hears(asking("item/tool/requestUserInput", { questions: QUESTIONS }));
    expect(peer.facts).toEqual([
      { type: "ask:followup", askId: "ask-1-7-1" },
      { type: "ask:followup", askId: "ask-1-7-2" },
    ]);
    expect(peer.told(answer("ask-1-7-1", "reply", "m2"), "1")).toEqual([]);
    const answers = { a: { answers: ["Red"] }, b: { answers: ["slowly"] } };
    expect(peer.told(answer("ask-1-7-2", "reply", "m3"), "slowly")).toEqual([
      { jsonrpc: "2.0", id: 7, result: { answers } },
    ]);
    peer.hears(notice("serverRequest/resolved", { threadId: "T", requestId: 7 }));
    expect(peer.facts).toEqual([
      { type: "ask_closed", askId: "ask-1-7-1" },
      { type: "ask_closed", askId: "ask-1-7-2" },
    ]);
  });

  test("withdrawn together too", () => {
    const peer = working().hears(asking("item/tool/requestUserInput", { questions: QUESTIONS }));
    expect(peer.told({ type: "void_asks", askIds: ["ask-1-7-1", "ask-1-7-2"], reason: "x" })).toEqual([
      { jsonrpc: "2.0", id: 7, result: { answers: {} } },
    ]);
    expect(peer.told(answer("ask-1-7-1", "reply", "m2"), "late")).toEqual([]);
  });

  test("a form is filled in with what its fields want", () => {
    const properties = { n: { type: "integer" }, yes: { type: "boolean" }, way: { enum: ["up", "down"] } };
    const requestedSchema = { type: "object", properties, required: ["n", "yes", "way"] };
    const peer = working().hears(
      asking("mcpServer/elicitation/request", { serverName: "s", message: "Tell", requestedSchema }, "x"),
    );
    peer.told(answer("ask-1-x-1", "reply", "m2"), "12");
    peer.told(answer("ask-1-x-2", "reply", "m3"), "Yes");
    expect(peer.told(answer("ask-1-x-3", "reply", "m4"), "DOWN")).toEqual([
      {
        jsonrpc: "2.0",
        id: "x",
        result: { action: "accept", content: { n: 12, yes: true, way: "down" }, _meta: null },
      },
    ]);
  });
});
