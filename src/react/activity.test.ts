import { expect, test } from "vitest";
import { stateEvent, streamEvent } from "../../test/cli/wire-values.js";
import { doingAfter, doingAfterState, NOT_DOING, type Doing } from "./activity.js";

function after(...steps: readonly ((doing: Doing) => Doing)[]): string | null {
  return steps.reduce((doing, step) => step(doing), NOT_DOING).activity?.text ?? null;
}

const text = (words: string, more: { readonly replace?: boolean; readonly messageId?: string } = {}) => {
  const { replace, messageId = "m" } = more;
  return (doing: Doing) =>
    doingAfter(
      doing,
      streamEvent("text_delta", { text: words, ...(replace === true ? { replace } : {}) }, { messageId }),
    );
};
const tool = (name: string) => (doing: Doing) =>
  doingAfter(doing, streamEvent("tool_call_delta", { callId: "c", name }));

test("pieces of a message become its last line", () => {
  expect(after(text("First line\nSec"), text("ond "), text("line"))).toBe("Second line");
  expect(after(text("One\n\n"), text("  \n"))).toBe("One");
  expect(after(text("One\n"), text("Two"))).toBe("Two");
  expect(after(text("One"), text("Two", { messageId: "n" }))).toBe("Two");
  expect(after(text("One"), text("One and two", { replace: true }))).toBe("One and two");
});

test("a tool's name takes the line, and a text after it begins anew", () => {
  expect(after(text("I look. "), tool("grep"))).toBe("grep");
  expect(after(text("I look. "), tool("grep"), text("Found."))).toBe("Found.");
});

test("a line is never longer than a screen could show", () => {
  expect(after(text("x".repeat(1_000_000)))).toHaveLength(240);
  const long = after(...Array.from({ length: 100 }, () => text("0123456789")));
  expect(long).toHaveLength(240);
});

test("what does not fit into a line changes nothing", () => {
  for (const event of [
    streamEvent("text_delta", { text: 5 }),
    streamEvent("tool_call_delta", { callId: "c" }),
    streamEvent("completed", {}),
    streamEvent("metadata", { name: "x" }),
  ])
    expect(doingAfter(NOT_DOING, event)).toBe(NOT_DOING);
});

test("a tool that starts is told by the channel of states too", () => {
  const running = { type: "tool_lifecycle", callId: "c", toolName: "make", startedAtMs: 1 } as const;
  expect(after((doing) => doingAfterState(doing, stateEvent({ ...running, status: "running" })))).toBe(
    "make",
  );
  const ended = stateEvent({ ...running, status: "succeeded" });
  expect(doingAfterState(NOT_DOING, ended)).toBe(NOT_DOING);
});
