import { useEffect, useRef, useState, type ReactNode } from "react";
import { useAgentSession } from "../../react/hooks.js";
import { onSettings } from "../settings/settings.js";
import { CopyNow } from "./copy-now.js";
import { TerminalScreen, type ScreenView } from "./terminal-screen.js";
import "@xterm/xterm/css/xterm.css";
import "./terminal.css";

export function TerminalView({ id }: { readonly id: string }): ReactNode {
  const { session } = useAgentSession(id);
  // Another run is another terminal.
  return <RunTerminal key={session?.run ?? 0} id={id} />;
}

function RunTerminal({ id }: { readonly id: string }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [screen, setScreen] = useState<TerminalScreen | null>(null);
  const [view, setView] = useState<ScreenView | null>(null);
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const made = new TerminalScreen(element, terminalUrl(id), setView);
    setScreen(made);
    const restyle = () => made.restyle();
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", restyle);
    const stop = onSettings(() => requestAnimationFrame(restyle));
    return () => {
      dark.removeEventListener("change", restyle);
      stop();
      made.dispose();
    };
  }, [id]);
  useEffect(() => {
    if (screen) screen.terminal.options.screenReaderMode = isRead;
  }, [screen, isRead]);
  const focused = () => {
    // Who types decides the size; a finger may only want to read.
    if (screen && window.matchMedia("(pointer: fine)").matches) screen.takeSize();
  };
  return (
    <div className="terminal-place">
      <div className="terminal-bar">
        <p className="terminal-state" role="status" data-link={view?.link.type ?? "connecting"}>
          {stateWords(view)}
        </p>
        {screen && (
          <div className="terminal-actions">
            {view?.isOwner === false && view.link.type === "open" && (
              <button className="button button-small" onClick={() => screen.takeSize()}>
                Fit to this window
              </button>
            )}
            <CopyNow read={() => screen.shownText()} />
            <PasteButton paste={(text) => screen.paste(text)} />
            <button
              className="button button-small button-plain"
              aria-pressed={isRead}
              onClick={() => setRead(!isRead)}
            >
              Screen reader
            </button>
          </div>
        )}
      </div>
      <div className="terminal-frame">
        <div ref={place} className="terminal-screen" onFocus={focused} />
      </div>
      {screen && <KeyRow type={(text) => screen.type(text)} />}
    </div>
  );
}

function terminalUrl(id: string): string {
  const { protocol, host } = window.location;
  return `${protocol === "https:" ? "wss" : "ws"}://${host}/v1/sessions/${encodeURIComponent(id)}/terminal`;
}

function stateWords(view: ScreenView | null): string {
  if (!view) return "Connecting…";
  const { link, cols, rows, isOwner, isDeaf } = view;
  switch (link.type) {
    case "connecting":
      return "Connecting…";
    case "lost":
      return isDeaf
        ? "Not connected: what you typed was not sent. Trying again…"
        : "Not connected. Trying again…";
    case "ended":
      return link.signal === null
        ? `The program ended with ${link.code ?? "no code"}.`
        : `Ended by ${link.signal}.`;
    case "open":
      return `${cols} × ${rows}${isOwner ? "" : ", sized by another window"}`;
  }
}

function PasteButton({ paste }: { readonly paste: (text: string) => void }): ReactNode {
  const [isRefused, setRefused] = useState(false);
  return (
    <button
      className="button button-small button-plain"
      onClick={() => {
        navigator.clipboard.readText().then(paste, () => setRefused(true));
      }}
    >
      {isRefused ? "Press Ctrl + V" : "Paste"}
    </button>
  );
}

const KEYS: readonly (readonly [label: string, text: string])[] = [
  ["Esc", "\u001b"],
  ["Tab", "\t"],
  ["Ctrl C", "\u0003"],
  ["↑", "\u001b[A"],
  ["↓", "\u001b[B"],
  ["↵", "\r"],
];

/** Keys that a phone does not have. */
function KeyRow({ type }: { readonly type: (text: string) => void }): ReactNode {
  return (
    <div className="terminal-keys" role="group" aria-label="Keys">
      {KEYS.map(([label, text]) => (
        <button key={label} className="button" onClick={() => type(text)}>
          {label}
        </button>
      ))}
    </div>
  );
}
