/** What a person types when an agent asks for an approval: the five choices of 002, by letter or by word. */
import type { AnswerAsk } from "../protocol/api-schemas.js";

export type ApprovalChoice = "once" | "session" | "project" | "always" | "deny";

export type Typed =
  | { readonly type: "answer"; readonly answer: AnswerAsk }
  /** A whole sentence: it may be meant for the agent, and is a rejection only when the person says so. */
  | { readonly type: "confirm"; readonly message: string }
  | { readonly type: "again"; readonly why: string };

const WORDS: Readonly<Record<ApprovalChoice, readonly string[]>> = {
  once: ["y", "yes", "ok", "okay", "once", "allow", "allow once", "approve"],
  session: ["s", "session", "this session", "for this session", "allow for this session"],
  project: ["p", "project", "this project", "in this project", "always in this project"],
  always: ["a", "always", "always allow", "allow always"],
  deny: ["n", "no", "d", "deny", "reject"],
};
const CHOICE_OF: ReadonlyMap<string, ApprovalChoice> = new Map(
  Object.entries(WORDS).flatMap(([choice, words]) =>
    words.map((word) => [word, choice as ApprovalChoice] as const),
  ),
);

/** `n` or `d`, and then what to tell the agent. */
const DENIED = /^(?:n|no|d|deny|reject)(?:[,:]\s*|\s+)(\S[\s\S]*)$/i;

const ALL = "[y] once, [s] this session, [p] this project, [a] always, [n] deny";
const ONCE = "[y] once, [n] deny";
const DENY_WITH = "n TEXT denies it and tells the agent TEXT";

/** `isLasting`: a rule can permit it from now on. */
export function approvalPrompt(isLasting: boolean): string {
  return `Allow? ${isLasting ? ALL : ONCE}: `;
}

export function readApproval(typed: string, isLasting: boolean): Typed {
  const said = typed.trim();
  const choice = CHOICE_OF.get(said.toLowerCase().replace(/[.!]$/, ""));
  if (choice === "deny") return { type: "answer", answer: { decision: "reject" } };
  if (choice === "once") return { type: "answer", answer: { decision: "approve" } };
  if (choice !== undefined) {
    if (isLasting) return { type: "answer", answer: { decision: "approve", scope: choice } };
    return { type: "again", why: "No rule can allow this from now on; y allows it once." };
  }
  const [, message] = DENIED.exec(said) ?? [];
  if (message !== undefined) return { type: "answer", answer: { decision: "reject", message } };
  if (/\s/.test(said)) return { type: "confirm", message: said };
  const choices = isLasting ? ALL : ONCE;
  return { type: "again", why: `Type one of ${choices}. ${DENY_WITH}.` };
}

/** Before a sentence becomes a rejection. */
export function confirmPrompt(): string {
  return "Deny it, and tell the agent that? y or n: ";
}

export function isYes(typed: string): boolean {
  return CHOICE_OF.get(typed.trim().toLowerCase()) === "once";
}
