/** What each submission does, in one go: nothing here waits. */
import {
  initialSession,
  questionOf,
  route,
  type RosterEvent,
  type RosterState,
  type SessionRequest,
  type SessionState,
} from "../core/index.js";
import type { AgentCommand } from "../protocol/agent-wire.js";
import type { ControlWish } from "../protocol/controls.js";
import { mayBePerson } from "../protocol/principal.js";
import { NO_USAGE } from "../protocol/session.js";
import type { MessageStatus } from "../protocol/state-event.js";
import { addresseeOf } from "./addressee-of.js";
import { isAtTerminal } from "./at-terminal.js";
import type { SessionLoop, StepOutcome } from "./session-loop.js";
import type { SessionRecord, SessionSettings } from "./session-record.js";
import type { Answer, MessageRequest, PersonRequest, ResendRequest, Submission } from "./submission.js";
import type { Writing } from "./writing.js";

/** What a submission may touch. */
export interface Desk {
  readonly loop: (sessionId: string) => SessionLoop | null;
  readonly open: (record: SessionRecord) => SessionLoop;
  readonly remove: (loop: SessionLoop) => void;
  readonly roster: RosterState;
  readonly seat: (event: RosterEvent) => Answer | null;
  readonly newId: () => string;
  /** Whether the session's run can be told something. */
  readonly isReachable: (loop: SessionLoop) => boolean;
}

export function carryOut(submission: Submission, desk: Desk, writing: Writing): Answer {
  switch (submission.type) {
    case "create": {
      const { settings, text, approve, idleAfterMs, checkpoints } = submission;
      if (text !== null && addresseeOf(settings) === "agent") return NO_PROMPT;
      const loop = desk.open(newRecord(desk.newId(), settings, writing.nowMs));
      desk.seat({ type: "seat_opened", seat: loop.id });
      const prompt = text === null ? {} : { text };
      const idle = idleAfterMs === undefined ? {} : { idleAfterMs };
      const kept = checkpoints === undefined ? {} : { checkpoints };
      return request(loop, { type: "start_session", approve, ...idle, ...kept, ...prompt }, desk, writing);
    }
    case "request":
      return withLoop(submission.sessionId, desk, (loop) => request(loop, submission.request, desk, writing));
    case "command":
      return withLoop(submission.sessionId, desk, (loop) => command(loop, submission.command, desk, writing));
    case "control":
      return withLoop(submission.sessionId, desk, (loop) => control(loop, submission.wish, desk, writing));
    case "rename":
      return withLoop(submission.sessionId, desk, (loop) => {
        loop.rename(submission.title, writing);
        return granted(loop);
      });
    case "remove":
      return withLoop(submission.sessionId, desk, (loop) => remove(loop, desk, writing));
    case "connect":
      return withLoop(
        submission.sessionId,
        desk,
        (loop) => desk.seat({ type: "connect", seat: loop.id }) ?? granted(loop),
      );
    case "route": {
      const { sessionId, fallback = false } = submission;
      const named = sessionId === null ? {} : { seat: sessionId };
      const routed = route(desk.roster, { ...named, fallback });
      if (!routed.ok) return noRoute(routed.code, sessionId, desk);
      const message = { type: "send_message", text: submission.text } as const;
      return withLoop(routed.seat, desk, (loop) => request(loop, message, desk, writing));
    }
  }
}

const ROUTE_REFUSALS = {
  no_active_agent: "No agent is running.",
  no_agent: "No agent is running in this session.",
  seat_unknown: "There is no such session.",
} as const;

/** A message that reaches nobody while a shell is there: a shell is never taken for an agent, nor typed into. */
function noRoute(code: keyof typeof ROUTE_REFUSALS, sessionId: string | null, desk: Desk): Answer {
  const named = sessionId === null ? null : desk.loop(sessionId);
  if (named && isBareShell(named)) return { ok: false, code: "no_agent", message: shellWords(named.id) };
  const isAtShells =
    code === "no_active_agent" && desk.roster.seats.some(({ seat }) => isBareShell(desk.loop(seat)));
  return isAtShells ? ONLY_SHELLS : { ok: false, code, message: ROUTE_REFUSALS[code] };
}

