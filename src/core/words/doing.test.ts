import { expect, test } from "vitest";
import { streamEvent } from "../../../test/cli/wire-values.js";
import { doingAfter, doingAfterState, doingWords, NOT_DOING, type Doing, type DoingState } from "./doing.js";

type Change = (doing: Doing) => Doing;

function after(...steps: readonly Change[]): Doing {
  return steps.reduce((doing, step) => step(doing), NOT_DOING);
}

function lineAfter(...steps: readonly Change[]): string | null {
  return after(...steps).activity?.text ?? null;
}

/** While it streams, and the model is called: what the machine says of all of these. */
function wordsAfter(...steps: readonly Change[]): string {
  return doingWords("streaming", "calling_llm", after(...steps));
}

type Stream = Parameters<typeof streamEvent>;
const stream =
  (...event: Stream): Change =>
  (doing) =>
    doingAfter(doing, streamEvent(...event));
const text = (words: string, more: { readonly replace?: boolean; readonly messageId?: string } = {}) => {
  const { replace, messageId = "m" } = more;
  return stream("text_delta", { text: words, ...(replace === true ? { replace } : {}) }, { messageId });
};
const tool = (name: string, argsDelta = "", callId = "c") =>
  stream("tool_call_delta", { callId, name, argsDelta });
const state =
  (payload: DoingState): Change =>
  (doing) =>
    doingAfterState(doing, payload, 9);
const runs = (toolName: string, callId = "c") =>
  state({ type: "tool_lifecycle", callId, toolName, status: "running" });
const ends = (callId = "c") => stream("tool_call_completed", { callId, output: "" });

test("before the first word it waits for the model, and then it writes", () => {
  expect(wordsAfter()).toBe("Waiting for the model");
  expect(wordsAfter(stream("user_message", { text: "Hello" }))).toBe("Waiting for the model");
  expect(wordsAfter(stream("thinking_delta", { text: "Hm" }))).toBe("Thinking");
  expect(wordsAfter(stream("thinking_delta", { text: "Hm" }), text("I look"))).toBe("Writing");
  expect(wordsAfter(text("I look"), stream("completed", {}))).toBe("Waiting for the model");
});

test("a tool that runs is named with what it does, until it ends", () => {
  const npm = tool("Bash", '{"command":"npm test"}');
  expect(wordsAfter(text("I run it"), npm)).toBe("Preparing a tool call");
  expect(wordsAfter(npm, runs("Bash"))).toBe("Running npm test");
  expect(wordsAfter(npm, runs("Bash"), stream("tool_call_delta", { callId: "c", outputDelta: "ok" }))).toBe(
    "Running npm test",
  );
  expect(wordsAfter(npm, runs("Bash"), ends())).toBe("Waiting for the model");
  expect(wordsAfter(npm, runs("Bash"), ends(), text("Done"))).toBe("Writing");
  const failed = state({ type: "tool_lifecycle", callId: "c", status: "failed" });
  expect(wordsAfter(npm, runs("Bash"), failed)).toBe("Waiting for the model");
});

test("arguments that come in pieces are joined", () => {
  const pieces = [tool("Bash"), tool("Bash", '{"comm'), tool("Bash", 'and":"make"}')];
  expect(wordsAfter(...pieces, runs("Bash"))).toBe("Running make");
  const replaced = stream("tool_call_delta", { callId: "c", argsDelta: '{"command":"ls"}', replace: true });
  expect(wordsAfter(...pieces, replaced, runs("Bash"))).toBe("Running ls");
});

test("of several tools the newest is named, and how many there are besides", () => {
  const two = [runs("make", "a"), runs("lint", "b")];
  expect(wordsAfter(...two)).toBe("Running lint, and 1 more");
  expect(wordsAfter(...two, ends("b"))).toBe("Running make");
});

test("what an agent's own agent writes is part of the call that started it", () => {
  const inside = stream("text_delta", { text: "I explore" }, { parentMessageId: "c", messageId: "sub" });
  expect(wordsAfter(runs("Task"), inside)).toBe("Running Task");
  expect(lineAfter(runs("Task"), inside)).toBe("I explore");
});

test("the end of a turn closes what was left open; a wait in its middle does not", () => {
  const open = [runs("make")];
  expect(after(...open, state({ type: "state_changed", to: "waiting_approval" })).calls).toHaveLength(1);
  const over = after(...open, text("x"), state({ type: "state_changed", to: "paused" }));
  expect(over).toEqual({ activity: over.activity, writing: null, now: "nothing", calls: [] });
  expect(doingAfterState(over, { type: "state_changed", to: "completed" }, 9)).toBe(over);
});

test("words are said of an agent at work only", () => {
  const writing = after(text("x"));
  expect(doingWords("creating", null, NOT_DOING)).toBe("Creating session…");
  expect(doingWords("streaming", "executing_tools", NOT_DOING)).toBe("Running a tool");
  expect(doingWords("streaming", "post_tool_hooks", writing)).toBe("Running hooks");
  expect(doingWords("streaming", "processing_response", NOT_DOING)).toBe("Processing the response");
  for (const status of [
    "idle",
    "waiting_approval",
    "waiting_input",
    "completed",
    "paused",
    "error",
    "stopped",
  ] as const)
    expect(doingWords(status, null, writing)).toBe("");
});

test("of what nobody understands no phase is said", () => {
  expect(doingWords("streaming", "calling_llm", NOT_DOING, "known")).toBe("Waiting for the model");
  for (const phase of ["calling_llm", "executing_tools", "post_tool_hooks"] as const)
    expect(doingWords("streaming", phase, NOT_DOING, "unknown")).toBe("");
  expect(doingWords("creating", null, NOT_DOING, "unknown")).toBe("");
});

test("pieces of a message become its last line", () => {
  expect(lineAfter(text("First line\nSec"), text("ond "), text("line"))).toBe("Second line");
  expect(lineAfter(text("One\n\n"), text("  \n"))).toBe("One");
  expect(lineAfter(text("One\n"), text("Two"))).toBe("Two");
  expect(lineAfter(text("One"), text("Two", { messageId: "n" }))).toBe("Two");
  expect(lineAfter(text("One"), text("One and two", { replace: true }))).toBe("One and two");
});

test("a tool takes the line, and a text after it begins anew", () => {
  expect(lineAfter(text("I look. "), tool("grep", '{"pattern":"TODO"}'))).toBe("Search files: TODO");
  expect(lineAfter(text("I look. "), tool("grep"), text("Found."))).toBe("Found.");
});

test("everything is bounded", () => {
  expect(lineAfter(text("x".repeat(1_000_000)))).toHaveLength(240);
  expect(lineAfter(...Array.from({ length: 100 }, () => text("0123456789")))).toHaveLength(240);
  const many = after(...Array.from({ length: 100 }, (_, at) => runs("make", `c${at}`)));
  expect(many.calls).toHaveLength(16);
  const long = after(...Array.from({ length: 100 }, () => tool("make", "x".repeat(10_000))));
  expect(long.calls[0]?.args.length).toBeLessThan(50_000);
});

test("what says nothing changes nothing", () => {
  for (const event of [
    streamEvent("text_delta", { text: 5 }),
    streamEvent("tool_call_delta", { callId: "c" }),
    streamEvent("tool_call_completed", { callId: "c" }),
    streamEvent("completed", {}),
    streamEvent("metadata", { name: "x" }),
  ])
    expect(doingAfter(NOT_DOING, event)).toBe(NOT_DOING);
  expect(doingAfterState(NOT_DOING, { type: "tool_lifecycle", callId: "c", status: "succeeded" }, 9)).toBe(
    NOT_DOING,
  );
});
