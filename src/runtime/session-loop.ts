import {
  deriveStateEvents,
  transitionSession,
  type DerivedStateEvent,
  type SessionEffect,
  type SessionEvent,
  type SessionFact,
  type SessionRequest,
  type SessionState,
  type StreamEvent,
} from "../core/index.js";
import type { AgentCommand } from "../protocol/agent-wire.js";
import type { ControlWish } from "../protocol/controls.js";
import type { Cause, EvidenceSource, StatePayload } from "../protocol/state-event.js";
import type { WallState } from "../protocol/wall-state.js";
import { addUsage } from "./add-usage.js";
import type { Call } from "./call.js";
import type { Cursor } from "./cursor.js";
import { decodeHook, decodeOutput } from "./decode-said.js";
import { envelope } from "./envelope.js";
import {
  callOf,
  callsFor,
  failureNote,
  failureFact,
  grantOf,
  wallCalls,
  wordFor,
  type Context,
} from "./effect-words.js";
import type { Decoded, Harness, HarnessEffect, Output, StreamOutput } from "./harness.js";
import { LineFramer, type FramedLine } from "./line-framer.js";
import { enter, liveFrom, recordOf, restoredTo, type LiveSession } from "./live-session.js";
import type { EntryKind } from "./ports.js";
import { decisionIn, type Query, type QueryAnswer } from "./query.js";
import { seatEvent } from "./roster-desk.js";
import type { SessionRecord, SessionSettings } from "./session-record.js";
import { answeredBy, attributed } from "./answered-by.js";
import {
  causeType,
  derivedPayload,
  emittedPayload,
  isEmitted,
  isRepeatedEnd,
  mayDerive,
  forgotten,
  remembered,
  withDetail,
} from "./state-payload.js";
import { startRun, type SpawnEffect } from "./start-run.js";
import type { TerminalObservation } from "./terminal-observation.js";
import { UnreadOutput } from "./unread-output.js";
import type { Writing } from "./writing.js";

type CheckEffect = Extract<SessionEffect, { readonly type: "check_rest" }>;

export type StepOutcome = ReturnType<typeof transitionSession>;

/** An agent may be downloaded first, or its login open a browser. It can be cancelled all the while. */
const SLOW_START_MS_MAX = 300_000;

/**
 * One session, live: takes its events strictly in order, forwards content, applies the machine, and writes everything
 * that came of it into the batch. Nothing here waits, and nothing here acts on the world.
 */
export class SessionLoop {
  /** Texts of the messages that are not settled, by id. */
  readonly texts = new Map<string, string>();
  private live: LiveSession;
  /** What a step found could not be done: told to the machine right after it. */
  private readonly afterwards: SessionFact[] = [];
  private readonly unread = new UnreadOutput();

  constructor(
    /** As it is in the journal; what was written since can be taken back to it. */
    public durable: SessionRecord,
    readonly harness: Harness,
    /** False: the journal does not have it yet. */
    public isInJournal = true,
  ) {
    this.live = liveFrom(durable);
  }

  get id(): string {
    return this.durable.id;
  }

  get state(): SessionState {
    return this.live.state;
  }

  get settings(): SessionSettings {
    return this.live.settings;
  }

  /** What is known of the open asks, by id. */
  get askDetails(): SessionRecord["askDetails"] {
    return this.live.open.askDetails;
  }

  get removing(): boolean {
    return this.live.removing;
  }

  get seatedRun(): number {
    return this.live.seatedRun;
  }

  /** The run whose output is read, and where its next byte is. */
  get cursor(): Cursor {
    const { run, framer, hooksOffset } = this.live;
    return { run, outOffset: framer.nextOffset, hooksOffset };
  }

  snapshot(): SessionRecord {
    return recordOf(this.durable, this.live);
  }

  /** Forgets what the journal could not take. */
  restore(): void {
    this.live = restoredTo(this.durable, this.live);
  }

  rename(title: string, writing: Writing): void {
    this.live.settings = { ...this.live.settings, title };
    this.touch(writing);
  }

