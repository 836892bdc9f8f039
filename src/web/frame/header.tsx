import { useState, type ReactNode } from "react";
import { useConnection, useSessions } from "../../react/hooks.js";
import { KeySheet } from "../keys/key-sheet.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { Link, navigate } from "../routing/router.js";
import { SettingsDialog } from "../settings/settings-dialog.js";
import { countsOf, type Counts } from "./counts.js";
import { Mark } from "./mark.js";
import "./header.css";

type Open = "none" | "keys" | "settings";

export function Header({ path }: { readonly path: string }): ReactNode {
  const sessions = useSessions();
  const counts = countsOf(sessions ?? []);
  const [open, setOpen] = useState<Open>("none");
  useShortcuts("Everywhere", [
    { keys: "g b", label: "Go to the board", run: () => navigate("/") },
    { keys: "g i", label: "Go to the inbox", run: () => navigate("/inbox") },
    { keys: "n", label: "New agent", run: () => navigate("/new") },
    { keys: ",", label: "Settings", run: () => setOpen("settings") },
    { keys: "?", label: "Keys", run: () => setOpen("keys") },
  ]);
  const close = () => setOpen("none");
  return (
    <header className="header">
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
        <Tab to="/new" path={path}>
          New
        </Tab>
      </nav>
      <CountsLine counts={counts} total={sessions?.length ?? 0} />
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

function CountsLine({ counts, total }: { readonly counts: Counts; readonly total: number }): ReactNode {
  return (
    <p className="counts">
      <span>
        <b>{counts.attention - counts.failed}</b> need you
      </span>
      {counts.failed > 0 && (
        <span>
          <b>{counts.failed}</b> failed
        </span>
      )}
      <span>
        <b>{counts.working}</b> working
      </span>
      <span>
        <b>{total}</b> in all
      </span>
    </p>
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

function SettingsIcon(): ReactNode {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" className="icon">
      <path d="M1.5 4.5h7m4 0h2M1.5 11.5h2m4 0h7" />
      <circle cx="10.5" cy="4.5" r="2" />
      <circle cx="5.5" cy="11.5" r="2" />
    </svg>
  );
}
