import { expect, test } from "vitest";
import type { Entry } from "../../core/index.js";
import { contextWindow } from "./context-window.js";

const user = (content: string): Entry => ({ type: "user_message", messageId: content, content });
const text = (content: string): Entry => ({ type: "text", content });
const call = (id: string): Entry => ({ type: "tool_call", id, name: "read_file", input: {} });
const result = (toolUseId: string, isError = false): Entry => ({
  type: "tool_result",
  toolUseId,
  content: `of ${toolUseId}`,
  isError,
  remote: false,
});

test("answers and results stand in the order of the conversation", () => {
  const entries = [
    user("go"),
    text("Both at once."),
    call("a"),
    call("b"),
    result("b", true),
    result("a"),
    text("Now this."),
    call("c"),
    result("c"),
    text("Done."),
    { type: "out_of_band", name: "System", command: "help", content: "for the person" } as const,
    { type: "system_context", content: "note" } as const,
  ];
  const part = (id: string) => ({ type: "tool_call", id, name: "read_file", input: {} });
  const seen = (callId: string, isError = false) => ({
    callId,
    name: "read_file",
    content: `of ${callId}`,
    isError,
  });
  expect(contextWindow(entries)).toEqual([
    { role: "user", text: "go" },
    { role: "assistant", parts: [{ type: "text", text: "Both at once." }, part("a"), part("b")] },
    { role: "tool", results: [seen("b", true), seen("a")] },
    { role: "assistant", parts: [{ type: "text", text: "Now this." }, part("c")] },
    { role: "tool", results: [seen("c")] },
    { role: "assistant", parts: [{ type: "text", text: "Done." }] },
    { role: "user", text: "note" },
  ]);
});

test("the first turn and the newest ones are kept, whole, and what is missing is marked", () => {
  const turns = Array.from({ length: 50 }, (_, index) => [
    user(`question ${index}`),
    call(`c${index}`),
    result(`c${index}`),
    text("x".repeat(500)),
  ]).flat();
  const messages = contextWindow(turns, new Map(), 5_000);
  const texts = messages.flatMap((message) => ("text" in message ? [message.text] : []));
  expect(texts[0]).toBe("question 0");
  expect(texts[1]).toContain("left out");
  expect(texts.slice(-2)).toEqual(["question 49", "Continue."]);
  expect(texts.length).toBeLessThan(12);
  expect(JSON.stringify(messages).length).toBeLessThan(6_000);
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  const callIds = calls.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
  const resultIds = messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ callId }) => callId) : [],
  );
  expect(resultIds).toEqual(callIds);
});

test("the newest turn is given even when it alone is too long; nothing is marked when nothing is missing", () => {
  expect(contextWindow([user("a"), text("b")], new Map(), 1)).toEqual([
    { role: "user", text: "a" },
    { role: "assistant", parts: [{ type: "text", text: "b" }] },
    // Some providers do not answer to their own last word.
    { role: "user", text: "Continue." },
  ]);
  const [, second] = contextWindow([user("a"), user("b".repeat(100))], new Map(), 10);
  expect(second).toEqual({ role: "user", text: "b".repeat(100) });
  expect(contextWindow([])).toEqual([]);
});

test("a turn that is too long by itself keeps every call and result, and loses the middle of old results", () => {
  const steps = Array.from({ length: 20 }, (_, index) => [
    call(`c${index}`),
    { ...result(`c${index}`), content: `begin ${index} ${"x".repeat(3_000)} end ${index}` },
  ]).flat();
  for (const turns of [steps, [text("An answer."), user("And now?"), ...steps]]) {
    const messages = contextWindow([user("go"), ...turns], new Map(), 40_000);
    expect(JSON.stringify(messages).length).toBeLessThan(42_000);
    const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(results.map(({ callId }) => callId)).toEqual(
      Array.from({ length: 20 }, (_, index) => `c${index}`),
    );
    expect(results[0]?.content).toMatch(/^begin 0 x+\n\[\d+ characters left out\]\nx+ end 0$/);
    expect(results[19]?.content).toHaveLength(3_000 + "begin 19  end 19".length);
  }
});

test("where results are not what is long, the long texts that tools were given lose their middle", () => {
  const steps = Array.from({ length: 10 }, (_, index) => [
    { ...call(`c${index}`), input: { file_path: `f${index}`, content: `begin ${"x".repeat(5_000)} end` } },
    result(`c${index}`),
  ]).flat();
  const messages = contextWindow([user("go"), ...steps], new Map(), 30_000);
  expect(JSON.stringify(messages).length).toBeLessThan(32_000);
  const inputs = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.parts.flatMap((part) => (part.type === "tool_call" ? [part.input] : []))
      : [],
  );
  expect(inputs).toHaveLength(10);
  expect(inputs[0]).toEqual({
    file_path: "f0",
    content: expect.stringMatching(/^begin x+\n\[\d+ characters left out\]\nx+ end$/) as unknown,
  });
  expect(inputs[9]).toEqual({ file_path: "f9", content: `begin ${"x".repeat(5_000)} end` });
});
