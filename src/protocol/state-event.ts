/** `agent:state_event`: what became of a session, its tools, asks and messages. Status on any screen comes only from here. */
import type { Ending, Phase, SeatStatus, Status } from "../core/index.js";
import { z } from "zod";
import { principalSchema } from "./principal.js";
import { errorCodeSchema } from "./problem.js";

const STATUSES = {
  idle: true,
  creating: true,
  streaming: true,
  waiting_approval: true,
  waiting_input: true,
  completed: true,
  paused: true,
  error: true,
  stopped: true,
} as const satisfies Record<Status, true>;
export const statusSchema = z.enum(Object.keys(STATUSES) as [Status, ...Status[]]);

const PHASES = {
  calling_llm: true,
  processing_response: true,
  executing_tools: true,
  post_tool_hooks: true,
} as const satisfies Record<Phase, true>;
export const phaseSchema = z.enum(Object.keys(PHASES) as [Phase, ...Phase[]]);

const SEAT_STATUSES = { connected: true, disconnected: true, none: true } as const satisfies Record<
  SeatStatus,
  true
>;
export const seatStatusSchema = z.enum(Object.keys(SEAT_STATUSES) as [SeatStatus, ...SeatStatus[]]);

export const messageStatusSchema = z.enum(["queued", "sending", "sent", "failed", "returned"]);
export type MessageStatus = z.infer<typeof messageStatusSchema>;

export const errorSourceSchema = z.enum(["harness", "tool", "hook", "orchestrator"]);

const ENDINGS = { max_tokens: true, refusal: true, context_full: true } as const satisfies Record<
  Ending,
  true
>;
/** How a turn ended, where that is more than done. */
export const endingSchema = z.enum(Object.keys(ENDINGS) as [Ending, ...Ending[]]);

const streamId = z.string().exactOptional();

export const stateChangedSchema = z.object({
  type: z.literal("state_changed"),
  from: statusSchema,
  to: statusSchema,
  fromPhase: phaseSchema.nullable(),
  toPhase: phaseSchema.nullable(),
  reason: z.string(),
  /** At the end of a turn: how it ended, and how much goes on in the background. */
  ending: endingSchema.exactOptional(),
  background: z.number().int().positive().exactOptional(),
  streamId,
});

export const toolLifecycleSchema = z.object({
  type: z.literal("tool_lifecycle"),
  callId: z.string(),
  toolName: z.string(),
  status: z.enum(["queued", "running", "succeeded", "failed", "canceled"]),
  startedAtMs: z.number(),
  finishedAtMs: z.number().exactOptional(),
  error: z.string().exactOptional(),
});

export const sessionErrorSchema = z.object({
  type: z.literal("session_error"),
  code: errorCodeSchema,
  message: z.string(),
  retryable: z.boolean(),
  source: errorSourceSchema,
  streamId,
});

/** Who asks: the agent, or the wall around its run. */
export const askSourceSchema = z.enum(["agent", "wall"]);

export const askOpenedSchema = z.object({
  type: z.literal("ask_opened"),
  askId: z.string(),
  ask: z.string(),
  needsHuman: z.boolean(),
  title: z.string(),
  detail: z.string(),
  openedAtMs: z.number(),
  /** `wall`: a host that the run's wall does not list; absent: the agent asks. */
  source: askSourceSchema.exactOptional(),
  atTerminal: z.literal(true).exactOptional(),
});

export const askClosedSchema = z.object({
  type: z.literal("ask_closed"),
  askId: z.string(),
  reason: z.string(),
  /** Who answered; absent: it was withdrawn, answered where nobody can see by whom, or by a version that did not say. */
  by: principalSchema.exactOptional(),
});

export const rosterChangedSchema = z.object({
  type: z.literal("roster_changed"),
  seat: z.string(),
  from: seatStatusSchema,
  to: seatStatusSchema,
  reason: z.string(),
});

export const messageStatusEventSchema = z.object({
  type: z.literal("message_status"),
  messageId: z.string(),
  status: messageStatusSchema,
});

/** Who is in front of a terminal, and whether what they show is understood. */
export const certaintyChangedSchema = z.object({
  type: z.literal("certainty_changed"),
  certainty: z.enum(["known", "unknown"]),
  unknownSinceMs: z.number().nullable(),
  /** It has not changed for long: a person is needed. */
  needsAttention: z.boolean(),
  agent: z.object({ name: z.string(), start: z.string() }).nullable(),
});

/** Its process has ended because it was idle, or it is needed again. */
export const restChangedSchema = z.object({ type: z.literal("rest_changed"), resting: z.boolean() });

/** The files at the end of a turn: being kept, kept, or not, and why. */
export const checkpointEventSchema = z.object({
  type: z.literal("checkpoint"),
  turn: z.number().int().nonnegative(),
  status: z.enum(["saving", "saved", "failed"]),
  error: z.string().exactOptional(),
});

export const statePayloadSchema = z.discriminatedUnion("type", [
  stateChangedSchema,
  toolLifecycleSchema,
  sessionErrorSchema,
  askOpenedSchema,
  askClosedSchema,
  rosterChangedSchema,
  messageStatusEventSchema,
  certaintyChangedSchema,
  restChangedSchema,
  checkpointEventSchema,
]);
export type StatePayload = z.infer<typeof statePayloadSchema>;

/** Where the evidence behind a state event came from, best first. */
export const evidenceSourceSchema = z.enum([
  "request",
  "protocol",
  "hooks",
  "screen",
  "process",
  "timer",
  "rule",
  "daemon",
]);
export type EvidenceSource = z.infer<typeof evidenceSourceSchema>;

/** The entry of the journal that made it so. */
export const causeSchema = z.object({
  seq: z.number().int(),
  type: z.string(),
  source: evidenceSourceSchema,
  /** Whose request, rule or mode it was. */
  by: principalSchema.exactOptional(),
});
export type Cause = z.infer<typeof causeSchema>;

export const stateEventSchema = z.object({
  eventId: z.string(),
  timestampMs: z.number(),
  sessionId: z.string(),
  payload: statePayloadSchema,
  cause: causeSchema.exactOptional(),
});
export type StateEvent = z.infer<typeof stateEventSchema>;
