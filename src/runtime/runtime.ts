import { isResting, type RosterEvent, type RosterState, type SessionFact } from "../core/index.js";
import { READY_DELAY_MS } from "../core/session/state.js";
import { principalKey, type Principal } from "../protocol/principal.js";
import type { EvidenceSource } from "../protocol/state-event.js";
import type { RunExit } from "../protocol/keeper.js";
import { AuditTrail } from "./audit-trail.js";
import { Alarms } from "./alarms.js";
import type { Batch, Waiter } from "./batch.js";
import { Committer } from "./committer.js";
import { Compactor } from "./compactor.js";
import { Dispatcher } from "./dispatcher.js";
import { carriedMessage } from "./effect-words.js";
import type { Journal, Loaded, OutboxItem, Performed, TimerRecord } from "./ports.js";
import { NotCommitted, NotSynced } from "./not-committed.js";
import { Receipts } from "./receipts.js";
import { RosterDesk } from "./roster-desk.js";
import type { Cursor } from "./cursor.js";
import type { RuntimeOptions } from "./runtime-options.js";
import { SessionLoop } from "./session-loop.js";
import type { SessionRecord } from "./session-record.js";
import { strayEntry } from "./stray-entry.js";
import { takePerformed } from "./take-performed.js";
import type { Answer, ReceiptDraft, Submission } from "./submission.js";
import { upgradedRecord } from "./upgrade-record.js";
import { auditOf } from "./audit-of.js";
import { carryOut, KEEPER_AWAY, unavailable, unsure, type Desk } from "./carry-out.js";
import type { TerminalObservation } from "./terminal-observation.js";
import type { Writing } from "./writing.js";

const REDO_DELAY_MS = 1_000;

/** What could not be written to the journal, and when it was tried. */
export interface WriteFailure {
  readonly atMs: number;
  readonly message: string;
}

/**
 * The loop: events in, one transaction for all that came of them, and only then subscribers and drivers. It holds every
 * session's state and waits for nothing but the journal.
 */
export class Runtime {
  private readonly loops = new Map<string, SessionLoop>();
  private readonly committer: Committer;
  private readonly dispatcher: Dispatcher;
  private readonly alarms: Alarms;
  private readonly receipts: Receipts;
  private readonly trail: AuditTrail;
  private readonly desk: RosterDesk;
  private readonly compactor: Compactor;
  /** What the last daemon left, until `start`. */
  private undone: Pick<Loaded, "timers" | "finishedStreams">;
  /** Runs that lived when the backup was made that the journal is from, by session. */
  private readonly restoredRuns: ReadonlyMap<string, number>;
  private durablePosition: number;
  private position: number;
  private closed = false;
  /** The last commit failed. */
  private failure: WriteFailure | null = null;

  static async open(options: RuntimeOptions): Promise<Runtime> {
    return new Runtime(options, await options.journal.load());
  }

  private constructor(
    private readonly options: RuntimeOptions,
    loaded: Loaded,
  ) {
    this.undone = loaded;
    const { journal, clock, driver, observer, pass } = options;
    this.durablePosition = loaded.lastPosition;
    this.position = loaded.lastPosition;
    this.desk = new RosterDesk(loaded.roster);
    this.receipts = new Receipts(journal);
    this.trail = new AuditTrail(loaded.auditHead);
    this.compactor = new Compactor(journal, observer, pass);
    this.committer = new Committer(journal, {
      close: (batch) => this.closeBatch(batch),
      committed: (batch) => this.committed(batch),
      synced: (batch) => this.synced(batch),
      notSynced: (batches, error) => this.notSynced(batches, error),
      failed: (batches, error) => this.failed(batches, error),
      pass,
    });
    this.dispatcher = new Dispatcher({
      driver,
      clock,
      observer,
      pass,
      record: (sessionId) => this.loops.get(sessionId)?.snapshot() ?? null,
      durable: (sessionId) => this.loops.get(sessionId)?.durable ?? null,
      settle: (item, performed) => this.settle(item, performed),
    });
    for (const item of loaded.outbox) this.dispatcher.dispatch(item);
    this.alarms = new Alarms(clock, (timer) => this.fire(timer));
    for (const record of loaded.sessions.map(upgradedRecord))
      this.loops.set(record.id, new SessionLoop(record, options.harness(record.settings.harness)));
    this.restoredRuns = new Map(
      loaded.isRestored ? [...this.liveRuns()].map(({ sessionId, run }) => [sessionId, run]) : [],
    );
    for (const { sessionId, messageId, text } of loaded.unsettledMessages)
      this.loops.get(sessionId)?.texts.set(messageId, text);
  }

