import { useEffect, useState } from "react";
import type { AgentSession } from "../../react/agent-session.js";
import type { Ask } from "./use-answer.js";

export interface ShownAsk {
  readonly key: string;
  readonly session: AgentSession;
  readonly ask: Ask;
  /** It is closed, and only still there so that nothing moves under a finger. */
  readonly isGone: boolean;
}

const LINGER_MS = 4_000;

export function askKey(sessionId: string, askId: string): string {
  return `${sessionId} ${askId}`;
}

/** The asks as given, and for a moment those that were just closed, where they stood. */
export function useLingering(open: readonly Omit<ShownAsk, "isGone">[]): readonly ShownAsk[] {
  const [shown, setShown] = useState<readonly ShownAsk[]>([]);
  const next = merged(shown, open);
  if (next !== shown) setShown(next);
  const gone = next.filter(({ isGone }) => isGone).map(({ key }) => key);
  const goneKeys = gone.join("\n");
  useEffect(() => {
    if (goneKeys === "") return undefined;
    const over = new Set(goneKeys.split("\n"));
    const timer = setTimeout(
      () => setShown((before) => before.filter(({ key, isGone }) => !isGone || !over.has(key))),
      LINGER_MS,
    );
    return () => clearTimeout(timer);
  }, [goneKeys]);
  return next;
}

/** The same list when nothing changed. */
function merged(shown: readonly ShownAsk[], open: readonly Omit<ShownAsk, "isGone">[]): readonly ShownAsk[] {
  const byKey = new Map(open.map((each) => [each.key, each]));
  const known = new Set(shown.map(({ key }) => key));
  const kept = shown.map((each): ShownAsk => {
    const now = byKey.get(each.key);
    if (!now) return each.isGone ? each : { ...each, isGone: true };
    const isSame = !each.isGone && now.ask === each.ask && now.session === each.session;
    return isSame ? each : { ...now, isGone: false };
  });
  const added = open.filter(({ key }) => !known.has(key)).map((each) => ({ ...each, isGone: false }));
  const isSame = added.length === 0 && kept.every((each, index) => each === shown[index]);
  if (isSame) return shown;
  return added.length === 0
    ? kept
    : [...kept, ...added].toSorted((a, b) => a.ask.openedAtMs - b.ask.openedAtMs);
}
