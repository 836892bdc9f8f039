/**
 * One step of a session in the making: the next state, and the effects in the order that binds every step:
 * session errors, then state changes, then what acts on the world.
 *
 * What must hold whenever a status is left or entered is written here once, not in the rules.
 */
import type { Step } from "../step.js";
import type {
  AnswerAsk,
  AnswerWall,
  RefusalCode,
  SessionAct,
  SessionEffect,
  SessionErrorEmitted,
  StateChanged,
} from "./effects.js";
import type { SessionEvent } from "./events.js";
import {
  ASKS_MAX,
  CHECKPOINT_DELAY_MS,
  CLOSED_ASKS_MAX,
  INTERRUPT_DELAY_MS,
  READY_DELAY_MS,
  RETURNED_MAX,
  SETTLE_DELAY_MS,
  WALL_ASKS_MAX,
  canHandOver,
  canRest,
  copyOf,
  isApproval,
  isUnknown,
  isUsable,
  messageLine,
  openStream,
  type AgentInFront,
  type Ask,
  type Draft,
  type Ending,
  type Phase,
  type SessionError,
  type SessionState,
  type Status,
  type WallAsk,
} from "./state.js";

export type SessionStep = Step<SessionState, SessionEffect, RefusalCode>;

type Answer = Omit<AnswerAsk, "type" | "run" | "askId">;
type WallAnswer = Omit<AnswerWall, "type" | "run" | "askId">;

const NO_EFFECTS: readonly never[] = [];

export class Change {
  state: SessionState;
  private errors: SessionErrorEmitted[] | null = null;
  private changes: StateChanged[] | null = null;
  private acts: SessionAct[] | null = null;

  constructor(
    readonly before: SessionState,
    private readonly event: SessionEvent,
  ) {
    this.state = before;
  }

  done(): SessionStep {
    this.settleRest();
    return { state: this.state, effects: this.effects(), result: "ok" };
  }

  private effects(): readonly SessionEffect[] {
    const { errors, changes, acts } = this;
    if (!errors) return changes && acts ? [...changes, ...acts] : (changes ?? acts ?? NO_EFFECTS);
    return [...errors, ...(changes ?? []), ...(acts ?? [])];
  }

  set<K extends keyof SessionState>(key: K, value: SessionState[K]): void {
    if (this.state[key] !== value) this.edit()[key] = value;
  }

  /** For what is known to change; `set` asks first. */
  edit(): Draft {
    if (this.state === this.before) this.state = copyOf(this.before);
    return this.state;
  }

  clear(list: "closedAsks" | "answered" | "tools" | "streams"): void {
    if (this.state[list].length > 0) this.set(list, []);
  }

  act(effect: SessionAct): void {
    (this.acts ??= []).push(effect);
  }

  private get streamId(): { readonly streamId?: string } {
    return this.event.type === "harness_stream" ? { streamId: this.event.event.streamId } : {};
  }

  private get failedStream(): { readonly streamId?: string } {
    if (this.event.type === "harness_stream") return this.streamId;
    const streamId = openStream(this.state);
    return streamId === undefined ? {} : { streamId };
  }

  // Statuses and phases

  moveTo(status: Status, phase: Phase = "calling_llm", reason: string = this.event.type): void {
    const { status: from, phase: fromPhase } = this.state;
    const toPhase = status === "streaming" ? phase : null;
    if (from === status && fromPhase === toPhase) return;
    const next = this.edit();
    if (from !== status) this.leave(next, from, status);
    next.status = status;
    next.phase = toPhase;
    const ended = from !== status && isTurnOver(status) && isBusy(from) ? this.turnEnd : {};
    (this.changes ??= []).push({
      type: "emit_state_changed",
      from,
      to: status,
      fromPhase,
      toPhase,
      reason,
      ...ended,
      ...this.streamId,
    });
    if (status === "completed" && this.state.checkpoints) this.makeCheckpoint();
  }

  private get turnEnd(): { readonly ending?: Ending; readonly background?: number } {
    const { ending, background, alive } = this.state;
    return { ...(ending && { ending }), ...(alive && background > 0 && { background }) };
  }

