/** How asks ended: no thread tells it, because it is status. */
import { useEffect, useState } from "react";
import { useClient } from "../../react/hooks.js";
import { useStore } from "../../react/signalbox-provider.js";
import type { StateEvent } from "../../protocol/state-event.js";

const ENTRIES_READ = 1_000;

export type AskOutcomes = ReadonlyMap<string, string>;

const NONE: AskOutcomes = new Map();

/** By the ask's id, why it closed. */
export function useAskOutcomes(sessionId: string): AskOutcomes {
  const client = useClient();
  const store = useStore();
  const [outcomes, setOutcomes] = useState(NONE);
  useEffect(() => {
    let isOver = false;
    const take = (events: readonly StateEvent[]) => {
      const closed = events.flatMap(({ payload }): [string, string][] =>
        payload.type === "ask_closed" ? [[payload.askId, payload.reason]] : [],
      );
      if (!isOver && closed.length > 0) setOutcomes((before) => new Map([...before, ...closed]));
    };
    const stop = store.onStateEvent((event) => {
      if (event.sessionId === sessionId) take([event]);
    });
    const query = { order: "newest", kind: "state", limit: ENTRIES_READ } as const;
    client.listEvents(sessionId, query).then(
      ({ items }) => take(items.flatMap((entry) => (entry.kind === "state" ? [entry.event] : []))),
      () => undefined, // Without it the thread says no more than that they are closed.
    );
    return () => {
      isOver = true;
      stop();
    };
  }, [client, store, sessionId]);
  return outcomes;
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

export function outcomeWords(reason: string | undefined): string {
  return WORDS[reason ?? ""] ?? "closed";
}
