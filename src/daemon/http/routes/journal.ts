import { setImmediate as nextTurn } from "node:timers/promises";
import { EMPTY_THREAD, extendThread, type StreamEvent, type Thread } from "../../../core/index.js";
import type { Entry, EntryKind } from "../../../runtime/ports.js";
import type { Board } from "../board.js";
import type { Handler } from "../call-handler.js";
import { flawed, sessionNotFound } from "../problem.js";

const PAGE_LENGTH = 100;
/** Read at once, and worked on before others have their turn: so many entries, */
const STRIDE_LENGTH = 100;
/** and fewer where they are so large that these would be more than this. */
const STRIDE_LENGTH_BYTES = 256 * 1024;
/** A page ends early when its entries are large; the next one goes on. */
const PAGE_LENGTH_BYTES = 4 * 1024 * 1024;

export const listEvents: Handler<"listEvents"> = async ({ params, query }, { board }) => {
  if (!board.session(params.id)) return sessionNotFound(params.id);
  const limit = query.limit ?? PAGE_LENGTH;
  const kinds = query.kind === undefined ? ALL_KINDS : [query.kind];
  if (query.order === "newest") {
    if (query.after !== undefined) return flawed("after", "Not with the newest first");
    return newestEvents(board, params.id, kinds, limit);
  }
  const items: string[] = [];
  let length = 0;
  let last = query.after ?? 0;
  let isMore = false;
  const span = { sessionId: params.id, after: last, upTo: board.lastPosition() };
  for await (const entry of entriesIn(board, span, kinds)) {
    isMore = items.length === limit || length > PAGE_LENGTH_BYTES;
    if (isMore) break;
    items.push(entryText(entry));
    length += entry.body.length;
    last = entry.position;
  }
  const cursor = isMore ? `,"nextCursor":"${last}"` : "";
  return { ok: true, json: `{"items":[${items.join(",")}]${cursor}}` };
};

const ALL_KINDS: readonly EntryKind[] = ["stream", "state", "request", "fact"];

async function newestEvents(
  board: Board,
  sessionId: string,
  kinds: readonly EntryKind[],
  limit: number,
): Promise<{ readonly ok: true; readonly json: string }> {
  const upTo = board.lastPosition();
  const items: string[] = [];
  let length = 0;
  for (const entry of await board.journal.readNewest(sessionId, kinds, limit)) {
    if (entry.position > upTo) continue;
    if (length > PAGE_LENGTH_BYTES) break;
    items.push(entryText(entry));
    length += entry.body.length;
  }
  return { ok: true, json: `{"items":[${items.join(",")}]}` };
}

/** Bodies are JSON already, and may be nested deeper than we could write them. */
function entryText({ kind, position, seq, atMs, body, damaged }: Entry): string {
  const time = kind === "request" || kind === "fact" ? `"atMs":${atMs},` : "";
  const mark = damaged ? `"damaged":true,` : "";
  return `{"kind":"${kind}","position":${position},"seq":${seq},${time}${mark}"event":${body}}`;
}

/** The whole thread, so that a reader can go on with it, from `position`: all up to there is in it. */
export const getThread: Handler<"getThread"> = async ({ params }, { board }) => {
  if (!board.session(params.id)) return sessionNotFound(params.id);
  const position = board.lastPosition();
  let thread: Thread = EMPTY_THREAD;
  const span = { sessionId: params.id, after: 0, upTo: position };
  for await (const entries of stridesIn(board, span, ["stream"]))
    thread = extendThread(
      thread,
      entries.map(({ body }) => JSON.parse(body) as StreamEvent),
    );
  return { ok: true, pieces: await piecesOf(thread, position) };
};

/** A thread may be 64 MiB of JSON: no more than a stride of it is written at once. */
async function piecesOf({ items, ...rest }: Thread, position: number): Promise<readonly string[]> {
  const pieces: string[] = [];
  let piece = '{"items":[';
  for (const [index, item] of items.entries()) {
    piece += `${index === 0 ? "" : ","}${JSON.stringify(item)}`;
    if (piece.length < STRIDE_LENGTH_BYTES) continue;
    pieces.push(piece);
    piece = "";
    await nextTurn();
  }
  pieces.push(`${piece}],${JSON.stringify({ ...rest, position }).slice(1)}`);
  return pieces;
}

interface Span {
  readonly sessionId: string;
  readonly after: number;
  /** What is just being committed is in the journal, and not known to subscribers yet. */
  readonly upTo: number;
}

async function* entriesIn(
  board: Board,
  span: Span,
  kinds: readonly EntryKind[],
): AsyncGenerator<Entry, void, undefined> {
  for await (const entries of stridesIn(board, span, kinds)) yield* entries;
}

/** A bounded piece of work each: between any two, everybody else has a turn, however long the session is. */
async function* stridesIn(
  board: Board,
  { sessionId, after, upTo }: Span,
  kinds: readonly EntryKind[],
): AsyncGenerator<readonly Entry[], void, undefined> {
  let position = after;
  let limit = STRIDE_LENGTH;
  for (;;) {
    const entries = await board.journal.readEntries({ sessionId, kinds, limit, after: position });
    const isLast = entries.length < limit || (entries.at(-1)?.position ?? 0) >= upTo;
    yield isLast ? entries.filter((entry) => entry.position <= upTo) : entries;
    if (isLast) return;
    position = entries.at(-1)?.position ?? position;
    limit = nextLimit(entries);
    await nextTurn();
  }
}

/** What comes next is likely as large as what came before. */
function nextLimit(entries: readonly Entry[]): number {
  const bytes = entries.reduce((sum, { body }) => sum + body.length, 1);
  return Math.min(STRIDE_LENGTH, Math.max(1, Math.floor((STRIDE_LENGTH_BYTES * entries.length) / bytes)));
}

export const explain: Handler<"explain"> = async ({ params }, { board }) => {
  const explanation = await board.explain(params.id);
  return explanation ? { ok: true, value: explanation } : sessionNotFound(params.id);
};