  private leave(next: Draft, from: Status, to: Status): void {
    if (from === "streaming" || !isActiveTurn(to)) this.clear("tools");
    if (from === "streaming") {
      next.retry = null;
      next.onReady = null;
    }
    if (from === "error") next.error = null;
    if (from === "completed") next.ending = null;
    if (isActiveTurn(to)) return;
    next.interrupting = false;
    if (to === "creating") return;
    this.voidAsks();
    this.cancelTimers();
    // A shell takes no messages, and what it shows is no agent's.
    if (to === "idle") {
      this.returnLine();
      this.loseAgent();
    }
  }

  /** A change of phase, while streaming; elsewhere there is no phase to change. */
  enterPhase(phase: Phase): void {
    if (this.state.status === "streaming") this.moveTo("streaming", phase);
  }

  fail(error: SessionError): void {
    const { code, message, retryable, source } = error;
    (this.errors ??= []).push({
      type: "emit_session_error",
      code,
      message,
      retryable,
      source,
      ...this.failedStream,
    });
    this.moveTo("error");
    this.set("error", error);
  }

  // Asks

  /** They can never be answered any more; at the end of a turn that is so by itself. */
  voidAsks(): void {
    const { asks } = this.state;
    if (asks.length === 0) return;
    const askIds = asks.map((ask) => ask.askId);
    this.set("asks", []);
    this.rememberClosed(askIds);
    this.act({ type: "void_asks", askIds, reason: this.event.type });
  }

  takeQuestion(askId: string): void {
    this.provenActive();
    if (this.state.settle?.askId === askId) this.cancelSettle();
    if (this.turnAway(askId)) return;
    const asks: readonly Ask[] = [...this.state.asks, { askId, ask: "followup", needsHuman: true }];
    this.set("asks", asks);
    this.moveTo(asks.some(isApproval) ? "waiting_approval" : "waiting_input");
    this.act({ type: "notify", reason: "question" });
  }

  /** More asks than a person can see are answered no at once. */
  turnAway(askId: string): boolean {
    if (this.state.asks.length < ASKS_MAX) return false;
    this.rememberClosed([askId]);
    this.sendAnswer(askId, { decision: "reject", by: "rule" });
    return true;
  }

  rememberClosed(askIds: readonly string[]): void {
    this.set("closedAsks", [...this.state.closedAsks, ...askIds].slice(-CLOSED_ASKS_MAX));
  }

  /** What is left decides where the session waits; nothing left: it goes on. */
  dropAsk(askId: string, phase: Phase): void {
    const left = this.state.asks.filter((ask) => ask.askId !== askId);
    this.set("asks", left);
    this.rememberClosed([askId]);
    if (left.some(isApproval)) this.moveTo("waiting_approval");
    else if (left.length > 0) this.moveTo("waiting_input");
    else this.moveTo("streaming", phase);
  }

  /** Drops a pending ask and sends its answer. */
  answerAsk(askId: string, answer: Answer): void {
    this.dropAsk(askId, answer.decision === "approve" ? "executing_tools" : "calling_llm");
    this.sendAnswer(askId, answer);
  }

  private sendAnswer(askId: string, answer: Answer): void {
    this.set("answered", [...this.state.answered, askId].slice(-CLOSED_ASKS_MAX));
    this.act({ type: "answer_ask", run: this.state.run, askId, ...answer });
  }

  // Asks of the wall

  /** The agent does not wait for it, so that the status stays. */
  takeWallAsk(ask: WallAsk): void {
    if (this.state.wallAsks.length >= WALL_ASKS_MAX) {
      this.rememberClosed([ask.askId]);
      this.sendWallAnswer(ask.askId, { decision: "reject", by: "rule" });
      return;
    }
    this.set("wallAsks", [...this.state.wallAsks, ask]);
    this.act({ type: "notify", reason: "approval" });
  }

  dropWallAsk(askId: string): void {
    this.set(
      "wallAsks",
      this.state.wallAsks.filter((ask) => ask.askId !== askId),
    );
    this.rememberClosed([askId]);
  }

