import { useMemo, type ReactNode } from "react";
import { useSessions } from "../../react/hooks.js";
import type { AgentSession } from "../../react/agent-session.js";
import { countsOf } from "../frame/counts.js";
import { CountsLine } from "../frame/counts-line.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { usePlaces } from "../places/places.js";
import { navigate, routeOf, sessionPath } from "../routing/router.js";
import { changeSettings, useSettings } from "../settings/settings.js";
import { groupSessions, neighbour, rowsOf, type Group, type SideRow } from "./groups.js";
import { useNextNeeding } from "./next-needing.js";
import { SideList, type Heights } from "./side-list.js";
import { SideSession } from "./side-row.js";
import "./sidebar.css";

const NONE: readonly AgentSession[] = [];
const HEIGHTS: Heights = { groupPx: 34, sessionPx: 46 };
const FINGER_HEIGHTS: Heights = { groupPx: 44, sessionPx: 56 };
/** So many folded groups are remembered. */
const FOLDED_MAX = 500;

export interface Side {
  readonly currentId: string | null;
  readonly rows: readonly SideRow[];
}

/** What the sidebar shows. */
export function useSide(path: string): Side {
  const sessions = useSessions() ?? NONE;
  const placeOf = usePlaces();
  const { folded } = useSettings();
  const groups = useMemo(() => groupSessions(sessions, placeOf), [sessions, placeOf]);
  const rows = useMemo(() => rowsOf(groups, new Set(folded)), [groups, folded]);
  const route = routeOf(path);
  return { rows, currentId: route.type === "session" ? route.id : null };
}

/** From session to session, wherever one is. */
export function SideKeys({ side: { rows, currentId } }: { readonly side: Side }): null {
  const toNext = useNextNeeding(currentId);
  const open = (id: string | null) => {
    if (id !== null) navigate(sessionPath(id));
  };
  useShortcuts("Sessions", [
    { keys: "j", label: "Next session", run: () => open(neighbour(rows, currentId, 1)), repeats: true },
    { keys: "k", label: "Previous session", run: () => open(neighbour(rows, currentId, -1)), repeats: true },
    { keys: "n", label: "Next that needs you", run: toNext },
  ]);
  return null;
}

interface Props {
  readonly side: Side;
  readonly isDrawer?: boolean;
}

export function Sidebar({ side, isDrawer = false }: Props): ReactNode {
  const { rows, currentId } = side;
  const sessions = useSessions();
  const placeOf = usePlaces();
  const renderRow = (row: SideRow) =>
    row.type === "group" ? (
      <GroupHead group={row.group} isFolded={row.isFolded} />
    ) : (
      <SideSession
        session={row.session}
        branch={placeOf(row.session).branch}
        isCurrent={row.session.id === currentId}
      />
    );
  return (
    <nav className="side-nav" aria-label="Sessions">
      {sessions?.length === 0 && <p className="side-none">No sessions yet.</p>}
      <SideList
        rows={rows}
        heights={isDrawer ? FINGER_HEIGHTS : HEIGHTS}
        currentId={currentId}
        renderRow={renderRow}
      />
      <div className="side-foot">
        <CountsLine counts={countsOf(sessions ?? NONE)} total={sessions?.length ?? 0} />
      </div>
    </nav>
  );
}

function GroupHead({ group, isFolded }: { readonly group: Group; readonly isFolded: boolean }): ReactNode {
  const { key, name, sessions, needing } = group;
  return (
    <h2 className="side-group">
      <button className="side-group-button" aria-expanded={!isFolded} onClick={() => fold(key, !isFolded)}>
        <span className="side-group-arrow" aria-hidden="true" />
        <span className="side-group-name">{name}</span>
        {needing > 0 && (
          <span className="side-group-needing" title={needingWords(needing)}>
            <span aria-hidden="true">{needing}</span>
            <span className="visually-hidden">{needingWords(needing)}</span>
          </span>
        )}
        <span className="side-group-count">{sessions.length}</span>
      </button>
    </h2>
  );
}

function needingWords(count: number): string {
  return count === 1 ? "1 needs you" : `${count} need you`;
}

function fold(key: string, isFolded: boolean): void {
  changeSettings((before) => {
    const others = before.folded.filter((each) => each !== key);
    return { folded: isFolded ? [...others, key].slice(-FOLDED_MAX) : others };
  });
}
