import { useRef, type KeyboardEvent, type ReactNode } from "react";
import type { ChangesReport } from "../../protocol/changes.js";
import { LineCounts } from "../parts/line-counts.js";
import { Link, navigate, sessionPath, type SessionTab } from "../routing/router.js";
import "./session-tabs.css";

const TAB_WORDS: Readonly<Record<SessionTab, string>> = {
  thread: "Thread",
  changes: "Changes",
  terminal: "Terminal",
  why: "Why",
};

export const PANEL_ID = "session-panel";

export function tabElementId(tab: SessionTab): string {
  return `session-tab-${tab}`;
}

interface Props {
  readonly sessionId: string;
  readonly tabs: readonly SessionTab[];
  readonly shown: SessionTab;
  readonly asks: number;
  readonly total: ChangesReport["total"] | null;
}

/** The parts of a session, each with an address of its own. Arrow keys go from one to the next. */
export function SessionTabs({ sessionId, tabs, shown, asks, total }: Props): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const go = (event: KeyboardEvent) => {
    const index = nextIndex(event.key, tabs.indexOf(shown), tabs.length);
    const tab = index === null ? undefined : tabs[index];
    if (tab === undefined) return;
    event.preventDefault();
    navigate(sessionPath(sessionId, tab));
    list.current?.querySelector<HTMLElement>(`#${tabElementId(tab)}`)?.focus();
  };
  return (
    <div ref={list} className="session-tabs" role="tablist" aria-label="Parts of the session" onKeyDown={go}>
      {tabs.map((tab) => (
        <Link
          key={tab}
          id={tabElementId(tab)}
          className="session-tab"
          role="tab"
          to={sessionPath(sessionId, tab)}
          aria-selected={tab === shown}
          aria-controls={tab === shown ? PANEL_ID : undefined}
          tabIndex={tab === shown ? 0 : -1}
        >
          {TAB_WORDS[tab]}
          {tab === "thread" && asks > 0 && shown !== "thread" && (
            <span className="session-tab-asks"> {asks} waiting</span>
          )}
          {tab === "changes" && total !== null && total.files > 0 && (
            <>
              {" "}
              <LineCounts total={total} />
            </>
          )}
        </Link>
      ))}
    </div>
  );
}

function nextIndex(key: string, index: number, count: number): number | null {
  if (key === "ArrowRight") return (index + 1) % count;
  if (key === "ArrowLeft") return (index + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}
