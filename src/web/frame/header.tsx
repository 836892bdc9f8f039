import type { ReactNode } from "react";
import { useConnection, useSessions } from "../../react/hooks.js";
import type { AgentSession } from "../../react/agent-session.js";
import { Link } from "../routing/router.js";
import { Mark } from "./mark.js";
import "./header.css";

export function Header({ path }: { readonly path: string }): ReactNode {
  const sessions = useSessions();
  const counts = countsOf(sessions ?? []);
  return (
    <header className="header">
      <Link to="/" className="brand" aria-label="Signalbox, the board">
        <Mark />
        <span className="brand-name">Signalbox</span>
      </Link>
      <nav className="nav" aria-label="Main">
        <Tab to="/" path={path}>
          Board
        </Tab>
        <Tab to="/inbox" path={path}>
          Inbox
          {counts.asks > 0 && (
            <span className="nav-count">
              {counts.asks}
              <span className="visually-hidden"> waiting for you</span>
            </span>
          )}
        </Tab>
        <Tab to="/new" path={path}>
          New
        </Tab>
      </nav>
      <ConnectionState />
    </header>
  );
}

interface TabProps {
  readonly to: string;
  readonly path: string;
  readonly children: ReactNode;
}

function Tab({ to, path, children }: TabProps): ReactNode {
  return (
    <Link to={to} className="nav-tab" aria-current={to === path ? "page" : undefined}>
      {children}
    </Link>
  );
}

const CONNECTION_TEXT = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  signed_out: "Signed out",
} as const;

function ConnectionState(): ReactNode {
  const { type } = useConnection();
  return (
    <p className="connection" data-connection={type} role="status">
      <span className="connection-dot" aria-hidden="true" />
      {CONNECTION_TEXT[type]}
    </p>
  );
}

export interface Counts {
  readonly working: number;
  /** Open asks that need a person. */
  readonly asks: number;
  readonly attention: number;
}

export function countsOf(sessions: readonly AgentSession[]): Counts {
  let working = 0;
  let asks = 0;
  let attention = 0;
  for (const session of sessions) {
    if (session.ui.showSpinner) working += 1;
    if (session.ui.needsAttention) attention += 1;
    for (const ask of session.asks) if (ask.needsHuman) asks += 1;
  }
  return { working, asks, attention };
}
