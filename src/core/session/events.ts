/** What can happen to a session. Requests may be rejected; facts have happened and are applied or ignored. */
import {
  count,
  flag,
  id,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  parse,
  text,
  timeMs,
  union,
  type Infer,
  type Parsed,
} from "../schema.js";
import { streamEventShape } from "../stream-event.js";
import { ADDRESSEES, APPROVALS, CERTAINTIES, ENDINGS } from "./state.js";

export const REQUESTS = {
  /** The first prompt goes out with the spawn. */
  start_session: {
    messageId: optional(id),
    approve: optional(oneOf(...APPROVALS)),
    asksClose: optional(oneOf("implicit", "explicit")),
    /** `agent`: a terminal started as a shell, whose messages are for the agent in front. */
    addressee: optional(oneOf(...ADDRESSEES)),
    /** Absent: its agent is never ended for being idle. */
    idleAfterMs: optional(count),
    /** Absent: the files are not kept. */
    checkpoints: optional(flag),
  },
  /** `force`: also into a screen that nobody understands; never to anybody else. */
  send_message: { messageId: id, force: optional(flag) },
  /** A message that came back is not wanted any more. */
  drop_message: { messageId: id },
  approve_action: { askId: optional(id), scope: optional(oneOf("once", "session", "project", "always")) },
  reject_action: { askId: optional(id), messageId: optional(id) },
  interrupt: {},
  cancel_session: {},
  resume_session: {},
  retry: {},
  set_approve: { approve: oneOf(...APPROVALS) },
} as const;

/** Absent means the current run. */
const run = optional(count);
/** What it rests on, in words, where that is more than the agent's own word. */
const because = optional(text);
const ask = { run, askId: id, partial: optional(flag), text: optional(text), because } as const;

export const AGENT_FACTS = {
  /** Ready. Some agents tell their id only later: it may come again. */
  session_created: { run, sessionId: optional(id), because },
  api_req_started: { run, because },
  "say:text": { run, partial: flag },
  "say:completion_result": { run, partial: flag },
  /** `turn`: ours, of the files at the end of that turn; without it, only the agent's words. */
  "say:checkpoint_saved": { run, turn: optional(count) },
  "ask:tool": ask,
  "ask:command": ask,
  "ask:browser_action_launch": ask,
  "ask:use_mcp_server": ask,
  "ask:followup": ask,
  "ask:completion_result": { ...ask, ending: optional(oneOf(...ENDINGS)) },
  "ask:api_req_failed": ask,
  "ask:mistake_limit_reached": ask,
  "ask:invalid_model": ask,
  "ask:payment_required_prompt": ask,
  "ask:resume_task": ask,
  "ask:resume_completed_task": ask,
  /** Answered or withdrawn elsewhere. */
  ask_closed: { run, askId: id, because },
  turn_interrupted: { run, because },
  retry_scheduled: { run, attempt: count, atMs: timeMs, because },
  background_changed: { run, count },
  tool_started: { run, callId: id, toolName: optional(text) },
  tool_finished: { run, callId: id, ok: flag },
  hooks_started: { run },
  hooks_finished: { run, ok: flag },
  /** `said`: its last words, for people. */
  process_exit: { run, code: nullable(integer), signal: optional(nullable(text)), said: optional(text) },
  /** `login_required`: it runs, but nobody is logged in. */
  process_error: { run, error: text, code: optional(oneOf("harness_failed", "login_required")) },
  harness_stream: { run, event: streamEventShape },
} as const;

/** What a terminal shows that is more than one program. */
export const TERMINAL_FACTS = {
  /** A shell, and nothing else. */
  shell_ready: { run, because },
  /** `start` names one life of the agent: its process group's leader and when that began. */
  agent_started: { run, name: id, start: id, sinceMs: optional(timeMs), because },
  agent_ended: { run, start: id, because },
  certainty_changed: { run, certainty: oneOf(...CERTAINTIES), sinceMs: timeMs, because },
  /** What nobody understands has not changed for long. */
  screen_still: { run, sinceMs: timeMs, because },
} as const;

/** What the wall around a run holds, as the driver of its proxy tells. */
export const WALL_FACTS = {
  /** Connections to a host that is not listed wait for an answer. It may be told again. */
  wall_asked: { run, askId: id, host: id, port: count },
  /** They wait no more: the time was up, they were answered by a rule, or the proxy has none of them. */
  wall_closed: {
    run,
    askId: id,
    because: oneOf("expired", "rule", "gone"),
    /** The rule that answered, and the file that holds it. */
    rule: optional(text),
    file: optional(text),
  },
} as const;

export const OWN_FACTS = {
  /** `ask`: a rule says ask; `none`: no rule decides; `contained`: none does, and this run's wall holds all of it. */
  permission_resolved: {
    run,
    askId: id,
    verdict: oneOf("allow", "deny", "ask", "contained", "none"),
    rule: optional(text),
    /** The file that holds the rule, and the reason in words. */
    file: optional(text),
    because: optional(text),
  },
  timer_fired: { run, timerId: id },
  /** `mayRest`: nothing but the agent lives in its run, and another agent is connected. */
  rest_checked: { run, timerId: id, mayRest: flag },
  checkpoint_failed: { run, turn: count, error: text },
  delivery_failed: { run, messageId: id, error: text },
  /** An answer or a continuation could not be handed over. */
  effect_failed: {
    run,
    effect: object({ type: id, run, askId: optional(id), messageId: optional(id) }),
    message: text,
  },
  /** Found dead after a restart; `restored`: because the journal is a backup, or was repaired. */
  interrupted: { run, because: optional(oneOf("restored")) },
} as const;

const sessionEventShape = union({
  ...REQUESTS,
  ...AGENT_FACTS,
  ...TERMINAL_FACTS,
  ...WALL_FACTS,
  ...OWN_FACTS,
});

export type SessionEvent = Infer<typeof sessionEventShape>;
export type SessionEventType = SessionEvent["type"];
export type EventOf<T extends SessionEventType> = Extract<SessionEvent, { readonly type: T }>;
export type SessionRequest = EventOf<keyof typeof REQUESTS>;
export type SessionFact = Exclude<SessionEvent, SessionRequest>;
export type AskEvent = Extract<SessionEvent, { readonly type: `ask:${string}` }>;
export type StreamFact = EventOf<"harness_stream">;
/** Something could not be handed to a run. */
export type FailedHandover = EventOf<"delivery_failed" | "effect_failed">;

export function parseSessionEvent(value: unknown): Parsed<SessionEvent> {
  return parse(sessionEventShape, value);
}

const REQUEST_TYPES: ReadonlySet<string> = new Set(Object.keys(REQUESTS));

export function isRequest(event: SessionEvent): event is SessionRequest {
  return REQUEST_TYPES.has(event.type);
}
