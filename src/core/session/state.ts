/** The state of one session: small, bounded, plain JSON. Texts live in the journal and are named by id. */
import {
  count,
  flag,
  id,
  integer,
  list,
  nullable,
  object,
  oneOf,
  text,
  timeMs,
  type Infer,
} from "../schema.js";

export const STATUSES = [
  "idle",
  "creating",
  "streaming",
  "waiting_approval",
  "waiting_input",
  "completed",
  "paused",
  "error",
  "stopped",
] as const;
export type Status = (typeof STATUSES)[number];

export const PHASES = ["calling_llm", "processing_response", "executing_tools", "post_tool_hooks"] as const;
export type Phase = (typeof PHASES)[number];

export const APPROVAL_ASKS = ["tool", "command", "browser_action_launch", "use_mcp_server"] as const;
export const FAILURE_ASKS = [
  "api_req_failed",
  "mistake_limit_reached",
  "invalid_model",
  "payment_required_prompt",
] as const;

/** Bounds. A message that comes back is kept even when the queue is full: one delivered, one prompt, one for each ask. */
export const ASKS_MAX = 64;
/** Hosts that wait for an answer at once, as many as the proxy holds. */
export const WALL_ASKS_MAX = 32;
export const CLOSED_ASKS_MAX = 64;
export const QUEUE_LENGTH_MAX = 100;
export const TOOLS_MAX = 1_000;
export const STREAMS_MAX = 16;
export const RETURNED_MAX = 100;

export const READY_DELAY_MS = 30_000;
export const SETTLE_DELAY_MS = 1_500;
export const INTERRUPT_DELAY_MS = 10_000;
export const CHECKPOINT_DELAY_MS = 10_000;

/** Why a turn that is over ended short of what was asked. */
export const ENDINGS = ["max_tokens", "refusal", "context_full"] as const;
export type Ending = (typeof ENDINGS)[number];

/**
 * Who answers what no rule decides: a person; the wall, where the call cannot leave it, else a person; or nobody is asked.
 */
export const APPROVALS = ["ask", "contained", "auto"] as const;
export type Approve = (typeof APPROVALS)[number];

export const ADDRESSEES = ["conversation", "agent"] as const;
export const CERTAINTIES = ["known", "unknown"] as const;

export const sessionErrorShape = object({
  code: oneOf("harness_failed", "login_required", "streaming_failed", "delivery_failed", ...FAILURE_ASKS),
  message: text,
  retryable: flag,
  source: oneOf("harness", "tool", "hook", "orchestrator"),
});
export type SessionError = Infer<typeof sessionErrorShape>;

const askShape = object({
  askId: id,
  /** The ask's name without its prefix. */
  ask: oneOf(...APPROVAL_ASKS, "followup"),
  needsHuman: flag,
});
export type Ask = Infer<typeof askShape>;

/** An ask of the wall: connections of the run to a host that is not listed are held until somebody answers. */
const wallAskShape = object({ askId: id, host: id, port: count });
export type WallAsk = Infer<typeof wallAskShape>;

/** An agent in a terminal that was started as a shell; `start` tells it from any other of the same name. */
const agentShape = object({ name: id, start: id });
export type AgentInFront = Infer<typeof agentShape>;

/**
 * How an idle agent comes to rest: its timer runs (`waiting`), it is looked at who else lives in its run (`checking`), its
 * process is told to end (`ending`), and has ended (`resting`). `timerId` names this one rest throughout.
 */
const restShape = object({ step: oneOf("waiting", "checking", "ending", "resting"), timerId: id });
export type Rest = Infer<typeof restShape>;

/** The files at the end of a turn are being kept; until that is settled, nothing is handed over. */
const checkpointShape = object({ turn: count, timerId: id });

const streamShape = object({ streamId: id, seq: count, closed: flag });
export type StreamCursor = Infer<typeof streamShape>;

export const sessionStateShape = object({
  status: oneOf(...STATUSES),
  /** Set exactly while streaming. */
  phase: nullable(oneOf(...PHASES)),
  /** 0 before the first spawn, then one more for each. */
  run: count,
  /** The current run's process, as far as we know. */
  alive: flag,
  /** What the current run has shown. */
  seen: object({ sessionCreated: flag, apiReqStarted: flag }),
  /** Waiting for an answer, oldest first. */
  asks: list(askShape),
  /** Of the wall around the run, oldest first. The agent goes on meanwhile: they are in no status. */
  wallAsks: list(wallAskShape),
  /** The last asks of this run that can never open again. */
  closedAsks: list(id),
  /** Those of them that we answered and the agent has not yet gone past: an answer to another is no failure. */
  answered: list(id),
  /** Whether the agent's going on closes its asks, or the protocol says so itself. */
  asksClose: oneOf("implicit", "explicit"),
  /** The message that went out with the spawn, until some activity proves it taken. */
  prompt: nullable(id),
  /** Messages waiting for delivery. */
  queue: list(id),
  /** The message handed over, until some activity proves it taken. */
  delivering: nullable(id),
  /** Messages that came back because whoever they were for is gone, until a person drops them; the newest. */
  returned: list(id),
  /** Whom a message is for: the conversation, whatever run carries it on, or the agent in front when it was accepted. */
  addressee: oneOf(...ADDRESSEES),
  /** The agent in front, where one comes and goes within a run. */
  agent: nullable(agentShape),
  /** Whether what the agent shows is understood; a structured source is never unknown. */
  certainty: oneOf(...CERTAINTIES),
  unknownSinceMs: nullable(timeMs),
  /** A person was told of this unknown stretch. */
  unknownNotified: flag,
  /** How the last turn ended, while completed, where that is more than done. */
  ending: nullable(oneOf(...ENDINGS)),
  /** Open tool calls. */
  tools: list(id),
  /** How much of the agent's work goes on in the background. */
  background: count,
  /** The agent itself waits to try again. */
  retry: nullable(object({ attempt: count, atMs: timeMs })),
  /** The newest streams; subagents interleave. */
  streams: list(streamShape),
  approve: oneOf(...APPROVALS),
  interrupting: flag,
  stopRequested: flag,
  /** What a resumed run does once it is ready. */
  onReady: nullable(oneOf("message", "resume", "retry")),
  harnessSessionId: nullable(id),
  error: nullable(sessionErrorShape),
  readyTimer: nullable(id),
  settle: nullable(object({ timerId: id, askId: id })),
  interruptTimer: nullable(id),
  /** After how long an idle agent's process is ended until it is needed again; null: never. */
  idleAfterMs: nullable(count),
  /** Only while completed. */
  rest: nullable(restShape),
  /** Whether the files are kept at the end of every turn. */
  checkpoints: flag,
  /** How many turns have ended whose files were to be kept. */
  turn: count,
  /** The one that is being made, whatever has become of the run since. */
  checkpoint: nullable(checkpointShape),
  /** The newest turn whose files could not be kept, until those of a later one are. */
  unsaved: nullable(object({ turn: count, error: text })),
  /** Numbers the timers. */
  timerCount: integer,
});
export type SessionState = Infer<typeof sessionStateShape>;

