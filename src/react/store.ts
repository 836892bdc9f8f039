/**
 * What a screen knows of a daemon: one stream of events and the lists it begins with, outside of React.
 *
 * Every value is immutable and stays the same object until it changes. Status comes from state events, in their order;
 * lists say at which position of the journal they were made, so that an event is never applied twice or left out.
 */
import { doingAfter, doingAfterState, NOT_DOING } from "../core/index.js";
import type { Doing, LastActivity, StreamEvent } from "../core/index.js";
import type { Client } from "../client/client.js";
import type { EventItem } from "../client/event-item.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { HealthReport } from "../protocol/api-schemas.js";
import type { SessionSummary } from "../protocol/session.js";
import type { StateEvent } from "../protocol/state-event.js";
import { applyStateEvent, refreshed, sessionFrom, type AgentSession } from "./agent-session.js";
import { Arrivals } from "./arrivals.js";
import { Rechecks } from "./rechecks.js";
import { Refresher } from "./refresher.js";
import { applyToRoster, NO_ROSTER, type Roster } from "./roster-view.js";
import { StreamLoop, type Connection } from "./stream-loop.js";
import { ThreadWatches } from "./thread-watches.js";
import { Timelines } from "./timelines.js";
import { scheduleAfter, scheduleFrame, Topics, type Schedule } from "./topics.js";

type Event = Extract<EventItem, { readonly type: "event" }>;

/** Told of every state event as it comes, before any screen is. */
export type StateListener = (
  event: StateEvent,
  before: AgentSession | null,
  after: AgentSession | null,
) => void;

const PAGE_LENGTH = 1_000;
const ACTIVITY_DELAY_MS = 200;

export const TOPICS = {
  sessions: "sessions",
  roster: "roster",
  connection: "connection",
  health: "health",
} as const;

export function sessionTopic(sessionId: string): string {
  return `session:${sessionId}`;
}

export function activityTopic(sessionId: string): string {
  return `activity:${sessionId}`;
}

export class SignalboxStore {
  readonly threads: ThreadWatches;
  readonly timelines: Timelines;
  readonly topics: Topics;
  /** Lines of activity, on boards of many: a few times a second is as much as can be read. */
  readonly slowTopics: Topics;
  private readonly bySession = new Map<string, AgentSession>();
  private readonly doings = new Map<string, Doing>();
  private readonly listeners = new Set<StateListener>();
  private readonly refresher: Refresher;
  private readonly arrivals: Arrivals;
  private readonly loop: StreamLoop;
  private readonly rechecks = new Rechecks(() => this.recheck());
  private list: readonly AgentSession[] | null = null;
  private hasList = false;
  private hasBeenLive = false;
  private rosterView: Roster = NO_ROSTER;
  private healthReport: HealthReport | null = null;

  constructor(
    readonly client: Client,
    schedule: Schedule = scheduleFrame,
    slowly: Schedule = scheduleAfter(ACTIVITY_DELAY_MS),
  ) {
    this.topics = new Topics(schedule);
    this.slowTopics = new Topics(slowly);
    this.threads = new ThreadWatches(client, this.topics);
    this.timelines = new Timelines(
      client,
      this.topics,
      {
        isWanted: (sessionId) => !this.doings.has(sessionId),
        take: (entries) => {
          for (const entry of entries) {
            if (entry.kind === "stream") this.noteContent(entry.event);
            else if (entry.kind === "state") this.noteState(entry.event);
          }
        },
      },
      ignoreProblem,
    );
    this.refresher = new Refresher((sessionId) => this.refresh(sessionId));
    this.arrivals = new Arrivals({
      read: (sessionId) => client.getSession(sessionId),
      arrived: (summary) => this.put(sessionFrom(summary)),
      take: (event) => this.takeKnown(event),
    });
    this.loop = new StreamLoop({
      client,
      load: () => this.load(),
      take: (item) => this.take(item),
      changed: () => {
        this.topics.touch(TOPICS.connection);
        if (this.connection.type !== "live") return;
        this.threads.reloadFailed();
        if (this.hasBeenLive) this.rechecks.now();
        this.hasBeenLive = true;
      },
      health: (report) => {
        this.healthReport = report;
        this.topics.touch(TOPICS.health);
      },
    });
  }

