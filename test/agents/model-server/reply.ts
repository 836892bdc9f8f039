/** What the scripted model says to one request, before any wire has put it into its own words. */
import type { Conversation, Utterance } from "./conversation.js";
import { hasDirectives, NO_SCRIPT, parseScript, ScriptError, type Script, type Step } from "./script.js";
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

/** Claude and Qwen ask their model, with the whole conversation, what the person may want to say next. */
const SUGGESTION_MODES = ["[SUGGESTION MODE:", "Reply with ONLY the suggestion"];
/** Qwen asks in the same way what is worth remembering. */
const MEMORY_MODE = "managed memory extraction subagent";
/** What it is told then. */
export const SUGGESTION = "have it look at the tests";

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
  const last = utterances.at(-1)?.text ?? "";
  if (SUGGESTION_MODES.some((words) => last.includes(words)))
    return { script: NO_SCRIPT, prompt: "", reply: { ...base, text: [SUGGESTION] } };
  if (conversation.setting.includes(MEMORY_MODE))
    return { script: NO_SCRIPT, prompt: "", reply: { ...base, text: [PLAIN_ANSWER] } };
  const at = utterances.findLastIndex(({ role, text }) => role === "user" && hasDirectives(text));
  if (at < 0 || tools.length === 0) {
    return { script: NO_SCRIPT, prompt: "", reply: { ...base, text: [PLAIN_ANSWER] } };
  }
  const prompt = utterances[at]?.text ?? "";
  const script = parseScript(prompt);
  const results = utterances.slice(at + 1).filter(({ role }) => role === "tool");
  const done = results.length;
  const steps = script.steps.slice(done, script.parallel ? undefined : done + 1);
  const calls = steps.map((step) => toToolCall(withResults(step, results), conversation));
  const words = calls.length > 0 ? BEFORE_CALL : (script.text ?? `Done, after ${done} tool results.`);
  const text = inPieces(words, calls.length > 0 ? 2 : script.chunks);
  const think = done === 0 ? script.think : null;
  return { script, prompt, reply: { ...base, think, text, calls } };
}

/** `{{field}}` in a tool's input is what the newest result that has this field says. */
function withResults(step: Step, results: readonly Utterance[]): Step {
  if (step.type !== "tool") return step;
  const json = JSON.stringify(step.input).replace(/\{\{(\w+)\}\}/g, (_, field: string) => {
    const pattern = new RegExp(`"${field}"\\s*:\\s*"([^"]*)"`);
    const found = results.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []).at(-1);
    if (found === undefined) throw new ScriptError(`no result has a field ${field}`);
    return found;
  });
  return { ...step, input: JSON.parse(json) as Record<string, unknown> };
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
