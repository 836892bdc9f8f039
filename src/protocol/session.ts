/** A session as clients see it. */
import { APPROVALS, type SessionState, type UiState } from "../core/index.js";
import { z } from "zod";
import { errorCodeSchema } from "./problem.js";
import { sessionWallSchema } from "./wall-state.js";
import { wallLabelSchema } from "./wall.js";
import {
  askSourceSchema,
  endingSchema,
  errorSourceSchema,
  messageStatusSchema,
  phaseSchema,
  statusSchema,
} from "./state-event.js";

export const askSchema = z.object({
  askId: z.string(),
  ask: z.string(),
  title: z.string(),
  detail: z.string(),
  /** `wall`: connections of its run wait for an answer; the agent may go on meanwhile. A daemon of before does not tell. */
  source: askSourceSchema.exactOptional(),
  /** False while a rule might still answer it. */
  needsHuman: z.boolean(),
  openedAtMs: z.number(),
  /** What the agent calls its tool; null for a question. */
  tool: z.string().nullable(),
  /** The rules that an answer for more than once grants; none when no rule can permit it. */
  suggestions: z.array(z.string()),
  /** No rule knows the dialog: it can only be answered at the session's terminal. */
  atTerminal: z.literal(true).exactOptional(),
});
export type AskSummary = z.infer<typeof askSchema>;

export const usageSchema = z.object({
  /** All that the models were given, whether it came from a cache or not. */
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  /** Those of the input that came from a cache. */
  cachedTokens: z.number().nonnegative(),
  costUsd: z.number().nonnegative().nullable(),
});
export type Usage = z.infer<typeof usageSchema>;

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: null };

const uiSchema: z.ZodType<UiState> = z.object({
  showSpinner: z.boolean(),
  showCancelButton: z.boolean(),
  showResumeButton: z.boolean(),
  showRetryButton: z.boolean(),
  canCancel: z.boolean(),
  showAutoModeWarning: z.boolean(),
  inputEnabled: z.boolean(),
  isActive: z.boolean(),
  needsAttention: z.boolean(),
  /** Its process has ended because it was idle; the next message resumes it. */
  resting: z.boolean(),
});

export const sessionErrorStateSchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  retryable: z.boolean(),
  source: errorSourceSchema,
});

/** How far the agent lets permission rules be enforced. */
export const enforcementSchema = z.enum(["enforced", "when-asked", "none"]);
export type Enforcement = z.infer<typeof enforcementSchema>;

/** Who answers what no rule decides: a person; the wall, where the call cannot leave it, else a person; nobody is asked. */
export const approveSchema = z.enum(APPROVALS);

export const sessionSchema = z.object({
  id: z.string(),
  title: z.string(),
  harness: z.string(),
  cwd: z.string(),
  model: z.string().nullable(),
  status: statusSchema,
  phase: phaseSchema.nullable(),
  ui: uiSchema,
  asks: z.array(askSchema),
  queue: z.array(z.object({ messageId: z.string(), status: messageStatusSchema })),
  /** Messages that came back because whoever they were for is gone; the newest, until they are sent again or dropped. */
  returned: z.array(z.object({ messageId: z.string(), text: z.string() })),
  /** Whom messages are for: the conversation, or the agent in front of a terminal that was started as a shell. */
  addressee: z.enum(["conversation", "agent"]),
  /** The agent in front, in a terminal that was started as a shell; null: none, or any other session. */
  agent: z.object({ name: z.string(), start: z.string() }).nullable(),
  /** `unknown`: nobody understands what the terminal shows; the status is the last one that was proven. */
  certainty: z.enum(["known", "unknown"]),
  unknownSinceMs: z.number().nullable(),
  /** How the last turn ended, where that is more than done. */
  ending: endingSchema.nullable(),
  usage: usageSchema,
  error: sessionErrorStateSchema.nullable(),
  run: z.number().int(),
  /** Who answers what no rule decides. A daemon of before does not tell. */
  approve: approveSchema.exactOptional(),
  /** Whether that is `auto`. */
  autoApprove: z.boolean(),
  enforcement: enforcementSchema,
  /** Around its newest run. A daemon of before does not tell. */
  wall: sessionWallSchema.exactOptional(),
  /** The workspace that it works in; absent: none. */
  workspaceId: z.string().exactOptional(),
  /** Others that are alive in the same folder, when neither works in a workspace; told by its start and when it alone is asked for. */
  sharedWith: z.array(z.string()).exactOptional(),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
  /** When it got its status. */
  statusSinceMs: z.number(),
  /** All that happened up to this position of the journal is in it; an event stream goes on from here. */
  position: z.number().int().nonnegative(),
});
export type SessionSummary = z.infer<typeof sessionSchema>;

/** One session, with the machine's whole state. */
export const sessionDetailSchema = sessionSchema.extend({
  /** What holds of its newest run, by category. A daemon of before does not tell. */
  labels: z.array(wallLabelSchema).exactOptional(),
  state: z.custom<SessionState>((value) => typeof value === "object" && value !== null),
});
export type SessionDetail = z.infer<typeof sessionDetailSchema>;
