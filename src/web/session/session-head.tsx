import { useState, type ReactNode } from "react";
import { agentName, wordsForFailure, type SessionState } from "../../core/index.js";
import { endWords, isNotKnown, isShellSession, runsWithoutWall } from "../../protocol/session-words.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient, useDoing, useTimeline } from "../../react/hooks.js";
import { hasWorked } from "../../react/timelines.js";
import { useStore } from "../../react/signalbox-provider.js";
import { StatusMark } from "../parts/status-mark.js";
import { useNowMs } from "../time/now.js";
import { momentWords, spanWords } from "../time/time-words.js";
import { SessionActions } from "./session-actions.js";
import { SessionFacts } from "./session-facts.js";
import { SessionTitle } from "./session-title.js";
import { proseText } from "./text/visible-text.js";
import { useActions } from "./use-action.js";
import { useOpenTerminal } from "./open-terminal.js";

interface Props {
  readonly session: AgentSession;
  /** Null until it was read. */
  readonly state: SessionState | null;
  /** The tabs. */
  readonly children?: ReactNode;
}

export function SessionHead({ session, state, children }: Props): ReactNode {
  const client = useClient();
  const store = useStore();
  const actions = useActions();
  // Also loads what it did before the page was opened.
  const timeline = useTimeline(session.id);
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
        <StatusMark
          status={session.status}
          ui={session.ui}
          certainty={session.certainty}
          hasWorked={hasWorked(timeline.changes)}
        />
        {isNotKnown(session) ? <NotKnown session={session} /> : <Doing session={session} />}
        {state?.interrupting === true && session.ui.isActive && <span className="quiet">Interrupting…</span>}
        {state?.retry && session.ui.isActive && (
          <Waiting atMs={state.retry.atMs} attempt={state.retry.attempt} />
        )}
        <Marks session={session} background={state?.background ?? 0} />
        <span className="session-links">
          <button
            className="link-button"
            aria-expanded={areFactsShown}
            onClick={() => setFactsShown(!areFactsShown)}
          >
            Details
          </button>
        </span>
      </div>
      <SessionFacts session={session} isShown={areFactsShown} actions={actions} />
      {state?.unsaved && <Unsaved unsaved={state.unsaved} />}
      {session.error !== null && <Failure error={session.error} />}
      {session.ui.showAutoModeWarning && <AutoModeWarning />}
      {actions.problem !== null && (
        <p className="session-problem" role="alert">
          {actions.problem}
          <button className="button button-small" onClick={actions.dismiss}>
            Dismiss
          </button>
        </p>
      )}
      {children}
    </header>
  );
}

function Unsaved({ unsaved }: { readonly unsaved: NonNullable<SessionState["unsaved"]> }): ReactNode {
  return (
    <p className="session-warning" role="status">
      The files of turn {unsaved.turn} were not kept: {proseText(unsaved.error)}
    </p>
  );
}

interface MarksProps {
  readonly session: AgentSession;
  readonly background: number;
}

/** What else is to be known at a glance. */
function Marks({ session, background }: MarksProps): ReactNode {
  const { agent, wall } = session;
  return (
    <>
      {agent !== null && <span className="session-agent">{agentName(agent.name)} is running in it</span>}
      {background > 0 && <span className="session-background">{background} in background</span>}
      {wall && runsWithoutWall(session) && (
        <span className="session-unwalled" title={wall.sentence}>
          No wall
        </span>
      )}
    </>
  );
}

function AutoModeWarning(): ReactNode {
  return (
    <p className="session-warning" role="status">
      Auto-approve is on: commands run and files change without asking you, unless a rule says ask or deny.
    </p>
  );
}

/** The words and the remedy first; the button for it is above. The code is for who searches for it. */
function Failure({ error }: { readonly error: NonNullable<AgentSession["error"]> }): ReactNode {
  const words = wordsForFailure(error.code);
  return (
    <div className="session-error" role="alert">
      <p>
        <strong>{words?.what ?? "It failed"}.</strong> {proseText(error.message)}
      </p>
      <p className="session-remedy">
        {words?.remedy} <span className="session-code">{error.code}</span>
      </p>
    </div>
  );
}

/** What it does in particular, and for how long it has been in its status. */
function Doing({ session }: { readonly session: AgentSession }): ReactNode {
  const nowMs = useNowMs();
  const doing = useDoing(session.id);
  const { status, ending } = session;
  const words = isShellSession(session)
    ? "No agent is running in it"
    : status === "completed"
      ? endWords(ending, 0)
      : doing;
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
        {unknownSinceMs === null ? "" : `for ${spanWords(nowMs - unknownSinceMs)}: `}Signalbox cannot read
        what the terminal shows
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
      Waiting until {momentWords(atMs, nowMs)} to try again (attempt {attempt})
    </span>
  );
}
