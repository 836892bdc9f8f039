import {
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
} from "react";
import "./virtual-list.css";

interface Props<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly label: string;
  readonly rowHeightPx: number;
  readonly renderRow: (item: T) => ReactNode;
  readonly scroller: RefObject<ListScroller | null>;
}

export interface ListScroller {
  /** Scrolls as little as needed until the row is in sight. */
  show(index: number): void;
}

/** Rows beyond the edges, so that a quick scroll does not show a gap. */
const MARGIN_ROWS = 6;

interface Span {
  readonly first: number;
  readonly end: number;
}

/** Draws only the rows in sight, all of one height. It scrolls with the page. */
export function VirtualList<T>(props: Props<T>): ReactNode {
  const { items, keyOf, label, rowHeightPx, renderRow, scroller } = props;
  const list = useRef<HTMLUListElement>(null);
  const { first, end } = useSpan(list, rowHeightPx, items.length);
  useLayoutEffect(() => {
    scroller.current = { show: (index) => scrollTo(list.current, index, rowHeightPx) };
    return () => {
      scroller.current = null;
    };
  }, [scroller, rowHeightPx]);
  return (
    <ul ref={list} className="virtual-list" aria-label={label} style={{ height: items.length * rowHeightPx }}>
      {items.slice(first, end).map((item, offset) => {
        const index = first + offset;
        return (
          <li
            key={keyOf(item)}
            className="virtual-row"
            aria-setsize={items.length}
            aria-posinset={index + 1}
            data-index={index}
            style={{ height: rowHeightPx, transform: `translateY(${index * rowHeightPx}px)` }}
          >
            {renderRow(item)}
          </li>
        );
      })}
    </ul>
  );
}

function useSpan(list: RefObject<HTMLElement | null>, rowHeightPx: number, count: number): Span {
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    setTopPx(list.current ? list.current.getBoundingClientRect().top + window.scrollY : 0);
  }, [list, rowHeightPx, count === 0]);
  // A number that changes with whole rows only: a pixel more draws nothing new.
  const firstSeen = useSyncExternalStore(
    onScroll,
    useCallback(() => Math.floor((window.scrollY - topPx) / rowHeightPx), [topPx, rowHeightPx]),
  );
  const rowsSeen = useSyncExternalStore(
    onScroll,
    useCallback(() => Math.ceil(window.innerHeight / rowHeightPx) + 1, [rowHeightPx]),
  );
  const first = Math.min(Math.max(0, firstSeen - MARGIN_ROWS), count);
  return { first, end: Math.min(count, Math.max(0, firstSeen) + rowsSeen + MARGIN_ROWS) };
}

function onScroll(listener: () => void): () => void {
  window.addEventListener("scroll", listener, { passive: true });
  window.addEventListener("resize", listener);
  return () => {
    window.removeEventListener("scroll", listener);
    window.removeEventListener("resize", listener);
  };
}

function scrollTo(list: HTMLElement | null, index: number, rowHeightPx: number): void {
  if (!list) return;
  const style = getComputedStyle(document.documentElement);
  const headerPx = Number.parseFloat(style.getPropertyValue("--header-height")) || 0;
  const footerPx = 160;
  const topPx = list.getBoundingClientRect().top + index * rowHeightPx;
  const overPx = topPx - headerPx - rowHeightPx;
  const underPx = topPx + rowHeightPx - (window.innerHeight - footerPx);
  if (overPx < 0) window.scrollBy(0, overPx);
  else if (underPx > 0) window.scrollBy(0, underPx);
}
