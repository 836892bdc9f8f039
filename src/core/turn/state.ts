/** What the built-in agent's conversation turn remembers. The conversation itself is not here: it is appended to. */
import {
  count,
  flag,
  id,
  json,
  jsonObject,
  list,
  nullable,
  object,
  oneOf,
  optional,
  record,
  text,
  union,
  type Infer,
  type Shape,
} from "../schema.js";

/** The last tools of the conversation that are kept; one that is not resolved is never dropped. */
export const TOOLS_MAX = 256;
/** The last calls of others that are kept; an open one is never dropped. */
export const FOREIGN_CALLS_MAX = 256;
export const QUEUE_LENGTH_MAX = 100;
export const CONTINUATIONS_MAX = 200;

export const STREAM_STATUSES = ["processing", "searching", "thinking", "waiting_for_tools"] as const;
export const TOOL_STATES = [
  "checking_permission",
  "awaiting_permission",
  "executing",
  "completed",
  "denied",
] as const;

const modeShape = union({
  idle: { confirmation: nullable(object({ command: text, timeoutId: count })) },
  turn: {
    stream: oneOf("connecting", "streaming", "done"),
    /** Only while streaming; otherwise null. */
    status: nullable(oneOf(...STREAM_STATUSES)),
  },
  error: { message: text },
});

const toolShape = object({
  id,
  name: text,
  input: json,
  state: oneOf(...TOOL_STATES),
  timeoutId: optional(count),
  interruptReason: optional(oneOf("user", "timeout")),
  preview: optional(jsonObject),
});

/** A skill that was loaded while a turn was running. */
const queuedSkillShape = object({
  type: oneOf("skill"),
  name: text,
  arguments: optional(text),
  content: text,
});

export type QueuedSkill = Infer<typeof queuedSkillShape>;
export type Queued = string | QueuedSkill;

/** A message waits by its id, a skill as a whole. */
const queuedShape: Shape<Queued> = {
  check: (value, path) => (typeof value === "string" ? id : queuedSkillShape).check(value, path),
};

const configShape = object({
  capabilities: list(text),
  tools: record(
    object({
      /** Absent or null: the tool needs none. */
      capability: optional(nullable(text)),
      timeoutMs: optional(count),
      /** The provider runs it; we only write down its call and its result. */
      remote: optional(flag),
    }),
  ),
  maxContinuations: count,
});

export const turnStateShape = object({
  mode: modeShape,
  /** The newest stream: 0 at first, +1 with each `start_stream`. */
  streamId: count,
  /** Streamed but not yet appended. */
  text,
  tools: list(toolShape),
  /** Tools called by the newest stream: if there are any, the model must see their results. */
  turnToolIds: list(id),
  suggestion: nullable(object({ command: text, danger: oneOf("low", "medium", "high") })),
  /** What starts the next turns, oldest first. */
  queue: list(queuedShape),
  /** The texts of the queued messages, by id. */
  queuedTexts: record(text),
  /** Calls in the conversation that are not ours to run: remote ones, open until their result, and suggestions. */
  foreignCalls: list(object({ id, open: flag })),
  nextTimeoutId: count,
  sessionId: nullable(text),
  /** The newest stream of the archived conversation: its late facts say nothing about this one. */
  archivedStreamId: nullable(count),
  /** Streams started for the newest message because tools had results. */
  continuations: count,
  config: configShape,
});

export type TurnState = Infer<typeof turnStateShape>;
export type Mode = TurnState["mode"];
export type StreamStatus = (typeof STREAM_STATUSES)[number];
export type Tool = Infer<typeof toolShape>;
export type Suggestion = NonNullable<TurnState["suggestion"]>;

export const IDLE: Mode = { type: "idle", confirmation: null };

export const initialTurn: TurnState = {
  mode: IDLE,
  streamId: 0,
  text: "",
  tools: [],
  turnToolIds: [],
  suggestion: null,
  queue: [],
  queuedTexts: {},
  foreignCalls: [],
  nextTimeoutId: 0,
  sessionId: null,
  archivedStreamId: null,
  continuations: 0,
  config: { capabilities: [], tools: {}, maxContinuations: CONTINUATIONS_MAX },
};

/** The kinds of states that the table tells apart; `confirming` is idle with a command waiting to be confirmed. */
export const TURN_COLUMNS = ["idle", "confirming", "connecting", "streaming", "done", "error"] as const;
export type TurnColumn = (typeof TURN_COLUMNS)[number];

export function columnOf({ mode }: TurnState): TurnColumn {
  switch (mode.type) {
    case "idle":
      return mode.confirmation === null ? "idle" : "confirming";
    case "turn":
      return mode.stream;
    case "error":
      return "error";
  }
}

export function isUnresolved(tool: Tool): boolean {
  return tool.state !== "completed" && tool.state !== "denied";
}

export function toolOf(state: TurnState, toolId: string): Tool | undefined {
  return state.tools.find((tool) => tool.id === toolId);
}

/** Whether the conversation has a call with this id, as far as we remember. */
export function isKnownCall(state: TurnState, callId: string): boolean {
  return (
    toolOf(state, callId) !== undefined ||
    state.turnToolIds.includes(callId) ||
    state.foreignCalls.some((call) => call.id === callId)
  );
}

export function isOpenForeignCall(state: TurnState, callId: string): boolean {
  return state.foreignCalls.some((call) => call.id === callId && call.open);
}

/** Whether some call of the conversation still has no result. */
export function hasPendingCalls(state: TurnState): boolean {
  return state.tools.some(isUnresolved) || state.foreignCalls.some((call) => call.open);
}
