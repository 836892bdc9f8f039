import { expect, test } from "vitest";
import { Step } from "./step.js";

class TestStep extends Step<{ readonly turn: number }> {
  protected override readonly askBounds = { title: 10, detail: 20 };

  get streamId(): string {
    return `turn-${this.state.turn}`;
  }
}

const ASK = { askId: "a", ask: "command", title: "ls", detail: "ls -la", tool: { name: "shell" } } as const;

test("an ask is its detail, its place in the conversation and the fact, with the same words", () => {
  const step = new TestStep({ turn: 1 });
  step.ask(ASK);
  expect(step.decoded()).toEqual({
    state: { turn: 1 },
    outputs: [
      { type: "ask_detail", askId: "a", title: "ls", detail: "ls -la", tool: { name: "shell" } },
      {
        type: "stream",
        streamId: "turn-1",
        event: "ask",
        payload: { askId: "a", ask: "command", title: "ls", detail: "ls -la" },
      },
      { type: "fact", fact: { type: "ask:command", askId: "a" } },
    ],
  });
});

test("an ask in pieces says so in the conversation and in the fact", () => {
  const step = new TestStep({ turn: 1 });
  step.ask({ ...ASK, partial: true });
  expect(step.outputs.slice(1)).toEqual([
    expect.objectContaining({ payload: expect.objectContaining({ partial: true }) as unknown }),
    { type: "fact", fact: { type: "ask:command", askId: "a", partial: true } },
  ]);
});

test("the words of an ask have a bound, and say how much is missing", () => {
  const step = new TestStep({ turn: 1 });
  step.ask({ ...ASK, title: "a long\n title of it", detail: `${"x".repeat(20)}; rm -rf build` });
  const words = { title: "a long ti…", detail: `${"x".repeat(20)}\n… 14 more characters are not shown` };
  expect(step.outputs).toEqual([
    { type: "ask_detail", askId: "a", ...words, tool: { name: "shell" } },
    expect.objectContaining({ payload: { askId: "a", ask: "command", ...words } }),
    { type: "fact", fact: { type: "ask:command", askId: "a" } },
  ]);
});

test("a turn that has ended is an ask whose id is made up from its stream, unless the agent names it", () => {
  const step = new TestStep({ turn: 2 });
  step.turnEnded();
  step.turnEnded({ askId: "own", ending: "max_tokens" });
  step.turnFailed("api_req_failed", "it was overloaded");
  expect(step.outputs).toEqual([
    { type: "fact", fact: { type: "ask:completion_result", askId: "turn-2:end" } },
    { type: "fact", fact: { type: "ask:completion_result", askId: "own", ending: "max_tokens" } },
    { type: "fact", fact: { type: "ask:api_req_failed", askId: "turn-2:end", text: "it was overloaded" } },
  ]);
});

test("a subagent's calls are shown under the call that started it, and are no state of the session", () => {
  const step = new TestStep({ turn: 1 });
  const place = { streamId: "sub", parentMessageId: "call", isOwn: false };
  step.toolStarted("c", "read", {}, place);
  step.toolEnded({ callId: "c", isError: false }, place);
  const shown = { type: "stream", streamId: "sub", parentMessageId: "call" };
  expect(step.outputs).toEqual([
    { ...shown, event: "tool_call_delta", payload: { callId: "c", name: "read" } },
    { ...shown, event: "tool_call_completed", payload: { callId: "c", isError: false } },
  ]);
});

test("an effect gives out what is written and asked, and nothing else", () => {
  const step = new TestStep({ turn: 1 });
  step.set({ turn: 2 });
  step.write("a\n");
  step.query("q", { type: "terminal_kill", terminal: 1 });
  expect(step.encoded()).toEqual({
    state: { turn: 2 },
    writes: ["a\n"],
    queries: [{ queryId: "q", query: { type: "terminal_kill", terminal: 1 } }],
  });
});