  start(): void {
    this.loop.start();
    this.rechecks.start();
  }

  stop(): void {
    this.loop.stop();
    this.rechecks.stop();
    this.refresher.close();
    this.topics.close();
    this.slowTopics.close();
  }

  get connection(): Connection {
    return this.loop.connection;
  }

  /** What is wrong with the daemon, as it said last; null until it has said something. */
  get health(): HealthReport | null {
    return this.healthReport;
  }

  /** Newest first; null until the first list is there. */
  sessions(): readonly AgentSession[] | null {
    if (!this.hasList) return null;
    this.list ??= [...this.bySession.values()].sort(newestFirst);
    return this.list;
  }

  /** Null: there is none, as far as is known. */
  session(sessionId: string): AgentSession | null {
    return this.bySession.get(sessionId) ?? null;
  }

  activity(sessionId: string): LastActivity | null {
    return this.doing(sessionId).activity;
  }

  /** What it streamed last: `doingWords` says it in words. */
  doing(sessionId: string): Doing {
    return this.doings.get(sessionId) ?? NOT_DOING;
  }

  roster(): Roster {
    return this.rosterView;
  }

  onStateEvent(listener: StateListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Connects anew, at once: after a sleep, or when somebody asks for it. */
  reconnect(): void {
    this.loop.reconnect();
  }

  /** A session that was deleted: no event tells so. */
  forget(sessionId: string): void {
    this.bySession.delete(sessionId);
    this.doings.delete(sessionId);
    this.threads.forget(sessionId);
    this.timelines.forget(sessionId);
    this.refresher.forget(sessionId);
    this.changed(sessionId);
  }

  /** Reads again what no event tells: its title, its costs. */
  want(sessionId: string): void {
    this.refresher.want(sessionId);
  }

  /** The position after which the stream goes on. */
  private async load(): Promise<number> {
    const roster = await this.client.getRoster();
    const sessions = (await this.readAll()).map(sessionFrom);
    const position = sessions.reduce((least, each) => Math.min(least, each.position), roster.position);
    const gone = new Set(this.bySession.keys());
    for (const session of sessions) {
      gone.delete(session.id);
      this.bySession.set(session.id, session);
      this.topics.touch(sessionTopic(session.id));
    }
    for (const sessionId of gone) this.forget(sessionId);
    // The journal may have lost its end: what was read of it is read again.
    if (this.hasList) {
      this.threads.reloadAll();
      this.timelines.reloadAll();
    }
    this.hasList = true;
    this.list = null;
    this.rosterView = roster;
    this.arrivals.clear();
    this.topics.touch(TOPICS.sessions);
    this.topics.touch(TOPICS.roster);
    return position;
  }

  private async readAll(): Promise<readonly SessionSummary[]> {
    const summaries: SessionSummary[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: PAGE_LENGTH, ...(cursor === undefined ? {} : { cursor }) };
      const page = await this.client.listSessions(query);
      summaries.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return summaries;
  }

  /** What no event tells. Nothing that events tell is taken from the lists. */
  private async recheck(): Promise<void> {
    if (!this.hasList) return;
    this.threads.reloadFailed();
    const missing = new Set(this.bySession.keys());
    for (const summary of await this.readAll()) {
      missing.delete(summary.id);
      const session = this.bySession.get(summary.id);
      if (session) this.replace(session, refreshed(session, summary));
      // Its first event came when it could not be read.
      else if (!this.arrivals.has(summary.id)) this.put(sessionFrom(summary));
    }
    // Asked for by name, each is forgotten when it is not there.
    for (const sessionId of missing) this.refresher.want(sessionId);
  }

  private replace(before: AgentSession, after: AgentSession): void {
    if (after === before) return;
    this.bySession.set(after.id, after);
    this.changed(after.id);
  }

  private take(item: Event): void {
    this.takeRoster(item);
    if (this.bySession.has(item.event.sessionId)) this.takeKnown(item);
    else this.arrivals.take(item);
  }

  private takeRoster(item: Event): void {
    if (item.channel !== "state") return;
    const agent = this.bySession.get(item.event.sessionId)?.harness ?? "";
    const roster = applyToRoster(this.rosterView, item.event, item.position, agent);
    if (roster === this.rosterView) return;
    this.rosterView = roster;
    this.topics.touch(TOPICS.roster);
  }

  private takeKnown(item: Event): void {
    if (item.channel === "stream") this.takeContent(item);
    else this.takeState(item);
  }

  private takeContent({ position, event }: Extract<Event, { readonly channel: "stream" }>): void {
    this.threads.take(position, event);
    this.noteContent(event);
    if (event.type === "completed") this.refresher.want(event.sessionId);
  }

  private takeState({ position, event }: Extract<Event, { readonly channel: "state" }>): void {
    const { sessionId } = event;
    const before = this.bySession.get(sessionId) ?? null;
    const after = before && applyStateEvent(before, event, position);
    this.timelines.take(position, event);
    this.noteState(event);
    if (after && after !== before) {
      this.bySession.set(sessionId, after);
      this.changed(sessionId);
      if (mayChangeMore(event)) this.refresher.want(sessionId);
    }
    if (before && position > before.position)
      for (const listener of this.listeners) listener(event, before, after);
  }

  private noteContent(event: StreamEvent): void {
    this.setDoing(event.sessionId, (doing) => doingAfter(doing, event));
  }

  private noteState({ sessionId, payload, timestampMs }: StateEvent): void {
    if (payload.type !== "state_changed" && payload.type !== "tool_lifecycle") return;
    this.setDoing(sessionId, (doing) => doingAfterState(doing, payload, timestampMs));
  }

  private setDoing(sessionId: string, change: (doing: Doing) => Doing): void {
    const before = this.doing(sessionId);
    const after = change(before);
    if (after === before) return;
    this.doings.set(sessionId, after);
    this.slowTopics.touch(activityTopic(sessionId));
  }

  private put(session: AgentSession): void {
    this.bySession.set(session.id, session);
    this.changed(session.id);
    const listeners = [...this.listeners];
    // What it was born with is news too: an ask may be open already.
    const events = [birthOf(session), ...session.asks.map((ask) => openingOf(session, ask))];
    for (const event of events) for (const listener of listeners) listener(event, null, session);
  }

  private changed(sessionId: string): void {
    this.list = null;
    this.topics.touch(sessionTopic(sessionId));
    this.topics.touch(TOPICS.sessions);
  }

  private async refresh(sessionId: string): Promise<void> {
    try {
      const summary = await this.client.getSession(sessionId);
      const session = this.bySession.get(sessionId);
      if (session) this.replace(session, refreshed(session, summary));
    } catch (error) {
      if (error instanceof SignalboxError && error.code === "session_not_found") this.forget(sessionId);
      // Otherwise the daemon is away: the next event asks again.
    }
  }
}

function birthOf({ id, status, phase, statusSinceMs }: AgentSession): StateEvent {
  const payload = {
    ...({ type: "state_changed", from: "idle", to: status } as const),
    ...{ fromPhase: null, toPhase: phase, reason: "created" },
  };
  return { eventId: `created:${id}`, timestampMs: statusSinceMs, sessionId: id, payload };
}

function openingOf({ id }: AgentSession, ask: AgentSession["asks"][number]): StateEvent {
  const { tool: _tool, suggestions: _suggestions, ...opened } = ask;
  const payload = { type: "ask_opened", ...opened } as const;
  return { eventId: `created:${id}:${ask.askId}`, timestampMs: ask.openedAtMs, sessionId: id, payload };
}

function mayChangeMore({ payload }: StateEvent): boolean {
  if (payload.type === "state_changed") return payload.from !== payload.to;
  if (payload.type === "message_status") return payload.status === "returned";
  return payload.type === "ask_opened" || payload.type === "session_error";
}

function newestFirst(a: AgentSession, b: AgentSession): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs;
  return a.id < b.id ? 1 : -1;
}

/** What can be shown is shown without it. */
function ignoreProblem(): void {
  // Nothing depends on it.
}
