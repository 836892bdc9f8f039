/**
 * Which of the requests that hooks have told the prompt on the screen asks. Several can wait at once, while an agent shows
 * one dialog at a time, and neither the order of hooks nor that of dialogs is promised: an answer must not be typed into
 * the dialog of another request. So a prompt that cannot be told to be a request's own is described by its own words.
 */
import { isPossible, isPromptOf, type PromptWords } from "../../core/index.js";
import type { TerminalState, ToldRequest } from "./terminal-state.js";

/** The one that the prompt asks; null: none that is known, or it cannot be told. */
export function requestIn(
  prompt: PromptWords & { readonly fingerprint: string },
  state: Pick<TerminalState, "ask" | "requests" | "lastFingerprint">,
): ToldRequest | null {
  const candidates = [...unseenRequest(state), ...state.requests];
  const proven = candidates.filter((request) => isPromptOf(prompt, request));
  const isProven = proven.length > 0;
  const [first, ...others] = isProven ? proven : candidates;
  if (!first || others.some(({ digest }) => digest !== first.digest)) return null;
  // What was shown while it waited is another's.
  const mayBe = prompt.fingerprint !== state.lastFingerprint && isPossible(prompt, first);
  return isProven || mayBe ? first : null;
}

/** The request of the ask that is open, as long as its prompt was not seen. */
export function unseenRequest({ ask }: Pick<TerminalState, "ask">): readonly ToldRequest[] {
  if (!ask?.request || ask.answer !== null) return [];
  return ask.fingerprint === null || ask.fingerprint === UNREAD ? [ask.request] : [];
}

/** Of a prompt that is seen to be there, and whose words are not. */
export const UNREAD = "unread";
