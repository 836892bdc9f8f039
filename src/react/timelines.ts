/** When the sessions that somebody looks at were in which status: from state events alone. */
import type { Status } from "../core/index.js";
import type { Client } from "../client/client.js";
import type { JournalEntry } from "../protocol/api-schemas.js";
import type { StateEvent } from "../protocol/state-event.js";
import type { Topics } from "./topics.js";

export interface StatusChange {
  readonly status: Status;
  readonly atMs: number;
  readonly position: number;
}

export interface Timeline {
  /** Oldest first. */
  readonly changes: readonly StatusChange[];
  /** The name of the tool that ran last; null when none did lately. */
  readonly lastTool: { readonly name: string; readonly atMs: number } | null;
}

export const NO_TIMELINE: Timeline = { changes: [], lastTool: null };

const CHANGES_MAX = 100;

/** Whether it ever worked, as far as is known: what was only started has done nothing. */
export function hasWorked(changes: Timeline["changes"]): boolean {
  if (changes.length === 0 || changes.length === CHANGES_MAX) return true;
  return changes.some(({ status }) => status === "streaming");
}

const ENTRIES_READ = 200;
const CONTENT_READ = 20;
/** Timelines that nobody looks at any more, kept for whoever scrolls back. */
const UNWATCHED_MAX = 200;
/** Requests under way at once: a board that is scrolled wants many. */
const LOADING_MAX = 4;

interface Watch {
  count: number;
  timeline: Timeline;
  loaded: boolean;
}

export function timelineTopic(sessionId: string): string {
  return `timeline:${sessionId}`;
}

export class Timelines {
  private readonly watches = new Map<string, Watch>();
  private readonly wanted = new Set<string>();
  private loading = 0;

  constructor(
    private readonly client: Pick<Client, "listEvents">,
    private readonly topics: Topics,
    /** What sessions did lately that nobody has heard a word of yet, oldest first. */
    private readonly content: {
      readonly isWanted: (sessionId: string) => boolean;
      readonly take: (entries: readonly JournalEntry[]) => void;
    },
    private readonly onProblem: (error: unknown) => void,
  ) {}

  watch(sessionId: string): () => void {
    const watch = this.watches.get(sessionId) ?? { count: 0, timeline: NO_TIMELINE, loaded: false };
    this.watches.delete(sessionId);
    this.watches.set(sessionId, watch);
    watch.count += 1;
    if (!watch.loaded) this.want(sessionId);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      watch.count -= 1;
      if (watch.count === 0) this.wanted.delete(sessionId);
      this.forgetSome();
    };
  }

  view(sessionId: string): Timeline {
    return this.watches.get(sessionId)?.timeline ?? NO_TIMELINE;
  }

  take(position: number, event: StateEvent): void {
    const watch = this.watches.get(event.sessionId);
    if (!watch) return;
    const timeline = extended(watch.timeline, position, event);
    if (timeline === watch.timeline) return;
    watch.timeline = timeline;
    this.topics.touch(timelineTopic(event.sessionId));
  }

  reloadAll(): void {
    for (const [sessionId, watch] of this.watches) {
      watch.timeline = NO_TIMELINE;
      watch.loaded = false;
      if (watch.count > 0) this.want(sessionId);
    }
  }

  forget(sessionId: string): void {
    this.watches.delete(sessionId);
    this.wanted.delete(sessionId);
  }

  private want(sessionId: string): void {
    this.wanted.add(sessionId);
    this.loadNext();
  }

  private loadNext(): void {
    const [sessionId] = this.wanted;
    if (sessionId === undefined || this.loading >= LOADING_MAX) return;
    this.wanted.delete(sessionId);
    this.loading += 1;
    void this.load(sessionId).finally(() => {
      this.loading -= 1;
      this.loadNext();
    });
    this.loadNext();
  }

  private async load(sessionId: string): Promise<void> {
    try {
      const query = { order: "newest", kind: "state", limit: ENTRIES_READ } as const;
      const { items } = await this.client.listEvents(sessionId, query);
      const watch = this.watches.get(sessionId);
      if (!watch) return;
      const newest = items[0]?.position ?? 0;
      const since = watch.timeline.changes.filter(({ position }) => position > newest);
      const past = timelineOf(items.toReversed());
      watch.loaded = true;
      watch.timeline = {
        changes: [...past.changes, ...since].slice(-CHANGES_MAX),
        lastTool: watch.timeline.lastTool ?? past.lastTool,
      };
      this.topics.touch(timelineTopic(sessionId));
      await this.loadContent(sessionId, items);
    } catch (error) {
      // It is a picture beside the status, which does not depend on it; whoever looks again loads it again.
      this.onProblem(error);
    }
  }

  private async loadContent(sessionId: string, states: readonly JournalEntry[]): Promise<void> {
    if (!this.content.isWanted(sessionId)) return;
    const query = { order: "newest", kind: "stream", limit: CONTENT_READ } as const;
    const { items } = await this.client.listEvents(sessionId, query);
    const entries = [...states, ...items].sort((a, b) => a.position - b.position);
    if (this.content.isWanted(sessionId)) this.content.take(entries);
  }

  private forgetSome(): void {
    const idle = [...this.watches].filter(([, watch]) => watch.count === 0);
    for (const [sessionId] of idle.slice(0, Math.max(0, idle.length - UNWATCHED_MAX)))
      this.watches.delete(sessionId);
  }
}

/** Of entries in the order of the journal. */
function timelineOf(entries: readonly JournalEntry[]): Timeline {
  let timeline = NO_TIMELINE;
  for (const entry of entries)
    if (entry.kind === "state") timeline = extended(timeline, entry.position, entry.event);
  return timeline;
}

function extended(timeline: Timeline, position: number, { payload, timestampMs }: StateEvent): Timeline {
  if (payload.type === "tool_lifecycle" && payload.toolName !== "")
    return { ...timeline, lastTool: { name: payload.toolName, atMs: timestampMs } };
  if (payload.type !== "state_changed") return timeline;
  const last = timeline.changes.at(-1);
  if (last && (position <= last.position || last.status === payload.to)) return timeline;
  const first =
    last === undefined ? [{ status: payload.from, atMs: timestampMs, position: position - 1 }] : [];
  const change = { status: payload.to, atMs: timestampMs, position };
  return { ...timeline, changes: [...timeline.changes, ...first, change].slice(-CHANGES_MAX) };
}
