/**
 * What each kind of stream event carries.
 *
 * Adapters write these payloads; whoever shows them reads field by field with `readPayload`, because what an agent sends
 * is not to be trusted: a field of the wrong type is as good as absent, and a field that is not named here is left out.
 */
import {
  count,
  flag,
  id,
  json,
  jsonObject,
  optional,
  text,
  timeMs,
  type Fields,
  type InferFields,
} from "../schema.js";
import type { StreamEventType } from "../stream-event.js";

/**
 * A piece of a message. It is keyed by the envelope's `messageId`, or by `streamId` where the agent gives none; an adapter
 * gives a new `messageId` whenever the agent writes on after a tool call, so that both stand in the order of reading.
 *
 * With `replace` the text is the whole text so far. So is a compacted entry's, which stands for all deltas of a finished
 * message in the place of the last one; `startedSeq` and `startedAtMs` are those of the first delta that had text, and
 * let a replay show the message where it was first shown.
 */
const WRITING = {
  text,
  replace: optional(flag),
  startedSeq: optional(count),
  startedAtMs: optional(timeMs),
} as const;

export const PAYLOADS = {
  text_delta: WRITING,
  thinking_delta: WRITING,
  /** The first one shows that the call runs. With `replace`, a delta is the whole text so far. */
  tool_call_delta: {
    callId: id,
    name: optional(text),
    argsDelta: optional(text),
    outputDelta: optional(text),
    replace: optional(flag),
  },
  /** `input` and `output`, where given, stand for all deltas before; `diff` is a unified diff. */
  tool_call_completed: {
    callId: id,
    name: optional(text),
    input: optional(json),
    output: optional(json),
    isError: optional(flag),
    error: optional(json),
    canceled: optional(flag),
    /** A person or a rule said no: it never ran. */
    rejected: optional(flag),
    diff: optional(text),
  },
  artifact_delta: {
    artifactId: id,
    path: optional(text),
    text: optional(text),
    diff: optional(text),
    replace: optional(flag),
  },
  /** The last event of its stream; see `INTERRUPTED_REASONS` for the reasons that mean more than the end. */
  completed: { reason: optional(text), usage: optional(jsonObject) },
  error: { code: text, message: text, recoverable: flag },
  user_message: { text, messageId: optional(id) },
  /** Texts are whole, never pieces; absent `partial` means complete. */
  ask: {
    askId: id,
    ask: text,
    title: optional(text),
    detail: optional(text),
    text: optional(text),
    partial: optional(flag),
  },
  /** Whatever the agent tells; `noteIn` reads what of it is for a person. */
  status: {},
  metadata: {},
} as const satisfies Readonly<Record<StreamEventType, Fields>>;

/** What an adapter puts into an event of type `T`. */
export type Payload<T extends StreamEventType> = InferFields<(typeof PAYLOADS)[T]>;

/** Reasons of `completed` that say the agent was stopped, not done. */
export const INTERRUPTED_REASONS: ReadonlySet<string> = new Set([
  "interrupted",
  "canceled",
  "cancelled",
  "aborted",
]);

/** The fields of a payload that are as described. */
export function readPayload<T extends StreamEventType>(
  type: T,
  payload: Readonly<Record<string, unknown>>,
): Partial<Payload<T>> {
  const fields: Fields = PAYLOADS[type];
  const fitting: Record<string, unknown> = {};
  for (const name in fields) {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    if (value !== undefined && fields[name]?.check(value, name) === null) fitting[name] = value;
  }
  // Every field in it has been checked against its shape.
  return fitting as Partial<Payload<T>>;
}
