/**
 * Which of the requests that hooks have told the prompt on the screen asks. Several can wait at once, while an agent shows
 * one dialog at a time, and neither the order of hooks nor that of dialogs is promised: an answer must not be typed into
 * the dialog of another request. So a prompt that cannot be told to be a request's own is described by its own words.
 */
import { isPossible, isPromptOf, type PromptWords } from "./asked-prompt.js";
import type { TerminalReading } from "./events.js";
import type { OpenAsk, ShownPrompt, TerminalState, ToldRequest } from "./state.js";

/** Of a prompt that is seen to be there, and whose words are not. */
export const UNREAD = "unread";

type Prompt = NonNullable<TerminalReading["prompt"]>;

/** The request that the prompt asks; null: none that is known, or it cannot be told. */
export function requestIn(
  prompt: Prompt,
  unseen: readonly ToldRequest[],
  { requests, lastFingerprint }: Pick<TerminalState, "requests" | "lastFingerprint">,
): ToldRequest | null {
  const candidates = [...unseen, ...requests];
  const proven = candidates.filter((request) => isPromptOf(prompt, request));
  const isProven = proven.length > 0;
  const [first, ...others] = isProven ? proven : candidates;
  if (!first || others.some(({ digest }) => digest !== first.digest)) return null;
  // What was shown while it waited is another's.
  const mayBe = prompt.fingerprint !== lastFingerprint && isPossible(prompt, first);
  return isProven || mayBe ? first : null;
}

/** The request of an ask whose prompt was not seen, or not read. */
export function unseenRequest({ request, fingerprint }: OpenAsk): readonly ToldRequest[] {
  return request && (fingerprint === null || fingerprint === UNREAD) ? [request] : [];
}

/** Whether a prompt that was seen before is that of a request whose hook comes only now. */
export function isShownAs(shown: PromptWords, request: ToldRequest, others: readonly ToldRequest[]): boolean {
  return isPromptOf(shown, request) || (others.length === 0 && isPossible(shown, request));
}

/** A dialog is drawn in pieces; what changes later than this is another one. */
const GROWS_WITHIN_MS = 2_000;

/** Whether the prompt is the one that was shown, with more of it drawn: the same title, and nothing else taken back. */
export function hasGrown(shown: ShownPrompt, prompt: Prompt, atMs: number): boolean {
  return (
    atMs - shown.sinceMs <= GROWS_WITHIN_MS &&
    prompt.title === shown.title &&
    shown.choices.every((label, at) => prompt.choices[at]?.label === label) &&
    squeezed(prompt.detail).startsWith(squeezed(shown.detail))
  );
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