  /**
   * Takes up what the last daemon left undone. The driver must be ready. A timer may be long due: it waits until what a
   * session's agent said meanwhile is known, because that may be what it was waiting for. `isHeard` never rejects.
   */
  start(isHeard?: (sessionId: string) => Promise<void>): void {
    for (const timer of this.undone.timers) this.alarms.armAfter(isHeard?.(timer.sessionId), timer);
    this.dispatcher.start();
    this.compactor.add(this.undone.finishedStreams);
    this.undone = { timers: [], finishedStreams: [] };
  }

  /** Whether the run is yet to be started: that it is not there says nothing then. */
  awaitsSpawn(sessionId: string, run: number): boolean {
    const isSpawn = ({ call }: OutboxItem): boolean => call.type === "spawn" && call.run === run;
    return (
      this.dispatcher.some(sessionId, isSpawn) ||
      // Nothing is handed to the driver before the disk has it.
      this.committer.asks((item) => item.sessionId === sessionId && isSpawn(item))
    );
  }

  /** Null for a session that is not there, or not for long. */
  session(sessionId: string): SessionRecord | null {
    const loop = this.loops.get(sessionId);
    return loop && !loop.removing ? loop.snapshot() : null;
  }

  /** Of a message that is not settled. */
  messageText(sessionId: string, messageId: string): string | null {
    return this.loops.get(sessionId)?.texts.get(messageId) ?? null;
  }

  *sessions(): IterableIterator<SessionRecord> {
    for (const loop of this.loops.values()) if (!loop.removing) yield loop.snapshot();
  }

  /** As the journal has it, and so as far as `lastPosition`: what is not committed is not known to anybody. */
  committedSession(sessionId: string): SessionRecord | null {
    const loop = this.loops.get(sessionId);
    return loop?.isInJournal === true && !loop.removing ? loop.durable : null;
  }

  *committedSessions(): IterableIterator<SessionRecord> {
    for (const loop of this.loops.values()) if (loop.isInJournal && !loop.removing) yield loop.durable;
  }

  /** Sessions whose process should be there by the journal, and its run: its spawn was given to the driver. */
  *liveRuns(): IterableIterator<{ readonly sessionId: string; readonly run: number }> {
    for (const loop of this.loops.values())
      if (loop.durable.state.alive) yield { sessionId: loop.id, run: loop.durable.state.run };
  }

  cursor(sessionId: string): Cursor | null {
    return this.loops.get(sessionId)?.cursor ?? null;
  }

  /** As far as the journal has it. */
  durableCursor(sessionId: string): { readonly run: number; readonly outOffset: number } | null {
    return this.loops.get(sessionId)?.durable.progress ?? null;
  }

  roster(): RosterState {
    return this.desk.state;
  }

  /** As the journal has it. */
  committedRoster(): RosterState {
    return this.desk.committedState;
  }

  lastPosition(): number {
    return this.durablePosition;
  }

  /** Null when the last commit was written. */
  get writeFailure(): WriteFailure | null {
    return this.failure;
  }

  get outboxDepth(): number {
    return this.dispatcher.depth;
  }

  get journal(): Journal {
    return this.options.journal;
  }

  /** `by`: who asks for it. A receipt is theirs: the same `clientId` of somebody else is another request. */
  submit(submission: Submission, receipt: ReceiptDraft | null, by: Principal): Promise<Answer> {
    if (!receipt) return this.submitOnce(submission, null, by);
    return this.receipts.answer(principalKey(by), receipt, () => this.submitOnce(submission, receipt, by));
  }

  /** Who does something that is no submission. Resolves when it is written down for good. */
  audit(by: Principal, operation: string, sessionId: string | null): Promise<void> {
    return this.stage(
      ({ batch, nowMs }) => {
        batch.sync = "full";
        this.trail.append(batch, { atMs: nowMs, principal: by, operation, sessionId });
      },
      ({ syncWaiters }) => syncWaiters,
    );
  }

  /**
   * An agent tried to do what only a person may, and was refused: it stands in the audit, and a person reads it in the
   * conversation of the session that it came from, or that it was about.
   */
  attempted(by: Principal, operation: string, sessionId: string | null, message: string): void {
    this.stageOwn((writing) => {
      const { batch, nowMs } = writing;
      batch.sync = "full";
      const own = by.kind === "agent" ? by.id : null;
      const loop = (own === null ? undefined : this.loops.get(own)) ?? this.loops.get(sessionId ?? "");
      this.trail.append(batch, {
        atMs: nowMs,
        principal: by,
        operation: `refused:${operation}`,
        sessionId: sessionId ?? own,
      });
      loop?.warn("agent_may_not", message, writing);
    });
  }