  markRemoving(writing: Writing): void {
    this.live.removing = true;
    this.touch(writing);
  }

  /** `run` has its seat in the roster; 0: none has. */
  seat(run: number, writing: Writing): void {
    this.live.seatedRun = run;
    this.touch(writing);
  }

  /** A person's or a client's wish: `granted` unless the machine rejects it. */
  request(event: SessionRequest, writing: Writing): StepOutcome {
    writing.batch.sync = "full";
    return this.apply(event, "request", writing);
  }

  /** Told to the agent as it is, past the machine. Null, or why it cannot be told. */
  command(command: AgentCommand, writing: Writing): string | null {
    const word = this.harness.command?.(this.live.codec, command);
    if (word?.failure !== undefined || !word) return word?.failure ?? "This agent has no commands.";
    this.write(
      "request",
      JSON.stringify({ type: "command", ...command, ...attributed(writing.by) }),
      writing,
    );
    this.live.codec = word.state;
    for (const call of callsFor(word, this.live.run, { type: "none" })) this.call(call, writing);
    return null;
  }

  /** The same for what the agent offers to choose. */
  control(wish: ControlWish, writing: Writing): string | null {
    const word = this.harness.control?.(this.live.codec, wish);
    if (word?.failure !== undefined || !word) return word?.failure ?? "This agent offers nothing to choose.";
    this.write("request", JSON.stringify({ type: "control", ...wish, ...attributed(writing.by) }), writing);
    this.live.codec = word.state;
    if (word.model !== undefined) this.live.settings = { ...this.live.settings, model: word.model };
    for (const call of callsFor(word, this.live.run, { type: "none" })) this.call(call, writing);
    if (word.note !== undefined) this.note(word.note, writing);
    this.touch(writing);
    return null;
  }

  fact(fact: SessionFact, source: EvidenceSource, writing: Writing): StepOutcome {
    return this.apply(fact, source, writing);
  }

  /** Output of the current run, from the cursor on. */
  feed(chunk: Buffer, writing: Writing): void {
    if (this.harness.framing === "lines") return this.takeLines(this.live.framer.push(chunk), writing);
    this.takeText(chunk.toString("latin1"), writing);
    this.live.outOffset += chunk.length;
    this.live.framer = new LineFramer(this.live.outOffset, false);
  }

  /** The output has ended: what is left is a line too. */
  finish(writing: Writing): void {
    this.takeLines(this.live.framer.finish(), writing);
  }

  /** Lines that the agent's hooks wrote, up to an offset. */
  feedHooks(lines: readonly string[], endOffset: number, writing: Writing): void {
    for (const line of lines) this.takeDecoded(decodeHook(this.harness, this.live, line, writing), writing);
    this.live.hooksOffset = endOffset;
    this.touch(writing);
  }

  /** Something was seen of the current run's terminal. */
  observe(observation: TerminalObservation, writing: Writing): void {
    this.takeDecoded(this.harness.observe?.(this.live.codec, observation, writing.nowMs), writing);
  }

  /** What came of a query of the current run's codec. What was decided is written down with its reason. */
  answer(queryId: string, query: Query, answer: QueryAnswer, writing: Writing): void {
    const decision = decisionIn(query, answer);
    if (decision) this.forwardNote({ permission: decision }, writing);
    this.takeDecoded(this.harness.answered?.(this.live.codec, queryId, answer), writing);
  }

  /** The current run was launched without the conversation that it was to go on with. */
  forgot(writing: Writing): void {
    this.takeDecoded(this.harness.forgot?.(this.live.codec), writing);
  }

  /** Something that a person should know: in the conversation, and where errors are told. The machine goes on. */
  warn(code: "agent_may_not" | "delivery_failed", message: string, writing: Writing): void {
    this.forwardNote({ note: message }, writing);
    const error = { code, message, retryable: false, source: "orchestrator" } as const;
    this.tell({ type: "session_error", ...error }, null, writing);
  }

  /** Something that a person is to read, and that is no failure of the session. */
  note(message: string, writing: Writing): void {
    this.forwardNote({ note: message }, writing);
  }