function isBareShell(loop: SessionLoop | null): boolean {
  if (!loop || loop.removing) return false;
  const { addressee, alive, agent } = loop.state;
  return addressee === "agent" && alive && agent === null;
}

const ONLY_SHELLS: Answer = {
  ok: false,
  code: "no_agent",
  message:
    "No agent is running, and a message is never typed into a shell. `signalbox type ID TEXT` types into one.",
};

function withLoop(sessionId: string, desk: Desk, act: (loop: SessionLoop) => Answer): Answer {
  const loop = desk.loop(sessionId);
  if (!loop || loop.removing)
    return { ok: false, code: "session_not_found", message: "There is no such session." };
  return act(loop);
}

/**
 * What would be told to a run that may be gone is refused: granted, it would be a promise that nobody may be there to
 * keep. What ends a run, or starts one, waits until that is known.
 */
function needsAgent({ state }: SessionLoop, wish: PersonRequest): boolean {
  if (!state.alive || state.stopRequested) return false;
  switch (wish.type) {
    case "send_message":
    case "resend_message":
    case "approve_action":
    case "reject_action":
    case "interrupt":
    case "resume_session":
    case "retry":
      return true;
    case "start_session":
    case "drop_message":
    case "cancel_session":
    case "set_approve":
      return false;
  }
}

export const KEEPER_AWAY: Answer = {
  ok: false,
  code: "keeper_away",
  message:
    "The keeper, which owns the agents, has ended or does not answer. Nothing was changed. In a moment it is known which agents live: try again.",
};

/** Texts get their ids here; only a request that was granted leaves a message behind. */
function request(loop: SessionLoop, wish: PersonRequest, desk: Desk, writing: Writing): Answer {
  if (needsAgent(loop, wish) && !desk.isReachable(loop)) return KEEPER_AWAY;
  if (wish.type === "resend_message") return resend(loop, wish, desk, writing);
  if (wish.type === "drop_message" && !loop.state.returned.includes(wish.messageId)) return NOT_RETURNED;
  const refusal =
    agentRefusal(loop, wish, writing) ??
    answeredThere(loop, wish) ??
    (wish.type === "send_message" ? messageRefusal(loop, wish) : null);
  if (refusal) return refusal;
  const text = "text" in wish ? wish.text : undefined;
  const messageId = text === undefined ? undefined : desk.newId();
  if (messageId !== undefined && text !== undefined) loop.texts.set(messageId, text);
  const step = loop.request(toMachine(wish, messageId, loop), writing);
  if (step.error || messageId === undefined || text === undefined) {
    if (messageId !== undefined) loop.texts.delete(messageId);
    return step.error ? { ok: false, ...inWords(step.error, loop) } : granted(loop);
  }
  const { batch, nowMs } = writing;
  batch.waiters.push({ done: () => undefined, undone: () => loop.texts.delete(messageId) });
  const messageStatus = statusOf(loop, messageId);
  batch.messages.push({ messageId, sessionId: loop.id, atMs: nowMs, text, status: messageStatus });
  loop.forward(
    { type: "stream", streamId: "messages", event: "user_message", payload: { text, messageId }, messageId },
    writing,
  );
  return { ok: true, value: { sessionId: loop.id, messageId, messageStatus } };
}

/** What an agent says is never taken for a person's answer, and never typed where no rule looks at it. */
function agentRefusal({ harness, state }: SessionLoop, wish: PersonRequest, { by }: Writing): Answer | null {
  if (by === null || mayBePerson(by) || wish.type !== "send_message") return null;
  if (harness.framing === "bytes") return NOT_TYPED;
  return state.asks.some(({ ask }) => ask === "followup") ? ASKED : null;
}

const NOT_TYPED: Answer = {
  ok: false,
  code: "agent_may_not",
  message: "What is typed into a terminal is run without a rule; only a person does that.",
};

/** As a new message: the old one was for somebody else. */
function resend(loop: SessionLoop, wish: ResendRequest, desk: Desk, writing: Writing): Answer {
  const { messageId, type: _type, ...how } = wish;
  if (loop.state.queue.includes(messageId)) return sendQueued(loop, wish, writing);
  const text = loop.state.returned.includes(messageId) ? loop.texts.get(messageId) : undefined;
  if (text === undefined) return NOT_RETURNED;
  const answer = request(loop, { type: "send_message", text, ...how }, desk, writing);
  if (answer.ok) loop.request({ type: "drop_message", messageId }, writing);
  return answer;
}

