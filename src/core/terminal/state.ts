/**
 * What is known of one run's terminal: small, bounded, plain JSON. What excludes each other is one field, `activity`;
 * what only makes sense in one activity is in that variant.
 */
import {
  count,
  flag,
  id,
  integer,
  json,
  list,
  nullable,
  object,
  oneOf,
  text,
  timeMs,
  union,
  type Infer,
} from "../schema.js";
import type { Program } from "./program.js";

/**
 * `shell`: no agent is in front, and nothing is typed. `starting`: it is in front, and what it does was not told yet.
 * `given`: it was given something, or says so, and its screen shows no work yet. `working`: its screen has shown work.
 * `ending`: its hooks told an end while prompts were queued. `asking`: it waits for an answer. `answering`: the answer is
 * being typed. `settling`: its hooks told the end, and the screen does not show it yet. `waiting`: it waits for a message.
 */
export const ACTIVITIES_IN_TERMINAL = [
  "shell",
  "starting",
  "given",
  "working",
  "ending",
  "asking",
  "answering",
  "settling",
  "waiting",
] as const;
export type TerminalColumn = (typeof ACTIVITIES_IN_TERMINAL)[number];

/** Bounds. */
export const CALLS_MAX = 16;
export const REQUESTS_MAX = 8;
export const TYPINGS_MAX = 16;
export const QUEUED_PROMPTS_MAX = 1_000;
/** As JSON. A call that is larger is told whole, and not kept for later. */
export const TOOL_LENGTH_MAX = 16 * 1024;

export const programShape = union({
  agent: { agent: id },
  shell: {},
  other: { command: text },
});

const frontShape = object({
  pid: integer,
  /** When it was started, as the keeper marks it; empty where that is not known. */
  start: text,
  program: programShape,
  /** It is the process that the run began with. */
  isOwn: flag,
  /** A person said that it is this agent. */
  isNamed: flag,
});
export type Front = Infer<typeof frontShape>;

export const ASK_FACTS = ["ask:tool", "ask:command", "ask:use_mcp_server", "ask:followup"] as const;

/** What hooks have told that the agent asks. */
export const requestShape = object({
  fact: oneOf(...ASK_FACTS),
  /** The tool's name. */
  title: text,
  detail: text,
  /** What the agent says that it is for. */
  note: text,
  tool: json,
  /** The call that it is about; null where none was told. */
  call: nullable(id),
  /** Names the call where its id is not told. */
  digest: text,
});
export type ToldRequest = Infer<typeof requestShape>;

const shownShape = object({
  kind: oneOf("approval", "question"),
  title: text,
  detail: text,
  choices: list(text),
  sinceMs: timeMs,
});
export type ShownPrompt = Infer<typeof shownShape>;

const askShape = object({
  askId: id,
  /** Of the prompt on the screen; null until that was seen. */
  fingerprint: nullable(text),
  /** `structure`: no rule knows the dialog; it can only be answered at the terminal. */
  basis: oneOf("rule", "structure"),
  /** Null where no hook has told it. */
  request: nullable(requestShape),
  /** What the prompt said when it was last seen. */
  shown: nullable(shownShape),
});
export type OpenAsk = Infer<typeof askShape>;

const turnShape = object({
  /** `hooks`: they told that it goes on, and so have to tell its end. */
  by: oneOf("hooks", "screen"),
  /** Prompts that were entered while it went on: its end is not the last one. */
  queued: count,
  /** The newest answer of ours in it was no. */
  isRejected: flag,
});
export type Turn = Infer<typeof turnShape>;

const turn = turnShape;

const activityShape = union({
  shell: {},
  /** `first`: what it is given as soon as it waits: the prompt it was started with, or what the session has for it. */
  starting: { first: nullable(union({ prompt: { messageId: id }, handover: {} })) },
  given: { turn },
  working: { turn },
  ending: { turn },
  asking: { turn, ask: askShape },
  answering: { turn, ask: askShape, answer: oneOf("approve", "reject", "reply") },
  settling: {},
  waiting: {},
});
export type TerminalActivity = Infer<typeof activityShape>;
export type ActivityOf<T extends TerminalColumn> = Extract<TerminalActivity, { readonly type: T }>;

export const terminalStateShape = object({
  /** 0 before the first run. */
  run: count,
  /** What was started. A run that began as a shell has agents as addressees; any other is one conversation. */
  launched: programShape,
  /** What is in the foreground, and its process; null until that was seen. */
  front: nullable(frontShape),
  /** The agent that has the session's seat. */
  seated: nullable(id),
  /** The agent that was told to have started, in a run that began as a shell. */
  agent: nullable(object({ name: id, start: id })),
  /** It was told that the program, or the shell, is there. */
  isReady: flag,
  activity: activityShape,
  /** Since when the screen shows what no rule understands, and whether its stillness was told; null: it is understood. */
  unknown: nullable(object({ sinceMs: timeMs, isStillTold: flag })),
  /** What is being typed, oldest first; what the screen shows meanwhile says little. */
  typing: list(oneOf("message", "continuation", "choice", "keys")),
  /** With what the screen showed the end of the turn before; null: with nothing that could be told from the next. */
  endMark: nullable(text),
  /** Requests that hooks have told while another one was asked: their prompts are yet to be seen. */
  requests: list(requestShape),
  /** Of the prompt that was shown while they waited. */
  lastFingerprint: nullable(text),
  /** Tools that the hooks say are running. */
  calls: list(object({ callId: id, digest: text })),
  background: count,
  /** The agent's own id, where it was told before the agent was ready. */
  sessionId: nullable(id),
  /** How many turns have ended, and how many asks were opened: names each. */
  ends: count,
  askCount: count,
});
export type TerminalState = Infer<typeof terminalStateShape>;

export const initialTerminal: TerminalState = {
  run: 0,
  launched: { type: "shell" },
  front: null,
  seated: null,
  agent: null,
  isReady: false,
  activity: { type: "shell" },
  unknown: null,
  typing: [],
  endMark: null,
  requests: [],
  lastFingerprint: null,
  calls: [],
  background: 0,
  sessionId: null,
  ends: 0,
  askCount: 0,
};

/** What is in the foreground, as far as it is known. */
export function programIn({ front, launched }: Pick<TerminalState, "front" | "launched">): Program {
  return front?.program ?? launched;
}

/** Whether messages are for whichever agent is in front, and not for the run's one conversation. */
export function isShellRun({ launched }: Pick<TerminalState, "launched">): boolean {
  return launched.type === "shell";
}

export function askIn({ activity }: Pick<TerminalState, "activity">): OpenAsk | null {
  return activity.type === "asking" || activity.type === "answering" ? activity.ask : null;
}

export function turnIn({ activity }: Pick<TerminalState, "activity">): Turn | null {
  return "turn" in activity ? activity.turn : null;
}

export const SCREEN_TURN: Turn = { by: "screen", queued: 0, isRejected: false };
