/**
 * What of a conversation is given to the model: at most so many characters. The first turn says what it is all about and
 * stays as it is; then a marker says that something is left out; then come the newest turns. A call is never parted from
 * its result, because turns are kept or left out as a whole; of a turn that is too long by itself, results are cut.
 */
import type { Entry, Json } from "../../core/index.js";
import { fittedTurn, lengthOf } from "./fitted-turn.js";
import type { AssistantPart, ModelMessage, ToolResultPart } from "../models/model.js";

const CONTEXT_LENGTH_MAX = 200_000;
/** An answer that broke off, or went on after its results, is the model's last word; some providers refuse to begin there. */
const GO_ON: ModelMessage = { role: "user", text: "Continue." };
const LEFT_OUT = "[Earlier parts of this conversation are left out here.]";

type CallMetadata = ReadonlyMap<string, Json>;

export function contextWindow(
  entries: readonly Entry[],
  metadata: CallMetadata = new Map(),
  lengthMax: number = CONTEXT_LENGTH_MAX,
): readonly ModelMessage[] {
  const turns = turnsOf(entries);
  const [whole, ...others] = turns;
  if (!whole) return [];
  // However long it was, it leaves room for what is being asked now.
  const first = fittedTurn(whole, others.length === 0 ? lengthMax : lengthMax / 2);
  let room = lengthMax - lengthOf(first);
  const newest: (readonly Entry[])[] = [];
  for (const turn of others.toReversed()) {
    // The newest turn is what is being asked: it is given even when it is too long, without the middle of its results.
    const given = newest.length === 0 ? fittedTurn(turn, room) : turn;
    room -= lengthOf(given);
    if (room < 0 && newest.length > 0) break;
    newest.unshift(given);
  }
  const marker: readonly ModelMessage[] =
    newest.length < others.length ? [{ role: "user", text: LEFT_OUT }] : [];
  const given = (turn: readonly Entry[]): readonly ModelMessage[] => messagesOf(turn, metadata);
  const messages = [...given(first), ...marker, ...newest.flatMap(given)];
  return messages.at(-1)?.role === "assistant" ? [...messages, GO_ON] : messages;
}

/** A turn begins with what a person says, or with a skill. */
function turnsOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const turns: Entry[][] = [];
  for (const entry of entries) {
    const begins = entry.type === "user_message" || entry.type === "skill_invocation";
    if (begins || turns.length === 0) turns.push([]);
    turns.at(-1)?.push(entry);
  }
  return turns;
}

function messagesOf(turn: readonly Entry[], metadata: CallMetadata): readonly ModelMessage[] {
  const names = new Map(
    turn.flatMap((entry) => (entry.type === "tool_call" ? [[entry.id, entry.name]] : [])),
  );
  const messages: ModelMessage[] = [];
  let parts: AssistantPart[] = [];
  let results: ToolResultPart[] = [];
  const flush = (): void => {
    if (parts.length > 0) messages.push({ role: "assistant", parts });
    if (results.length > 0) messages.push({ role: "tool", results });
    parts = [];
    results = [];
  };
  for (const entry of turn) {
    // What the model says after results is a new answer.
    const isAnswer = entry.type === "text" || entry.type === "tool_call";
    if (isAnswer && results.length > 0 && isComplete(parts, results)) flush();
    switch (entry.type) {
      case "text":
        parts.push({ type: "text", text: entry.content });
        break;
      case "tool_call":
        parts.push(callOf(entry, metadata.get(entry.id)));
        break;
      case "tool_result": {
        const { toolUseId: callId, content, isError } = entry;
        results.push({ callId, name: names.get(callId) ?? "", content, isError });
        break;
      }
      case "user_message":
      case "system_context":
      case "skill_invocation":
        flush();
        messages.push({ role: "user", text: entry.content ?? "" });
        break;
      case "out_of_band":
        break;
    }
  }
  flush();
  return messages;
}

function callOf(
  { id, name, input }: Extract<Entry, { readonly type: "tool_call" }>,
  metadata: Json | undefined,
): AssistantPart {
  return { type: "tool_call", id, name, input, ...(metadata === undefined ? {} : { metadata }) };
}

/** Every call of the answer has its result. */
function isComplete(parts: readonly AssistantPart[], results: readonly ToolResultPart[]): boolean {
  const calls = parts.filter((part) => part.type === "tool_call");
  return calls.every(({ id }) => results.some(({ callId }) => callId === id));
}
