/** Keeps one stream of events open, for ever: loads, follows, and begins again where it was cut off. */
import type { Client } from "../client/client.js";
import { Backoff } from "../client/backoff.js";
import type { EventItem } from "../client/event-item.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { HealthReport } from "../protocol/api-schemas.js";

export interface Connection {
  /** `signed_out`: the daemon does not know this browser; nothing is tried until somebody asks for it. */
  readonly type: "connecting" | "live" | "reconnecting" | "signed_out";
  readonly sinceMs: number;
}

type Event = Extract<EventItem, { readonly type: "event" }>;

export interface StreamLoopOptions {
  readonly client: Pick<Client, "events">;
  /** Loads the lists, and says after which position the stream goes on. */
  readonly load: () => Promise<number>;
  readonly take: (item: Event) => void;
  readonly changed: () => void;
  /** What is wrong with the daemon: when the stream opens, and whenever it changes. */
  readonly health: (report: HealthReport) => void;
}

const DELAY_MIN_MS = 100;
const DELAY_MAX_MS = 5_000;
const TICK_MS = 5_000;
/** A clock that jumps by so much was asleep. A hidden page is let to look at it once a minute. */
const SLEEP_MIN_MS = 90_000;

export class StreamLoop {
  connection: Connection = { type: "connecting", sinceMs: Date.now() };
  private abort: AbortController | null = null;
  /** Null until the lists are there. */
  private position: number | null = null;
  private round: AbortController | null = null;
  private readonly backoff = new Backoff(DELAY_MIN_MS, DELAY_MAX_MS);
  private unwatch: (() => void) | null = null;

  constructor(private readonly options: StreamLoopOptions) {}

  start(): void {
    if (this.abort) return;
    const abort = new AbortController();
    this.abort = abort;
    this.unwatch = watchWaking(
      () => this.reconnect(),
      () => this.wake(),
    );
    void this.run(abort.signal);
  }

  stop(): void {
    this.abort?.abort();
    this.abort = null;
    this.round?.abort();
    this.unwatch?.();
    this.unwatch = null;
  }

  reconnect(): void {
    if (this.connection.type === "live") this.set("reconnecting");
    this.backoff.reset();
    this.round?.abort();
  }

  /** Somebody looks again: no reason to wait longer. */
  private wake(): void {
    if (this.connection.type !== "live") this.reconnect();
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const round = new AbortController();
      this.round = round;
      try {
        this.position ??= await this.options.load();
        await this.follow(round.signal);
      } catch (error) {
        this.failed(error);
        await pause(this.isSignedOut ? null : this.backoff.nextDelayMs(), round.signal);
      }
    }
  }

  private get isSignedOut(): boolean {
    return this.connection.type === "signed_out";
  }

  private failed(error: unknown): void {
    if (error instanceof SignalboxError && error.status === 401) {
      this.position = null;
      this.set("signed_out");
    } else if (this.connection.type !== "connecting") this.set("reconnecting");
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const stream = this.options.client.events({
      ...(this.position === null ? {} : { after: this.position }),
      signal,
      onOpen: () => {
        this.backoff.reset();
        this.set("live");
      },
      onLost: () => {
        if (this.connection.type === "live") this.set("reconnecting");
      },
      onHealth: this.options.health,
    });
    for await (const item of stream) {
      if (item.type === "reset") {
        this.position = await this.options.load();
        continue;
      }
      this.options.take(item);
      this.position = item.position;
    }
  }

  private set(type: Connection["type"]): void {
    if (this.connection.type === type) return;
    this.connection = { type, sinceMs: Date.now() };
    this.options.changed();
  }
}

/** A browser says when it is back; a machine that slept shows it by its clock. */
function watchWaking(slept: () => void, seen: () => void): () => void {
  let lastMs = Date.now();
  const timer = setInterval(() => {
    const nowMs = Date.now();
    const gapMs = nowMs - lastMs;
    lastMs = nowMs;
    if (gapMs > SLEEP_MIN_MS) slept();
  }, TICK_MS);
  if (typeof window === "undefined") return () => clearInterval(timer);
  const visible = () => {
    if (document.visibilityState === "visible") seen();
  };
  window.addEventListener("online", slept);
  document.addEventListener("visibilitychange", visible);
  return () => {
    clearInterval(timer);
    window.removeEventListener("online", slept);
    document.removeEventListener("visibilitychange", visible);
  };
}

/** Ends early when aborted; null: only then. */
function pause(delayMs: number | null, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      if (timer !== null) clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = delayMs === null ? null : setTimeout(done, delayMs);
    signal.addEventListener("abort", done);
  });
}
