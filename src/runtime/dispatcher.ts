import type { Call } from "./call.js";
import type { PassCrashPoint } from "./crash-point.js";
import type { Clock, Driver, Observer, OutboxItem, Performed } from "./ports.js";
import type { SessionRecord } from "./session-record.js";

const RETRY_DELAY_MS = 1_000;

export interface DispatcherOptions {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly observer: Observer;
  readonly pass: PassCrashPoint;
  readonly record: (sessionId: string) => SessionRecord | null;
  /** As it is in the journal. */
  readonly durable: (sessionId: string) => SessionRecord | null;
  /** Writes down that the item is done, and what came of it. */
  readonly settle: (item: OutboxItem, performed: Performed) => Promise<void>;
}

interface Lane {
  readonly items: OutboxItem[];
  readonly waiting: { readonly run: number; readonly resolve: () => void }[];
  /** Of the first item. */
  overtaking: AbortController;
}

/** Gives committed calls to the driver: within a session one after the other, in order, each until it is done. */
export class Dispatcher {
  private readonly lanes = new Map<string, Lane>();
  private started = false;
  private closed = false;

  constructor(private readonly options: DispatcherOptions) {}

  /** From now on calls are done; those that came before have kept their order. */
  start(): void {
    this.started = true;
    for (const [sessionId, lane] of this.lanes) void this.drain(sessionId, lane);
  }

  /** How many calls are not done. */
  get depth(): number {
    let depth = 0;
    for (const lane of this.lanes.values()) depth += lane.items.length;
    return depth;
  }

  dispatch(item: OutboxItem): void {
    if (this.closed) return;
    const lane = this.lanes.get(item.sessionId);
    if (lane) {
      lane.items.push(item);
      tellOvertaken(lane);
      return;
    }
    const opened: Lane = { items: [item], waiting: [], overtaking: new AbortController() };
    this.lanes.set(item.sessionId, opened);
    if (this.started) void this.drain(item.sessionId, opened);
  }

  some(sessionId: string, test: (item: OutboxItem) => boolean): boolean {
    return this.lanes.get(sessionId)?.items.some(test) ?? false;
  }

  /** Resolves when no call to this run is left: what could not be handed to it is told before its end. */
  settled(sessionId: string, run: number): Promise<void> {
    const lane = this.lanes.get(sessionId);
    if (this.closed || !lane?.items.some((item) => isFor(item, run))) return Promise.resolve();
    return new Promise((resolve) => {
      lane.waiting.push({ run, resolve });
    });
  }

  /** What is not done stays in the journal's outbox; nobody waits for it any more. */
  close(): void {
    this.closed = true;
    for (const lane of this.lanes.values()) for (const { resolve } of lane.waiting.splice(0)) resolve();
  }

  private async drain(sessionId: string, lane: Lane): Promise<void> {
    for (let item = lane.items[0]; item && !this.closed; item = lane.items[0]) {
      lane.overtaking = new AbortController();
      tellOvertaken(lane);
      const performed = await this.perform(item, lane.overtaking.signal);
      if (performed) await this.settle(item, performed);
      lane.items.shift();
      this.release(lane);
    }
    this.lanes.delete(sessionId);
  }

  private release(lane: Lane): void {
    for (const waiting of lane.waiting.splice(0)) {
      if (lane.items.some((item) => isFor(item, waiting.run))) lane.waiting.push(waiting);
      else waiting.resolve();
    }
  }

  /** Null when the session is gone, or we are about to be. */
  private async perform(item: OutboxItem, overtaken: AbortSignal): Promise<Performed | null> {
    const { driver, observer, pass, record, durable } = this.options;
    while (!this.closed) {
      const session = record(item.sessionId);
      if (!session) return null;
      if (isMoot(item, durable(item.sessionId))) return { facts: [] };
      pass("before_effect");
      try {
        const performed = await driver.perform(item, session, overtaken);
        pass("after_effect");
        return performed;
      } catch (error) {
        observer.failed(`${item.call.type} of ${item.sessionId}`, error);
        await this.pause();
      }
    }
    return null;
  }

  /** What came of it may need what the journal cannot give just now. */
  private async settle(item: OutboxItem, performed: Performed): Promise<void> {
    const { observer, settle } = this.options;
    while (!this.closed) {
      try {
        await settle(item, performed);
        return;
      } catch (error) {
        observer.failed(`what came of ${item.call.type} of ${item.sessionId}`, error);
        await this.pause();
      }
    }
  }

  private pause(): Promise<void> {
    const { clock } = this.options;
    return new Promise((resolve) => {
      clock.wakeAt(clock.nowMs() + RETRY_DELAY_MS, resolve);
    });
  }
}

/** A run that has ended or was replaced, by the journal, is not started: it may have been before. */
function isMoot({ call }: OutboxItem, durable: SessionRecord | null): boolean {
  return (
    call.type === "spawn" && durable !== null && (durable.state.run !== call.run || !durable.state.alive)
  );
}

/** Whoever wants a run to be interrupted or to end does not wait until something is typed into it. */
function tellOvertaken({ items: [first, ...later], overtaking }: Lane): void {
  if (first && later.some((item) => isUrgent(item.call) && isSameRun(item, first))) overtaking.abort();
}

/** Keys that nobody hears about are those that interrupt. */
function isUrgent(call: Call): boolean {
  if (call.type === "typing") return call.typing.type === "keys" && call.onFailure.type === "none";
  return call.type === "stop";
}

function isSameRun({ call }: OutboxItem, item: OutboxItem): boolean {
  return "run" in call && isFor(item, call.run);
}

function isFor(item: OutboxItem, run: number): boolean {
  return "run" in item.call && item.call.run === run;
}
