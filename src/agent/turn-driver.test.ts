import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { FromAgent, ToAgent } from "../protocol/agent-wire.js";
import { Conversation } from "./conversation/conversation.js";
import { ModelError, type Model, type ModelEvent, type ModelRequest } from "./models/model.js";
import { askUserTool } from "./tools/ask-user.js";
import type { Tool } from "./tools/tool.js";
import { TurnDriver } from "./turn-driver.js";

const WAIT = { timeout: 10_000 };

type Answer = readonly (ModelEvent | Error | "hang" | (() => Promise<void>))[];

/** Gives these answers, one for each request. */
class ScriptedModel implements Model {
  readonly name = "scripted";
  readonly requests: ModelRequest[] = [];

  constructor(private readonly answers: readonly Answer[]) {}

  async *stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const answer = this.answers[this.requests.length] ?? [];
    this.requests.push(request);
    for (const event of answer) {
      await Promise.resolve();
      if (event === "hang") await once(request.signal, "abort");
      else if (event instanceof Error) throw event;
      else if (typeof event === "function") await event();
      else yield event;
    }
  }
}

/** Does not end by itself; it has a moment. */
const slow: Tool<{ readonly text: string }> = {
  name: "slow",
  capability: null,
  ask: "none",
  timeoutMs: 20,
  description: "",
  input: z.object({ text: z.string() }),
  describe: () => Promise.resolve({ title: "", detail: "" }),
  execute: async (_input, { signal }) => {
    await once(signal, "abort");
    return { isError: true, content: "too late" };
  },
};

const echo: Tool<{ readonly text: string }> = {
  name: "echo",
  capability: null,
  ask: "tool",
  description: "",
  input: z.object({ text: z.string() }),
  describe: ({ text }) => Promise.resolve({ title: `Echo ${text}`, detail: text }),
  execute: async ({ text }, { signal }) => {
    if (text === "forever") await once(signal, "abort");
    return { isError: false, content: text, diff: `+${text}` };
  },
};

