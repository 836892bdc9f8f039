import type { ReactNode } from "react";
import type { AgentSession } from "../../react/agent-session.js";

interface Props {
  readonly session: AgentSession;
  readonly ask: AgentSession["asks"][number];
}

export function AskCard({ session, ask }: Props): ReactNode {
  return (
    <article>
      <h2>{ask.title}</h2>
      <p className="quiet">{session.title}</p>
    </article>
  );
}
