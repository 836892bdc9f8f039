import type { ReactNode } from "react";
import { agentName } from "../../core/index.js";
import { hasNobody } from "../../protocol/session-words.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { newClientId } from "./requests.js";
import { proseText } from "./text/visible-text.js";
import { useActions } from "./use-action.js";

/** Of a text, more than there is room for. */
const SHOWN_LENGTH_MAX = 500;

/** Messages that came back because whoever they were for is gone: a press sends one to whoever is there now. */
export function ReturnedList({ session }: { readonly session: AgentSession }): ReactNode {
  const client = useClient();
  const actions = useActions();
  const { id, returned } = session;
  if (returned.length === 0) return null;
  const isNobody = hasNobody(session);
  const isBusy = actions.pending !== null;
  const resend = (messageId: string) =>
    void actions.run(messageId, () => client.sendMessage(id, { resend: messageId, clientId: newClientId() }));
  const drop = (messageId: string) => void actions.run(messageId, () => client.dropMessage(id, messageId));
  return (
    <section className="returned" aria-label="Not delivered">
      <p className="returned-head">
        Not delivered: the agent ended before it received{" "}
        {returned.length === 1 ? "this message" : "these messages"}.
        {isNobody && " You can send again once an agent is running here."}
      </p>
      <ul className="returned-list">
        {returned.map(({ messageId, text }) => (
          <li key={messageId} className="returned-line">
            <span className="returned-text">{proseText(text.slice(0, SHOWN_LENGTH_MAX))}</span>
            <button
              type="button"
              className="button button-small"
              disabled={isNobody || isBusy}
              onClick={() => resend(messageId)}
            >
              {session.agent === null ? "Send now" : `Send to ${agentName(session.agent.name)}`}
            </button>
            <button
              type="button"
              className="button button-small button-plain"
              disabled={isBusy}
              onClick={() => drop(messageId)}
            >
              Drop
            </button>
          </li>
        ))}
      </ul>
      {actions.problem !== null && (
        <p className="unsent-problem" role="alert">
          {actions.problem}
        </p>
      )}
    </section>
  );
}
