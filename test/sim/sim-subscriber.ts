/** Someone who follows the journal as a client of the event stream does: live, or behind and reading page by page. */
import { isDeepStrictEqual } from "node:util";
import {
  EMPTY_THREAD,
  reduceThread,
  type Item,
  type Status,
  type StreamEvent,
  type Thread,
} from "../../src/core/index.js";
import type { StateEvent } from "../../src/protocol/state-event.js";
import type { Entry, Journal } from "../../src/runtime/ports.js";
import type { Kept, Ledger } from "./ledger.js";
import type { SimWorld } from "./sim-world.js";

const TOLD = ["stream", "state"] as const;

export class SimSubscriber {
  private position = 0;
  private isLive = false;
  private reading = 0;
  private readonly threads = new Map<string, Thread>();
  private readonly statuses = new Map<string, Status>();

  constructor(
    private readonly name: string,
    private readonly world: SimWorld,
    private readonly ledger: Ledger,
  ) {}

  /** The daemon has gone: it resumes by position when there is one again. */
  disconnect(): void {
    this.isLive = false;
    this.reading += 1;
  }

  /** Its position is not the journal's any more: it begins anew. */
  reset(): void {
    this.disconnect();
    this.position = 0;
    this.threads.clear();
    this.statuses.clear();
  }

  /** It goes away for a while, or takes nothing. */
  fallBehind(): void {
    this.isLive = false;
  }

  publish(entries: readonly Entry[]): void {
    if (!this.isLive) return;
    const first = entries[0];
    if (first && first.position !== this.position + 1)
      this.world.fail(`${this.name} is at ${this.position} and hears of ${first.position}`);
    for (const entry of entries) this.take(entry);
  }

  /** Reads on from where it is, until it has caught up. */
  async catchUp(journal: Journal, lastPosition: () => number): Promise<void> {
    this.reading += 1;
    const { reading } = this;
    while (!this.isLive) {
      const end = lastPosition();
      const limit = this.world.random.between(1, 60);
      const page = await journal.readEntries({ kinds: TOLD, after: this.position, limit });
      if (this.reading !== reading) return;
      this.world.counts.add("pages read");
      for (const entry of page) this.takeBehind(entry);
      if (page.length === limit) continue;
      // What came while it read is read next.
      this.explainHoles(Math.max(this.position, end));
      this.position = Math.max(this.position, end);
      this.isLive = this.position === lastPosition();
    }
  }

  get hasCaughtUp(): boolean {
    return this.isLive && this.position === this.ledger.lastPosition;
  }

  /** What it shows of a session must be what the session's entries say. */
  check(kept: Kept): void {
    // Where two streams began in the same millisecond, the reducer cannot know which was first.
    const expected = kept.thread.items.toSorted(bySeq);
    const shown = (this.threads.get(kept.id)?.items ?? []).toSorted(bySeq);
    if (!isDeepStrictEqual(shown, expected))
      this.world.fail(
        `${this.name} shows of ${kept.id}\n${JSON.stringify(shown)}\ninstead of\n${JSON.stringify(expected)}`,
      );
    const status = this.statuses.get(kept.id) ?? "idle";
    if (status !== kept.replay.state.status)
      this.world.fail(`${this.name} shows ${kept.id} as ${status}, and it is ${kept.replay.state.status}`);
  }

  private takeBehind(entry: Entry): void {
    if (entry.position <= this.position)
      this.world.fail(`${this.name} is at ${this.position} and reads ${entry.position}`);
    this.explainHoles(entry.position - 1);
    this.take(entry);
  }

  /** Up to `end` nothing may be missing but what nobody is told, what was removed and what was written together. */
  private explainHoles(end: number): void {
    for (let position = this.position + 1; position <= end; position += 1) {
      const entry = this.ledger.entries.get(position);
      if (!entry || !this.isExplained(entry))
        this.world.fail(`${this.name} never hears of ${position}: ${entry?.body ?? "it is not there"}`);
    }
  }

  private isExplained(entry: Entry): boolean {
    if (entry.kind === "request" || entry.kind === "fact") return true;
    if (this.ledger.removedIds.has(entry.sessionId)) return true;
    if (entry.kind === "state") return false;
    const { type, streamId } = JSON.parse(entry.body) as StreamEvent;
    const isDelta = type === "text_delta" || type === "thinking_delta";
    return isDelta && this.ledger.isCompacted(entry.sessionId, streamId);
  }

  private take(entry: Entry): void {
    this.position = entry.position;
    if (entry.kind === "stream") {
      const thread = this.threads.get(entry.sessionId) ?? EMPTY_THREAD;
      this.threads.set(entry.sessionId, reduceThread(thread, JSON.parse(entry.body) as StreamEvent));
    }
    if (entry.kind !== "state") return;
    const { payload } = JSON.parse(entry.body) as StateEvent;
    if (payload.type === "state_changed") this.statuses.set(entry.sessionId, payload.to);
  }
}

function bySeq(a: Item, b: Item): number {
  return a.seq - b.seq;
}