let folder = "";
let driver: TurnDriver | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-driver-"));
});
afterEach(() => {
  driver?.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

function start(...answers: readonly Answer[]): {
  readonly lines: FromAgent[];
  readonly model: ScriptedModel;
  readonly hear: (line: ToAgent) => void;
  readonly until: (type: FromAgent["type"]) => Promise<void>;
} {
  const lines: FromAgent[] = [];
  const model = new ScriptedModel(answers);
  const tools = [echo, slow, askUserTool] as readonly unknown[] as readonly Tool[];
  const made = new TurnDriver({
    cwd: folder,
    system: () => "",
    model: () => model,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    toolDescriptions: [],
    conversation: Conversation.open(folder, "s", folder, 0),
    renew: () => Conversation.open(folder, "t", folder, 0),
    loadSkill: (name, args) => Promise.resolve(`skill ${name} ${args ?? ""}`),
    afterTool: ({ outcome }) => Promise.resolve({ outcome }),
    write: (line) => void lines.push(line),
    onBroken: (error) => {
      throw error;
    },
  });
  driver = made;
  const until = (type: FromAgent["type"]): Promise<void> =>
    expect.poll(() => lines.map((line) => line.type), WAIT).toContain(type);
  return { lines, model, hear: (line) => made.hear(line), until };
}

const say = (text: string): ModelEvent => ({ type: "text", text });
const call = (id: string, text: string): ModelEvent => ({
  type: "tool_call",
  id,
  name: "echo",
  input: { text },
});
const prompt = (text: string): ToAgent => ({ type: "prompt", messageId: `m-${text}`, text });
const approve = (askId: string): ToAgent => ({
  type: "answer",
  askId,
  decision: "approve",
  by: "user",
  text: null,
});

test("a turn with a tool that a person allows", async () => {
  const { lines, model, hear, until } = start([say("Look: "), call("c1", "a")], [say("Done.")]);
  hear(prompt("go"));
  await until("ask");
  hear(approve("c1"));
  await until("done");
  expect(lines).toEqual([
    { type: "request" },
    { type: "text", messageId: "s-1", text: "Look: " },
    { type: "tool_call", callId: "c1", name: "echo", input: { text: "a" } },
    {
      type: "ask",
      askId: "c1",
      ask: "tool",
      title: "Echo a",
      detail: "a",
      name: "echo",
      input: { text: "a" },
    },
    { type: "tool_started", callId: "c1", name: "echo" },
    { type: "tool_result", callId: "c1", content: "a", isError: false, diff: "+a" },
    { type: "request" },
    { type: "text", messageId: "s-3", text: "Done." },
    { type: "done" },
  ]);
  expect(model.requests[1]?.messages).toEqual([
    { role: "user", text: "go" },
    {
      role: "assistant",
      parts: [
        { type: "text", text: "Look: " },
        { type: "tool_call", id: "c1", name: "echo", input: { text: "a" } },
      ],
    },
    { role: "tool", results: [{ callId: "c1", name: "echo", content: "a", isError: false }] },
  ]);
});

test("a server that numbers the calls of each answer anew: each is a call of its own, also in the next turn", async () => {
  const { lines, model, hear } = start(
    [call("call_0", "a"), call("call_0", "b")],
    [call("call_0", "c")],
    [say("Done.")],
    [call("call_0", "d")],
    [say("Again.")],
  );
  const asked = () => lines.flatMap((line) => (line.type === "ask" ? [[line.askId, line.detail]] : []));
  const doneCount = () => lines.filter(({ type }) => type === "done").length;
  hear(prompt("go"));
  await expect.poll(() => asked().length, WAIT).toBe(2);
  hear(approve("call_0"));
  hear(approve("call_0_2"));
  await expect.poll(() => asked().length, WAIT).toBe(3);
  hear(approve("call_0_3"));
  await expect.poll(doneCount, WAIT).toBe(1);
  hear(prompt("more"));
  await expect.poll(() => asked().length, WAIT).toBe(4);
  hear(approve("call_0_4"));
  await expect.poll(doneCount, WAIT).toBe(2);
  expect(asked()).toEqual([
    ["call_0", "a"],
    ["call_0_2", "b"],
    ["call_0_3", "c"],
    ["call_0_4", "d"],
  ]);
  const results = model.requests
    .at(-1)
    ?.messages.flatMap((each) => (each.role === "tool" ? each.results : []));
  expect(results?.map(({ callId, content }) => [callId, content])).toEqual(asked());
});

test("a rejection reaches the model with its reason; a rule's needs no person", async () => {
  const { lines, model, hear, until } = start([call("c1", "a"), call("c2", "b")], [say("I see.")]);
  hear(prompt("go"));
  await expect.poll(() => lines.filter(({ type }) => type === "ask").length, WAIT).toBe(2);
  hear({ type: "answer", askId: "c1", decision: "reject", by: "user", text: "Not this one." });
  hear({ type: "answer", askId: "c2", decision: "reject", by: "rule", text: null });
  await until("done");
  const [, , told] = model.requests[1]?.messages ?? [];
  expect(told).toEqual({
    role: "tool",
    results: [
      {
        callId: "c1",
        name: "echo",
        content: expect.stringMatching(/The user says: Not this one\.$/) as string,
        isError: true,
      },
      { callId: "c2", name: "echo", content: expect.any(String) as string, isError: true },
    ],
  });
});

test("an input that does not fit is an error for the model, and nobody is asked", async () => {
  const { lines, hear, until } = start(
    [{ type: "tool_call", id: "c1", name: "echo", input: { text: 7 } }],
    [say("Sorry.")],
  );
  hear(prompt("go"));
  await until("done");
  expect(lines.filter(({ type }) => type === "ask")).toEqual([]);
  expect(lines.find(({ type }) => type === "tool_result")).toMatchObject({ callId: "c1", isError: true });
});

test("interrupted while a tool runs and another is asked for: both end, and the turn with them", async () => {
  const { lines, hear, until } = start([call("c1", "forever"), call("c2", "b")]);
  hear(prompt("go"));
  await expect.poll(() => lines.filter(({ type }) => type === "ask").length, WAIT).toBe(2);
  hear(approve("c1"));
  await until("tool_started");
  hear({ type: "interrupt" });
  await until("interrupted");
  expect(lines.slice(lines.findIndex(({ type }) => type === "tool_started") + 1)).toEqual([
    { type: "ask_closed", askId: "c2" },
    { type: "tool_result", callId: "c1", content: expect.any(String) as string, isError: true },
    { type: "tool_result", callId: "c2", content: expect.any(String) as string, isError: true },
    { type: "interrupted" },
  ]);
  hear(prompt("again"));
  await until("done");
});

test("a model that fails at first is asked again, and it shows; one that breaks off is an error", async () => {
  const busy = new ModelError("busy", "api_req_failed", true);
  const { lines, hear, until } = start([busy], [busy], [say("Half"), busy], [say(" an answer.")]);
  hear(prompt("go"));
  await until("failed");
  expect(lines).toEqual([
    { type: "request" },
    { type: "retry", attempt: 1, delayMs: 250, message: "busy" },
    { type: "retry", attempt: 2, delayMs: 1_000, message: "busy" },
    { type: "text", messageId: "s-1", text: "Half" },
    { type: "failed", code: "api_req_failed", message: "busy" },
  ]);
  hear({ type: "continue", why: "retry" });
  await until("done");
  expect(lines.slice(5)).toEqual([
    { type: "request" },
    { type: "text", messageId: "s-2", text: " an answer." },
    { type: "done" },
  ]);
});

test("a question waits for its answer, and is withdrawn when the turn is interrupted", async () => {
  const question: ModelEvent = {
    type: "tool_call",
    id: "q1",
    name: "ask_user",
    input: { question: "Which?", choices: ["red", "green"] },
  };
  const { lines, model, hear, until } = start([question], [{ ...question, id: "q2" }], [say("ok")]);
  hear(prompt("go"));
  await until("ask");
  const [ask] = lines.flatMap((line) => (line.type === "ask" ? [line] : []));
  expect([ask?.ask, ask?.title, ask?.detail]).toEqual(["followup", "Which?", "1. red\n2. green"]);
  hear({ type: "answer", askId: ask?.askId ?? "", decision: "reply", by: "user", text: "2" });
  await expect.poll(() => model.requests.length, WAIT).toBe(2);
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    results: [{ content: "green", isError: false }],
  });
  await expect.poll(() => lines.filter(({ type }) => type === "ask").length, WAIT).toBe(2);
  hear({ type: "interrupt" });
  await until("interrupted");
  expect(lines.map(({ type }) => type)).toContain("ask_closed");
});

