/** What was written to a session and has not arrived: it outlives the view, and a reload of the page. */
import { useSyncExternalStore } from "react";
import type { Client } from "../../client/client.js";
import { useClient } from "../../react/hooks.js";
import { undoneWords } from "../parts/failure-words.js";
import { newClientId } from "./requests.js";

export interface Unsent {
  readonly clientId: string;
  readonly text: string;
  /** The question that it answers; null for a message. */
  readonly askId: string | null;
  /** Also into a screen that nobody understands. */
  readonly force: boolean;
  /** Null while it is under way. */
  readonly problem: string | null;
}

type Wish = Omit<Unsent, "problem">;
type List = readonly Unsent[];

const PREFIX = "signalbox.unsent.";
const KEPT_LENGTH_MAX = 500_000;

const lists = new Map<string, List>();
const listeners = new Set<() => void>();
/** One after the other, in the order in which they were written. */
const lines = new Map<string, Promise<void>>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function listOf(sessionId: string): List {
  const known = lists.get(sessionId);
  if (known) return known;
  const kept = readKept(sessionId);
  lists.set(sessionId, kept);
  return kept;
}

function change(sessionId: string, list: List): void {
  lists.set(sessionId, list);
  keep(sessionId, list);
  for (const listener of [...listeners]) listener();
}

function put(sessionId: string, next: Unsent): void {
  const before = listOf(sessionId);
  const isKnown = before.some(({ clientId }) => clientId === next.clientId);
  change(
    sessionId,
    isKnown ? before.map((each) => (each.clientId === next.clientId ? next : each)) : [...before, next],
  );
}

function drop(sessionId: string, clientId: string): void {
  change(
    sessionId,
    listOf(sessionId).filter((each) => each.clientId !== clientId),
  );
}

/** The same id each time, so that none comes twice. */
function send(client: Client, sessionId: string, wish: Wish): void {
  const { clientId, text, askId, force } = wish;
  put(sessionId, { ...wish, problem: null });
  const before = lines.get(sessionId) ?? Promise.resolve();
  const next = before.then(async () => {
    try {
      const how = { ...(askId === null ? {} : { askId }), ...(force ? { force } : {}) };
      await client.sendMessage(sessionId, { text, clientId, ...how });
      drop(sessionId, clientId);
    } catch (error) {
      put(sessionId, { ...wish, problem: undoneWords("Not sent", error) });
    }
  });
  lines.set(sessionId, next);
}

export function useUnsent(sessionId: string) {
  const client = useClient();
  const unsent = useSyncExternalStore(subscribe, () => listOf(sessionId));
  return {
    unsent,
    send: (text: string, askId: string | null, force: boolean) =>
      send(client, sessionId, { clientId: newClientId(), text, askId, force }),
    again: ({ clientId, text, askId, force }: Unsent) =>
      send(client, sessionId, { clientId, text, askId, force }),
    drop: (clientId: string) => drop(sessionId, clientId),
  };
}

function keep(sessionId: string, list: List): void {
  try {
    const value = JSON.stringify(list.map(({ problem: _problem, ...wish }) => wish));
    if (list.length === 0 || value.length > KEPT_LENGTH_MAX) sessionStorage.removeItem(PREFIX + sessionId);
    else sessionStorage.setItem(PREFIX + sessionId, value);
  } catch {
    // A browser that keeps nothing: it is there until the page is left.
  }
}

function readKept(sessionId: string): List {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(PREFIX + sessionId) ?? "[]");
    return Array.isArray(value) ? value.flatMap(unsentFrom) : [];
  } catch {
    return [];
  }
}

function unsentFrom(value: unknown): List {
  if (typeof value !== "object" || value === null || !("clientId" in value) || !("text" in value)) return [];
  const { clientId, text } = value;
  if (typeof clientId !== "string" || typeof text !== "string") return [];
  const askId = "askId" in value && typeof value.askId === "string" ? value.askId : null;
  const force = "force" in value && value.force === true;
  return [{ clientId, text, askId, force, problem: "The page was left before it was known to be sent." }];
}