  answerWall(askId: string, answer: WallAnswer): void {
    this.dropWallAsk(askId);
    this.sendWallAnswer(askId, answer);
  }

  private sendWallAnswer(askId: string, answer: WallAnswer): void {
    this.act({ type: "answer_wall", run: this.state.run, askId, ...answer });
  }

  /** With its run goes whoever waited: the proxy needs no answer. */
  private endWallAsks(): void {
    const { wallAsks } = this.state;
    if (wallAsks.length === 0) return;
    this.set("wallAsks", []);
    this.rememberClosed(wallAsks.map((ask) => ask.askId));
  }

  // Timers

  startReady(): void {
    const timerId = `ready:${this.state.run}`;
    this.set("readyTimer", timerId);
    this.act({ type: "start_timer", timerId, timer: "ready", delayMs: READY_DELAY_MS });
  }

  startSettle(askId: string): void {
    this.cancelSettle();
    const timerId = this.numberedTimer("settle");
    this.set("settle", { timerId, askId });
    this.act({ type: "start_timer", timerId, timer: "settle", delayMs: SETTLE_DELAY_MS });
  }

  startInterrupt(): void {
    const timerId = this.numberedTimer("interrupt");
    this.set("interruptTimer", timerId);
    this.act({ type: "start_timer", timerId, timer: "interrupt", delayMs: INTERRUPT_DELAY_MS });
  }

  private numberedTimer(name: string): string {
    const number = this.state.timerCount + 1;
    this.set("timerCount", number);
    return `${name}:${this.state.run}:${number}`;
  }

  cancelReady(): void {
    if (this.state.readyTimer === null) return;
    this.act({ type: "cancel_timer", timerId: this.state.readyTimer });
    this.set("readyTimer", null);
  }

  cancelSettle(): void {
    if (this.state.settle === null) return;
    this.act({ type: "cancel_timer", timerId: this.state.settle.timerId });
    this.set("settle", null);
  }

  cancelTimers(): void {
    this.cancelReady();
    this.cancelSettle();
    if (this.state.interruptTimer === null) return;
    this.act({ type: "cancel_timer", timerId: this.state.interruptTimer });
    this.set("interruptTimer", null);
  }

  // Rest

  /** An agent comes to rest only while nothing is left to do: looked at once, at the end of every step. */
  private settleRest(): void {
    const { rest, status } = this.state;
    if (rest === null) {
      if (status === "completed" && canRest(this.state)) this.awaitRest();
      return;
    }
    const hasBegun = rest.step === "ending" || rest.step === "resting";
    if (hasBegun ? status === "completed" : canRest(this.state)) return;
    if (rest.step === "waiting") this.act({ type: "cancel_timer", timerId: rest.timerId });
    this.set("rest", null);
  }

  private awaitRest(): void {
    const delayMs = this.state.idleAfterMs;
    if (delayMs === null) return;
    const timerId = this.numberedTimer("idle");
    this.set("rest", { step: "waiting", timerId });
    this.act({ type: "start_timer", timerId, timer: "idle", delayMs });
  }

  // Checkpoints

  /** What a turn left behind is kept before the next one can change it; an older wait is over. */
  private makeCheckpoint(): void {
    this.endCheckpoint();
    const turn = this.state.turn + 1;
    const timerId = this.numberedTimer("checkpoint");
    this.set("turn", turn);
    this.set("checkpoint", { turn, timerId });
    this.act({ type: "checkpoint", turn });
    this.act({ type: "start_timer", timerId, timer: "checkpoint", delayMs: CHECKPOINT_DELAY_MS });
  }

  private endCheckpoint(): void {
    const { checkpoint } = this.state;
    if (checkpoint === null) return;
    const { timerId } = checkpoint;
    const hasFired = this.event.type === "timer_fired" && this.event.timerId === timerId;
    if (!hasFired) this.act({ type: "cancel_timer", timerId });
    this.set("checkpoint", null);
  }

  /** `error`: why the files were not kept; null: they were. */
  settleCheckpoint(error: string | null): void {
    const { checkpoint } = this.state;
    this.endCheckpoint();
    if (checkpoint !== null) this.set("unsaved", error === null ? null : { turn: checkpoint.turn, error });
  }

