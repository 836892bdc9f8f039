import { lazy, Suspense, useState, type ReactNode } from "react";
import type { AgentSession } from "../../react/agent-session.js";
import { useAgentSession, useSessions } from "../../react/hooks.js";
import { ExplainPanel } from "../explain/explain-panel.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { Link } from "../routing/router.js";
import { Composer } from "./composer.js";
import { OpenTerminal } from "./open-terminal.js";
import { SessionHead } from "./session-head.js";
import { ThreadPane } from "./thread-pane.js";
import "./session-page.css";

const TerminalView = lazy(() =>
  import("../terminal/terminal-view.js").then((module) => ({ default: module.TerminalView })),
);

export function SessionPage({ id }: { readonly id: string }): ReactNode {
  const { session } = useAgentSession(id);
  const sessions = useSessions();
  if (session) return <Session session={session} />;
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

type Pane = "thread" | "terminal";

function Session({ session }: { readonly session: AgentSession }): ReactNode {
  const hasTerminal = session.harness === "terminal";
  const [pane, setPane] = useState<Pane>(hasTerminal ? "terminal" : "thread");
  const [isExplained, setExplained] = useState(false);
  const toggleExplained = () => setExplained(!isExplained);
  useShortcuts("Session", [
    { keys: "w", label: "Why it is in this state", run: toggleExplained },
    ...(hasTerminal ? [{ keys: "t", label: "Terminal or thread", run: () => setPane(otherPane(pane)) }] : []),
  ]);
  const openTerminal = hasTerminal && pane !== "terminal" ? () => setPane("terminal") : null;
  return (
    <OpenTerminal value={openTerminal}>
      <section className="session" data-status={session.status} data-explained={isExplained}>
        <ErrorBoundary region="head of the session">
          <SessionHead session={session} isExplained={isExplained} onExplain={toggleExplained}>
            {hasTerminal && <PaneTabs pane={pane} onChange={setPane} asks={session.asks.length} />}
          </SessionHead>
        </ErrorBoundary>
        <div className="session-body">
          <ErrorBoundary key={pane} region={pane}>
            {pane === "thread" ? (
              <ThreadPane session={session} />
            ) : (
              <Suspense fallback={<p className="quiet session-loading">Loading the terminal…</p>}>
                <TerminalView id={session.id} />
              </Suspense>
            )}
          </ErrorBoundary>
          {isExplained && (
            <ErrorBoundary region="explanation">
              <ExplainPanel id={session.id} />
            </ErrorBoundary>
          )}
        </div>
        <ErrorBoundary region="message field">
          <Composer session={session} />
        </ErrorBoundary>
      </section>
    </OpenTerminal>
  );
}

function otherPane(pane: Pane): Pane {
  return pane === "thread" ? "terminal" : "thread";
}

interface TabsProps {
  readonly pane: Pane;
  readonly asks: number;
  readonly onChange: (pane: Pane) => void;
}

function PaneTabs({ pane, asks, onChange }: TabsProps): ReactNode {
  return (
    <div className="pane-tabs" role="group" aria-label="What is shown">
      <button className="pane-tab" aria-pressed={pane === "terminal"} onClick={() => onChange("terminal")}>
        Terminal
      </button>
      <button className="pane-tab" aria-pressed={pane === "thread"} onClick={() => onChange("thread")}>
        Thread{asks > 0 && ` (${asks} waiting)`}
      </button>
    </div>
  );
}