  /** A person reads it in the conversation of a session. */
  note(sessionId: string, message: string): void {
    this.stageOwn((writing) => this.loops.get(sessionId)?.note(message, writing));
  }

  /** A piece of a run's output, from the cursor on. Resolves when it is in the journal. */
  feed(sessionId: string, run: number, chunk: Buffer): Promise<void> {
    return this.stage((writing) => {
      const loop = this.loops.get(sessionId);
      writing.batch.outputBytes += chunk.length;
      if (loop?.cursor.run === run) loop.feed(chunk, writing);
      if (!loop) writing.batch.entries.push(strayEntry(sessionId, writing.nextPosition(), writing.nowMs));
    });
  }

  feedHooks(sessionId: string, run: number, lines: readonly string[], endOffset: number): Promise<void> {
    return this.stage((writing) => {
      const loop = this.loops.get(sessionId);
      if (loop?.cursor.run === run) loop.feedHooks(lines, endOffset, writing);
    });
  }

  /** Something was seen of a run's terminal. It is not told again: the next change is. */
  observe(sessionId: string, run: number, observation: TerminalObservation): void {
    this.stageOwn((writing) => {
      const loop = this.loops.get(sessionId);
      if (loop?.cursor.run === run) loop.observe(observation, writing);
    });
  }

  /** The run's process has ended and all its output was fed; `said`: its last words. Resolves when that is in the journal. */
  async exit(sessionId: string, run: number, exit: RunExit, said: string | null = null): Promise<void> {
    await this.stageEnd(sessionId, run, (loop, writing) => {
      if (loop.cursor.run === run) loop.finish(writing);
      const words = said === null ? {} : { said };
      this.end(loop, { type: "process_exit", run, ...exit, ...words }, writing);
    });
  }

  /** The run was found dead, and nobody knows how it ended. */
  async interrupted(sessionId: string, run: number): Promise<void> {
    const isRestored = this.restoredRuns.get(sessionId) === run;
    await this.stageEnd(sessionId, run, (loop, writing) => {
      const because = isRestored ? ({ because: "restored" } as const) : {};
      this.end(loop, { type: "interrupted", run, ...because }, writing);
    });
  }

  /** A run that somebody has started who knew no walls: it is written down once, and said in the conversation. */
  foundUnwalled(sessionId: string, run: number, because: string): void {
    this.stageOwn((writing) => {
      const loop = this.loops.get(sessionId);
      if (loop?.state.run === run && loop.wall?.run !== run) loop.foundUnwalled(run, because, writing);
    });
  }

  /** What happened to a session, told by nobody who would tell it again. */
  fact(sessionId: string, fact: SessionFact, source: EvidenceSource): void {
    this.stageOwn((writing) => this.loops.get(sessionId)?.fact(fact, source, writing));
  }

  /** Nothing more is done to the world; what is left to do is done after the next start. */
  rest(): void {
    this.dispatcher.close();
    this.alarms.close();
  }

  /** Resolves when everything that happened is in the journal. */
  async close(): Promise<void> {
    this.rest();
    this.closed = true;
    await this.committer.idle();
    await this.compactor.close();
  }

  private submitOnce(submission: Submission, receipt: ReceiptDraft | null, by: Principal): Promise<Answer> {
    const writing = this.writing(by);
    const answer = carryOut(submission, this.deskFor(writing), writing);
    // Asked again, it may be granted: it leaves no receipt.
    if (answer === KEEPER_AWAY) return Promise.resolve(answer);
    const { batch, nowMs } = writing;
    this.trail.append(batch, { atMs: nowMs, principal: by, ...auditOf(submission, answer) });
    const result = JSON.stringify(answer);
    if (receipt) batch.receipts.push({ ...receipt, principal: principalKey(by), atMs: nowMs, result });
    batch.sync = "full";
    return new Promise((resolve) => {
      const undone = (error: Error): void =>
        resolve(error instanceof NotSynced ? unsure(error) : unavailable(error));
      batch.syncWaiters.push({ done: () => resolve(answer), undone });
    });
  }

