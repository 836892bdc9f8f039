/** Commands that an agent has us run. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import type { JsonObject } from "../../../src/harness/kit/json.js";
import {
  COMMAND_LENGTH_MAX,
  OUTPUT_BYTES_MAX,
  TERMINALS_MAX,
} from "../../../src/harness/acp/terminal-requests.js";
import { type AcpPeer, working } from "./acp-peer.js";
import { flawsOf } from "./sent-messages.js";

const DONE = { type: "terminal_done" } as const;
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function creating(params: JsonObject = {}, peer: AcpPeer = working(), id = 3): AcpPeer {
  return peer.asks(id, "terminal/create", { command: "npm", args: ["test"], ...params });
}

/** Its terminal has the next number. */
function running(params: JsonObject = {}, peer: AcpPeer = working(), id = 3): AcpPeer {
  return creating(params, peer, id)
    .isDecided(`request-${id}:rules`, "allow")
    .isAnswered(`request-${id}:terminal`, DONE);
}

function answer(result: Json, id = 3): readonly Json[] {
  const message = { jsonrpc: "2.0", id, result };
  expect(flawsOf([message])).toEqual([]);
  return [message];
}

function refusal(code: number, message: string, id = 3): readonly Json[] {
  return [{ jsonrpc: "2.0", id, error: { code, message } }];
}

const START = { type: "terminal_start", terminal: 1, command: "npm test", cwd: "/proj" };
const STARTED = { type: "query", queryId: "request-3:terminal", query: START };
const NO_TERMINAL = "There is no such terminal, or it was released.";

describe("what is to be run", () => {
  test("the rules are asked first, with the whole line and its folder", () => {
    const tool = { name: "terminal/create", kind: "execute", input: { command: "npm test", cwd: "/proj/a" } };
    expect(creating({ cwd: "/proj/a" }).outputs).toEqual([
      {
        type: "query",
        queryId: "request-3:rules",
        query: { type: "permission", tool, within: "/proj/a" },
      },
    ]);
  });

  test.each<[JsonObject, string]>([
    [
      { args: ["run", "a b", "it's", "$HOME", "--x=1", ""] },
      String.raw`npm run 'a b' 'it'\''s' '$HOME' --x=1 ''`,
    ],
    [{ command: "my prog" }, "'my prog' test"],
    [{ command: "A=1" }, "'A=1' test"],
    [{ command: "if" }, "'if' test"],
    [{ command: "npm test && rm x", args: [] }, "npm test && rm x"],
    [{ command: "ls", args: [] }, "ls"],
    [
      {
        env: [
          { name: "A", value: "b c" },
          { name: "CI", value: "1" },
        ],
      },
      "A='b c' CI=1 npm test",
    ],
    [{ command: "ls", args: [], env: [{ name: "A", value: "b" }] }, "A=b ls"],
    [
      { command: "a && 'b'", args: [], env: [{ name: "A", value: "b" }] },
      String.raw`A=b bash -c 'a && '\''b'\'''`,
    ],
  ])("%j", (params, command) => {
    const peer = creating(params).isDecided("request-3:rules", "allow");
    expect(peer.outputs).toEqual([{ ...STARTED, query: { ...START, command } }]);
  });

  test.each<JsonObject>([
    { command: "" },
    { command: 7 },
    { command: "a\0b" },
    { args: "test" },
    { args: ["a", 7] },
    { args: ["a\0"] },
    { env: [{ name: "A=B", value: "c" }] },
    { env: [{ name: "A" }] },
    { env: { A: "b" } },
  ])("%j is not well formed", (params) => {
    expect(creating(params).told).toEqual(refusal(-32_602, "The command is not well formed."));
  });

  test("a folder is named from the root", () => {
    expect(creating({ cwd: "a" }).told).toEqual(refusal(-32_602, "cwd must be absolute."));
  });

  test("a command that is too long to be shown is not run", () => {
    expect(creating({ args: ["x".repeat(COMMAND_LENGTH_MAX)] }).told).toEqual(
      refusal(-32_603, "Commands of more than 16000 characters are not run for an agent."),
    );
  });

  test("there are so many at most, those included that are being asked about", () => {
    const peer = working();
    for (let id = 10; id < 10 + TERMINALS_MAX - 1; id += 1) running({}, peer, id);
    creating({}, peer, 30);
    expect(creating({}, peer).told).toEqual(
      refusal(-32_603, "There are 16 terminals already: release some of them first."),
    );
    peer.asks(31, "terminal/release", { terminalId: "terminal-2" }).isAnswered("request-31:terminal", DONE);
    expect(creating({}, peer).told).toEqual([]);
  });
});

