/** Sessions that an event names and no list has: read once, with the events that come meanwhile kept in order. */
import type { EventItem } from "../client/event-item.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { SessionSummary } from "../protocol/session.js";

type Event = Extract<EventItem, { readonly type: "event" }>;

export interface ArrivalsOptions {
  readonly read: (sessionId: string) => Promise<SessionSummary>;
  readonly arrived: (summary: SessionSummary) => void;
  readonly take: (event: Event) => void;
}

/** While it is being read; what comes beyond that is content which its thread will load anyway. */
const WAITING_MAX = 5_000;
const GONE_MAX = 1_000;

export class Arrivals {
  private readonly waiting = new Map<string, Event[]>();
  /** There is no such session: events of a session that was deleted, or never was. */
  private readonly gone = new Set<string>();

  constructor(private readonly options: ArrivalsOptions) {}

  take(event: Event): void {
    const { sessionId } = event.event;
    if (this.gone.has(sessionId)) return;
    const waiting = this.waiting.get(sessionId);
    if (waiting) {
      if (waiting.length < WAITING_MAX || event.channel === "state") waiting.push(event);
      return;
    }
    this.waiting.set(sessionId, [event]);
    void this.read(sessionId);
  }

  /** Whether it is being read. */
  has(sessionId: string): boolean {
    return this.waiting.has(sessionId);
  }

  clear(): void {
    this.waiting.clear();
    this.gone.clear();
  }

  private async read(sessionId: string): Promise<void> {
    try {
      const summary = await this.options.read(sessionId);
      const waiting = this.waiting.get(sessionId);
      this.waiting.delete(sessionId);
      if (!waiting) return;
      this.options.arrived(summary);
      for (const event of waiting) this.options.take(event);
    } catch (error) {
      this.waiting.delete(sessionId);
      if (!(error instanceof SignalboxError)) return;
      this.gone.add(sessionId);
      const [oldest] = this.gone;
      if (this.gone.size > GONE_MAX && oldest !== undefined) this.gone.delete(oldest);
    }
  }
}
