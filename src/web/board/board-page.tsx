import { useCallback, useMemo, useRef, type ReactNode } from "react";
import type { SeatStatus } from "../../core/index.js";
import { useRoster, useSessions } from "../../react/hooks.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { MessageBar } from "../messages/message-bar.js";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { PHONE, useMedia } from "../parts/use-media.js";
import { useSettings } from "../settings/settings.js";
import { arrange, harnessesOf } from "./arrange.js";
import { changeFilter, useFilter } from "./board-filter.js";
import { EmptyBoard } from "./empty-board.js";
import { FilterBar } from "./filter-bar.js";
import { SessionRow } from "./session-row.js";
import { VirtualList, type ListScroller } from "./virtual-list.js";
import "./board-page.css";

const ROW_HEIGHTS_PX = { compact: 30, comfortable: 60 } as const;
const CARD_HEIGHT_PX = 128;

export function BoardPage(): ReactNode {
  const sessions = useSessions();
  if (sessions === null) return <BoardLoading />;
  if (sessions.length === 0) return <EmptyBoard />;
  return <FullBoard sessions={sessions} />;
}

function BoardLoading(): ReactNode {
  return (
    <section className="page board">
      <h1 className="visually-hidden">Board</h1>
      <p className="quiet">Loading the sessions…</p>
    </section>
  );
}

function FullBoard({ sessions }: { readonly sessions: readonly AgentSession[] }): ReactNode {
  const filter = useFilter();
  const { rows, counts } = useMemo(() => arrange(sessions, filter), [sessions, filter]);
  const harnesses = useMemo(() => harnessesOf(sessions), [sessions]);
  const scroller = useRef<ListScroller>(null);
  const search = useRef<HTMLInputElement>(null);
  const isPhone = useMedia(PHONE);
  const { density } = useSettings();
  const seatOf = useSeats();
  const move = (step: number) => focusRow(rows, step, scroller.current);
  useShortcuts("Board", [
    { keys: "j", label: "Next session", run: () => move(1), repeats: true },
    { keys: "k", label: "Previous session", run: () => move(-1), repeats: true },
    { keys: "ArrowDown", label: "Next session", run: () => move(1), repeats: true },
    { keys: "ArrowUp", label: "Previous session", run: () => move(-1), repeats: true },
    { keys: "/", label: "Search", run: () => search.current?.focus() },
    { keys: "Escape", label: "Show all", run: () => changeFilter({ search: "", group: "all", harness: "" }) },
  ]);
  return (
    <section className="page board" data-density={density}>
      <h1 className="visually-hidden">Board</h1>
      <FilterBar filter={filter} counts={counts} harnesses={harnesses} search={search} />
      <ErrorBoundary region="list of sessions">
        {rows.length === 0 ? (
          <p className="board-none quiet">No matching session. Press Esc to show all.</p>
        ) : (
          <VirtualList
            items={rows}
            keyOf={idOf}
            label="Sessions"
            rowHeightPx={isPhone ? CARD_HEIGHT_PX : ROW_HEIGHTS_PX[density]}
            scroller={scroller}
            renderRow={(session) => <SessionRow session={session} seat={seatOf(session.id)} />}
          />
        )}
      </ErrorBoundary>
      <ErrorBoundary region="message box">
        <MessageBar />
      </ErrorBoundary>
    </section>
  );
}

function idOf({ id }: AgentSession): string {
  return id;
}

function useSeats(): (sessionId: string) => SeatStatus {
  const roster = useRoster();
  const seats = useMemo(
    () => new Map(roster.seats.map(({ sessionId, status }) => [sessionId, status])),
    [roster],
  );
  return useCallback((sessionId) => seats.get(sessionId) ?? "none", [seats]);
}

/** From the row that has the focus; from the first, or the last, when none has. */
function focusRow(rows: readonly AgentSession[], step: number, scroller: ListScroller | null): void {
  const focused = document.activeElement?.closest("[data-session]")?.getAttribute("data-session");
  const at = rows.findIndex(({ id }) => id === focused);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  const id = rows[next]?.id;
  if (id === undefined) return;
  scroller?.show(next);
  // A row that was not in sight is drawn first.
  requestAnimationFrame(() => {
    const link = document.querySelector<HTMLElement>(`[data-row-link="${CSS.escape(id)}"]`);
    link?.focus({ preventScroll: true });
  });
}
