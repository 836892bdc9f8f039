/** An effect in an agent's words, and the fact that says that they could not be said. */
import type { Json, SessionFact } from "../core/index.js";
import type { FailureNote } from "./call.js";
import type { Encoded, Harness, HarnessEffect } from "./harness.js";

export function wordFor(harness: Harness, codec: Json, effect: HarnessEffect, text: string | null): Encoded {
  if ("messageId" in effect && text === null)
    return { state: codec, writes: [], failure: "the message's text is gone" };
  return harness.encode(codec, effect, text);
}

export function failureNote(effect: HarnessEffect): FailureNote {
  switch (effect.type) {
    case "deliver_message":
      return { type: "delivery_failed", run: effect.run, messageId: effect.messageId };
    case "answer_ask": {
      const { type, run, askId, messageId } = effect;
      const carried = messageId === undefined ? {} : { messageId };
      return { type: "effect_failed", run, effect: { type, run, askId, ...carried } };
    }
    case "continue_run":
      return { type: "effect_failed", run: effect.run, effect: { type: effect.type, run: effect.run } };
    case "interrupt_run":
    case "void_asks":
      return { type: "none" };
  }
}

export function failureFact(note: FailureNote, message: string): SessionFact | null {
  switch (note.type) {
    case "delivery_failed":
      return { ...note, error: message };
    case "effect_failed":
      return { ...note, message };
    case "none":
      return null;
  }
}

/** The message that comes back with a failure. */
export function carriedMessage(fact: SessionFact): string | null {
  if (fact.type === "delivery_failed") return fact.messageId;
  return fact.type === "effect_failed" ? (fact.effect.messageId ?? null) : null;
}