  private deskFor(writing: Writing): Desk {
    return {
      loop: (sessionId) => this.loops.get(sessionId) ?? null,
      open: (record) => {
        const loop = new SessionLoop(record, this.options.harness(record.settings.harness), false);
        this.loops.set(record.id, loop);
        writing.batch.openedSessionIds.add(record.id);
        return loop;
      },
      remove: (loop) => this.remove(loop, writing),
      roster: this.desk.state,
      seat: (event) => this.applyRoster(event, writing),
      newId: this.options.newId,
      isReachable: ({ id, state }) => this.options.isReachable?.(id, state.run) ?? true,
    };
  }

  private remove(loop: SessionLoop, writing: Writing): void {
    loop.markRemoving(writing);
    this.applyRoster({ type: "seat_closed", seat: loop.id }, writing);
    writing.batch.removedSessionIds.add(loop.id);
    writing.batch.sync = "full";
  }

  private applyRoster(event: RosterEvent, writing: Writing): Answer | null {
    const refusal = this.desk.apply(event, writing.batch, (change) => {
      const loop = this.loops.get(change.seat);
      loop?.tell({ ...change, type: "roster_changed" }, null, writing);
      loop?.touch(writing);
    });
    return refusal && { ok: false, ...refusal };
  }

  private end(loop: SessionLoop, fact: SessionFact, writing: Writing): void {
    // Once it is written, all else that tells of the run is deleted.
    writing.batch.sync = "full";
    loop.fact(fact, "process", writing);
    if (loop.seatedRun === fact.run && isResting(loop.state)) {
      this.applyRoster({ type: "agent_rested", seat: loop.id }, writing);
    } else if (loop.seatedRun === fact.run) {
      loop.seat(0, writing);
      this.applyRoster({ type: "agent_terminated", seat: loop.id, evidence: "process_exit" }, writing);
    }
    if (loop.removing && !loop.state.alive) this.remove(loop, writing);
  }

  private async settle(item: OutboxItem, performed: Performed): Promise<void> {
    const loop = this.loops.get(item.sessionId);
    if (!loop) return;
    for (const { fact } of performed.facts) await this.recallText(loop, fact);
    this.stageOwn((writing) => {
      // It may have been removed before this could be written.
      if (this.loops.get(loop.id) !== loop) return;
      const facts = performed.facts.map((each) => ({ ...each, fact: this.unlessConnected(loop, each.fact) }));
      const { startedTimers } = writing.batch;
      const before = startedTimers.length;
      const ended = takePerformed(item, { ...performed, facts }, loop, writing);
      // A process has begun: the time from before must not run out while this waits for the journal.
      if (performed.started === true) for (const timer of startedTimers.slice(before)) this.alarms.arm(timer);
      if (ended) this.end(loop, ended, writing);
    });
  }

  /** Whoever gets messages that name nobody is always there. */
  private unlessConnected(loop: SessionLoop, fact: SessionFact): SessionFact {
    if (fact.type !== "rest_checked" || this.desk.state.connected !== loop.id) return fact;
    return { ...fact, mayRest: false };
  }

  /** A message that comes back was settled: its text is in the journal only. */
  private async recallText(loop: SessionLoop, fact: SessionFact): Promise<void> {
    const messageId = carriedMessage(fact);
    if (messageId === null || loop.texts.has(messageId)) return;
    const message = await this.options.journal.readMessage(messageId);
    if (message) loop.texts.set(messageId, message.text);
  }

  private fire(timer: TimerRecord): void {
    const { sessionId, timerId } = timer;
    const state = this.loops.get(sessionId)?.state;
    // The time that an agent has to be ready begins with its process, which may wait for its turn.
    if (state?.readyTimer === timerId && this.awaitsSpawn(sessionId, state.run)) {
      this.alarms.arm({ ...timer, dueAtMs: this.options.clock.nowMs() + READY_DELAY_MS });
      return;
    }
    this.stageOwn((writing) => {
      const loop = this.loops.get(sessionId);
      if (loop?.state.readyTimer === timerId && loop.waitsForReady(writing)) {
        const dueAtMs = writing.nowMs + READY_DELAY_MS;
        writing.batch.startedTimers.push({ sessionId, timerId, dueAtMs });
        return;
      }
      writing.batch.endedTimers.push({ sessionId, timerId });
      loop?.fact({ type: "timer_fired", timerId }, "timer", writing);
      loop?.touch(writing);
    });
  }

