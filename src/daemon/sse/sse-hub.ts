import type { IncomingMessage, ServerResponse } from "node:http";
import type { HealthReport } from "../../protocol/api-schemas.js";
import type { WorkspaceChange } from "../../protocol/workspace.js";
import { HEARTBEAT_DELAY_MS, LAG_EVENTS_MAX } from "../../protocol/sse.js";
import type { Bus, Committed, Entry, Journal } from "../../runtime/ports.js";
import type { Log } from "../log/log.js";
import { RecentSlices } from "./recent-slices.js";
import { healthFrame, isTold, slicesOf, TOLD_KINDS, workspaceFrame, type Slice } from "./slice.js";
import { PAGE_LENGTH, SseClient, type ClientLimits, type Past } from "./sse-client.js";

const CLIENTS_MAX = 4_000;
const BUFFER_BYTES_MAX = 1024 * 1024;
const GOODBYE_DELAY_MS = 5_000;

export interface SseHubOptions {
  readonly journal: Pick<Journal, "readEntries">;
  /** The newest position that is committed. */
  readonly lastPosition: () => number;
  readonly log: Log;
  /** How the daemon is now: told to who comes. */
  readonly health?: () => HealthReport;
  readonly heartbeatDelayMs?: number;
  readonly lagEventsMax?: number;
  readonly bufferBytesMax?: number;
  readonly clientsMax?: number;
  readonly goodbyeDelayMs?: number;
}

/** What a client wants: all sessions or one, and after which position; null: from now on. */
export interface Subscription {
  readonly sessionId: string | null;
  readonly after: number | null;
}

/** Tells every client of `GET /v1/events` what is committed, each event once and in order. */
export class SseHub implements Bus {
  readonly #everybody = new Set<SseClient>();
  readonly #bySession = new Map<string, Set<SseClient>>();
  readonly #recent = new RecentSlices();
  readonly #options: SseHubOptions;
  readonly #limits: ClientLimits;
  readonly #heartbeat: NodeJS.Timeout;
  #published = 0;
  #clientCount = 0;
  #isClosed = false;

