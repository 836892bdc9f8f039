import type { SessionFact } from "../../core/index.js";
import type { Call } from "../../runtime/call.js";
import { failureFact } from "../../runtime/effect-words.js";
import type { Typed } from "../../terminal/typing/typed-terminal.js";

type TypingCall = Extract<Call, { readonly type: "typing" }>;

/** What the machine is told of a typing. */
export function typedFacts({ typing, run, onFailure }: TypingCall, typed: Typed): readonly SessionFact[] {
  switch (typing.type) {
    case "message": {
      // That a run did not go on is seen, and is no reason to end it.
      if (typed.isTaken || onFailure.type !== "delivery_failed") return [];
      const fact = failureFact(onFailure, typed.reason);
      return fact ? [fact] : [];
    }
    case "choice":
      return onFailure.type === "effect_failed" ? answerFacts(typing.choice.type, run, onFailure, typed) : [];
    case "keys":
      return [];
  }
}

/**
 * An answer that was not taken is no failure of the agent's: the prompt is gone, or is asked anew when it is still there.
 * A message that came with a no is typed when the input box is back: it waits in the queue until then.
 */
function answerFacts(
  choice: "meaning" | "text",
  run: number,
  { effect }: Extract<TypingCall["onFailure"], { readonly type: "effect_failed" }>,
  typed: Typed,
): readonly SessionFact[] {
  const { askId, messageId } = effect;
  if (askId === undefined) return [];
  const isCarried = messageId !== undefined && (choice === "meaning" || !typed.isTaken);
  if (typed.isTaken && !isCarried) return [];
  const because = typed.isTaken ? "the answer was pressed" : typed.reason;
  const closed: SessionFact = { type: "ask_closed", run, askId, because };
  if (!isCarried) return [closed];
  return [closed, { type: "effect_failed", run, effect, message: "The message waits for the input box." }];
}
