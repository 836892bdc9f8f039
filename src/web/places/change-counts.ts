/** How many lines a session has added and removed: read for those in sight, a few at a time, and kept for all that show it. */
import { useEffect, useSyncExternalStore } from "react";
import type { Client } from "../../client/client.js";
import type { ChangesReport } from "../../protocol/changes.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";

export type Total = ChangesReport["total"];

const AT_ONCE = 2;
const DELAY_MS = 400;
const KEPT_MAX = 2_000;

const totals = new Map<string, Total>();
/** At which moment of its session each was read. */
const readAt = new Map<string, string>();
const listeners = new Set<() => void>();
const waiting = new Map<string, () => Promise<void>>();
let running = 0;

/** What somebody has read anyway. */
export function noteTotal(sessionId: string, total: Total): void {
  const known = totals.get(sessionId);
  if (known?.added === total.added && known.removed === total.removed && known.files === total.files) return;
  totals.delete(sessionId);
  totals.set(sessionId, total);
  const oldest = totals.size > KEPT_MAX ? totals.keys().next().value : undefined;
  if (oldest !== undefined) {
    totals.delete(oldest);
    readAt.delete(oldest);
  }
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null: not known. Only a session in a workspace is asked about: of others nobody knows whether their files are kept. */
export function useTotal({ id, workspaceId, status, statusSinceMs }: AgentSession): Total | null {
  const client = useClient();
  const moment = `${status} ${statusSinceMs}`;
  const isAsked = workspaceId !== undefined && status !== "creating";
  useEffect(() => {
    if (!isAsked || readAt.get(id) === moment) return undefined;
    // Who scrolls past wants nothing.
    const timer = setTimeout(() => want(client, id, moment), DELAY_MS);
    return () => {
      clearTimeout(timer);
      waiting.delete(id);
    };
  }, [client, id, isAsked, moment]);
  return useSyncExternalStore(subscribe, () => totals.get(id) ?? null);
}

function want(client: Client, id: string, moment: string): void {
  waiting.set(id, async () => {
    readAt.set(id, moment);
    try {
      noteTotal(id, (await client.getChanges(id, { limit: 1 })).total);
    } catch {
      // Nothing is kept of it, or the daemon is away: no count is shown, and the next change of status asks again.
    }
  });
  next();
}

function next(): void {
  for (const [id, read] of waiting) {
    if (running >= AT_ONCE) return;
    waiting.delete(id);
    running += 1;
    void read().finally(() => {
      running -= 1;
      next();
    });
  }
}
