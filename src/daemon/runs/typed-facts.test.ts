import { expect, test } from "vitest";
import type { Call } from "../../runtime/call.js";
import { typedFacts } from "./typed-facts.js";

const TAKEN = { isTaken: true } as const;
const NOT = { isTaken: false, reason: "why not" } as const;

type TypingCall = Extract<Call, { readonly type: "typing" }>;

const MESSAGE: TypingCall = {
  type: "typing",
  run: 1,
  typing: { type: "message", text: "hello", force: false, addressee: null },
  onFailure: { type: "delivery_failed", run: 1, messageId: "m" },
};

function answer(choice: "approve" | "reject" | "text", messageId?: string): TypingCall {
  const chosen =
    choice === "text"
      ? ({ type: "text", text: "x" } as const)
      : ({ type: "meaning", meaning: choice } as const);
  const carried = messageId === undefined ? {} : { messageId };
  return {
    type: "typing",
    run: 1,
    typing: { type: "choice", fingerprint: "f", choice: chosen, addressee: null },
    onFailure: {
      type: "effect_failed",
      run: 1,
      effect: { type: "answer_ask", run: 1, askId: "a", ...carried },
    },
  };
}

const closed = (because: string) => ({ type: "ask_closed", run: 1, askId: "a", because });
const back = {
  type: "effect_failed",
  run: 1,
  effect: { type: "answer_ask", run: 1, askId: "a", messageId: "m" },
  message: "The message waits for the input box.",
};

test("a message that was not taken goes back", () => {
  expect(typedFacts(MESSAGE, TAKEN)).toEqual([]);
  expect(typedFacts(MESSAGE, NOT)).toEqual([
    { type: "delivery_failed", run: 1, messageId: "m", error: "why not" },
  ]);
});

test("that a run could not be made to go on ends it not", () => {
  const effect = { type: "continue_run", run: 1 };
  expect(typedFacts({ ...MESSAGE, onFailure: { type: "effect_failed", run: 1, effect } }, NOT)).toEqual([]);
});

test("an answer that was not taken closes its ask, and is no failure", () => {
  expect(typedFacts(answer("approve"), TAKEN)).toEqual([]);
  expect(typedFacts(answer("approve"), NOT)).toEqual([closed("why not")]);
  expect(typedFacts(answer("text", "m"), TAKEN)).toEqual([]);
  expect(typedFacts(answer("text", "m"), NOT)).toEqual([closed("why not"), back]);
});

test("what was said with a no waits in the queue", () => {
  expect(typedFacts(answer("reject", "m"), TAKEN)).toEqual([closed("the answer was pressed"), back]);
});

test("keys promise nothing", () => {
  const keys: TypingCall = {
    ...MESSAGE,
    typing: { type: "keys", keys: ["\x1b"] },
    onFailure: { type: "none" },
  };
  expect(typedFacts(keys, NOT)).toEqual([]);
});
