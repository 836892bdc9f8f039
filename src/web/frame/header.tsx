import { useState, type ReactNode } from "react";
import { useConnection, useSessions } from "../../react/hooks.js";
import { KeySheet } from "../keys/key-sheet.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { Link, navigate } from "../routing/router.js";
import { SettingsDialog } from "../settings/settings-dialog.js";
import { countsOf } from "./counts.js";
import { CountsLine } from "./counts-line.js";
import { Mark } from "./mark.js";
import "./header.css";

type Open = "none" | "keys" | "settings";

interface Props {
  readonly path: string;
  /** Opens the sidebar where it has no place of its own; null where it stands beside the page. */
  readonly onSessions: (() => void) | null;
}

export function Header({ path, onSessions }: Props): ReactNode {
  const sessions = useSessions();
  const counts = countsOf(sessions ?? []);
  const [open, setOpen] = useState<Open>("none");
  useShortcuts("Everywhere", [
    { keys: "g b", label: "Go to the board", run: () => navigate("/") },
    { keys: "g i", label: "Go to the inbox", run: () => navigate("/inbox") },
    { keys: "c", label: "New agent", run: () => navigate("/new") },
    { keys: ",", label: "Settings", run: () => setOpen("settings") },
    { keys: "?", label: "Keys", run: () => setOpen("keys") },
  ]);
  const close = () => setOpen("none");
  return (
    <header className="header">
      {onSessions && (
        <button className="button button-plain button-icon" aria-haspopup="dialog" onClick={onSessions}>
          <MenuIcon />
          <span className="visually-hidden">Sessions</span>
        </button>
      )}
      <Link to="/" className="brand" aria-label="Signalbox: the board">
        <Mark />
        <span className="brand-name">Signalbox</span>
      </Link>
      <nav className="nav" aria-label="Main">
        <Tab to="/" path={path}>
          Board
        </Tab>
        <Tab to="/inbox" path={path}>
          Inbox
          <InboxCount asks={counts.asks} />
        </Tab>
        <Tab to="/races" path={path}>
          Races
        </Tab>
        <Tab to="/new" path={path}>
          New
        </Tab>
      </nav>
      {onSessions && <CountsLine counts={counts} total={sessions?.length ?? 0} />}
      <ConnectionState />
      <div className="header-buttons">
        <button className="button button-plain button-icon" onClick={() => setOpen("settings")}>
          <SettingsIcon />
          <span className="visually-hidden">Settings</span>
        </button>
        <button className="button button-plain button-icon header-keys" onClick={() => setOpen("keys")}>
          <span aria-hidden="true">?</span>
          <span className="visually-hidden">Keys</span>
        </button>
      </div>
      {open === "keys" && <KeySheet onClose={close} />}
      {open === "settings" && <SettingsDialog onClose={close} />}
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

function InboxCount({ asks }: { readonly asks: number }): ReactNode {
  if (asks === 0) return null;
  return (
    <span className="nav-count">
      {asks}
      <span className="visually-hidden"> waiting for you</span>
    </span>
  );
}

const CONNECTION_WORDS = {
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
      {CONNECTION_WORDS[type]}
    </p>
  );
}

function MenuIcon(): ReactNode {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" className="icon">
      <path d="M1.5 3.5h13M1.5 8h13M1.5 12.5h13" />
    </svg>
  );
}

function SettingsIcon(): ReactNode {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" className="icon">
      <path d="M1.5 4.5h7m4 0h2M1.5 11.5h2m4 0h7" />
      <circle cx="10.5" cy="4.5" r="2" />
      <circle cx="5.5" cy="11.5" r="2" />
    </svg>
  );
}
