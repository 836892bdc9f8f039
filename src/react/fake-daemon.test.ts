/** A daemon in memory, for the tests beside this file: lists that say how old they are, and one stream. */
import { expect, test } from "vitest";
import { sessionDetail, streamEvent } from "../../test/cli/wire-values.js";
import type { Client } from "../client/client.js";
import type { EventItem, EventQuery } from "../client/event-item.js";
import { SignalboxError } from "../client/signalbox-error.js";
import { threadFrom, type SessionState, type StreamEvent } from "../core/index.js";
import type { SessionSummary } from "../protocol/session.js";
import type { EvidenceSource, StateEvent, StatePayload } from "../protocol/state-event.js";
import { SignalboxStore } from "./store.js";

export class FakeDaemon {
  /** As they are at `position`. */
  readonly sessions = new Map<string, SessionSummary>();
  /** What of a session's state no summary has, where it is not as at first. */
  readonly details = new Map<string, Partial<SessionState>>();
  readonly content: { readonly position: number; readonly event: StreamEvent }[] = [];
  readonly states: { readonly position: number; readonly event: StateEvent }[] = [];
  /** Every call, in order. */
  readonly calls: string[] = [];
  readonly streams: Stream[] = [];
  position = 0;
  /** Thrown by every call until it is null. */
  refusal: Error | null = null;
  /** Set to hold back answers until it resolves. */
  gate: Promise<void> | null = null;

  put(fields: Partial<SessionSummary> & { readonly id: string }): void {
    const { state: _state, ...summary } = sessionDetail(fields);
    this.sessions.set(fields.id, summary);
  }

  /** Something happens: the next position of the journal. The stream has it when `send` is called. */
  state(sessionId: string, payload: StatePayload, source?: EvidenceSource): EventItem {
    this.position += 1;
    const cause = source === undefined ? {} : { cause: { seq: this.position, type: "test", source } };
    const eventId = `e${this.position}`;
    const event = { eventId, timestampMs: 1_000 * this.position, sessionId, payload, ...cause };
    this.states.push({ position: this.position, event });
    return { type: "event", channel: "state", position: this.position, event };
  }

  changed(sessionId: string, from: SessionSummary["status"], to: SessionSummary["status"]): EventItem {
    return this.state(sessionId, {
      ...{ type: "state_changed", from, to, fromPhase: null, toPhase: null },
      reason: "test",
    });
  }

  text(sessionId: string, words: string): EventItem {
    this.position += 1;
    const { position } = this;
    const event = streamEvent(
      "text_delta",
      { text: words },
      { eventId: `e${position}`, seq: position, sessionId, messageId: "m" },
    );
    this.content.push({ position, event });
    return { type: "event", channel: "stream", position, event };
  }

  async send(...items: readonly EventItem[]): Promise<void> {
    const stream = this.streams.at(-1);
    for (const item of items) stream?.push(item);
    await settle();
  }

  client(): Client {
    const answer = async <T>(call: string, value: () => T): Promise<T> => {
      this.calls.push(call);
      if (this.refusal) throw this.refusal;
      // As it was when it was asked, however long the answer takes.
      const answered = value();
      await this.gate;
      return answered;
    };
    const at = (summary: SessionSummary) => ({ ...summary, position: this.position });
    const client: Partial<Client> = {
      getRoster: () => answer("getRoster", () => ({ connected: null, seats: [], position: this.position })),
      listSessions: () => answer("listSessions", () => ({ items: [...this.sessions.values()].map(at) })),
      getSession: (id) =>
        answer(`getSession ${id}`, () => {
          const summary = this.sessions.get(id);
          if (!summary) throw new SignalboxError({ code: "session_not_found", status: 404, detail: "gone" });
          const detail = sessionDetail();
          return { ...detail, ...at(summary), state: { ...detail.state, ...this.details.get(id) } };
        }),
      getThread: (id) =>
        answer(`getThread ${id}`, () => {
          const events = this.content.map(({ event }) => event).filter((event) => event.sessionId === id);
          const { items, ...rest } = threadFrom(events);
          // A thread is plain JSON.
          return { items: JSON.parse(JSON.stringify(items)) as [], ...rest, position: this.position };
        }),
      listEvents: (id, query) =>
        answer(`listEvents ${id} ${query?.kind ?? ""}`, () => {
          const own = this.states.filter(({ event }) => event.sessionId === id && query?.kind === "state");
          return {
            items: own.toReversed().map((each) => ({ kind: "state" as const, seq: each.position, ...each })),
          };
        }),
      events: (query) => {
        const stream = new Stream(query ?? {});
        this.streams.push(stream);
        return stream;
      },
    };
    // Nothing else is called here.
    return client as Client;
  }
}

class Stream implements AsyncIterable<EventItem> {
  private readonly items: EventItem[] = [];
  private wake: () => void = () => undefined;

  constructor(readonly query: EventQuery) {
    query.signal?.addEventListener("abort", () => this.wake());
  }

  push(item: EventItem): void {
    this.items.push(item);
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EventItem, void, undefined> {
    this.query.onOpen?.();
    while (this.query.signal?.aborted !== true) {
      const item = this.items.shift();
      if (item) yield item;
      else await new Promise<void>((resolve) => void (this.wake = resolve));
    }
  }
}

/** Everything that waits for nothing outside has happened. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

export interface Opened {
  readonly store: SignalboxStore;
  /** What a screen that follows `topic` was told, frame by frame. */
  readonly frame: () => void;
}

/** Frames come when a test says so. */
export async function openStore(daemon: FakeDaemon): Promise<Opened> {
  const due = new Set<() => void>();
  const store = new SignalboxStore(daemon.client(), (run) => {
    due.add(run);
    return () => due.delete(run);
  });
  store.start();
  await settle();
  return {
    store,
    frame: () => {
      for (const run of [...due]) {
        due.delete(run);
        run();
      }
    },
  };
}

test("it begins with the lists, and follows from where they were made", async () => {
  const daemon = new FakeDaemon();
  daemon.position = 7;
  daemon.put({ id: "a" });
  const { store } = await openStore(daemon);
  expect(daemon.calls).toEqual(["getRoster", "listSessions"]);
  expect(daemon.streams.map(({ query }) => query.after)).toEqual([7]);
  expect(store.sessions()?.map(({ id }) => id)).toEqual(["a"]);
  expect(store.connection.type).toBe("live");
  store.stop();
});
