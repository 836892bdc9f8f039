/** What the scripted model says to one request, before any wire has put it into its own words. */
import type { Conversation } from "./conversation.js";
import { hasDirectives, NO_SCRIPT, parseScript, type Script } from "./script.js";
import { anyValueOf, toToolCall, type ToolCall } from "./tool-call.js";

export interface Reply {
  readonly model: string;
  /** Names everything in this answer; wires make their ids from it. */
  readonly id: string;
  readonly think: string | null;
  readonly text: readonly string[];
  readonly calls: readonly ToolCall[];
}

export interface Plan {
  readonly script: Script;
  /** The prompt that decides, or empty. */
  readonly prompt: string;
  readonly reply: Reply;
}

/** Before a call the model says this much, as models do. */
const BEFORE_CALL = "I will use a tool.";
const PLAIN_ANSWER = "Understood.";

/**
 * The newest thing the person said that has directives decides. Which step it is at follows from the tool results
 * since then. Requests that offer no tools are the agent's own (titles, summaries): they get plain text.
 */
export function planReply(conversation: Conversation, id: string): Plan {
  const { model, utterances, tools, answerSchema } = conversation;
  const base = { model, id, think: null, calls: [] };
  if (answerSchema) {
    return { script: NO_SCRIPT, prompt: "", reply: { ...base, text: [JSON.stringify(fill(answerSchema))] } };
  }
  const at = utterances.findLastIndex(({ role, text }) => role === "user" && hasDirectives(text));
  if (at < 0 || tools.length === 0) {
    return { script: NO_SCRIPT, prompt: "", reply: { ...base, text: [PLAIN_ANSWER] } };
  }
  const prompt = utterances[at]?.text ?? "";
  const script = parseScript(prompt);
  const done = utterances.slice(at + 1).filter(({ role }) => role === "tool").length;
  const steps = script.steps.slice(done, script.parallel ? undefined : done + 1);
  const calls = steps.map((step) => toToolCall(step, conversation));
  const words = calls.length > 0 ? BEFORE_CALL : (script.text ?? `Done, after ${done} tool results.`);
  const text = inPieces(words, calls.length > 0 ? 2 : script.chunks);
  const think = done === 0 ? script.think : null;
  return { script, prompt, reply: { ...base, think, text, calls } };
}

function inPieces(text: string, pieces: number): readonly string[] {
  const length = Math.max(1, Math.ceil(text.length / pieces));
  const count = Math.max(1, Math.ceil(text.length / length));
  return Array.from({ length: count }, (_, index) => text.slice(index * length, (index + 1) * length));
}

function fill(schema: NonNullable<Conversation["answerSchema"]>): Readonly<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, property]) => [name, anyValueOf(property)]));
}
