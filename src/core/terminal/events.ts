/** What can happen to a terminal. Requests come from the session; facts were seen, typed, or told by the agent's hooks. */
import { EVIDENCE } from "../roster/events.js";
import { ACTIVITIES } from "../screen/reading.js";
import {
  count,
  flag,
  id,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  timeMs,
  union,
  type Infer,
} from "../schema.js";
import { programShape, requestShape } from "./state.js";

export const TERMINAL_REQUESTS = {
  /** `force`: a person wants it typed although nobody knows what the screen shows. */
  deliver: { messageId: id, force: optional(flag) },
  continue: {},
  interrupt: {},
  answer: { askId: id, decision: oneOf("approve", "reject", "reply") },
} as const;

const atMs = timeMs;

/** Of a screen no more than what decides; whatever else a reading holds is left alone. */
const readingShape = object({
  activity: oneOf(...ACTIVITIES),
  basis: optional(oneOf("rule", "structure")),
  evidence: list(text),
  prompt: nullable(
    object({
      fingerprint: text,
      title: text,
      detail: text,
      choices: list(object({ label: text, meaning: text })),
    }),
  ),
});

export const TERMINAL_FACTS = {
  /** `first`: what it is given as soon as it waits: the message that it was started with, or what the session has for it. */
  run_started: {
    run: count,
    launched: programShape,
    first: optional(nullable(oneOf("prompt", "handover"))),
    messageId: optional(nullable(id)),
  },
  printed: { atMs },
  /** The process group in the foreground; `agent` when it is one that is known. */
  foreground: {
    atMs,
    pid: integer,
    start: text,
    command: text,
    agent: nullable(id),
    isShell: flag,
    isOwn: flag,
  },
  /** A person says that the program in front is this agent. */
  named: { atMs, name: id },
  /** Where processes cannot be seen: the agent's end, by what stands above a shell's prompt. */
  left: { atMs, evidence: oneOf(...EVIDENCE) },
  /** `atMs`: since when it shows this. */
  screen: {
    atMs,
    reading: readingShape,
    stability: oneOf("fresh", "steady", "still"),
    retry: optional(nullable(object({ attempt: count, atMs }))),
  },
  /** OSC 133 or 633: the shell itself says where it is. */
  mark: { atMs, mark: oneOf("prompt", "input", "running", "finished") },
  typed: { atMs, typing: oneOf("message", "choice", "keys"), isTaken: flag },

  /** What the agent's own hooks tell. */
  hook_started: { atMs, sessionId: optional(id) },
  hook_prompt: { atMs },
  hook_tool_started: { atMs, callId: nullable(id), toolName: text, digest: text },
  hook_request: { atMs, request: requestShape },
  hook_tool_ended: { atMs, callId: nullable(id), ok: flag },
  /** It has waited for a minute. */
  hook_idle: { atMs },
  hook_stopped: { atMs, background: optional(count) },
  hook_failed: { atMs, text: optional(text) },
} as const;

export const terminalEventShape = union({ ...TERMINAL_REQUESTS, ...TERMINAL_FACTS });

export type TerminalEvent = Infer<typeof terminalEventShape>;
export type TerminalEventType = TerminalEvent["type"];
export type EventOf<T extends TerminalEventType> = Extract<TerminalEvent, { readonly type: T }>;
export type TerminalRequest = EventOf<keyof typeof TERMINAL_REQUESTS>;
/** What was seen or told, with its time. */
export type TerminalSight = Extract<TerminalEvent, { readonly atMs: number }>;
export type TerminalReading = EventOf<"screen">["reading"];
