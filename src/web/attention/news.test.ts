import { expect, test } from "vitest";
import { sessionSummary, stateEvent } from "../../../test/cli/wire-values.js";
import type { StatePayload } from "../../protocol/state-event.js";
import { sessionFrom, type AgentSession } from "../../react/agent-session.js";
import { newsIn } from "./news.js";

const SESSION = sessionFrom(sessionSummary());
const ASK = { askId: "a", ask: "tool", title: "ls", detail: "", openedAtMs: 1 } as const;

function changed(from: AgentSession["status"], to: AgentSession["status"]): StatePayload {
  return { type: "state_changed", from, to, fromPhase: null, toPhase: null, reason: "test" };
}

function told(payload: StatePayload): readonly [key: string, text: string] | null {
  const news = newsIn(stateEvent(payload), SESSION);
  return news && [news.key, news.text];
}

test("a person is called for asks, errors and ends, and for nothing else", () => {
  expect(told({ type: "ask_opened", ...ASK, needsHuman: true })).toEqual(["ask:s1:a", "It asks: ls"]);
  expect(told({ type: "ask_opened", ...ASK, source: "wall", needsHuman: true })).toEqual([
    ...["ask:s1:a", "The wall asks: ls"],
  ]);
  expect(told({ type: "ask_opened", ...ASK, title: "", needsHuman: true })).toEqual([
    "ask:s1:a",
    "It needs an answer.",
  ]);
  expect(told(changed("streaming", "error"))).toEqual(["error:s1:3000", "Something went wrong."]);
  expect(told(changed("streaming", "completed"))).toEqual(["done:s1:3000", "It is done."]);
  const certainty = {
    type: "certainty_changed",
    certainty: "unknown",
    unknownSinceMs: 9,
    agent: null,
  } as const;
  expect(told({ ...certainty, needsAttention: true })).toEqual([
    "unknown:s1:9",
    "Signalbox cannot read its terminal: look at it.",
  ]);
  expect(told({ type: "message_status", messageId: "m1", status: "returned" })).toEqual([
    "returned:s1:3000",
    "The agent ended before it received your message.",
  ]);
  for (const payload of [
    { ...certainty, needsAttention: false } as const,
    { type: "message_status", messageId: "m1", status: "queued" } as const,
    changed("streaming", "idle"),
    { type: "ask_opened", ...ASK, needsHuman: false } as const,
    { type: "ask_closed", askId: "a", reason: "x" } as const,
    changed("creating", "streaming"),
    changed("completed", "completed"),
    changed("streaming", "paused"),
  ])
    expect([payload, told(payload)]).toEqual([payload, null]);
});

test("what is over calls nobody any more", () => {
  const ask = { ...ASK, needsHuman: true, tool: null, suggestions: [] };
  const asks = newsIn(stateEvent({ type: "ask_opened", ...ASK, needsHuman: true }), SESSION);
  expect([asks?.holds({ ...SESSION, asks: [ask] }), asks?.holds(SESSION), asks?.holds(null)]).toEqual([
    true,
    false,
    false,
  ]);
  const done = newsIn(stateEvent(changed("streaming", "completed")), SESSION);
  expect([done?.holds({ ...SESSION, status: "completed" }), done?.holds(SESSION)]).toEqual([true, false]);
});