  // Runs

  /** An agent that was there before us: its first fact is how we know of it. */
  join(): void {
    if (this.state.run > 0) return;
    this.set("run", 1);
    this.set("alive", true);
  }

  /** The run does something: whatever it was given, it has taken. */
  provenActive(): void {
    const { delivering, prompt, onReady, readyTimer } = this.state;
    if (delivering === null && prompt === null && onReady === null && readyTimer === null) return;
    const next = this.edit();
    next.delivering = null;
    next.prompt = null;
    next.onReady = null;
    this.cancelReady();
  }

  stopRun(): void {
    if (this.state.alive) this.act({ type: "stop_harness", run: this.state.run });
    this.set("stopRequested", true);
    this.cancelTimers();
    this.endWallAsks();
    this.loseAgent();
  }

  /** The run has ended: whatever was not taken is first in the line again. */
  endRun(): void {
    this.set("alive", false);
    this.cancelTimers();
    this.endWallAsks();
    if (this.state.delivering !== null) this.putBack(this.state.delivering);
    this.loseAgent();
    const { rest } = this.state;
    if (rest?.step === "ending") this.set("rest", { ...rest, step: "resting" });
  }

  /** As a person wants it; what is queued stays queued, but for an agent that is gone. */
  stopSession(): void {
    this.stopRun();
    this.moveTo("stopped");
  }

  private newRun(): void {
    this.cancelTimers();
    this.endWallAsks();
    this.loseAgent();
    this.set("run", this.state.run + 1);
    this.set("alive", true);
    this.set("stopRequested", false);
    this.set("delivering", null);
    this.clear("closedAsks");
    this.clear("streams");
    this.forgetShown();
  }

  /** What was shown and begun is not of whoever is there next; ids of asks and streams are of the run. */
  private forgetShown(): void {
    const { sessionCreated, apiReqStarted } = this.state.seen;
    if (sessionCreated || apiReqStarted) {
      this.set("seen", { sessionCreated: false, apiReqStarted: false });
    }
    this.clear("answered");
    this.clear("tools");
    this.set("background", 0);
  }

  /** A new conversation: the head of the line goes out with the spawn. */
  spawnAnew(): void {
    this.loseAgent();
    const [prompt = null, ...rest] = messageLine(this.state);
    if (this.state.alive) this.act({ type: "stop_harness", run: this.state.run });
    this.newRun();
    this.set("onReady", null);
    this.set("harnessSessionId", null);
    this.set("prompt", prompt);
    this.set("queue", rest);
    this.moveTo("creating");
    const message = prompt === null ? {} : { messageId: prompt };
    this.act({ type: "spawn_harness", run: this.state.run, resume: false, ...message });
    this.startReady();
  }

  /** Hands the run the head of the queue, or lets it go on; a run that cannot be used is replaced first. */
  proceed(why: "message" | "resume" | "retry"): void {
    if (!isUsable(this.state)) return this.respawn(why);
    if (this.takeSettling()) return;
    if (canHandOver(this.state)) {
      this.moveTo("streaming");
      this.handOver(why);
    } else if (this.state.status !== "completed" || why !== "message") {
      this.moveTo("streaming");
      this.set("onReady", why);
    }
  }

  /** What a run was to be given once it is ready and understood. */
  proceedWhenReady(): void {
    const { onReady, readyTimer } = this.state;
    if (onReady === null || readyTimer !== null || !canHandOver(this.state)) return;
    this.set("onReady", null);
    if (!this.takeSettling()) this.handOver(onReady);
  }

  /** A person has looked, and sends anyway: nobody else vouches for what the run shows. */
  canForce(): boolean {
    const { asks, settle, delivering, prompt } = this.state;
    if (!isUnknown(this.state) || !isUsable(this.state) || this.state.checkpoint !== null) return false;
    return asks.length === 0 && settle === null && delivering === null && prompt === null;
  }

  forceHead(): void {
    this.moveTo("streaming");
    this.set("onReady", null);
    this.cancelReady();
    this.deliverHead({ force: true });
  }

