import { useCallback, useSyncExternalStore } from "react";
import { deriveUi, doingWords, initialSession, type LastActivity, type UiState } from "../core/index.js";
import type { Client } from "../client/client.js";
import type { HealthReport } from "../protocol/api-schemas.js";
import type { AgentSession } from "./agent-session.js";
import type { Roster } from "./roster-view.js";
import { useStore } from "./signalbox-provider.js";
import { activityTopic, sessionTopic, TOPICS } from "./store.js";
import type { Connection } from "./stream-loop.js";
import { threadTopic, type ThreadView } from "./thread-watches.js";
import { timelineTopic, type Timeline } from "./timelines.js";
import type { Topics } from "./topics.js";

/** The client that the provider was given: for every call of the API. */
export function useClient(): Client {
  return useStore().client;
}

/** Every session, newest first; null until the first list is there. */
export function useSessions(): readonly AgentSession[] | null {
  const store = useStore();
  return useValue(TOPICS.sessions, () => store.sessions());
}

/** A session as a screen shows it, from state events alone. */
export interface AgentSessionView {
  /** Null when there is no such session, as far as is known. */
  readonly session: AgentSession | null;
  readonly status: AgentSession["status"];
  readonly phase: AgentSession["phase"];
  readonly ui: UiState;
  readonly error: AgentSession["error"];
  readonly asks: AgentSession["asks"];
  readonly queue: AgentSession["queue"];
}

const UNKNOWN: AgentSessionView = {
  session: null,
  status: "idle",
  phase: null,
  ui: deriveUi(initialSession),
  error: null,
  asks: [],
  queue: [],
};

/** Its status and what follows from it: whether to show a spinner, which buttons, what it asks. */
export function useAgentSession(sessionId: string): AgentSessionView {
  const store = useStore();
  const session = useValue(sessionTopic(sessionId), () => store.session(sessionId));
  if (!session) return UNKNOWN;
  const { status, phase, ui, error, asks, queue } = session;
  return { session, status, phase, ui, error, asks, queue };
}

/** What was said and done in a session: loaded when somebody looks, and written on while they do. */
export function useThread(sessionId: string): ThreadView {
  const store = useStore();
  const watch = useCallback(() => store.threads.watch(sessionId), [store, sessionId]);
  return useValue(threadTopic(sessionId), () => store.threads.view(sessionId), watch);
}

/** The last thing that the agent wrote or did, in one line; null when none was seen since the page was opened. */
export function useActivity(sessionId: string): LastActivity | null {
  const store = useStore();
  return useValue(activityTopic(sessionId), () => store.activity(sessionId), undefined, store.slowTopics);
}

/** What the agent does just now, in words: `Writing`, `Running npm test`; empty when its status says it all. */
export function useDoing(sessionId: string): string {
  const store = useStore();
  const { session, status, phase } = useAgentSession(sessionId);
  const doing = useValue(activityTopic(sessionId), () => store.doing(sessionId), undefined, store.slowTopics);
  return doingWords(status, phase, doing, session?.certainty);
}

/** In which status the session was when, lately. */
export function useTimeline(sessionId: string): Timeline {
  const store = useStore();
  const watch = useCallback(() => store.timelines.watch(sessionId), [store, sessionId]);
  return useValue(timelineTopic(sessionId), () => store.timelines.view(sessionId), watch);
}

/** Who gets messages that name nobody. */
export function useRoster(): Roster {
  const store = useStore();
  return useValue(TOPICS.roster, () => store.roster());
}

/** Whether what is shown is what is. */
export function useConnection(): Connection {
  const store = useStore();
  return useValue(TOPICS.connection, () => store.connection);
}

/** What is wrong with the daemon, such as a full disk; null until it has said something. */
export function useHealth(): HealthReport | null {
  const store = useStore();
  return useValue(TOPICS.health, () => store.health);
}

/** A value of the store; `watch` is called while somebody looks at it. */
function useValue<T>(topic: string, read: () => T, watch?: () => () => void, slow?: Topics): T {
  const store = useStore();
  const topics = slow ?? store.topics;
  const subscribe = useCallback(
    (listener: () => void) => {
      const release = watch?.();
      const unsubscribe = topics.subscribe(topic, listener);
      return () => {
        unsubscribe();
        release?.();
      };
    },
    [topics, topic, watch],
  );
  return useSyncExternalStore(subscribe, read, read);
}
