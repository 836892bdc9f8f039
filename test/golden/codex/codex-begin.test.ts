import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { ACCOUNT, OPENED, PROMPT, Peer, SETTINGS, ready } from "./codex-peer.js";

describe("how a run begins", () => {
  test("initialize, who is logged in, the conversation, the prompt", () => {
    const peer = new Peer({ prompt: PROMPT, settings: { ...SETTINGS, model: "gpt-x" } });
    const clientInfo = { name: "signalbox", title: "Signalbox", version: "1" };
    const params = { clientInfo, capabilities: null };
    expect(peer.writes).toEqual([{ jsonrpc: "2.0", id: 1, method: "initialize", params }]);
    expect(peer.hears({ id: 1, result: {} }).writes).toEqual([
      { jsonrpc: "2.0", method: "initialized" },
      { jsonrpc: "2.0", id: 2, method: "account/read", params: { refreshToken: false } },
    ]);
    expect(peer.hears(ACCOUNT).writes).toEqual([
      {
        jsonrpc: "2.0",
        id: 3,
        method: "thread/start",
        params: {
          cwd: "/proj",
          approvalPolicy: "untrusted",
          approvalsReviewer: "user",
          model: "gpt-x",
          sandbox: "workspace-write",
        },
      },
    ]);
    peer.hears(OPENED);
    expect(peer.facts).toEqual([{ type: "session_created", sessionId: "T" }]);
    expect(peer.writes).toEqual([
      {
        jsonrpc: "2.0",
        id: 4,
        method: "turn/start",
        params: { threadId: "T", input: [{ type: "text", text: "go", text_elements: [] }] },
      },
      { jsonrpc: "2.0", id: "models", method: "model/list", params: { limit: 100 } },
      { jsonrpc: "2.0", id: "skills", method: "skills/list", params: { cwds: ["/proj"] } },
    ]);
  });

  test("without a prompt it is ready and idle, unless it is given something next", () => {
    const created = { type: "session_created", sessionId: "T" };
    expect(ready().facts).toEqual([created, { type: "ask:completion_result", askId: "run-1:ready" }]);
    expect(ready({ continues: true }).facts).toEqual([created]);
  });

  test("a conversation is resumed by its id, without its history", () => {
    const peer = new Peer({ resume: "OLD" }).hears({ id: 1, result: {} }).hears(ACCOUNT);
    expect(peer.writes).toEqual([
      {
        jsonrpc: "2.0",
        id: 3,
        method: "thread/resume",
        params: {
          threadId: "OLD",
          excludeTurns: true,
          cwd: "/proj",
          approvalPolicy: "untrusted",
          approvalsReviewer: "user",
          sandbox: "workspace-write",
        },
      },
    ]);
  });

  test.each([
    [["-c", "sandbox_mode=read-only"], false],
    [["--config=sandbox_mode='read-only'"], false],
    [["-c", 'default_permissions="x"'], false],
    [["-c", "model=sandbox_mode=1"], true],
    [[], true],
  ])("the sandbox is ours unless the arguments choose one: %j", (args, ours) => {
    const peer = new Peer({ settings: { ...SETTINGS, args } }).hears({ id: 1, result: {} }).hears(ACCOUNT);
    const [{ params }] = peer.writes as [{ params: Readonly<Record<string, Json>> }];
    expect("sandbox" in params).toBe(ours);
  });

  test("nobody is logged in: it says so at once, and opens nothing", () => {
    const peer = new Peer({ prompt: PROMPT }).hears({ id: 1, result: {} });
    peer.hears({ id: 2, result: { account: null, requiresOpenaiAuth: true } });
    expect(peer.outputs).toEqual([
      {
        type: "fact",
        fact: {
          type: "process_error",
          code: "login_required",
          error: "Codex is not logged in. Run: codex login",
        },
      },
    ]);
  });

  test("a version that cannot tell who is logged in is no hindrance", () => {
    const peer = new Peer().hears({ id: 1, result: {} });
    peer.hears({ id: 2, error: { code: -32_600, message: "unknown variant" } });
    expect(peer.writes).toMatchObject([{ id: 3, method: "thread/start" }]);
  });

  test.each([
    [1, "initialize", 0],
    [3, "thread/start", 2],
  ])("refusal of request %i", (id, method, answered) => {
    const peer = new Peer();
    for (const message of [{ id: 1, result: {} }, ACCOUNT].slice(0, answered)) peer.hears(message);
    peer.hears({ id, error: { code: 1, message: "no" } });
    expect(peer.facts).toEqual([{ type: "process_error", error: `Codex refused ${method}: no` }]);
  });

  test("told to stop before there is anything to stop: it is stopped once it is ready", () => {
    const peer = new Peer({ resume: "T", continues: true });
    expect(peer.told({ type: "interrupt_run", run: 1 })).toEqual([]);
    peer.hears({ id: 1, result: {} }).hears(ACCOUNT).hears(OPENED);
    expect(peer.facts).toEqual([{ type: "session_created", sessionId: "T" }, { type: "turn_interrupted" }]);
  });
});
