/** What no thread tells because it is status: how asks ended, and how earlier attempts failed. */
import { useEffect, useState } from "react";
import { useClient } from "../../react/hooks.js";
import { useStore } from "../../react/signalbox-provider.js";
import type { Principal } from "../../protocol/principal.js";
import { byWords } from "../../protocol/principal-words.js";
import type { StateEvent } from "../../protocol/state-event.js";

const ENTRIES_READ = 1_000;
const FAILURES_MAX = 50;

export interface PastFailure {
  readonly eventId: string;
  readonly atMs: number;
  readonly code: string;
  readonly message: string;
}

export interface SessionPast {
  /** By the ask's id, how it ended, in words. */
  readonly outcomes: ReadonlyMap<string, string>;
  /** Oldest first. */
  readonly failures: readonly PastFailure[];
}

const NONE: SessionPast = { outcomes: new Map(), failures: [] };

export function useSessionPast(sessionId: string): SessionPast {
  const client = useClient();
  const store = useStore();
  const [past, setPast] = useState(NONE);
  useEffect(() => {
    let isOver = false;
    const take = (events: readonly StateEvent[]) => {
      if (!isOver) setPast((before) => pastAfter(before, events));
    };
    const stop = store.onStateEvent((event) => {
      if (event.sessionId === sessionId) take([event]);
    });
    const query = { order: "newest", kind: "state", limit: ENTRIES_READ } as const;
    client.listEvents(sessionId, query).then(
      ({ items }) => take(items.flatMap((entry) => (entry.kind === "state" ? [entry.event] : []))),
      () => undefined, // Without it the thread says no more than that asks are closed.
    );
    return () => {
      isOver = true;
      stop();
    };
  }, [client, store, sessionId]);
  return past;
}

/** The same object when the events tell nothing of it. */
export function pastAfter(past: SessionPast, events: readonly StateEvent[]): SessionPast {
  const closed = events.flatMap(({ payload }): [string, string][] =>
    payload.type === "ask_closed" ? [[payload.askId, outcomeWords(payload.reason, payload.by)]] : [],
  );
  const known = new Set(past.failures.map(({ eventId }) => eventId));
  const failed = events.flatMap((event) => (known.has(event.eventId) ? [] : failureIn(event)));
  if (closed.length === 0 && failed.length === 0) return past;
  return {
    outcomes: new Map([...past.outcomes, ...closed]),
    failures: [...past.failures, ...failed].sort((a, b) => a.atMs - b.atMs).slice(-FAILURES_MAX),
  };
}

/** A request that was refused is no failure of the session. */
function failureIn({ eventId, timestampMs: atMs, payload, cause }: StateEvent): PastFailure[] {
  if (payload.type !== "session_error" || cause?.source === "request") return [];
  return [{ eventId, atMs, code: payload.code, message: payload.message }];
}

const WORDS: Readonly<Record<string, string>> = {
  approve_action: "approved",
  reject_action: "rejected",
  send_message: "answered",
  permission_resolved: "decided by a rule",
  ask_closed: "answered elsewhere",
  cancel_session: "the session was stopped",
  process_exit: "the agent ended",
  api_req_started: "the agent went on",
};

/** `by`: who answered; absent: nobody knows. */
function outcomeWords(reason: string, by: Principal | undefined): string {
  if (by && reason === "permission_resolved") return `decided ${byWords(by)}`;
  const words = WORDS[reason];
  if (words === undefined) return "closed";
  return by ? `${words} ${byWords(by)}` : words;
}