  /** What a person granted holds from now on. */
  addGrants(rules: readonly string[], writing: Writing): void {
    this.live.grants = [...new Set([...this.live.grants, ...rules])];
    this.touch(writing);
  }

  /** What stands around the run that was just started. */
  setWall(wall: WallState, writing: Writing): void {
    this.live.wall = wall;
    this.touch(writing);
  }

  get wall(): WallState | null {
    return this.live.wall;
  }

  foundUnwalled(run: number, because: string, writing: Writing): void {
    this.setWall({ run, seq: 0, isWalled: false, network: null, because }, writing);
    this.forwardNote({ note: `This agent has no wall: ${because}.` }, writing);
  }

  /** Content that comes from us, such as what a person wrote. */
  forward(output: StreamOutput, writing: Writing): StreamEvent {
    const event = envelope(output, this.id, this.harness.name, this.live.seq + 1, writing.nowMs);
    this.write("stream", JSON.stringify(event), writing);
    if (output.event === "completed")
      writing.batch.finishedStreams.push({ sessionId: this.id, streamId: output.streamId });
    return event;
  }

  /**
   * Its time to be ready is over. Of an agent that may be slow, it is said what is waited for, and it goes on: true; when it
   * has been slow for too long, the run has failed.
   */
  waitsForReady(writing: Writing): boolean {
    const awaited = this.state.alive ? (this.harness.starting?.(this.live.codec) ?? null) : null;
    if (awaited === null) return false;
    const elapsedMs = writing.nowMs - this.live.statusSinceMs;
    const isOver = elapsedMs >= SLOW_START_MS_MAX;
    if (isOver) {
      const seconds = Math.round(elapsedMs / 1_000);
      const error = `the agent was not ready after ${seconds} s: ${awaited}`;
      this.fact({ type: "process_error", error }, "timer", writing);
    } else {
      const payload = { text: `The agent is still starting: ${awaited}.` };
      this.forward({ type: "stream", streamId: `run-${this.live.run}`, event: "status", payload }, writing);
    }
    this.touch(writing);
    return !isOver;
  }

  tell(payload: StatePayload, cause: Cause | null, writing: Writing): void {
    const seq = this.live.seq + 1;
    const event = { eventId: `${this.id}:${seq}`, timestampMs: writing.nowMs, sessionId: this.id, payload };
    this.write("state", JSON.stringify(cause ? { ...event, cause } : event), writing);
  }

  touch(writing: Writing): void {
    this.live.updatedAtMs = writing.nowMs;
    writing.batch.touchedSessionIds.add(this.id);
  }

  private takeLines(lines: readonly FramedLine[], writing: Writing): void {
    for (const line of lines) {
      if (line.text === null) {
        writing.observer.unknownMessage(this.id, this.harness.name, "line_too_long");
        this.forwardNote({ problem: "a line longer than any message was skipped" }, writing);
      } else this.takeText(line.text, writing);
      this.live.outOffset = line.endOffset;
    }
    this.touch(writing);
  }

  private takeText(text: string, writing: Writing): void {
    this.takeDecoded(decodeOutput(this.harness, this.live, text, writing), writing);
  }

  private takeDecoded(decoded: Decoded | undefined, writing: Writing): void {
    if (!decoded) return;
    this.live.codec = decoded.state;
    for (const output of this.unread.bounded(decoded.outputs, this.live.run)) this.take(output, writing);
    this.touch(writing);
  }

  private take(output: Output, writing: Writing): void {
    switch (output.type) {
      case "stream": {
        const event = this.forward(output, writing);
        this.apply({ type: "harness_stream", run: this.live.run, event }, "protocol", writing);
        return;
      }
      case "fact":
        this.fact(output.fact, output.source ?? "protocol", writing);
        return;
      case "ask_detail":
        this.live.open = withDetail(this.live.open, this.live.state, output, writing.nowMs);
        return;
      case "usage":
        this.live.usage = addUsage(this.live.usage, output.usage);
        return;
      case "query":
      case "typing":
      case "write":
        this.call(callOf(output, this.live.run), writing);
        return;
      case "agent":
        this.seat(output.agent === null ? 0 : this.live.run, writing);
        writing.seat(seatEvent(this.id, output));
        return;
      case "unknown":
        writing.observer.unknownMessage(this.id, this.harness.name, output.kind);
        return;
    }
  }

