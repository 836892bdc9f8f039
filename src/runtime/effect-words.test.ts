import { expect, test } from "vitest";
import { SCRIPT } from "../../test/sim/runtime-fixture.js";
import { carriedMessage, failureFact, failureNote, wallCalls, wordFor } from "./effect-words.js";

const CODEC = SCRIPT.start({
  run: 1,
  settings: { harness: "script", title: "", cwd: ".", model: null, args: [], env: {} },
  resume: null,
  prompt: null,
  continues: false,
}).state;

const NO_TEXTS: ReadonlyMap<string, string> = new Map();
const ASKED = { askDetails: {}, event: { type: "interrupt" } } as const;

test("each effect has its note, and each note its fact", () => {
  const reply = {
    type: "answer_ask",
    run: 2,
    askId: "q",
    decision: "reply",
    by: "user",
    messageId: "m",
  } as const;
  const approval = { type: "answer_ask", run: 2, askId: "q", decision: "approve", by: "rule" } as const;
  const notes = [
    failureNote({ type: "deliver_message", run: 2, messageId: "m" }),
    failureNote(reply),
    failureNote(approval),
    failureNote({ type: "continue_run", run: 2, why: "retry" }),
    failureNote({ type: "interrupt_run", run: 2 }),
    failureNote({ type: "void_asks", askIds: ["q"], reason: "x" }),
  ];
  expect(notes.map((note) => failureFact(note, "why"))).toEqual([
    { type: "delivery_failed", run: 2, messageId: "m", error: "why" },
    {
      type: "effect_failed",
      run: 2,
      effect: { type: "answer_ask", run: 2, askId: "q", messageId: "m" },
      message: "why",
    },
    { type: "effect_failed", run: 2, effect: { type: "answer_ask", run: 2, askId: "q" }, message: "why" },
    { type: "effect_failed", run: 2, effect: { type: "continue_run", run: 2 }, message: "why" },
    null,
    null,
  ]);
});

test("a message whose text is gone cannot be said", () => {
  const effect = { type: "deliver_message", run: 1, messageId: "m" } as const;
  expect(wordFor(SCRIPT, CODEC, effect, NO_TEXTS, ASKED)).toEqual({
    state: CODEC,
    writes: [],
    failure: "the message's text is gone",
  });
  expect(wordFor(SCRIPT, CODEC, effect, new Map([["m", "hello"]]), ASKED).writes).toEqual([
    '{"n":1,"type":"prompt","text":"hello"}\n',
  ]);
});

test("an answer without a text needs none", () => {
  const effect = { type: "answer_ask", run: 1, askId: "q", decision: "approve", by: "user" } as const;
  expect(wordFor(SCRIPT, CODEC, effect, NO_TEXTS, ASKED).failure).toBeUndefined();
});

test("which message a failure brings back", () => {
  const effect = { type: "answer_ask", askId: "q" };
  expect([
    carriedMessage({ type: "delivery_failed", messageId: "m", error: "" }),
    carriedMessage({ type: "effect_failed", effect: { ...effect, messageId: "n" }, message: "" }),
    carriedMessage({ type: "effect_failed", effect, message: "" }),
    carriedMessage({ type: "interrupted" }),
  ]).toEqual(["m", "n", null, null]);
});

test("an agent that a rule rejects is told why; one that a person rejects gets the person's words alone", () => {
  const because = "Denied by Shell(rm *).";
  const event = { type: "permission_resolved", askId: "q", verdict: "deny", because } as const;
  const said = (by: "rule" | "user", decision: "reject" | "approve") => {
    const effect = { type: "answer_ask", run: 1, askId: "q", decision, by } as const;
    const [line = ""] = wordFor(SCRIPT, CODEC, effect, NO_TEXTS, { askDetails: {}, event }).writes;
    return (JSON.parse(line) as { text: string | null }).text;
  };
  expect([said("rule", "reject"), said("rule", "approve"), said("user", "reject")]).toEqual([
    because,
    null,
    null,
  ]);
});

test("an answer to the wall grants first what holds for longer, and then tells the proxy, with a reason in one line", () => {
  const tool = { name: "network", kind: "fetch", input: { url: "https://a.test:443/" } };
  const detail = {
    title: "Wants to reach a.test:443",
    detail: "",
    openedAtMs: 1,
    tool,
    source: "wall",
  } as const;
  const askDetails = { w: detail };
  const answer = { type: "answer_wall", run: 1, askId: "w", by: "user" } as const;
  const allowed = { type: "answer_wall", run: 1, askId: "w", allow: true, because: "" };
  expect(wallCalls({ ...answer, decision: "approve" }, NO_TEXTS, { askDetails })).toEqual([allowed]);
  expect(wallCalls({ ...answer, decision: "approve", scope: "once" }, NO_TEXTS, { askDetails })).toEqual([
    allowed,
  ]);
  expect(wallCalls({ ...answer, decision: "approve", scope: "always" }, NO_TEXTS, { askDetails })).toEqual([
    { type: "grant", scope: "always", tool, source: "wall" },
    allowed,
  ]);
  const refused = (because: string) => [{ ...allowed, allow: false, because }];
  const texts = new Map([["m", "use\r\nthe mirror"]]);
  expect(wallCalls({ ...answer, decision: "reject" }, texts, { askDetails })).toEqual(
    refused("a person rejected it"),
  );
  expect(wallCalls({ ...answer, decision: "reject", messageId: "m" }, texts, { askDetails })).toEqual(
    refused("a person rejected it: use the mirror"),
  );
  expect(wallCalls({ ...answer, by: "rule", decision: "reject" }, texts, { askDetails })).toEqual(
    refused("too many hosts wait for an answer already"),
  );
});
