import type { ReactNode } from "react";
import { useSessions } from "../../react/hooks.js";
import { AskCard } from "./ask-card.js";

export function InboxPage(): ReactNode {
  const sessions = useSessions() ?? [];
  const asks = sessions.flatMap((session) => session.asks.map((ask) => ({ session, ask })));
  return (
    <section className="page">
      <h1 tabIndex={-1}>Inbox</h1>
      {asks.map(({ session, ask }) => (
        <AskCard key={`${session.id}:${ask.askId}`} session={session} ask={ask} />
      ))}
    </section>
  );
}
