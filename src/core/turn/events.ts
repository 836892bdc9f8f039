/** What can happen to a turn. Each event is described once; its type and its parser come from that. */
import {
  count,
  flag,
  id,
  integer,
  json,
  jsonObject,
  list,
  object,
  oneOf,
  optional,
  text,
  union,
} from "../schema.js";
import type { Infer } from "../schema.js";

export const PERMISSION_CHOICES = [
  "allow",
  "allow_for_session",
  "always_allow_in_project",
  "always_allow",
  "deny",
] as const;

/** What a person wants; may be rejected. */
export const TURN_REQUESTS = {
  user_submit: { messageId: id, text },
  cancel: {},
  execute_command: {},
  insert_command: {},
  retry: {},
  interrupt_tools: {},
  new_session: {},
  slash_command: { command: text, content: text },
  request_skill_load: { name: id, arguments: optional(text) },
  permission_user_choice: { toolId: id, choice: oneOf(...PERMISSION_CHOICES) },
} as const;

const ofStream = { streamId: optional(count) };

/** What the model's stream says; stale when it carries the id of another stream. */
export const STREAM_FACTS = {
  stream_started: { ...ofStream },
  stream_chunk: { text, ...ofStream },
  stream_status_changed: { status: text, ...ofStream },
  /** `invalid`: why the input does not fit the tool's schema. */
  stream_tool_call: { id, name: text, input: json, invalid: optional(text), ...ofStream },
  stream_server_tool_result: {
    toolUseId: id,
    content: text,
    isError: flag,
    remote: flag,
    contentLength: optional(count),
    ...ofStream,
  },
  suggest_command: { id, input: json, ...ofStream },
  stream_done: { sessionId: text, ...ofStream },
  stream_error: { message: text, ...ofStream },
} as const;

/** What became of an effect. */
export const DRIVER_FACTS = {
  permission_resolved: { toolId: id, response: oneOf("allowed", "denied", "ask", "session_granted") },
  tool_execution_done: {
    toolId: id,
    outcome: object({ isError: flag, content: text }),
    preview: optional(jsonObject),
  },
  tool_preview_update: { toolId: id, lines: list(text), exitCode: optional(integer) },
  confirmation_timeout: { timeoutId: count },
  tool_execution_timeout: { timeoutId: count, toolId: id },
  skill_loaded: { name: id, arguments: optional(text), content: text },
  skill_load_failed: { name: id, message: text },
} as const;

export const turnEventShape = union({ ...TURN_REQUESTS, ...STREAM_FACTS, ...DRIVER_FACTS });

export type TurnEvent = Infer<typeof turnEventShape>;
export type TurnRequest = Extract<TurnEvent, { type: keyof typeof TURN_REQUESTS }>;
export type StreamFact = Extract<TurnEvent, { type: keyof typeof STREAM_FACTS }>;
export type TurnFact = Exclude<TurnEvent, TurnRequest>;

/** The table's rows: each kind of event by its name. */
export type TurnRows = { readonly [T in TurnEvent["type"]]: Extract<TurnEvent, { type: T }> };

export function isStreamFact(event: TurnEvent): event is StreamFact {
  return Object.hasOwn(STREAM_FACTS, event.type);
}
