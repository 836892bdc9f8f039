import { describe, expect, test } from "vitest";
import type { Json, SessionFact } from "../../core/index.js";
import type { Decoded, HarnessEffect, Output, StreamOutput } from "../../runtime/harness.js";
import { decodeScript, encodeScript, startScript } from "./script-codec.js";
import { scriptHarness } from "./script-harness.js";
import { agentLineSchema, type AgentLine } from "./script-wire.js";

const SETTINGS = { harness: "script", title: "", cwd: ".", model: null, args: ["--report", "r"], env: {} };
const PROMPT = { messageId: "m1", text: "hello" };

/** The state of a codec in its third turn, that has got four lines and sent two. */
const STATE = { run: 2, received: 4, sent: 2, turn: 3, continues: false };
const STREAM = "run-2-turn-3";

function start(over: Partial<Parameters<typeof startScript>[0]> = {}) {
  return startScript({ run: 1, settings: SETTINGS, resume: null, prompt: null, continues: false, ...over });
}

function stream(event: StreamOutput["event"], payload: Record<string, Json>, messageId?: string): Output {
  const id = messageId === undefined ? {} : { messageId };
  return { type: "stream", streamId: STREAM, event, payload, ...id };
}

function fact(value: SessionFact): Output {
  return { type: "fact", fact: value };
}

type Unnumbered<T> = T extends AgentLine ? Omit<T, "n"> : never;

/** What the next line of this kind is decoded to. */
function decoded(line: Unnumbered<AgentLine>): readonly Output[] {
  const { state, outputs } = decodeScript(STATE, JSON.stringify({ n: 5, ...line }));
  expect(state).toEqual({ ...STATE, received: 5 });
  return outputs;
}

describe("start", () => {
  test("a prompt is the first thing that it is told", () => {
    expect(start({ prompt: PROMPT })).toEqual({
      state: { run: 1, received: 0, sent: 1, turn: 1, continues: false },
      input: '{"n":1,"type":"prompt","text":"hello"}\n',
    });
  });

  test("without one it is told nothing", () => {
    expect(start({ run: 3, continues: true })).toEqual({
      state: { run: 3, received: 0, sent: 0, turn: 0, continues: true },
      input: "",
    });
  });
});

const DECODED: readonly (readonly [Unnumbered<AgentLine>, readonly Output[]])[] = [
  [{ type: "ready", sessionId: "S" }, [fact({ type: "session_created", sessionId: "S" })]],
  [{ type: "request" }, [fact({ type: "api_req_started" })]],
  [{ type: "text", text: "hi", messageId: "a" }, [stream("text_delta", { text: "hi" }, "a")]],
  [{ type: "text", text: "" }, [stream("text_delta", { text: "" })]],
  [{ type: "thinking", text: "hm" }, [stream("thinking_delta", { text: "hm" })]],
  [{ type: "ask_closed", askId: "q" }, [fact({ type: "ask_closed", askId: "q" })]],
  [
    { type: "usage", inputTokens: 3, outputTokens: 2 },
    [{ type: "usage", usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 0, costUsd: null } }],
  ],
  [
    { type: "usage", inputTokens: 3, outputTokens: 2, costUsd: 0.1 },
    [{ type: "usage", usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 0, costUsd: 0.1 } }],
  ],
  [{ type: "retry", attempt: 2, atMs: 9 }, [fact({ type: "retry_scheduled", attempt: 2, atMs: 9 })]],
  [{ type: "background", count: 1 }, [fact({ type: "background_changed", count: 1 })]],
  [
    { type: "interrupted" },
    [stream("completed", { reason: "interrupted" }), fact({ type: "turn_interrupted" })],
  ],
  [
    { type: "stream_error", message: "broken", recoverable: true },
    [stream("error", { code: "streaming_failed", message: "broken", recoverable: true })],
  ],
  [
    { type: "fail", code: "invalid_model", message: "no such model" },
    [fact({ type: "ask:invalid_model", askId: `${STREAM}:end`, text: "no such model" })],
  ],
  [
    { type: "done" },
    [
      stream("completed", { reason: "done" }),
      fact({ type: "ask:completion_result", askId: `${STREAM}:end` }),
    ],
  ],
  [
    { type: "stdin_fault", expected: 2, got: 4 },
    [stream("metadata", { problem: "it got line 4 instead of 2" })],
  ],
];