describe("whether it may", () => {
  test("allow: it is started", () => {
    const peer = creating().isDecided("request-3:rules", "allow");
    expect(peer.outputs).toEqual([STARTED]);
    expect(peer.isAnswered("request-3:terminal", DONE).told).toEqual(answer({ terminalId: "terminal-1" }));
    expect(peer.state.asked).toEqual([]);
  });

  test("deny: it is refused, with the reason", () => {
    const peer = creating().isDecided("request-3:rules", "deny");
    expect(peer.told).toEqual(refusal(-32_000, "Not allowed. A rule says so."));
    expect([peer.state.asked, peer.state.terminals]).toEqual([[], []]);
  });

  test.each(["none", "ask"] as const)("%s: a person sees what would be run, and where", (verdict) => {
    const peer = creating({ cwd: "/proj/a" }).isDecided("request-3:rules", verdict);
    expect(peer.outputs[0]).toEqual({
      type: "ask_detail",
      askId: "request-3",
      title: "npm test",
      detail: "npm test\n(in /proj/a)",
      tool: { name: "terminal/create", kind: "execute", input: { command: "npm test", cwd: "/proj/a" } },
    });
    expect(peer.facts).toEqual([{ type: "ask:command", askId: "request-3" }]);
    expect(peer.approves("request-3").queries).toEqual([
      { queryId: STARTED.queryId, query: { ...START, cwd: "/proj/a" } },
    ]);
  });

  test("a person's words are the reason of the refusal", () => {
    const peer = creating().isDecided("request-3:rules", "none");
    peer.rejects("request-3", "not now");
    expect(peer.told).toEqual(refusal(-32_000, "not now"));
  });

  test("a folder elsewhere is refused, and nobody is asked", () => {
    const message = "/x is not inside the session's folder";
    const peer = creating({ cwd: "/x" }).isAnswered("request-3:rules", { type: "failed", message });
    expect(peer.told).toEqual(refusal(-32_603, message));
    expect(peer.facts).toEqual([]);
  });

  test("what could not be started leaves no terminal", () => {
    const peer = creating().isDecided("request-3:rules", "allow");
    peer.isAnswered("request-3:terminal", { type: "failed", message: "No." });
    expect(peer.told).toEqual(refusal(-32_603, "No."));
    expect(peer.state.terminals).toEqual([]);
  });

  /** It asked whether it may, as many agents do. */
  function allowed(rawInput: Json, approve = true): AcpPeer {
    const toolCall = { toolCallId: "c", title: "run", kind: "execute", rawInput };
    const peer = working().asks(2, "session/request_permission", { toolCall, options: OPTIONS });
    if (approve) peer.approves("request-2");
    else peer.rejects("request-2");
    return peer;
  }
  const isAsked = (peer: AcpPeer) => peer.isDecided("request-3:rules", "none").facts.length === 1;

  test.each<Json>([
    { command: "npm test" },
    { command: "npm", args: ["test"] },
    { command: ["npm", "test"], cwd: "/proj" },
  ])("what was just allowed is not asked about again: %j", (input) => {
    const peer = creating({}, allowed(input)).isDecided("request-3:rules", "none");
    expect(peer.outputs).toEqual([STARTED]);
    // But only once.
    expect(creating({}, peer, 4).isDecided("request-4:rules", "none").facts).toHaveLength(1);
  });

  test.each<[Json, Readonly<Record<string, Json>>]>([
    [{ command: "npm test && echo 'a b'" }, { command: "bash", args: ["-lc", "npm test && echo 'a b'"] }],
    [{ command: "npm test" }, { command: "/bin/bash", args: ["-c", "npm test"] }],
    [{ command: ["bash", "-lc", "ls"] }, { command: "ls", args: [] }],
  ])("what bash is handed is the same command: %j, %j", (input, params) => {
    expect(creating(params, allowed(input)).isDecided("request-3:rules", "none").facts).toEqual([]);
  });

  test("what was allowed is this command, so called, here, in this turn; and was not refused", () => {
    const input = { command: "npm test" };
    expect(isAsked(creating({ command: "bash", args: ["-c", "npm test", "x"] }, allowed(input)))).toBe(true);
    expect(isAsked(creating({ command: "./bash", args: ["-c", "npm test"] }, allowed(input)))).toBe(true);
    expect(isAsked(creating({ args: ["test", "--all"] }, allowed(input)))).toBe(true);
    expect(isAsked(creating({ env: [{ name: "A", value: "b" }] }, allowed(input)))).toBe(true);
    expect(isAsked(creating({ cwd: "/proj/a" }, allowed(input)))).toBe(true);
    expect(isAsked(creating({}, allowed({ ...input, cwd: "/proj/a" })))).toBe(true);
    expect(isAsked(creating({}, allowed(input, false)))).toBe(true);
    const later = allowed(input).answers("session/prompt", { result: { stopReason: "end_turn" } });
    later.does({ type: "deliver_message", run: 1, messageId: "m" }, "more");
    expect(isAsked(creating({}, later))).toBe(true);
  });

  test("deny holds whatever was allowed before", () => {
    const peer = creating({}, allowed({ command: "npm test" })).isDecided("request-3:rules", "deny");
    expect(peer.told).toEqual(refusal(-32_000, "Not allowed. A rule says so."));
  });
});