/** One that waits keeps its place: whoever sends it anyway sends the head of the line. */
function sendQueued(
  loop: SessionLoop,
  { messageId, force = false }: ResendRequest,
  writing: Writing,
): Answer {
  // A message would be the answer now, and stay in the line too.
  if (questionOf(loop.state) !== null) return NOT_NEXT;
  const step = loop.request({ type: "send_message", messageId, ...(force && { force }) }, writing);
  if (step.error) return { ok: false, ...inWords(step.error, loop) };
  return { ok: true, value: { sessionId: loop.id, messageId, messageStatus: statusOf(loop, messageId) } };
}

/** What a message or an answer would be typed into, nobody understands. */
function answeredThere({ id, state, askDetails }: SessionLoop, wish: PersonRequest): Answer | null {
  const askId = askMeant(state, wish);
  const detail = askId !== null && Object.hasOwn(askDetails, askId) ? askDetails[askId] : undefined;
  if (!detail || !isAtTerminal(detail)) return null;
  const message = `What the terminal shows can only be answered there: signalbox attach ${id}, or the session's page.`;
  return { ok: false, code: "conflict", message };
}

function askMeant(state: SessionState, wish: PersonRequest): string | null {
  if (wish.type === "send_message") return questionOf(state);
  if (wish.type !== "approve_action" && wish.type !== "reject_action") return null;
  return wish.askId ?? [...state.asks, ...state.wallAsks][0]?.askId ?? null;
}

const NOT_RETURNED: Answer = {
  ok: false,
  code: "not_found",
  message: "No such message has come back: it was sent, dropped, or never was.",
};
const NO_PROMPT: Answer = {
  ok: false,
  code: "no_agent",
  message:
    "This starts a shell, and a prompt is never typed into one. Start it without a prompt; then type into it with `signalbox type ID TEXT`, or start an agent in it and send it messages.",
};

function inWords(refusal: NonNullable<StepOutcome["error"]>, { id }: SessionLoop): typeof refusal {
  return refusal.code === "no_agent" ? { ...refusal, message: shellWords(id) } : refusal;
}

function shellWords(id: string): string {
  return `No agent runs in this session's shell, and a message is never typed into one. \`signalbox type ${id} TEXT\` types into the shell.`;
}

/** Looked at where the message is taken: before that, another may have answered, or asked. */
function messageRefusal(
  { state, harness }: SessionLoop,
  { unlessAsked, askId, text }: MessageRequest,
): Answer | null {
  // What answers a question is no command.
  const flaw = questionOf(state) === null ? (harness.messageFlaw?.(text) ?? null) : null;
  if (flaw !== null) return { ok: false, code: "control_unsupported", message: flaw };
  if (unlessAsked === true && state.asks.some(({ ask }) => ask === "followup")) return ASKED;
  if (askId === undefined || questionOf(state) === askId) return null;
  return state.asks.some((ask) => ask.askId === askId) ? NOT_NEXT : NOT_ASKED;
}

const ASKED: Answer = {
  ok: false,
  code: "conflict",
  message: "The session waits for a person's answer, which only a person gives.",
};
const NOT_NEXT: Answer = {
  ok: false,
  code: "conflict",
  message: "A message does not answer it now: what else is asked comes first.",
};
const NOT_ASKED: Answer = {
  ok: false,
  code: "ask_stale",
  message: "The question is not open: it was answered or withdrawn.",
};

/** It goes out like any other effect: written down first, and handed over at least once. */
function command(loop: SessionLoop, wish: AgentCommand, desk: Desk, writing: Writing): Answer {
  const refused = { ok: false, code: "state_transition_invalid" } as const;
  if (!loop.harness.command) return { ...refused, message: "This agent has no commands." };
  const away = agentAway(loop, desk);
  if (away) return away;
  const failure = loop.command(wish, writing);
  return failure === null ? granted(loop) : { ...refused, message: failure };
}

