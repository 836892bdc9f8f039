import { useRef, type ReactNode } from "react";
import type { AgentSession } from "../../react/agent-session.js";
import { AskCard } from "./ask-card.js";
import { AskKeys } from "./ask-keys.js";
import { useNextNeeding } from "../sidebar/next-needing.js";
import { askKey, useLingering } from "./use-lingering.js";

/** The open asks of one session, oldest first. */
export function AskList({ session }: { readonly session: AgentSession }): ReactNode {
  const root = useRef<HTMLDivElement>(null);
  const asks = useLingering(
    session.asks.map((ask) => ({ key: askKey(session.id, ask.askId), session, ask })),
  );
  const toNext = useNextNeeding(session.id);
  return (
    <div ref={root} className="ask-list">
      {asks.length > 0 && <AskKeys root={root} onEnd={toNext} />}
      {asks.map(({ key, ask, isGone }) => (
        <AskCard key={key} session={session} ask={ask} isAmongOthers={false} isGone={isGone} />
      ))}
    </div>
  );
}