describe("decode", () => {
  test.each(DECODED)("%j", (line, outputs) => {
    expect(decoded(line)).toEqual(outputs);
  });

  test("a call begins", () => {
    // In this order: content says that the model is called, the start that the tool runs.
    expect(decoded({ type: "tool", callId: "c", name: "sh", input: { command: "ls" } })).toEqual([
      stream("tool_call_delta", { callId: "c", name: "sh", argsDelta: '{"command":"ls"}' }),
      fact({ type: "tool_started", callId: "c", toolName: "sh" }),
    ]);
    expect(decoded({ type: "tool", callId: "c", name: "sh" })).toEqual([
      stream("tool_call_delta", { callId: "c", name: "sh", argsDelta: "{}" }),
      fact({ type: "tool_started", callId: "c", toolName: "sh" }),
    ]);
  });

  test.each([
    [
      { type: "tool_done", callId: "c", ok: true, output: "x" } as const,
      { output: "x", isError: false },
      true,
    ],
    [{ type: "tool_done", callId: "c", ok: false } as const, { output: "", isError: true }, false],
  ])("a call ends: %j", (line, payload, ok) => {
    expect(decoded(line)).toEqual([
      stream("tool_call_completed", { callId: "c", ...payload }),
      fact({ type: "tool_finished", callId: "c", ok }),
    ]);
  });

  test("an ask says first what it is about", () => {
    const ask = { askId: "q", ask: "command", title: "Run?", detail: "ls" } as const;
    expect(decoded({ type: "ask", ...ask })).toEqual([
      { type: "ask_detail", askId: "q", title: "Run?", detail: "ls", tool: { name: "command", input: "ls" } },
      stream("ask", { ...ask, partial: false }),
      fact({ type: "ask:command", askId: "q", partial: false }),
    ]);
    expect(decoded({ type: "ask", askId: "q", ask: "followup", partial: true })).toEqual([
      {
        type: "ask_detail",
        askId: "q",
        title: "followup",
        detail: "",
        tool: { name: "followup", input: "" },
      },
      stream("ask", { askId: "q", ask: "followup", title: "followup", detail: "", partial: true }),
      fact({ type: "ask:followup", askId: "q", partial: true }),
    ]);
  });

  test.each([
    [{ ...STATE, turn: 0 }, [fact({ type: "ask:completion_result", askId: "run-2-turn-0:end" })]],
    [{ ...STATE, turn: 0, continues: true }, []],
    [{ ...STATE, turn: 1 }, []],
  ])("ready, started without a prompt, is idle; resumed it is not: %j", (state, more) => {
    const { outputs } = decodeScript(state, '{"n":5,"type":"ready","sessionId":"S"}');
    expect(outputs).toEqual([fact({ type: "session_created", sessionId: "S" }), ...more]);
  });

  test("every kind of line is decoded above", () => {
    const kinds = new Set([...DECODED.map(([{ type }]) => type), "tool", "tool_done", "ask"]);
    expect(kinds).toEqual(new Set(agentLineSchema.options.map((option) => option.shape.type.value)));
  });
});