function control(loop: SessionLoop, wish: ControlWish, desk: Desk, writing: Writing): Answer {
  const away = agentAway(loop, desk);
  if (away) return away;
  const failure = loop.control(wish, writing);
  return failure === null ? granted(loop) : { ok: false, code: "control_unsupported", message: failure };
}

function agentAway(loop: SessionLoop, desk: Desk): Answer | null {
  const { alive, stopRequested } = loop.state;
  if (!alive || stopRequested)
    return { ok: false, code: "no_agent", message: "No agent is running in this session." };
  return desk.isReachable(loop) ? null : KEEPER_AWAY;
}

function toMachine(
  wish: Exclude<PersonRequest, ResendRequest>,
  messageId: string | undefined,
  loop: SessionLoop,
): SessionRequest {
  const carried = messageId === undefined ? {} : { messageId };
  switch (wish.type) {
    case "start_session": {
      const approve = wish.approve === undefined ? {} : { approve: wish.approve };
      const shell = addresseeOf(loop.settings) === "agent" ? ({ addressee: "agent" } as const) : {};
      return {
        type: wish.type,
        asksClose: loop.harness.asksClose,
        ...shell,
        ...approve,
        ...idleAfter(wish.idleAfterMs, loop),
        ...(wish.checkpoints === undefined ? {} : { checkpoints: wish.checkpoints }),
        ...carried,
      };
    }
    case "send_message":
      return { type: wish.type, messageId: messageId ?? "", ...(wish.force === true && { force: true }) };
    case "reject_action":
      return { type: wish.type, ...(wish.askId === undefined ? {} : { askId: wish.askId }), ...carried };
    case "approve_action":
    case "drop_message":
    case "interrupt":
    case "cancel_session":
    case "resume_session":
    case "retry":
    case "set_approve":
      return wish;
  }
}

/** What is on a terminal's screen is not resumed. */
function idleAfter(idleAfterMs: number | undefined, { harness }: SessionLoop): { idleAfterMs?: number } {
  return idleAfterMs === undefined || harness.framing === "bytes" ? {} : { idleAfterMs };
}

function statusOf(loop: SessionLoop, messageId: string): MessageStatus {
  const { delivering, prompt, queue } = loop.state;
  if (messageId === delivering || messageId === prompt) return "sending";
  return queue.includes(messageId) ? "queued" : "sent";
}

/** Its agent is ended first; its messages can go nowhere any more, and whoever sent them is told. */
function remove(loop: SessionLoop, desk: Desk, writing: Writing): Answer {
  const { delivering, prompt, queue } = loop.state;
  const unsettled = [delivering, prompt, ...queue, ...loop.state.returned].filter(
    (messageId) => messageId !== null,
  );
  for (const messageId of unsettled) {
    loop.tell({ type: "message_status", messageId, status: "failed" }, null, writing);
    writing.batch.messageStatuses.push({ messageId, status: "failed" });
  }
  if (loop.state.alive && !loop.state.stopRequested) loop.request({ type: "cancel_session" }, writing);
  if (loop.state.alive) loop.markRemoving(writing);
  else desk.remove(loop);
  return granted(loop);
}

/** The answer to a request that the journal could not take. */
export function unavailable(error: Error): Answer {
  const message = `The journal could not be written, and nothing was changed: ${error.message}`;
  return { ok: false, code: "internal", message, unavailable: true };
}

/** The answer to a request that was done, and that a power cut may undo. */
export function unsure(error: Error): Answer {
  const message = `It was written, but the disk may not keep it: ${error.message}`;
  return { ok: false, code: "internal", message };
}

function granted(loop: SessionLoop): Answer {
  return { ok: true, value: { sessionId: loop.id } };
}

function newRecord(id: string, settings: SessionSettings, nowMs: number): SessionRecord {
  return {
    id,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    statusSinceMs: nowMs,
    settings,
    state: initialSession,
    seq: 0,
    callCount: 0,
    seatedRun: 0,
    removing: false,
    progress: { run: 0, outOffset: 0, hooksOffset: 0, skipping: false, codec: null },
    askDetails: {},
    openTools: {},
    usage: NO_USAGE,
    grants: [],
  };
}
