/** Threads of the sessions that somebody looks at: loaded once, then written on by the stream. */
import { EMPTY_THREAD, extendThread, type Item, type StreamEvent, type Thread } from "../core/index.js";
import type { Client } from "../client/client.js";
import type { Topics } from "./topics.js";

/** What is there of a session's thread. */
export type ThreadView =
  | { readonly type: "loading"; readonly thread: Thread }
  | { readonly type: "ready"; readonly thread: Thread }
  | { readonly type: "failed"; readonly thread: Thread; readonly error: Error };

const LOADING: ThreadView = { type: "loading", thread: EMPTY_THREAD };

/** Threads that nobody looks at any more, kept for whoever comes back. */
const UNWATCHED_MAX = 3;
/** Events that wait to be reduced, or for the thread to be loaded. More of them load it anew. */
const WAITING_MAX = 2_000;

interface Placed {
  readonly position: number;
  readonly event: StreamEvent;
}

interface Watch {
  count: number;
  view: ThreadView;
  /** All up to here is in the thread. */
  position: number;
  waiting: Placed[];
  /** Rises with each load: an answer to an earlier one is too late. */
  loads: number;
}

export function threadTopic(sessionId: string): string {
  return `thread:${sessionId}`;
}

export class ThreadWatches {
  /** In the order in which they were last watched. */
  private readonly watches = new Map<string, Watch>();

  constructor(
    private readonly client: Pick<Client, "getThread">,
    private readonly topics: Topics,
  ) {}

  /** Until what it gives back is called. */
  watch(sessionId: string): () => void {
    const known = this.watches.get(sessionId);
    const watch = known ?? { count: 0, view: LOADING, position: 0, waiting: [], loads: 0 };
    this.watches.delete(sessionId);
    this.watches.set(sessionId, watch);
    watch.count += 1;
    if (!known || watch.view.type === "failed") void this.load(sessionId, watch);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      watch.count -= 1;
      this.forgetSome();
    };
  }

  view(sessionId: string): ThreadView {
    const watch = this.watches.get(sessionId);
    if (!watch) return LOADING;
    this.reduce(watch);
    return watch.view;
  }

  take(position: number, event: StreamEvent): void {
    const watch = this.watches.get(event.sessionId);
    if (!watch) return;
    watch.waiting.push({ position, event });
    if (watch.waiting.length > WAITING_MAX) this.reduceOrReload(event.sessionId, watch);
    this.topics.touch(threadTopic(event.sessionId));
  }

  /** The journal lost its end: what was read may not be there any more. */
  reloadAll(): void {
    for (const [sessionId, watch] of this.watches) {
      watch.waiting = [];
      void this.load(sessionId, watch);
    }
  }

  /** What could not be read, and is looked at: once more. */
  reloadFailed(): void {
    for (const sessionId of this.watches.keys()) this.retry(sessionId);
  }

  retry(sessionId: string): void {
    const watch = this.watches.get(sessionId);
    if (watch?.view.type !== "failed" || watch.count === 0) return;
    void this.load(sessionId, watch);
    this.topics.touch(threadTopic(sessionId));
  }

  forget(sessionId: string): void {
    this.watches.delete(sessionId);
    this.topics.touch(threadTopic(sessionId));
  }

  private reduceOrReload(sessionId: string, watch: Watch): void {
    if (watch.view.type === "ready") {
      this.reduce(watch);
      return;
    }
    watch.waiting = [];
    void this.load(sessionId, watch);
  }

  private reduce(watch: Watch): void {
    if (watch.view.type !== "ready" || watch.waiting.length === 0) return;
    const events = watch.waiting.filter(({ position }) => position > watch.position);
    watch.position = watch.waiting.at(-1)?.position ?? watch.position;
    watch.waiting = [];
    const before = watch.view.thread;
    const thread = extendThread(
      before,
      events.map(({ event }) => event),
    );
    if (thread !== before) watch.view = { type: "ready", thread };
  }

  private async load(sessionId: string, watch: Watch): Promise<void> {
    watch.loads += 1;
    const load = watch.loads;
    watch.view = { type: "loading", thread: watch.view.thread };
    try {
      const answer = await this.client.getThread(sessionId);
      if (load !== watch.loads) return;
      watch.view = { type: "ready", thread: readThread(answer) };
      watch.position = answer.position;
    } catch (error) {
      if (load !== watch.loads) return;
      const reason = error instanceof Error ? error : new Error(String(error));
      watch.view = { type: "failed", thread: watch.view.thread, error: reason };
      watch.waiting = [];
    }
    this.topics.touch(threadTopic(sessionId));
  }

  private forgetSome(): void {
    const idle = [...this.watches].filter(([, watch]) => watch.count === 0);
    for (const [sessionId] of idle.slice(0, Math.max(0, idle.length - UNWATCHED_MAX)))
      this.watches.delete(sessionId);
  }
}

/** The daemon reduced it with the same reducer. */
function readThread(answer: {
  readonly items: readonly unknown[];
  readonly [field: string]: unknown;
}): Thread {
  const { items, streams, dropped, length } = answer;
  return {
    items: items as readonly Item[],
    streams: Array.isArray(streams) ? (streams as Thread["streams"]) : [],
    dropped: typeof dropped === "number" ? dropped : 0,
    length: typeof length === "number" ? length : 0,
  };
}