describe("lines that are missing, repeated or unknown", () => {
  test.each([
    [7, "line 7 came instead of 5"],
    [4, "line 4 came instead of 5"],
  ])("line %i is a problem, and is taken all the same", (n, problem) => {
    const expected: Decoded = {
      state: { ...STATE, received: n },
      outputs: [stream("metadata", { problem }), fact({ type: "api_req_started" })],
    };
    expect(decodeScript(STATE, JSON.stringify({ n, type: "request" }))).toEqual(expected);
  });

  test.each([
    "gibberish",
    '{"n":5,"type":"dance"}',
    '{"n":0,"type":"request"}',
    '{"n":5}',
    "null",
    "[]",
    "\ufffd{",
  ])("%s is kept, counted, and no line", (line) => {
    expect(decodeScript(STATE, line)).toEqual({
      state: STATE,
      outputs: [{ type: "unknown", kind: "line" }, stream("metadata", { unknown: line })],
    });
  });

  test("of a long one only the beginning is kept", () => {
    const { outputs } = decodeScript(STATE, "x".repeat(20_000));
    expect(outputs[1]).toEqual(stream("metadata", { unknown: "x".repeat(10_000) }));
  });

  test.each(["", "  ", "\r"])("an empty line means nothing: %j", (line) => {
    expect(decodeScript(STATE, line)).toEqual({ state: STATE, outputs: [] });
  });

  test("a line that ends as on Windows is a line", () => {
    expect(decodeScript(STATE, '{"n":5,"type":"request"}\r').outputs).toEqual([
      fact({ type: "api_req_started" }),
    ]);
  });
});

const ENCODED: readonly (readonly [HarnessEffect, string | null, number, string])[] = [
  [
    { type: "deliver_message", run: 2, messageId: "m" },
    "go on",
    4,
    '{"n":3,"type":"prompt","text":"go on"}\n',
  ],
  [{ type: "continue_run", run: 2, why: "resume" }, null, 4, '{"n":3,"type":"continue"}\n'],
  [{ type: "interrupt_run", run: 2 }, null, 3, '{"n":3,"type":"interrupt"}\n'],
  [
    { type: "void_asks", askIds: ["a", "b"], reason: "x" },
    null,
    3,
    '{"n":3,"type":"void","askIds":["a","b"]}\n',
  ],
  [
    { type: "answer_ask", run: 2, askId: "q", decision: "approve", by: "user", scope: "session" },
    null,
    3,
    '{"n":3,"type":"answer","askId":"q","decision":"approve","text":null}\n',
  ],
  [
    { type: "answer_ask", run: 2, askId: "q", decision: "reply", by: "user", messageId: "m" },
    'new\nline "x"',
    3,
    '{"n":3,"type":"answer","askId":"q","decision":"reply","text":"new\\nline \\"x\\""}\n',
  ],
];

describe("encode", () => {
  test.each(ENCODED)("%j", (effect, text, turn, line) => {
    expect(encodeScript(STATE, effect, text)).toEqual({ state: { ...STATE, sent: 3, turn }, writes: [line] });
  });

  test("what it says is one line each, numbered without a gap", () => {
    let state: Json = STATE;
    const numbers = ENCODED.map(([effect, text]) => {
      const encoded = encodeScript(state, effect, text);
      state = encoded.state;
      const [line = ""] = encoded.writes;
      expect(line.split("\n").length).toBe(2);
      return (JSON.parse(line) as { n: number }).n;
    });
    expect(numbers).toEqual([3, 4, 5, 6, 7, 8]);
  });
});

describe("the harness", () => {
  test("starts the agent with what the session asks for, and with the id to resume", async () => {
    const { command, args, env, hooks } = await scriptHarness.launch(SETTINGS, {
      dataDir: "",
      resume: "S",
      prompt: null,
    });
    expect([command, args.slice(1), env, hooks]).toEqual([
      process.execPath,
      ["--resume", "S", "--report", "r"],
      {},
      false,
    ]);
    expect(args[0]).toMatch(/script-agent\.js$/);
    const fresh = await scriptHarness.launch(SETTINGS, { dataDir: "", resume: null, prompt: "hi" });
    expect(fresh.args.slice(1)).toEqual(["--report", "r"]);
  });

  test("its state is plain JSON, and the codec goes on from it", () => {
    const { state } = start({ prompt: PROMPT });
    const stored = JSON.parse(JSON.stringify(state)) as Json;
    expect(decodeScript(stored, '{"n":1,"type":"request"}')).toEqual(
      decodeScript(state, '{"n":1,"type":"request"}'),
    );
  });
});