describe("using it", () => {
  const use = (peer: AcpPeer, what: string) => peer.asks(4, `terminal/${what}`, { terminalId: "terminal-1" });

  test.each<[number | undefined, number]>([
    [undefined, OUTPUT_BYTES_MAX],
    [100, 100],
    [0, 0],
    [-3, 0],
    [1e12, OUTPUT_BYTES_MAX],
  ])("of the output, so much is kept: %s", (outputByteLimit, limitBytes) => {
    const peer = running(outputByteLimit === undefined ? {} : { outputByteLimit });
    expect(use(peer, "output").outputs).toEqual([
      {
        type: "query",
        queryId: "request-4:terminal",
        query: { type: "terminal_output", terminal: 1, limitBytes },
      },
    ]);
  });

  test("output, while it goes on and when it has ended", () => {
    const peer = use(running(), "output");
    const output = { type: "terminal_output", text: "words", truncated: true, exit: null } as const;
    expect(peer.isAnswered("request-4:terminal", output).told).toEqual(
      answer({ output: "words", truncated: true }, 4),
    );
    use(peer.isSeen(1, "words", { code: null, signal: "SIGTERM" }), "output");
    const exitStatus = { exitCode: null, signal: "SIGTERM" };
    expect(peer.isAnswered("request-4:terminal", output).told).toEqual(
      answer({ output: "words", truncated: true, exitStatus }, 4),
    );
  });

  test("its end is waited for without holding up anything, and told to all who wait", () => {
    const peer = use(running(), "wait_for_exit");
    peer.asks(5, "terminal/wait_for_exit", { terminalId: "terminal-1" });
    expect([peer.outputs, peer.state.asked]).toEqual([[], []]);
    expect(peer.isSeen(1, "more").outputs).toEqual([]);
    const exit = { exitCode: 3, signal: null };
    expect(peer.isSeen(1, "more", { code: 3, signal: null }).told).toEqual([
      ...answer(exit, 4),
      ...answer(exit, 5),
    ]);
    // Told again after a restart, it is no news; who asks later is answered at once.
    expect(peer.isSeen(1, "more", { code: 3, signal: null }).outputs).toEqual([]);
    expect(use(peer, "wait_for_exit").told).toEqual(answer(exit, 4));
  });

  test("a wait can be withdrawn", () => {
    const peer = use(running(), "wait_for_exit");
    peer.hears({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 4 } });
    expect(peer.told).toEqual(refusal(-32_800, "The request was cancelled.", 4));
    expect(peer.isSeen(1, "", { code: 0, signal: null }).told).toEqual([]);
  });

  test("killed, it can still be read and waited for", () => {
    const peer = use(running(), "kill");
    const query = { type: "terminal_kill", terminal: 1 };
    expect(peer.outputs).toEqual([{ type: "query", queryId: "request-4:terminal", query }]);
    expect(peer.isAnswered("request-4:terminal", DONE).told).toEqual(answer({}, 4));
    expect(use(peer, "output").told).toEqual([]);
  });

  test("released, it is gone, and who waits is told", () => {
    const peer = running().asks(5, "terminal/wait_for_exit", { terminalId: "terminal-1" });
    use(peer, "release");
    const query = { type: "terminal_release", terminal: 1 };
    expect(peer.said).toEqual([{ type: "query", queryId: "request-4:terminal", query }]);
    expect(peer.told).toEqual(refusal(-32_603, "The terminal was released.", 5));
    for (const what of ["output", "wait_for_exit", "kill", "release"])
      expect(peer.asks(6, `terminal/${what}`, { terminalId: "terminal-1" }).told).toEqual(
        refusal(-32_002, NO_TERMINAL, 6),
      );
    expect(peer.isAnswered("request-4:terminal", DONE).told).toEqual(answer({}, 4));
    expect(peer.state.terminals).toEqual([]);
  });

  test("one that should be gone and is not is released again", () => {
    const query = { type: "terminal_release", terminal: 7 };
    expect(working().isSeen(7, "words", { code: 0, signal: null }).outputs).toEqual([
      { type: "query", queryId: "terminal-7:gone", query },
    ]);
  });

  test.each(["output", "wait_for_exit", "kill", "release"])("%s of none that is there", (what) => {
    const peer = working().asks(4, `terminal/${what}`, { terminalId: "terminal-9" });
    expect(peer.told).toEqual(refusal(-32_002, NO_TERMINAL, 4));
    expect(working().asks(4, `terminal/${what}`, {}).told).toEqual(refusal(-32_002, NO_TERMINAL, 4));
  });

  test("interrupted, all that goes on is ended, and nothing is lost sight of", () => {
    const peer = running({}, running().isSeen(1, "", { code: 0, signal: null }), 5);
    creating({}, peer, 6).isDecided("request-6:rules", "allow");
    creating({}, peer, 7).isDecided("request-7:rules", "ask");
    const { queries } = peer.does({ type: "interrupt_run", run: 1 });
    expect(queries).toEqual([
      { queryId: "terminal-2:kill", query: { type: "terminal_kill", terminal: 2 } },
      { queryId: "terminal-3:kill", query: { type: "terminal_kill", terminal: 3 } },
    ]);
    expect(peer.told.at(-1)).toEqual(refusal(-32_000, "It was cancelled.", 7)[0]);
    expect(peer.isAnswered("request-6:terminal", DONE).told).toEqual(answer({ terminalId: "terminal-3" }, 6));
  });

  test("a turn that is over leaves in the background what goes on", () => {
    const peer = running().answers("session/prompt", { result: { stopReason: "end_turn" } });
    expect(peer.facts.at(-1)).toEqual({ type: "background_changed", count: 1 });
    peer.isSeen(1, null, { code: 0, signal: null });
    expect(peer.facts).toEqual([{ type: "background_changed", count: 0 }]);
  });
});