test("a process that was started anew goes on with the conversation", async () => {
  const first = start([say("One.")]);
  first.hear(prompt("go"));
  await first.until("done");
  driver?.close();
  const second = start([say("Two.")]);
  second.hear({ type: "continue", why: "resume" });
  await second.until("done");
  expect(second.model.requests[0]?.messages).toEqual([
    { role: "user", text: "go" },
    { role: "assistant", parts: [{ type: "text", text: "One." }] },
    { role: "user", text: "Continue." },
  ]);
});

test("tool_done_before_stream_done_stays_in_turn: the answer goes on, then the model gets the result", async () => {
  let isDone = (): void => undefined;
  const resultTold = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const { lines, model, hear, until } = start(
    [call("c1", "a"), () => resultTold, say("And more.")],
    [say("Over.")],
  );
  hear(prompt("go"));
  await until("ask");
  hear(approve("c1"));
  await until("tool_result");
  expect(lines.filter(({ type }) => type === "request" || type === "done")).toHaveLength(1);
  isDone();
  await until("done");
  expect(lines.map(({ type }) => type).slice(-6)).toEqual([
    "tool_started",
    "tool_result",
    "text",
    "request",
    "text",
    "done",
  ]);
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
});

test("a stream that fails while calls are open: each gets its result, and a retry sends no text twice", async () => {
  const broken = new ModelError("broken", "api_req_failed", false);
  const { lines, model, hear, until } = start(
    [say("Look."), call("c1", "forever"), call("c2", "b"), () => until("tool_started"), broken],
    [say("Again.")],
  );
  hear(prompt("go"));
  await expect.poll(() => lines.filter(({ type }) => type === "ask").length, WAIT).toBe(2);
  hear(approve("c1"));
  await until("failed");
  expect(lines.flatMap((line) => (line.type === "tool_result" ? [[line.callId, line.isError]] : []))).toEqual(
    [
      ["c1", true],
      ["c2", true],
    ],
  );
  expect(lines.filter(({ type }) => type === "ask_closed")).toEqual([{ type: "ask_closed", askId: "c2" }]);
  hear({ type: "continue", why: "retry" });
  await until("done");
  const [, second] = model.requests;
  expect(second?.messages).toMatchObject([
    { role: "user" },
    { role: "assistant", parts: [{ text: "Look." }, { id: "c1" }, { id: "c2" }] },
    { role: "tool", results: [{ callId: "c1" }, { callId: "c2" }] },
  ]);
});

test("a tool has its configured time when the call names none", async () => {
  const { lines, hear, until } = start(
    [{ type: "tool_call", id: "c1", name: "slow", input: { text: "" } }],
    [say("ok")],
  );
  hear(prompt("go"));
  await until("done");
  expect(lines.find(({ type }) => type === "tool_result")).toMatchObject({
    isError: true,
    content: expect.stringContaining("timed out") as string,
  });
});

test("a model that never comes to an end is stopped after 200 continuations", async () => {
  const bad = (index: number): Answer => [{ type: "tool_call", id: `c${index}`, name: "none", input: {} }];
  const { lines, model, hear, until } = start(...Array.from({ length: 300 }, (_, index) => bad(index)));
  hear(prompt("go"));
  await until("failed");
  expect([model.requests.length, lines.filter(({ type }) => type === "done")]).toEqual([201, []]);
});

test("a thinking model is thinking; what it thinks is shown and not kept", async () => {
  const { lines, model, hear, until } = start([{ type: "thinking", text: "Hm." }, say("Yes.")], [say("ok")]);
  hear(prompt("go"));
  await until("done");
  expect(lines.map(({ type }) => type)).toEqual(["request", "thinking", "text", "done"]);
  hear(prompt("more"));
  await expect.poll(() => model.requests.length, WAIT).toBe(2);
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("Hm.");
});
