import { useState, type ReactNode } from "react";
import { endWords, isNotKnown, isShellSession } from "../../protocol/session-words.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { useStore } from "../../react/signalbox-provider.js";
import { StatusMark } from "../parts/status-mark.js";
import { phaseWords } from "../parts/status-words.js";
import { useNowMs } from "../time/now.js";
import { momentWords, spanWords } from "../time/time-words.js";
import { SessionActions } from "./session-actions.js";
import { SessionFacts } from "./session-facts.js";
import { SessionTitle } from "./session-title.js";
import { proseText } from "./text/visible-text.js";
import { useActions } from "./use-action.js";
import { useSessionState } from "./session-state.js";
import { useOpenTerminal } from "./open-terminal.js";

interface Props {
  readonly session: AgentSession;
  readonly isExplained: boolean;
  readonly onExplain: () => void;
  readonly children?: ReactNode;
}

export function SessionHead({ session, isExplained, onExplain, children }: Props): ReactNode {
  const client = useClient();
  const store = useStore();
  const actions = useActions();
  const state = useSessionState(session);
  const [areFactsShown, setFactsShown] = useState(false);
  const rename = (title: string) =>
    actions.run("rename", async () => {
      await client.patchSession(session.id, { title });
      store.want(session.id);
    });
  return (
    <header className="session-head" data-details={areFactsShown}>
      <div className="session-line">
        <SessionTitle title={session.title} rename={rename} />
        <SessionActions session={session} actions={actions} />
      </div>
      <div className="session-line session-status-line">
        <StatusMark status={session.status} ui={session.ui} certainty={session.certainty} />
        {isNotKnown(session) ? <NotKnown session={session} /> : <Doing session={session} />}
        {state?.interrupting === true && session.ui.isActive && (
          <span className="quiet">being interrupted</span>
        )}
        {state?.retry && session.ui.isActive && (
          <Waiting atMs={state.retry.atMs} attempt={state.retry.attempt} />
        )}
        {session.agent !== null && <span className="session-agent">{session.agent.name} is in front</span>}
        {state !== null && state.background > 0 && (
          <span className="session-background">{state.background} in background</span>
        )}
        <span className="session-links">
          <button className="link-button" aria-expanded={isExplained} onClick={onExplain}>
            Why?
          </button>
          <button
            className="link-button"
            aria-expanded={areFactsShown}
            onClick={() => setFactsShown(!areFactsShown)}
          >
            Details
          </button>
        </span>
        {children}
      </div>
      <SessionFacts session={session} isShown={areFactsShown} actions={actions} />
      {session.error !== null && (
        <p className="session-error" role="alert">
          <strong>{session.error.code}</strong> {proseText(session.error.message)}
        </p>
      )}
      {session.ui.showAutoModeWarning && (
        <p className="session-warning" role="status">
          Auto-approve is on: what it asks for is done without you, unless a rule says ask or deny.
        </p>
      )}
      {actions.problem !== null && (
        <p className="session-problem" role="alert">
          {actions.problem}
          <button className="button button-small" onClick={actions.dismiss}>
            Dismiss
          </button>
        </p>
      )}
    </header>
  );
}

/** What it does in particular, and for how long it has been in its status. */
function Doing({ session }: { readonly session: AgentSession }): ReactNode {
  const nowMs = useNowMs();
  const { status, phase, ending } = session;
  const words = isShellSession(session)
    ? "no agent is in it"
    : status === "completed"
      ? endWords(ending, 0)
      : phaseWords(phase);
  return (
    <span className="session-doing">
      {words !== "" && <span>{words}</span>}
      <span>{spanWords(nowMs - session.statusSinceMs)}</span>
    </span>
  );
}

/** No phase, and no time in a status that may be over. */
function NotKnown({ session }: { readonly session: AgentSession }): ReactNode {
  const nowMs = useNowMs();
  const openTerminal = useOpenTerminal();
  const { unknownSinceMs } = session;
  return (
    <span className="session-doing">
      <span>
        {unknownSinceMs === null ? "" : `for ${spanWords(nowMs - unknownSinceMs)} — `}what it shows is not
        understood
      </span>
      {openTerminal && (
        <button className="link-button" onClick={openTerminal}>
          Look at the terminal
        </button>
      )}
    </span>
  );
}

function Waiting({ atMs, attempt }: { readonly atMs: number; readonly attempt: number }): ReactNode {
  const nowMs = useNowMs();
  if (atMs <= nowMs) return null;
  return (
    <span className="session-waiting">
      waiting until {momentWords(atMs, nowMs)} to try again (attempt {attempt})
    </span>
  );
}