  private forwardNote(payload: StreamOutput["payload"], writing: Writing): void {
    this.forward({ type: "stream", streamId: `run-${this.live.run}`, event: "metadata", payload }, writing);
  }

  private apply(event: SessionEvent, source: EvidenceSource, writing: Writing): StepOutcome {
    const before = this.state;
    const step = transitionSession(before, event);
    const { result, because = null } = step;
    const observed = { sessionId: this.id, event, result, because, before, after: step.state };
    writing.observer.stepped({ ...observed, atMs: writing.nowMs });
    if (result !== "ignored") {
      enter(this.live, step.state, writing.nowMs);
      this.record(before, event, source, step, writing);
      this.moveSeat(before, writing);
    }
    for (let fact = this.afterwards.shift(); fact; fact = this.afterwards.shift())
      this.apply(fact, "daemon", writing);
    return step;
  }

  /** Who rested goes on in its seat, with its new run; who is not to go on has left it. */
  private moveSeat(before: SessionState, writing: Writing): void {
    const wasResting = before.rest?.step === "resting";
    const isOver = (wasResting || before.rest?.step === "ending") && this.state.rest === null;
    if (!isOver || this.live.seatedRun !== before.run) return;
    if (this.state.status === "streaming") this.seat(this.state.run, writing);
    else if (wasResting) {
      this.seat(0, writing);
      writing.seat({ type: "agent_terminated", seat: this.id, evidence: "process_exit" });
    }
  }

  /** The event's entry, then what it changed, then what is to be done about it. */
  private record(
    before: SessionState,
    event: SessionEvent,
    source: EvidenceSource,
    step: StepOutcome,
    writing: Writing,
  ): void {
    const context = { askDetails: this.live.open.askDetails, event };
    const kind = source === "request" ? "request" : "fact";
    const by = source === "request" ? writing.by : answeredBy(event);
    if (event.type !== "harness_stream")
      this.write(kind, JSON.stringify(kind === "request" ? { ...event, ...attributed(by) } : event), writing);
    const cause: Cause = { seq: this.live.seq, type: causeType(event), source, ...attributed(by) };
    for (const effect of step.effects)
      if (isEmitted(effect)) this.tell(emittedPayload(effect), cause, writing);
    if (step.result === "ok" && mayDerive(before, event, step.state)) {
      for (const derived of deriveStateEvents(before, event, step.state))
        this.tellDerived(derived, cause, writing);
    }
    for (const effect of step.effects) this.enact(effect, context, writing);
    this.touch(writing);
  }

  private tellDerived(derived: DerivedStateEvent, cause: Cause, writing: Writing): void {
    const { live } = this;
    // Its messages were given up with the session.
    if (live.removing && derived.type === "message_status") return;
    if (isRepeatedEnd(derived, live.open)) return;
    live.open = remembered(live.open, derived, writing.nowMs);
    this.tell(derivedPayload(derived, live.open, writing.nowMs, cause.by), cause, writing);
    live.open = forgotten(live.open, derived);
    if (derived.type !== "message_status") return;
    const { messageId, status } = derived;
    writing.batch.messageStatuses.push({ messageId, status });
    // A message that was not sent after all keeps its text.
    if (status === "sent" || status === "failed")
      writing.batch.waiters.push({ done: () => this.dropText(messageId), undone: () => undefined });
  }

  /** The text of a message that is settled for good: one that came back meanwhile is still needed. */
  private dropText(messageId: string): void {
    const { delivering, prompt, queue, returned } = this.live.state;
    if (delivering === messageId || prompt === messageId) return;
    if (queue.includes(messageId) || returned.includes(messageId)) return;
    this.texts.delete(messageId);
  }

