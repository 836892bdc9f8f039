import { lazy, Suspense, type ReactNode } from "react";
import type { AgentSession } from "../../react/agent-session.js";
import { useAgentSession, useSessions } from "../../react/hooks.js";
import { ExplainPanel } from "../explain/explain-panel.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { Link, navigate, SESSION_TABS, sessionPath, type SessionTab } from "../routing/router.js";
import { useChangeTotals } from "./change-totals.js";
import { Composer } from "./composer.js";
import { OpenTerminal } from "./open-terminal.js";
import { SessionHead } from "./session-head.js";
import { useSessionState } from "./session-state.js";
import { PANEL_ID, SessionTabs, tabElementId } from "./session-tabs.js";
import { ThreadPane } from "./thread-pane.js";
import "./session-page.css";

const TerminalView = lazy(() =>
  import("../terminal/terminal-view.js").then((module) => ({ default: module.TerminalView })),
);

const ChangesTab = lazy(() =>
  import("../changes/changes-tab.js").then((module) => ({ default: module.ChangesTab })),
);

const FinishBar = lazy(() =>
  import("../finish/finish-bar.js").then((module) => ({ default: module.FinishBar })),
);

interface Props {
  readonly id: string;
  readonly tab: SessionTab | null;
}

export function SessionPage({ id, tab }: Props): ReactNode {
  const { session } = useAgentSession(id);
  const sessions = useSessions();
  if (session) return <Session session={session} wanted={tab} />;
  return (
    <section className="page">
      <h1 tabIndex={-1}>{sessions === null ? "Loading…" : "This session does not exist"}</h1>
      {sessions !== null && (
        <p>
          It was deleted, or the address is wrong. <Link to="/">Back to the board</Link>
        </p>
      )}
    </section>
  );
}

interface SessionProps {
  readonly session: AgentSession;
  readonly wanted: SessionTab | null;
}

function Session({ session, wanted }: SessionProps): ReactNode {
  const state = useSessionState(session);
  const total = useChangeTotals(session, state);
  const hasTerminal = session.harness === "terminal";
  const first = hasTerminal ? "terminal" : "thread";
  // Whether its files are kept is not known at once: an address that names them is taken at its word.
  const hasWorkspace = session.workspaceId !== undefined;
  const hasChanges = hasWorkspace || (state === null ? wanted === "changes" : state.checkpoints);
  const tabs = SESSION_TABS.filter(
    (tab) => (tab !== "terminal" || hasTerminal) && (tab !== "changes" || hasChanges),
  );
  const shown = tabs.find((tab) => tab === wanted) ?? first;
  useTabKeys(session.id, tabs, shown, first);
  const openTerminal =
    hasTerminal && shown !== "terminal" ? () => navigate(sessionPath(session.id, "terminal")) : null;
  const hasComposer = shown === "thread" || shown === "terminal";
  return (
    <OpenTerminal value={openTerminal}>
      <section className="session" data-status={session.status} data-tab={shown}>
        <ErrorBoundary region="head of the session">
          <SessionHead session={session} state={state}>
            <SessionTabs
              sessionId={session.id}
              tabs={tabs}
              shown={shown}
              asks={session.asks.length}
              total={total}
            />
          </SessionHead>
        </ErrorBoundary>
        <div className="session-body" role="tabpanel" id={PANEL_ID} aria-labelledby={tabElementId(shown)}>
          <ErrorBoundary key={shown} region={shown}>
            <Suspense fallback={<p className="quiet session-loading">Loading…</p>}>
              <Panel session={session} tab={shown} />
            </Suspense>
          </ErrorBoundary>
        </div>
        {hasWorkspace && shown !== "why" && (
          <ErrorBoundary region="workspace">
            <Suspense fallback={null}>
              <FinishBar sessionId={session.id} isBrief={shown !== "changes"} />
            </Suspense>
          </ErrorBoundary>
        )}
        {hasComposer && (
          <ErrorBoundary region="message field">
            <Composer session={session} />
          </ErrorBoundary>
        )}
      </section>
    </OpenTerminal>
  );
}

function Panel({ session, tab }: { readonly session: AgentSession; readonly tab: SessionTab }): ReactNode {
  switch (tab) {
    case "thread":
      return <ThreadPane session={session} />;
    case "changes":
      return <ChangesTab id={session.id} />;
    case "terminal":
      return <TerminalView id={session.id} />;
    case "why":
      return <ExplainPanel id={session.id} />;
  }
}

/** Each key shows its tab; pressed again, it leads back. */
function useTabKeys(id: string, tabs: readonly SessionTab[], shown: SessionTab, first: SessionTab): void {
  const toggle = (tab: SessionTab, other: SessionTab) => () =>
    navigate(sessionPath(id, shown === tab ? other : tab));
  useShortcuts("Session", [
    ...(tabs.includes("changes") ? [{ keys: "d", label: "Changes", run: toggle("changes", first) }] : []),
    ...(tabs.includes("terminal")
      ? [{ keys: "t", label: "Terminal or thread", run: toggle("terminal", "thread") }]
      : []),
    { keys: "w", label: "Why it is in this state", run: toggle("why", first) },
  ]);
}
