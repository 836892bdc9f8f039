import {
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
} from "react";
import type { SideRow } from "./groups.js";

interface Props {
  readonly rows: readonly SideRow[];
  readonly heights: Heights;
  /** The session on the page: brought into sight when it becomes another. */
  readonly currentId: string | null;
  readonly renderRow: (row: SideRow) => ReactNode;
}

export interface Heights {
  readonly groupPx: number;
  readonly sessionPx: number;
}

/** Rows beyond the edges, so that a quick scroll does not show a gap. */
const MARGIN_ROWS = 8;

/** Draws only the rows in sight, of two heights. It scrolls by itself. */
export function SideList({ rows, heights, currentId, renderRow }: Props): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const tops = useMemo(() => topsOf(rows, heights), [rows, heights]);
  const totalPx = tops[rows.length] ?? 0;
  const [first, end] = useSpan(scroller, tops, rows.length);
  useShown(scroller, rows, tops, currentId);
  return (
    <div ref={scroller} className="side-scroller">
      <ul className="side-rows" style={{ height: totalPx }}>
        {rows.slice(first, end).map((row, offset) => {
          const index = first + offset;
          return (
            <li
              key={row.type === "group" ? row.group.key : row.session.id}
              className="side-item"
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{ height: heightOf(row, heights), transform: `translateY(${tops[index] ?? 0}px)` }}
            >
              {renderRow(row)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function heightOf(row: SideRow, { groupPx, sessionPx }: Heights): number {
  return row.type === "group" ? groupPx : sessionPx;
}

/** Where each row begins, and at last where they end. */
function topsOf(rows: readonly SideRow[], heights: Heights): Float64Array {
  const tops = new Float64Array(rows.length + 1);
  let topPx = 0;
  for (const [index, row] of rows.entries()) {
    tops[index] = topPx;
    topPx += heightOf(row, heights);
  }
  tops[rows.length] = topPx;
  return tops;
}

/** The last row that begins at or above this height. */
function indexAt(tops: Float64Array, topPx: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= topPx) low = middle;
    else high = middle - 1;
  }
  return low;
}

function useSpan(
  scroller: RefObject<HTMLElement | null>,
  tops: Float64Array,
  count: number,
): readonly [number, number] {
  const [heightPx, setHeightPx] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    setHeightPx(element.clientHeight);
    const observer = new ResizeObserver(() => setHeightPx(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const element = scroller.current;
      element?.addEventListener("scroll", listener, { passive: true });
      return () => element?.removeEventListener("scroll", listener);
    },
    [scroller],
  );
  // A number that changes with whole rows only: a pixel more draws nothing new.
  const seen = useSyncExternalStore(subscribe, () => indexAt(tops, scroller.current?.scrollTop ?? 0));
  const last = indexAt(tops, (tops[seen] ?? 0) + heightPx);
  return [Math.max(0, seen - MARGIN_ROWS), Math.min(count, last + 2 + MARGIN_ROWS)];
}

function useShown(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly SideRow[],
  tops: Float64Array,
  currentId: string | null,
): void {
  const shownId = useRef<string | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || currentId === shownId.current) return;
    const index = rows.findIndex((row) => row.type === "session" && row.session.id === currentId);
    if (currentId !== null && index === -1) return;
    shownId.current = currentId;
    const [topPx, bottomPx] = [tops[index] ?? 0, tops[index + 1] ?? 0];
    if (index === -1) return;
    if (topPx < element.scrollTop) element.scrollTop = topPx;
    else if (bottomPx > element.scrollTop + element.clientHeight)
      element.scrollTop = bottomPx - element.clientHeight;
  }, [scroller, rows, tops, currentId]);
}
