/**
 * Which of the requests that hooks have told the prompt on the screen asks. Several can wait at once, while an agent shows
 * one dialog at a time, and neither the order of hooks nor that of dialogs is promised: an answer must not be typed into
 * the dialog of another request. So a prompt that cannot be told to be a request's own is described by its own words.
 */
import type { Asked } from "../../runtime/terminal-observation.js";
import type { TerminalState, ToldRequest } from "./terminal-state.js";

export interface PromptWords {
  readonly title: string;
  readonly detail: string;
}

/** Whether the prompt says in its own words that it asks exactly this. */
export function isPromptOf(prompt: PromptWords, asked: Asked): boolean {
  switch (asked.title) {
    case "Bash":
      return isCommandIn(prompt, asked);
    case "AskUserQuestion":
      return asked.detail.split("\n").includes(prompt.title);
    default:
      return isPathIn(prompt, asked);
  }
}

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

/** Nothing speaks against it. Not every dialog shows what it is about as hooks tell it, but one for a command does. */
export function isPossible({ title, detail }: PromptWords, asked: Asked): boolean {
  return asked.title !== "Bash" || squeezed(`${title}${detail}`).includes(squeezed(asked.detail));
}

const COMMAND_TITLE = squeezed("Bash command");

/** All of it, and nothing else: a part of a longer command is another one, and so is what a command is said to do. */
function isCommandIn({ title, detail }: PromptWords, asked: Asked): boolean {
  const rows = [title, ...detail.split("\n")];
  if (rows.at(-1)?.endsWith("?")) rows.pop();
  const shown = squeezed(rows.join(""));
  const command = squeezed(asked.detail);
  const note = squeezed(asked.note);
  const whole = [note + command, command + note, command].map((words) => COMMAND_TITLE + words);
  // The top of a dialog may not fit on the screen.
  return whole.includes(shown) || (note !== "" && shown === note + command);
}

/** Below its title stands the file, as seen from the agent's folder. */
function isPathIn({ detail }: PromptWords, asked: Asked): boolean {
  const [path = ""] = detail.split("\n");
  return path !== "" && (asked.detail === path || asked.detail.endsWith(`/${path}`));
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