  private enact(effect: SessionEffect, context: Context, writing: Writing): void {
    const { batch, nowMs } = writing;
    switch (effect.type) {
      case "emit_session_error":
      case "emit_state_changed":
      // Told, and kept, as the state events that the step makes.
      case "return_messages":
        return;
      case "spawn_harness":
        this.spawn(effect, writing);
        return;
      case "stop_harness":
        this.call({ type: "stop", run: effect.run }, writing);
        return;
      case "check_rest":
        this.checkRest(effect, writing);
        return;
      case "checkpoint":
        this.call({ type: "checkpoint", turn: effect.turn, at: "end" }, writing);
        return;
      case "check_permission":
        this.call({ type: "check_permission", run: this.live.run, askId: effect.askId }, writing);
        return;
      case "notify":
        this.call({ type: "notify", reason: effect.reason }, writing);
        return;
      case "start_timer": {
        const { timerId, delayMs } = effect;
        batch.startedTimers.push({ sessionId: this.id, timerId, dueAtMs: nowMs + delayMs });
        batch.sync = "full";
        return;
      }
      case "cancel_timer":
        batch.endedTimers.push({ sessionId: this.id, timerId: effect.timerId });
        return;
      case "answer_wall":
        for (const call of wallCalls(effect, this.texts, context)) this.call(call, writing);
        return;
      case "deliver_message":
      case "continue_run":
        this.noteFiles(writing);
        this.say(effect, context, writing);
        return;
      case "interrupt_run":
      case "answer_ask":
      case "void_asks":
        this.say(effect, context, writing);
        return;
    }
  }

  /** An agent that could not be resumed is not ended. */
  private checkRest({ run, timerId }: CheckEffect, writing: Writing): void {
    const canResume = this.harness.canResume?.(this.live.codec) ?? true;
    if (canResume) this.call({ type: "check_rest", run, timerId }, writing);
    else this.afterwards.push({ type: "rest_checked", run, timerId, mayRest: false });
  }

  /** What anybody else has changed since the last turn is not the next one's. */
  private noteFiles(writing: Writing): void {
    const { checkpoints, turn } = this.state;
    if (checkpoints) this.call({ type: "checkpoint", turn: turn + 1, at: "start" }, writing);
  }

  private spawn(effect: SpawnEffect, writing: Writing): void {
    if (!effect.resume) this.noteFiles(writing);
    const { calls, live } = startRun(effect, this.harness, this.live, this.texts);
    Object.assign(this.live, live);
    for (const call of calls) this.call(call, writing);
  }

  /** Puts an effect into the agent's words; they go out as they are now, whatever the codec learns later. */
  private say(effect: HarnessEffect, context: Context, writing: Writing): void {
    if (effect.type === "void_asks" && (!this.state.alive || this.state.stopRequested)) return;
    const word = wordFor(this.harness, this.live.codec, effect, this.texts, context);
    if (word.failure !== undefined) {
      const fact = failureFact(failureNote(effect, context), word.failure);
      if (fact) this.afterwards.push(fact);
      return;
    }
    this.live.codec = word.state;
    const grant = grantOf(effect, context);
    if (grant) this.call(grant, writing);
    for (const call of callsFor(word, this.live.run, failureNote(effect, context))) this.call(call, writing);
  }

  private call(call: Call, writing: Writing): void {
    const effectId = `${this.live.seq}.${this.live.callCount}`;
    this.live.callCount += 1;
    writing.batch.outbox.push({ sessionId: this.id, effectId, call });
    writing.batch.sync = "full";
    this.touch(writing);
  }

  private write(kind: EntryKind, body: string, writing: Writing): void {
    this.live.seq += 1;
    this.live.callCount = 0;
    const { seq, run } = this.live;
    const { nowMs: atMs, nextPosition, batch } = writing;
    batch.entries.push({ position: nextPosition(), sessionId: this.id, seq, atMs, kind, run, body });
    // The record holds the newest seq: kept without it, the next entry would take this one's place.
    this.touch(writing);
  }
}
