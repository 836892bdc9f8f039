/** Qwen Code asks a person with a permission request, and takes the answers beside the yes. */
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { fact, working, type AcpPeer } from "./acp-peer.js";

const OPTIONS = [
  { optionId: "cancel", name: "Cancel", kind: "reject_once" },
  { optionId: "proceed_once", name: "Submit", kind: "allow_once" },
];
const COLOUR = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "crimson", description: "Red" },
    { label: "azure", description: "Blue" },
  ],
};
const SIZES = { question: "Which sizes?", options: [{ label: "S" }, { label: "M" }], multiSelect: true };

function asking(questions: Json, agent = "qwen", kind = "think"): AcpPeer {
  const toolCall = { toolCallId: "c1", title: "Ask user 1 question", kind, rawInput: { questions } };
  return working(agent).asks(7, "session/request_permission", { toolCall, options: OPTIONS });
}

function reply(peer: AcpPeer, decision: "reply" | "reject", text: string | null): readonly Json[] {
  const effect = { type: "answer_ask", run: 1, askId: "request-7", decision, by: "user" } as const;
  peer.does(text === null ? effect : { ...effect, messageId: "m" }, text);
  return peer.told;
}

const told = (result: Json) => [{ jsonrpc: "2.0", id: 7, result }];

test("it is a question, with its choices", () => {
  const peer = asking([COLOUR]);
  expect(peer.outputs.find(({ type }) => type === "ask_detail")).toMatchObject({
    title: "Which colour?",
    detail: "Which colour?:\n  1. crimson\n  2. azure",
  });
  expect(peer.outputs.at(-1)).toEqual(fact({ type: "ask:followup", askId: "request-7" }));
});

test.each([
  [[COLOUR], "azure", { 0: "azure" }],
  [[COLOUR], "2", { 0: "azure" }],
  [[COLOUR], "none of them", { 0: "none of them" }],
  [[COLOUR, SIZES], "crimson\nS, M", { 0: "crimson", 1: "S, M" }],
])("%j, answered %j", (questions, text, answers) => {
  const outcome = { outcome: "selected", optionId: "proceed_once" };
  expect(reply(asking(questions), "reply", text)).toEqual(told({ outcome, answers }));
});

test("declined, it is cancelled", () => {
  const outcome = { outcome: "selected", optionId: "cancel" };
  expect(reply(asking([COLOUR]), "reject", null)).toEqual(told({ outcome }));
});

test.each([
  ["another agent", asking([COLOUR], "gemini")],
  ["another kind of tool", asking([COLOUR], "qwen", "other")],
  ["no questions", asking([])],
  ["questions without words", asking([{ options: [] }])],
])("of %s it is a matter of permission", (_what, peer) => {
  expect(peer.outputs.at(-1)).toEqual(fact({ type: "ask:tool", askId: "request-7" }));
});
