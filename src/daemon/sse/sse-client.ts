import type { ServerResponse } from "node:http";
import type { Entry } from "../../runtime/ports.js";
import type { RecentSlices } from "./recent-slices.js";
import { noticeFrame, openingFrame, slicesOf, type Slice } from "./slice.js";

const HEARTBEAT = Buffer.from(": heartbeat\n\n");

/** Where a client that is behind finds what it missed. */
export interface Past {
  /** The newest position that is committed. */
  end(): number;
  /** Told entries after `position`, in order; fewer than `PAGE_LENGTH` only when there are no more. */
  read(position: number, sessionId: string | null): Promise<readonly Entry[]>;
  /** Null for a client of one session. */
  readonly recent: RecentSlices | null;
}

export const PAGE_LENGTH = 200;

export interface ClientLimits {
  /** What may wait in our memory for one client. */
  readonly bufferBytesMax: number;
  readonly lagEventsMax: number;
  /** What a client that is cut off has left to take what was already written to it. */
  readonly goodbyeDelayMs: number;
}

/**
 * One connection of `GET /v1/events`. It is `live` and gets every slice as it is published, or `behind` and reads the past
 * at its own pace until it has caught up; it never gets an event twice, and none is left out.
 *
 * A client may take as long as it needs while it gains on us. One that takes nothing while too many events pass, or falls
 * back further instead of gaining, is cut off.
 */
export class SseClient {
  #mode: "live" | "behind" | "ended" = "behind";
  /** All up to here has been written to it. */
  #position: number;
  /** It catches up with the end as it was at the start of the round; then another round begins. */
  #round = { end: 0, missedEventsMax: 0, missedEvents: 0 };
  /** Set while it takes nothing. */
  #stall: { missedEvents: number; readonly wake: () => void } | null = null;
  #goodbye: NodeJS.Timeout | null = null;
  /** The newest frame beside the events that it could not take. */
  #untold: string | null = null;

  constructor(
    private readonly response: ServerResponse,
    readonly sessionId: string | null,
    position: number,
    private readonly past: Past,
    private readonly limits: ClientLimits,
  ) {
    this.#position = position;
    response.on("drain", () => {
      const untold = this.#untold;
      this.#untold = null;
      if (untold !== null) this.tell(untold);
      this.#wake();
    });
    response.on("close", () => this.#closed());
  }

  /** `isReset`: the position it asked for is not ours. Rejects when the past cannot be read. */
  async start(isReset: boolean): Promise<void> {
    this.response.write(isReset ? noticeFrame("reset", this.#position) : openingFrame(this.#position));
    await this.#catchUp();
  }

  /** Whether it must catch up now. */
  offer(slices: readonly Slice[]): boolean {
    const wasLive = this.#mode === "live";
    for (const slice of slices) {
      if (this.#mode === "live") this.#offerLive(slice);
      if (this.#mode === "behind") this.#miss(slice.events);
    }
    return wasLive && this.#mode === "behind";
  }

  /** Rejects when the past cannot be read. */
  async catchUp(): Promise<void> {
    await this.#catchUp();
  }

  heartbeat(): void {
    if (this.#mode === "live" && this.#queuedBytes() <= this.limits.bufferBytesMax)
      this.response.write(HEARTBEAT);
  }

  /** Beside the events. While it takes nothing only the newest is kept. */
  tell(frame: string): void {
    if (this.#mode === "ended") return;
    if (this.#queuedBytes() > this.limits.bufferBytesMax) this.#untold = frame;
    else this.response.write(frame);
  }

  /** The connection ends when the client has taken what was written, or soon after. */
  end(): void {
    if (this.#mode === "ended") return;
    this.#mode = "ended";
    this.response.end();
    this.#goodbye = setTimeout(() => this.response.destroy(), this.limits.goodbyeDelayMs);
    this.#goodbye.unref();
    this.#wake();
  }

  destroy(): void {
    this.response.destroy();
  }

  #offerLive(slice: Slice): void {
    // It may have read from the journal already what is only now published.
    const isAhead = slice.from < this.#position;
    if (isAhead || this.#queuedBytes() > this.limits.bufferBytesMax) this.#mode = "behind";
    else this.#write(slice);
  }

  async #catchUp(): Promise<void> {
    this.#startRound();
    while (this.#mode === "behind") {
      if (this.#queuedBytes() > this.limits.bufferBytesMax) await this.#drained();
      else if (this.#position >= this.past.end()) this.#mode = "live";
      else await this.#goOn();
    }
  }

  async #goOn(): Promise<void> {
    if (this.#position >= this.#round.end) this.#startRound();
    const slice = this.past.recent?.after(this.#position);
    if (slice) this.#write(slice);
    else await this.#readPage();
  }

  /** Up to the end, or to where the recent slices begin. What a stalled client cannot take is read again later. */
  async #readPage(): Promise<void> {
    const upTo = this.past.recent?.edgeAfter(this.#position) ?? this.past.end();
    const page = await this.past.read(this.#position, this.sessionId);
    if (this.#mode !== "behind") return;
    const entries = page.filter((entry) => entry.position <= upTo);
    const isLast = page.length < PAGE_LENGTH || entries.length < page.length;
    const to = isLast ? upTo : (entries.at(-1)?.position ?? upTo);
    for (const slice of slicesOf(entries, this.#position, to)) {
      if (this.#queuedBytes() > this.limits.bufferBytesMax) return;
      this.#write(slice);
    }
    this.#position = to;
  }

  #startRound(): void {
    const end = this.past.end();
    const missedEventsMax = Math.max(this.limits.lagEventsMax, end - this.#position);
    this.#round = { end, missedEventsMax, missedEvents: 0 };
  }

  #miss(events: number): void {
    this.#round.missedEvents += events;
    // Somebody else's slowness is not held against it.
    if (this.#stall === null) return;
    this.#stall.missedEvents += events;
    const isStalled = this.#stall.missedEvents > this.limits.lagEventsMax;
    if (isStalled || this.#round.missedEvents > this.#round.missedEventsMax) this.#cut();
  }

  #cut(): void {
    this.response.write(noticeFrame("lagged", this.#position));
    this.end();
  }

  #write(slice: Slice): void {
    this.response.write(slice.bytes);
    this.#position = slice.to;
  }

  #queuedBytes(): number {
    return this.response.writableLength;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#stall = { missedEvents: 0, wake: resolve };
    });
  }

  #wake(): void {
    const stall = this.#stall;
    this.#stall = null;
    stall?.wake();
  }

  #closed(): void {
    this.#mode = "ended";
    if (this.#goodbye) clearTimeout(this.#goodbye);
    this.#wake();
  }
}