export const initialSession: SessionState = {
  status: "idle",
  phase: null,
  run: 0,
  alive: false,
  seen: { sessionCreated: false, apiReqStarted: false },
  asks: [],
  wallAsks: [],
  closedAsks: [],
  answered: [],
  asksClose: "implicit",
  prompt: null,
  queue: [],
  delivering: null,
  returned: [],
  addressee: "conversation",
  agent: null,
  certainty: "known",
  unknownSinceMs: null,
  unknownNotified: false,
  ending: null,
  tools: [],
  background: 0,
  retry: null,
  streams: [],
  approve: "ask",
  interrupting: false,
  stopRequested: false,
  onReady: null,
  harnessSessionId: null,
  error: null,
  readyTimer: null,
  settle: null,
  interruptTimer: null,
  idleAfterMs: null,
  rest: null,
  checkpoints: false,
  turn: 0,
  checkpoint: null,
  unsaved: null,
  timerCount: 0,
};

/** A state in the making. */
export type Draft = { -readonly [K in keyof SessionState]: SessionState[K] };

/** A copy that may be changed. Field by field, because that is three times as fast as a spread of so many. */
export function copyOf(state: SessionState): Draft {
  return {
    status: state.status,
    phase: state.phase,
    run: state.run,
    alive: state.alive,
    seen: state.seen,
    asks: state.asks,
    wallAsks: state.wallAsks,
    closedAsks: state.closedAsks,
    answered: state.answered,
    asksClose: state.asksClose,
    prompt: state.prompt,
    queue: state.queue,
    delivering: state.delivering,
    returned: state.returned,
    addressee: state.addressee,
    agent: state.agent,
    certainty: state.certainty,
    unknownSinceMs: state.unknownSinceMs,
    unknownNotified: state.unknownNotified,
    ending: state.ending,
    tools: state.tools,
    background: state.background,
    retry: state.retry,
    streams: state.streams,
    approve: state.approve,
    interrupting: state.interrupting,
    stopRequested: state.stopRequested,
    onReady: state.onReady,
    harnessSessionId: state.harnessSessionId,
    error: state.error,
    readyTimer: state.readyTimer,
    settle: state.settle,
    interruptTimer: state.interruptTimer,
    idleAfterMs: state.idleAfterMs,
    rest: state.rest,
    checkpoints: state.checkpoints,
    turn: state.turn,
    checkpoint: state.checkpoint,
    unsaved: state.unsaved,
    timerCount: state.timerCount,
  };
}

/** A usable run lives and has not been told to stop. */
export function isUsable(state: SessionState): boolean {
  return state.alive && !state.stopRequested;
}

/** Nothing is left to do, and a later run can go on with the conversation. */
export function canRest(state: SessionState): boolean {
  return (
    state.status === "completed" &&
    isUsable(state) &&
    state.idleAfterMs !== null &&
    state.harnessSessionId !== null &&
    state.addressee === "conversation" &&
    state.background === 0 &&
    state.tools.length === 0 &&
    state.settle === null &&
    state.wallAsks.length === 0 &&
    !isUnknown(state) &&
    messageLine(state).length === 0
  );
}

/** Its process has ended because it was idle; the next message resumes it. */
export function isResting({ rest }: SessionState): boolean {
  return rest?.step === "resting";
}

/** A shell with nobody in it who could be told anything. */
export function isWithoutAgent(state: SessionState): boolean {
  return state.addressee === "agent" && state.agent === null;
}

export function isUnknown(state: SessionState): boolean {
  return state.certainty === "unknown";
}

/** What the run shows is understood, and the files of the turn before are kept, or are known not to be. */
export function canHandOver(state: SessionState): boolean {
  return !isUnknown(state) && state.checkpoint === null;
}

/** The newest stream that is not over: what goes wrong now goes wrong in it. */
export function openStream({ streams }: SessionState): string | undefined {
  return streams.findLast((stream) => !stream.closed)?.streamId;
}

export function isApproval(ask: Ask): boolean {
  return ask.ask !== "followup";
}

/** Messages that nobody has proven taken, in the order they were written. */
export function messageLine(state: SessionState): readonly string[] {
  const unproven = [state.delivering, state.prompt].filter((messageId) => messageId !== null);
  return unproven.length === 0 ? state.queue : [...unproven, ...state.queue];
}