  /** Writes something down; whoever waits is told when it is in the journal, or that it is not. */
  private stage(
    work: (writing: Writing) => void,
    waitersOf: (batch: Batch) => Waiter[] = ({ waiters }) => waiters,
  ): Promise<void> {
    const writing = this.writing();
    work(writing);
    return new Promise((resolve, reject) => {
      const undone = (error: Error): void => reject(new NotCommitted(error.message, { cause: error }));
      waitersOf(writing.batch).push({ done: resolve, undone });
    });
  }

  /** What could not be handed to the run is told before its end. Who closes leaves both to the next start. */
  private async stageEnd(
    sessionId: string,
    run: number,
    tell: (loop: SessionLoop, writing: Writing) => void,
  ): Promise<void> {
    await this.dispatcher.settled(sessionId, run);
    if (this.closed) throw new NotCommitted("The runtime is being closed.");
    await this.stage(
      (writing) => {
        const loop = this.loops.get(sessionId);
        if (loop) tell(loop, writing);
      },
      ({ syncWaiters }) => syncWaiters,
    );
  }

  /** Writes down what only we know: should the journal fail, it is written again. */
  private stageOwn(work: (writing: Writing) => void): void {
    if (this.closed) return;
    const writing = this.writing();
    work(writing);
    writing.batch.redo.push(() => this.stageOwn(work));
  }

  private writing(by: Principal | null = null): Writing {
    const writing: Writing = {
      by,
      batch: this.committer.batch,
      nowMs: this.options.clock.nowMs(),
      observer: this.options.observer,
      seat: (event) => this.applyRoster(event, writing),
      nextPosition: () => {
        this.position += 1;
        return this.position;
      },
    };
    return writing;
  }

  private closeBatch(batch: Batch): void {
    batch.records = [...batch.touchedSessionIds]
      .filter((sessionId) => !batch.removedSessionIds.has(sessionId))
      .flatMap((sessionId) => this.loops.get(sessionId)?.snapshot() ?? []);
    for (const sessionId of batch.removedSessionIds) {
      const loop = this.loops.get(sessionId);
      if (loop) batch.removedLoops.push(loop);
      this.loops.delete(sessionId);
    }
  }

  private committed(batch: Batch): void {
    this.failure = null;
    this.trail.committed(batch);
    this.durablePosition = batch.entries.at(-1)?.position ?? this.durablePosition;
    for (const record of batch.records) {
      const loop = this.loops.get(record.id);
      if (!loop) continue;
      loop.durable = record;
      loop.isInJournal = true;
    }
    this.desk.committed(batch);
    this.options.bus.publish({
      sync: batch.sync,
      entries: batch.entries,
      sessionIds: [...batch.touchedSessionIds],
      removedSessionIds: [...batch.removedSessionIds],
    });
    for (const waiter of batch.waiters) waiter.done();
    if (this.closed) return;
    this.alarms.follow(batch);
    this.compactor.add(batch.finishedStreams);
  }

  /** No power cut takes it back any more: answers may be given, and the world acted on. */
  private synced(batch: Batch): void {
    if (batch.sync === "full") this.options.bus.synced?.();
    for (const waiter of batch.syncWaiters) waiter.done();
    if (this.closed) return;
    for (const item of batch.outbox) this.dispatcher.dispatch(item);
  }

  /** It is done, and may be undone by a power cut: nobody is told that it holds. What it asked of drivers waits for the next start. */
  private notSynced(batches: readonly Batch[], error: Error): void {
    this.options.observer.failed("sync", error);
    const failure = new NotSynced(error.message, { cause: error });
    for (const batch of batches) for (const waiter of batch.syncWaiters) waiter.undone(failure);
  }

  private failed(batches: readonly Batch[], error: Error): void {
    this.options.observer.failed("commit", error);
    this.failure = { atMs: this.options.clock.nowMs(), message: error.message };
    this.position = this.durablePosition;
    this.desk.restore();
    this.trail.restore();
    for (const batch of batches) {
      for (const loop of batch.removedLoops) this.loops.set(loop.id, loop);
      for (const sessionId of batch.touchedSessionIds) this.loops.get(sessionId)?.restore();
      for (const sessionId of batch.openedSessionIds) this.loops.delete(sessionId);
    }
    for (const { waiters, syncWaiters } of batches)
      for (const waiter of [...waiters, ...syncWaiters]) waiter.undone(error);
    const redo = batches.flatMap((batch) => batch.redo);
    const { clock } = this.options;
    clock.wakeAt(clock.nowMs() + REDO_DELAY_MS, () => {
      for (const again of redo) again();
    });
  }
}