  /** A run that has begun to ask takes nothing else: its question comes first, and the queue waits behind it. */
  takeSettling(): boolean {
    const { settle } = this.state;
    if (settle !== null) this.takeQuestion(settle.askId);
    return settle !== null;
  }

  private respawn(onReady: "message" | "resume" | "retry"): void {
    this.set("queue", messageLine(this.state));
    this.set("prompt", null);
    this.newRun();
    this.moveTo("streaming");
    this.set("onReady", onReady);
    this.act({ type: "spawn_harness", run: this.state.run, resume: this.state.harnessSessionId !== null });
    this.startReady();
  }

  /** To a run that is ready and idle. */
  handOver(why: "message" | "resume" | "retry"): void {
    if (this.deliverHead()) return;
    this.act({ type: "continue_run", run: this.state.run, why: why === "retry" ? "retry" : "resume" });
  }

  private deliverHead(how: { readonly force?: true } = {}): boolean {
    const [head, ...rest] = this.state.queue;
    if (head === undefined) return false;
    this.set("queue", rest);
    this.set("delivering", head);
    this.act({ type: "deliver_message", run: this.state.run, messageId: head, ...how });
    return true;
  }

  /** A turn that ended well; what waits in the queue is next. */
  complete(ending: Ending | null = null): void {
    this.set("ending", ending);
    this.moveTo("completed");
    if (this.state.queue.length > 0) this.proceed("message");
  }

  /** A turn that ended because a person interrupted it. */
  pauseInterrupted(): void {
    this.moveTo("paused", undefined, "interrupted_by_user");
  }

  /** A message that was not taken is first in the line again, once. */
  putBack(messageId: string): void {
    if (this.isForeign(messageId)) {
      if (!this.state.returned.includes(messageId)) this.giveBack([messageId]);
      return;
    }
    if (this.state.delivering === messageId) this.set("delivering", null);
    if (this.state.prompt === messageId) this.set("prompt", null);
    if (!this.state.queue.includes(messageId)) this.set("queue", [messageId, ...this.state.queue]);
  }

  /** Nobody knows whether the one it was for is still there: only the line is for the agent in front. */
  isForeign(messageId: string): boolean {
    return this.state.addressee === "agent" && !messageLine(this.state).includes(messageId);
  }

  // Agents that come and go within a run

  beginAgent(agent: AgentInFront, sinceMs: number | null): void {
    this.voidAsks();
    this.cancelReady();
    this.cancelSettle();
    this.moveTo("streaming");
    this.set("onReady", null);
    this.set("agent", agent);
    this.set("certainty", "unknown");
    this.set("unknownSinceMs", sinceMs);
    this.set("unknownNotified", false);
  }

  endAgent(): void {
    this.moveTo("idle");
    this.forgetShown();
    this.set("harnessSessionId", null);
    this.act({ type: "notify", reason: "agent_gone" });
  }

  /** Nobody else gets what was for the agent, and nobody's screen is left to be understood. */
  private loseAgent(): void {
    if (this.state.addressee === "agent") this.returnLine();
    this.set("agent", null);
    this.understand();
  }

  understand(): void {
    this.set("certainty", "known");
    this.set("unknownSinceMs", null);
    this.set("unknownNotified", false);
  }

  private returnLine(): void {
    const messageIds = messageLine(this.state);
    if (messageIds.length === 0) return;
    const next = this.edit();
    next.delivering = null;
    next.prompt = null;
    next.queue = [];
    this.giveBack(messageIds);
  }

  private giveBack(messageIds: readonly string[]): void {
    this.set("returned", [...this.state.returned, ...messageIds].slice(-RETURNED_MAX));
    this.act({ type: "return_messages", messageIds, reason: "agent_gone" });
  }
}

/** Where a turn, or the waiting for one to begin, goes on. */
function isBusy(status: Status): boolean {
  return status === "creating" || isActiveTurn(status);
}

function isTurnOver(status: Status): boolean {
  return status === "completed" || status === "paused" || status === "error";
}

function isActiveTurn(status: Status): boolean {
  return status === "streaming" || status === "waiting_approval" || status === "waiting_input";
}
