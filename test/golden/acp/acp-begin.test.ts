/** From the first word to being ready. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { AcpPeer, CAPABLE, fact, opened, PROMPT, SETTINGS, working } from "./acp-peer.js";

const PING = "_signalbox/ping";

test("it is told who we are and what we can do, and nothing more", () => {
  expect(new AcpPeer(null).told).toEqual([
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: 1,
        clientCapabilities: {
          fs: { readTextFile: true, writeTextFile: true },
          terminal: true,
          elicitation: { form: {} },
          auth: { terminal: true },
        },
        clientInfo: { name: "signalbox", title: "Signalbox", version: "1" },
      },
    },
  ]);
});

test("with a prompt, it is given it as soon as it is ready, and asked whether it took it", () => {
  const peer = working();
  expect(peer.said).toEqual([fact({ type: "session_created", sessionId: "s1" })]);
  expect(peer.told).toEqual([
    {
      jsonrpc: "2.0",
      id: 3,
      method: "session/prompt",
      params: { sessionId: "s1", prompt: [{ type: "text", text: "go" }] },
    },
    { jsonrpc: "2.0", id: 4, method: PING, params: {} },
  ]);
  expect(peer.answers(PING, { error: { code: -32_601, message: "no" } }).said).toEqual([
    fact({ type: "api_req_started" }),
  ]);
});

test("an agent that answers us only after its turn does not seem to wake by itself", () => {
  const peer = working();
  const ended = peer.answers("session/prompt", { result: { stopReason: "end_turn" } });
  expect(ended.facts).toEqual([{ type: "ask:completion_result", askId: "run-1-turn-1:end" }]);
  expect(peer.answers(PING, { result: {} }).outputs).toEqual([]);
});

test("without a prompt it is ready and idle; unless it is to go on", () => {
  const ready = { type: "session_created", sessionId: "s1" } as const;
  expect(opened(null).facts).toEqual([ready, { type: "ask:completion_result", askId: "run-1-turn-0:end" }]);
  expect(opened(null, { resume: "s1", continues: true }).facts).toEqual([ready]);
});

test("told to stop before it was ready, it stops when it is", () => {
  const peer = new AcpPeer(null, { resume: "s1", continues: true });
  peer.does({ type: "interrupt_run", run: 1 });
  peer.answers("initialize", { result: { agentCapabilities: { loadSession: true } } });
  expect(peer.answers("session/load", { result: {} }).facts).toEqual([
    { type: "session_created", sessionId: "s1" },
    { type: "turn_interrupted" },
  ]);
});

describe("an earlier conversation", () => {
  const begin = (agentCapabilities: Json, agent: string | null = null) =>
    new AcpPeer(agent, { resume: "s1", continues: true }).answers("initialize", {
      result: { protocolVersion: 1, agentCapabilities },
    });
  const asked = (id: number, method: string) => ({
    jsonrpc: "2.0",
    id,
    method,
    params: { sessionId: "s1", cwd: "/proj", mcpServers: [] },
  });

  test("is resumed where that can be", () => {
    const peer = begin({ loadSession: true, sessionCapabilities: { resume: {} } });
    expect(peer.told).toEqual([asked(2, "session/resume")]);
  });

  test("else it is loaded, and nothing that is replayed counts", () => {
    const peer = begin({ loadSession: true });
    expect(peer.told).toEqual([asked(2, "session/load")]);
    const content = { type: "text", text: "old" };
    for (const update of [
      { sessionUpdate: "user_message_chunk", content },
      { sessionUpdate: "agent_message_chunk", content },
      { sessionUpdate: "tool_call", toolCallId: "c", title: "t", status: "completed" },
      { sessionUpdate: "plan", entries: [] },
    ])
      expect(peer.updates(update).outputs).toEqual([]);
    expect(peer.answers("session/load", { result: null }).facts).toEqual([
      { type: "session_created", sessionId: "s1" },
    ]);
  });

  test("an agent that only says that it can resume is asked to load", () => {
    const peer = begin({ loadSession: true, sessionCapabilities: { resume: {} } });
    peer.answers("session/resume", { error: { code: -32_601, message: "Method not found" } });
    expect(peer.told).toEqual([asked(3, "session/load")]);
  });

  test("cannot be gone on with where the agent keeps none", () => {
    expect(begin({}).said).toEqual([
      fact({ type: "process_error", error: "This agent cannot go on with an earlier conversation." }),
    ]);
  });

  test("that is gone is a clear failure", () => {
    const peer = begin({ loadSession: true });
    const data = { details: "Invalid session identifier" };
    const failed = peer.answers("session/load", {
      error: { code: -32_603, message: "Internal error", data },
    });
    expect(failed.said).toEqual([
      fact({
        type: "process_error",
        error: "The session could not be resumed: Invalid session identifier",
      }),
    ]);
  });

  test("is replayed to its end, however late, before anything new is said", () => {
    const peer = begin({ loadSession: true }, "gemini");
    const modes = { currentModeId: "default" };
    const late = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "old" } };
    const pong = { error: { code: -32_601, message: "no" } };
    peer.answers("session/load", { result: { modes } });
    expect(peer.told).toEqual([{ jsonrpc: "2.0", id: 3, method: PING, params: {} }]);
    expect(peer.updates(late).outputs).toEqual([]);
    expect(peer.answers(PING, pong).told).toEqual([{ jsonrpc: "2.0", id: 4, method: PING, params: {} }]);
    peer.updates(late);
    expect(peer.answers(PING, pong).told).toEqual([{ jsonrpc: "2.0", id: 5, method: PING, params: {} }]);
    expect(peer.answers(PING, pong).said).toEqual([fact({ type: "session_created", sessionId: "s1" })]);
  });
});

describe("a prompt that its agent may have lost, having been killed in the middle of it", () => {
  const modesOf = (agent: string) => ({ currentModeId: agent === "claude-acp" ? "default" : "read-only" });
  const killed = (agent: string) => {
    const first = opened(agent, { prompt: PROMPT }, { modes: modesOf(agent) });
    const peer = new AcpPeer(agent, { run: 2, resume: "s1", continues: true, before: first.json });
    return peer.answers("initialize", { result: { protocolVersion: 1, agentCapabilities: CAPABLE } });
  };
  const goOn = (peer: AcpPeer): Json | undefined => {
    peer.answers("session/load", { result: { modes: { currentModeId: "read-only" } } });
    peer.does({ type: "deliver_message", run: 2, messageId: "m2" }, "go on");
    return peer.told[0];
  };
  const said = (id: number, text: string) => ({
    jsonrpc: "2.0",
    id,
    method: "session/prompt",
    params: { sessionId: "s1", prompt: [{ type: "text", text }] },
  });
  const replayed = (text: string) => ({
    sessionUpdate: "user_message_chunk",
    content: { type: "text", text },
  });

  test("is said again, if it does not come back with the conversation", () => {
    const peer = killed("codex-acp");
    expect(peer.told).toMatchObject([{ id: 2, method: "session/load" }]);
    expect(goOn(peer)).toEqual(said(3, "go\n\ngo on"));
  });

  test("is not said again, if it does", () => {
    const peer = killed("codex-acp").updates(replayed("an earlier one")).updates(replayed("go"));
    expect(goOn(peer)).toEqual(said(3, "go on"));
  });

  test.each(["codex-acp", "claude-acp"])(
    "is said by %s in a new conversation, if its own is gone",
    (agent) => {
      const peer = killed(agent);
      const gone = { error: { code: -32_603, message: "no rollout found" } };
      expect(peer.answers("session/load", gone).told).toMatchObject([{ id: 3, method: "session/new" }]);
      const currentModeId = agent === "codex-acp" ? "read-only" : "default";
      const result = { sessionId: "s1", modes: { currentModeId } };
      expect(peer.answers("session/new", { result }).facts).toEqual([
        { type: "session_created", sessionId: "s1" },
      ]);
      peer.does({ type: "deliver_message", run: 2, messageId: "m2" }, "go on");
      expect(peer.told[0]).toEqual(said(4, "go\n\ngo on"));
    },
  );

  test("is no matter of agents that keep it before they answer it, nor of a turn that was over", () => {
    expect(killed("acp").told).toMatchObject([{ method: "session/resume" }]);
    const over = opened("codex-acp", { prompt: PROMPT }, { modes: { currentModeId: "read-only" } });
    over.answers("session/prompt", { result: { stopReason: "end_turn" } });
    const next = new AcpPeer("codex-acp", { run: 2, resume: "s1", continues: true, before: over.json });
    next.answers("initialize", { result: { protocolVersion: 1, agentCapabilities: CAPABLE } });
    expect(next.told).toMatchObject([{ method: "session/resume" }]);
  });
});

describe("what it needs before a prompt", () => {
  test("an agent that does not start in its asking mode is put into it", () => {
    const peer = opened("codex-acp", { prompt: PROMPT });
    expect(peer.told).toEqual([
      {
        jsonrpc: "2.0",
        id: 3,
        method: "session/set_mode",
        params: { sessionId: "s1", modeId: "read-only" },
      },
    ]);
    expect(peer.answers("session/set_mode", { result: {} }).facts).toEqual([
      { type: "session_created", sessionId: "s1" },
    ]);
  });

  test("and is not used if it cannot be", () => {
    const peer = opened("codex-acp", { prompt: PROMPT });
    peer.answers("session/set_mode", { error: { code: -32_602, message: "no such mode" } });
    expect(peer.said).toEqual([
      fact({
        type: "process_error",
        error: "The agent could not be made to ask before it acts: no such mode",
      }),
    ]);
    expect(peer.told).toEqual([]);
  });

  test("options that let it act unasked are set", () => {
    const configOptions = [{ id: "allow_all", type: "select", currentValue: "on", options: [] }];
    expect(opened("copilot", {}, { configOptions }).told).toEqual([
      {
        jsonrpc: "2.0",
        id: 3,
        method: "session/set_config_option",
        params: { sessionId: "s1", configId: "allow_all", value: "off" },
      },
    ]);
  });

  const withModel = (model: string, session: Json) =>
    opened(null, { settings: { ...SETTINGS, model } }, session).told.map((told) => {
      const { method, params } = told as { method: string; params: Json };
      return [method, params];
    });
  const options = [
    { value: "a/large", name: "Large" },
    { value: "a/small", name: "Small" },
    { value: "b/small", name: "Small too" },
  ];
  const configOptions = [{ id: "model", category: "model", type: "select", options }];
  const models = { availableModels: [{ modelId: "large[low]", name: "Large (low)" }] };

  test.each([
    ["a/large", "a/large"],
    ["large", "a/large"],
    ["Small too", "b/small"],
    ["small", "small"],
    ["unheard-of", "unheard-of"],
  ])("a model is chosen by its name: %s", (model, value) => {
    expect(withModel(model, { configOptions })).toEqual([
      ["session/set_config_option", { sessionId: "s1", configId: "model", value }],
    ]);
  });

  test("in groups of options, and where the agent knows the name", () => {
    const grouped = [{ ...configOptions[0], options: [{ group: "a", name: "A", options }] }];
    expect(withModel("large", { configOptions: grouped })).toEqual([
      ["session/set_config_option", { sessionId: "s1", configId: "model", value: "a/large" }],
    ]);
    expect(withModel("large[low]", { configOptions, models })).toEqual([
      ["session/set_model", { sessionId: "s1", modelId: "large[low]" }],
    ]);
  });

  test("a model that is refused, or cannot be chosen, is told before anything is lost", () => {
    const start = { prompt: PROMPT, settings: { ...SETTINGS, model: "x" } };
    expect(opened(null, start).said).toEqual([
      fact({
        type: "process_error",
        error: 'This agent does not let its model be chosen: leave out "x".',
      }),
    ]);
    const peer = opened(null, start, { models });
    peer.answers("session/set_model", {
      error: { code: -32_602, message: "Invalid params: model not found: x" },
    });
    expect(peer.said).toEqual([
      fact({
        type: "process_error",
        error: "The model could not be chosen: Invalid params: model not found: x",
      }),
    ]);
  });
});

describe("agents that cannot begin", () => {
  test("nobody is logged in", () => {
    const peer = new AcpPeer("gemini", { prompt: PROMPT }).answers("initialize", { result: {} });
    peer.answers("session/new", { error: { code: -32_000, message: "Authentication required." } });
    expect(peer.said).toEqual([
      fact({
        type: "process_error",
        code: "login_required",
        error: "Authentication required. Log in with: gemini",
      }),
    ]);
  });

  test("another version of the protocol", () => {
    const peer = new AcpPeer(null).answers("initialize", { result: { protocolVersion: 2 } });
    expect(peer.said).toEqual([
      fact({ type: "process_error", error: "The agent speaks version 2 of ACP; only 1 is known." }),
    ]);
  });

  test("a session without an id", () => {
    const peer = new AcpPeer(null)
      .answers("initialize", { result: {} })
      .answers("session/new", { result: {} });
    expect(peer.said).toEqual([
      fact({ type: "process_error", error: "The agent opened a session without an id." }),
    ]);
  });
});

describe("agents that offer ways to log in", () => {
  const BROWSER = { id: "oauth", name: "Log in with Example", description: "Opens a browser" };
  const KEY = { id: "api-key", name: "API key", description: null };
  const TERMINAL = {
    id: "tui",
    name: "In a terminal",
    type: "terminal",
    args: ["login", "a b"],
    env: { A: "1" },
  };
  const REFUSED = { error: { code: -32_000, message: "Authentication required" } };

  function asking(methods: Json, args: readonly string[] = ["--command", "my-agent", "--acp"]): AcpPeer {
    const peer = new AcpPeer(null, { prompt: PROMPT, settings: { ...SETTINGS, args } });
    return peer.answers("initialize", { result: { authMethods: methods } }).answers("session/new", REFUSED);
  }

  function reply(peer: AcpPeer, askId: string, text: string): AcpPeer {
    peer.does({ type: "answer_ask", run: 1, askId, decision: "reply", by: "user" }, text);
    return peer;
  }

  const loginRequired = (error: string) => fact({ type: "process_error", code: "login_required", error });

  test("a person chooses one, the agent is told, and then opens its session", () => {
    const peer = asking([BROWSER, KEY, TERMINAL]);
    const askId = "run-1-login-1";
    const title = "How to log in to An ACP agent?";
    const detail = [
      "Authentication required",
      "  1. Log in with Example: Opens a browser",
      "  2. API key",
      "  3. In a terminal: run A=1 my-agent --acp login 'a b' in a terminal",
      "Answer with a number or a name.",
    ].join("\n");
    const methods = [BROWSER, KEY, TERMINAL].map(({ id, name }) => ({ id, name }));
    expect(peer.said).toEqual([
      { type: "ask_detail", askId, title, detail, tool: { name: "authenticate", input: { methods } } },
      {
        type: "stream",
        streamId: "run-1-after-0",
        event: "ask",
        payload: { askId, ask: "followup", title, detail },
      },
      fact({ type: "ask:followup", askId }),
    ]);
    expect(reply(peer, askId, " api KEY ").told).toMatchObject([
      { method: "authenticate", params: { methodId: "api-key" } },
    ]);
    expect(peer.answers("authenticate", { result: {} }).told).toMatchObject([{ method: "session/new" }]);
    peer.answers("session/new", { result: { sessionId: "s1" } });
    expect(peer.facts).toEqual([{ type: "session_created", sessionId: "s1" }]);
    expect(peer.told).toMatchObject([{ method: "session/prompt" }, { method: PING }]);
  });

  test("one that fails says why, and can be tried again, but not for ever", () => {
    const peer = asking([KEY]);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      reply(peer, `run-1-login-${attempt}`, "1").answers("authenticate", {
        error: { code: -32_603, message: "no key is set" },
      });
      expect(peer.said[0]).toMatchObject({
        detail: expect.stringContaining("API key failed: no key is set") as string,
      });
    }
    reply(peer, "run-1-login-5", "1").answers("authenticate", REFUSED);
    expect(peer.said).toEqual([
      loginRequired("Authentication required. Log in with: my-agent --acp, in a terminal"),
    ]);
  });

  test("one in a terminal is told by its very command", () => {
    const peer = asking([BROWSER, TERMINAL]);
    expect(reply(peer, "run-1-login-1", "2").told).toMatchObject([{ method: PING }]);
    expect(peer.answers(PING, { error: { code: -32_601, message: "no" } }).said).toEqual([
      loginRequired("It needs a login. Log in with: A=1 my-agent --acp login 'a b'"),
    ]);
  });

  test("what is none of them is asked about again; a no ends it", () => {
    const peer = asking([BROWSER]);
    reply(peer, "run-1-login-1", "the other one").answers(PING, { result: {} });
    expect(peer.said[0]).toMatchObject({
      detail: expect.stringContaining('There is no "the other one" among these.') as string,
    });
    peer.does({ type: "answer_ask", run: 1, askId: "run-1-login-2", decision: "reject", by: "user" });
    expect(peer.answers(PING, { result: {} }).said).toEqual([
      loginRequired("It needs a login. Log in with: my-agent --acp, in a terminal"),
    ]);
  });

  test.each([
    ["as the protocol has it", TERMINAL, "A=1 my-agent --acp login 'a b'"],
    ["in words", { id: "x", name: "X", description: "Run `x auth login` in the terminal" }, "x auth login"],
    [
      "beside the protocol",
      { id: "x", name: "X", _meta: { "terminal-auth": { command: "/bin/x", args: ["login"] } } },
      "/bin/x login",
    ],
    [
      "by its type beside",
      { id: "x", name: "X", _meta: { type: "terminal", args: ["--auth"] } },
      "my-agent --acp --auth",
    ],
  ])("where there is only a terminal, nobody is asked: %s", (_how, method, command) => {
    expect(asking([method]).said).toEqual([
      loginRequired(`Authentication required. Log in with: ${command}`),
    ]);
  });
});