  constructor(options: SseHubOptions) {
    this.#options = options;
    this.#limits = {
      bufferBytesMax: options.bufferBytesMax ?? BUFFER_BYTES_MAX,
      lagEventsMax: options.lagEventsMax ?? LAG_EVENTS_MAX,
      goodbyeDelayMs: options.goodbyeDelayMs ?? GOODBYE_DELAY_MS,
    };
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatDelayMs ?? HEARTBEAT_DELAY_MS);
    this.#heartbeat.unref();
  }

  get clientCount(): number {
    return this.#clientCount;
  }

  /** No more clients are taken. */
  get isFull(): boolean {
    return this.#isClosed || this.#clientCount >= (this.#options.clientsMax ?? CLIENTS_MAX);
  }

  publish(committed: Committed): void {
    const { entries, removedSessionIds } = committed;
    const first = entries[0];
    const last = entries.at(-1);
    if (first && last) {
      this.#published = last.position;
      this.#tell(entries.filter(isTold), first.position - 1, last.position);
    }
    for (const sessionId of removedSessionIds) {
      for (const client of this.#bySession.get(sessionId) ?? []) client.end();
    }
  }

  /** Answers the request, for as long as the client stays. Ask `isFull` first. */
  attach(request: IncomingMessage, response: ServerResponse, subscription: Subscription): void {
    if (response.destroyed) return;
    const end = this.#end();
    const isReset = subscription.after !== null && subscription.after > end;
    const position = isReset ? end : (subscription.after ?? end);
    // Without a length and without chunks the body ends with the connection, and slices go out as they are.
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      connection: "close",
    });
    // At once: whoever is cut off in the next moment has been answered.
    response.flushHeaders();
    request.socket.setNoDelay(true);
    const client = new SseClient(
      response,
      subscription.sessionId,
      position,
      this.#pastFor(subscription),
      this.#limitsFor(response),
    );
    this.#add(client);
    response.on("close", () => this.#remove(client));
    response.on("error", (error) => this.#options.log.debug("event stream broke", { error }));
    this.#follow(client, client.start(isReset));
    const { health } = this.#options;
    if (health) client.tell(healthFrame(health()));
  }

  /** Whoever listens is told, whatever it listens to. */
  tellHealth(report: HealthReport): void {
    const frame = healthFrame(report);
    for (const client of this.#clients()) client.tell(frame);
  }

  /** To who listens to all, or to a session in it. */
  tellWorkspace(change: WorkspaceChange, sessionIds: readonly string[]): void {
    const frame = workspaceFrame(change);
    for (const client of this.#everybody) client.tell(frame);
    for (const id of sessionIds) for (const client of this.#bySession.get(id) ?? []) client.tell(frame);
  }

  /** Ends every client's stream; they come back by position. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    for (const client of this.#clients()) client.end();
  }

  #tell(told: readonly Entry[], from: number, to: number): void {
    if (this.#everybody.size === 0) this.#recent.clear();
    else {
      const slices = slicesOf(told, from, to);
      this.#recent.push(slices);
      for (const client of this.#everybody) this.#offer(client, slices);
    }
    if (this.#bySession.size > 0) this.#tellSessions(told, from, to);
  }

  /** Builds only what somebody listens to. */
  #tellSessions(told: readonly Entry[], from: number, to: number): void {
    const wanted = new Map<string, Entry[]>();
    for (const entry of told) {
      const entries = wanted.get(entry.sessionId);
      if (entries) entries.push(entry);
      else if (this.#bySession.has(entry.sessionId)) wanted.set(entry.sessionId, [entry]);
    }
    for (const [sessionId, entries] of wanted) {
      const slices = slicesOf(entries, from, to);
      for (const client of this.#bySession.get(sessionId) ?? []) this.#offer(client, slices);
    }
  }

  #offer(client: SseClient, slices: readonly Slice[]): void {
    if (client.offer(slices)) this.#follow(client, client.catchUp());
  }

  #follow(client: SseClient, reading: Promise<void>): void {
    reading.catch((error: unknown) => {
      this.#options.log.warn("the journal could not be read for an event stream", { error });
      client.destroy();
    });
  }

  #pastFor({ sessionId }: Subscription): Past {
    return {
      end: () => this.#end(),
      read: (after, ofSession) =>
        this.#options.journal.readEntries({
          ...(ofSession === null ? {} : { sessionId: ofSession }),
          kinds: TOLD_KINDS,
          after,
          limit: PAGE_LENGTH,
        }),
      recent: sessionId === null ? this.#recent : null,
    };
  }

  /** Below its high-water mark a stream does not say when it has drained. */
  #limitsFor({ writableHighWaterMark }: ServerResponse): ClientLimits {
    const bufferBytesMax = Math.max(this.#limits.bufferBytesMax, writableHighWaterMark);
    return { ...this.#limits, bufferBytesMax };
  }

  /** Whoever publishes first, or counts first: both mean committed. */
  #end(): number {
    return Math.max(this.#published, this.#options.lastPosition());
  }

  #beat(): void {
    for (const client of this.#clients()) client.heartbeat();
  }

  *#clients(): Iterable<SseClient> {
    yield* this.#everybody;
    for (const clients of this.#bySession.values()) yield* clients;
  }

  #add(client: SseClient): void {
    this.#clientCount += 1;
    if (client.sessionId === null) {
      this.#everybody.add(client);
      return;
    }
    const clients = this.#bySession.get(client.sessionId);
    if (clients) clients.add(client);
    else this.#bySession.set(client.sessionId, new Set([client]));
  }

  #remove(client: SseClient): void {
    this.#clientCount -= 1;
    if (client.sessionId === null) {
      this.#everybody.delete(client);
      return;
    }
    const clients = this.#bySession.get(client.sessionId);
    clients?.delete(client);
    if (clients?.size === 0) this.#bySession.delete(client.sessionId);
  }
}
