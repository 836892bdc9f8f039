/** Errors on the wire: RFC 9457 problem documents, each with one of our codes. */
import { z } from "zod";

/** Every code, with the status of the answer that carries it. */
export const ERROR_STATUS = {
  session_not_found: 404,
  state_transition_invalid: 409,
  streaming_failed: 502,
  harness_failed: 502,
  delivery_failed: 502,
  login_required: 502,
  api_req_failed: 502,
  mistake_limit_reached: 502,
  invalid_model: 502,
  payment_required_prompt: 502,
  ask_stale: 409,
  ask_ambiguous: 409,
  queue_full: 409,
  event_invalid: 400,
  no_agent: 409,
  no_active_agent: 409,
  seat_unknown: 404,
  stream_gap: 410,
  protocol_error: 400,
  unauthorized: 401,
  forbidden: 403,
  /** Only a person may do this, and whoever asked acts for an agent. */
  agent_may_not: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  /** What was asked for is damaged in the journal. */
  journal_damaged: 500,
  rate_limited: 429,
  /** Agents cannot be told anything now: their keeper has ended, or is not known to live. */
  keeper_away: 503,
  /** A wall is wanted, and there is none to be had here. */
  wall_unavailable: 409,
  /** A wall cannot stand around what was asked for, or may not be left away. */
  wall_refused: 409,
  /** The agent ignores proxies: somebody has to say which network it gets. */
  network_choice: 409,
  /** It holds work that is nowhere else. */
  workspace_dirty: 409,
  /** The branch that the change is for has other commits by now. */
  base_moved: 409,
  /** Where it is checked out, files are changed. */
  base_dirty: 409,
  conflict_files: 409,
  /** It has changed since the person looked. */
  observation_stale: 409,
  /** The agent does not have it: what it has is named. */
  control_unsupported: 409,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const errorCodeSchema = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);

export const fieldFlawSchema = z.object({
  /** Where in the body or the query: `answers[0].askId`. */
  path: z.string(),
  message: z.string(),
});
export type FieldFlaw = z.infer<typeof fieldFlawSchema>;

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: errorCodeSchema,
  errors: z.array(fieldFlawSchema).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

export const PROBLEM_MEDIA_TYPE = "application/problem+json";
