/** `GET /v1/events`, read across lost connections: every event once, in order. */
import type { HealthReport } from "../protocol/api-schemas.js";
import type { WorkspaceChange } from "../protocol/workspace.js";
import { SSE_EVENTS } from "../protocol/sse.js";
import type { StateEvent } from "../protocol/state-event.js";
import type { StreamEvent } from "../protocol/stream-event.js";
import { Backoff } from "./backoff.js";
import type { Checks } from "./bare-client.js";
import type { BodyReader } from "./client.js";
import { queryString, refusal, type Connection } from "./connection.js";
import type { EventItem, EventQuery } from "./event-item.js";
import { protocolError, SignalboxError } from "./signalbox-error.js";
import { SseParser, type SseBlock } from "./sse-parser.js";

export interface Patience {
  readonly delayMinMs: number;
  readonly delayMaxMs: number;
  /** Three heartbeats missed: the connection is dead, even if nobody said so. */
  readonly silenceMaxMs: number;
}

const PATIENCE: Patience = { delayMinMs: 100, delayMaxMs: 5_000, silenceMaxMs: 45_000 };

/** Where the stream goes on. */
interface Cursor {
  /** The query's `after` until something came. */
  position: number | null;
  /** Something came: from now on `Last-Event-ID` says where to go on. */
  moved: boolean;
}

export type EventStreamItem = EventItem | { readonly type: "open" };

export async function* readEventStream(
  connection: Connection,
  checks: Checks,
  query: EventQuery,
  patience: Patience = PATIENCE,
): AsyncGenerator<EventStreamItem, void, undefined> {
  const { signal } = query;
  const cursor: Cursor = { position: query.after ?? null, moved: false };
  const backoff = new Backoff(patience.delayMinMs, patience.delayMaxMs);
  let awaySinceMs: number | null = null;
  while (signal?.aborted !== true) {
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal?.addEventListener("abort", stop);
    try {
      const reader = await open(connection, query, cursor, abort, patience.silenceMaxMs);
      if (reader !== null) {
        awaySinceMs = null;
        query.onOpen?.();
        yield { type: "open" };
        yield* readBody(reader, abort, patience.silenceMaxMs, (block) => {
          backoff.reset();
          return takeBlock(block, cursor, checks, query);
        });
      }
      if (!isAborted(signal)) query.onLost?.();
    } finally {
      signal?.removeEventListener("abort", stop);
      // Also when the reader stopped reading: the connection must not outlive it.
      abort.abort();
    }
    if (isAborted(signal)) return;
    awaySinceMs ??= performance.now();
    connection.checkAway(performance.now() - awaySinceMs);
    await pause(backoff.nextDelayMs(), signal);
  }
}

/** Asked again where it may have changed meanwhile. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Null when the daemon is not there now, but may be soon. */
async function open(
  connection: Connection,
  query: EventQuery,
  cursor: Cursor,
  abort: AbortController,
  patienceMs: number,
): Promise<BodyReader | null> {
  const after = cursor.moved ? undefined : query.after;
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (cursor.moved && cursor.position !== null) headers["last-event-id"] = String(cursor.position);
  const timer = setTimeout(() => abort.abort(), patienceMs);
  try {
    const path = `/v1/events${queryString({ session: query.session, after })}`;
    const response = await connection.open("GET", path, headers, abort.signal);
    if (!response.ok) {
      if (response.status >= 500 || response.status === 429) return null;
      throw refusal(response.status, await response.text());
    }
    const type = response.headers.get("content-type") ?? "";
    if (response.body === null || !type.startsWith("text/event-stream")) {
      throw protocolError(response.status, `not a stream of events: ${type}`);
    }
    return response.body.getReader();
  } catch (error) {
    if (error instanceof SignalboxError) throw error;
    return null;
  } finally {
    clearTimeout(timer);
  }
}

async function* readBody(
  reader: BodyReader,
  abort: AbortController,
  silenceMaxMs: number,
  take: (block: SseBlock) => EventItem | null,
): AsyncGenerator<EventItem, void, undefined> {
  const parser = new SseParser();
  // Node's `fetch` may forget its signal once its request was collected: the body is told itself.
  abort.signal.addEventListener("abort", () => void reader.cancel().catch(ignoreBroken), { once: true });
  for (;;) {
    const chunk = await readChunk(reader, abort, silenceMaxMs);
    if (chunk === null) return;
    for (const block of parse(parser, chunk)) {
      // What was read ahead is read again, from the position, by whoever comes next.
      if (abort.signal.aborted || block.event === SSE_EVENTS.lagged) return;
      const item = take(block);
      if (item) yield item;
    }
  }
}

/** A body that broke cannot be cancelled, and need not be. */
function ignoreBroken(): void {
  // Nothing is left to do.
}

/** Null when the connection ended, broke or fell silent. */
async function readChunk(
  reader: BodyReader,
  abort: AbortController,
  silenceMaxMs: number,
): Promise<Uint8Array | null> {
  const timer = setTimeout(() => abort.abort(), silenceMaxMs);
  try {
    const { value } = await reader.read();
    return value ?? null;
  } catch {
    // However it broke, the answer is the same: connect again.
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function parse(parser: SseParser, chunk: Uint8Array): readonly SseBlock[] {
  try {
    return parser.push(chunk);
  } catch (error) {
    // Connecting again would only bring it again.
    throw protocolError(200, `an event is ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Moves the cursor, and gives what the block says, if it says something new. */
function takeBlock(
  block: SseBlock,
  cursor: Cursor,
  checks: Checks,
  { onHealth, onWorkspace }: EventQuery,
): EventItem | null {
  if (block.event === SSE_EVENTS.workspace) {
    onWorkspace?.(checks.workspaceChange(parseData(block.data ?? "")) as WorkspaceChange);
    return null;
  }
  if (block.event === SSE_EVENTS.health) {
    onHealth?.(checks.healthReport(parseData(block.data ?? "")) as HealthReport);
    return null;
  }
  const position = block.id === null ? null : readPosition(block.id);
  if (block.event === SSE_EVENTS.reset) {
    cursor.position = position ?? 0;
    cursor.moved = true;
    return { type: "reset" };
  }
  const channel = channelOf(block.event);
  if (channel !== null && position === null) throw protocolError(200, "an event has no position");
  if (position === null || (cursor.position !== null && position <= cursor.position)) return null;
  cursor.position = position;
  cursor.moved = true;
  if (channel === null) return null;
  const value = parseData(block.data ?? "");
  return channel === "stream"
    ? { type: "event", channel, position, event: checks.streamEvent(value) as StreamEvent }
    : { type: "event", channel, position, event: checks.stateEvent(value) as StateEvent };
}

function channelOf(event: string): "stream" | "state" | null {
  if (event === SSE_EVENTS.stream) return "stream";
  return event === SSE_EVENTS.state ? "state" : null;
}

function readPosition(id: string): number {
  const position = /^\d{1,15}$/.test(id) ? Number(id) : null;
  if (position === null) throw protocolError(200, `not a position: ${JSON.stringify(id.slice(0, 100))}`);
  return position;
}

function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw protocolError(200, "an event is not JSON");
  }
}

/** Ends early when aborted. */
function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    signal?.addEventListener("abort", done);
  });
}