describe("shown in a call", () => {
  const content = [{ type: "terminal", terminalId: "terminal-1" }];
  const call = { toolCallId: "c", title: "npm test", kind: "execute" };
  const output = { type: "terminal_output", text: "words", truncated: false, exit: null } as const;

  function shows(peer: AcpPeer): AcpPeer {
    return peer.updates({ sessionUpdate: "tool_call", ...call, status: "in_progress", content });
  }
  function streams(peer: AcpPeer): readonly Json[] {
    return peer.outputs.flatMap((one) => (one.type === "stream" ? [{ [one.event]: one.payload }] : []));
  }

  test("what it prints is what the call puts out", () => {
    const peer = shows(running());
    const query = { type: "terminal_output", terminal: 1, limitBytes: 16 * 1024 };
    expect(peer.outputs.at(-1)).toEqual({ type: "query", queryId: "terminal-1:shown", query });
    const shown = (text: string) => [{ tool_call_delta: { callId: "c", outputDelta: text, replace: true } }];
    expect(streams(peer.isAnswered("terminal-1:shown", output))).toEqual(shown("words"));
    expect(streams(peer.isSeen(1, "words"))).toEqual([]);
    expect(streams(peer.isSeen(1, "more words", { code: 0, signal: null }))).toEqual(shown("more words"));
    // Repeated, it is no other.
    expect(shows(peer).outputs).toEqual([]);
    peer.updates({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed", content });
    expect(streams(peer)).toEqual([{ tool_call_completed: { callId: "c", isError: false } }]);
    expect(streams(peer.isSeen(1, "late"))).toEqual([]);
  });

  test("a call that shows it only at its end has it as its result, though it is released at once", () => {
    const peer = running().isSeen(1, "words", { code: 1, signal: null });
    peer.updates({ sessionUpdate: "tool_call", ...call, status: "failed", content });
    expect(peer.outputs.at(-1)).toMatchObject({ type: "query", queryId: "terminal-1:shown" });
    peer.asks(4, "terminal/release", { terminalId: "terminal-1" });
    expect(streams(peer.isAnswered("terminal-1:shown", output))).toEqual([
      { tool_call_completed: { callId: "c", output: "words", isError: true } },
    ]);
  });

  test("a terminal that nobody knows shows nothing", () => {
    expect(shows(working()).outputs.filter(({ type }) => type === "query")).toEqual([]);
  });
});
