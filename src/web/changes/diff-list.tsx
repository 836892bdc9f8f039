import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  type Ref,
  type RefObject,
} from "react";
import type { Row } from "./diff-model.js";

/** Rows beyond the edges, so that a quick scroll does not show a gap. */
const MARGIN_ROWS = 30;
/** The rows that are drawn change by so many at once: most frames of a scroll draw nothing. */
const STEP_ROWS = 10;
export const FILE_ROW_PX = 36;
const COMMENT_GUESS_PX = 110;
const LINE_PX = 20;

export interface DiffScroller {
  /** Scrolls as little as needed until the row is in sight. */
  show(row: number): void;
  /** The row is the first beneath the bar. */
  showFirst(row: number): void;
  isAtTop(): boolean;
}

interface Props {
  readonly rows: readonly Row[];
  readonly label: string;
  readonly renderRow: (row: Row, index: number) => ReactNode;
  readonly scroller: RefObject<DiffScroller | null>;
  /** The widest line. */
  readonly columns: number;
  readonly isSplit: boolean;
  readonly onFirst: (row: number) => void;
  readonly bar: ReactNode;
}

/** Draws only the rows in sight. Lines have one height; comments have their own, which is measured. */
export function DiffList(props: Props): ReactNode {
  const { rows, label, renderRow, scroller, columns, isSplit, onFirst, bar } = props;
  const outer = useRef<HTMLDivElement>(null);
  const [heights, setHeights] = useState<ReadonlyMap<string, number>>(NO_HEIGHTS);
  const [{ widthPx, heightPx }, setSize] = useState({ widthPx: 0, heightPx: 800 });
  const tops = useMemo(() => topsOf(rows, heights), [rows, heights]);
  const [span, setSpan] = useState({ first: 0, end: 100 });
  const latest = useRef({ tops, onFirst, heightPx });
  const look = useCallback(() => {
    const element = outer.current;
    if (!element) return;
    const { tops: now, onFirst: tell } = latest.current;
    const seen = rowAt(now, element.scrollTop);
    const last = rowAt(now, element.scrollTop + element.clientHeight);
    tell(seen);
    const first = Math.max(0, Math.floor((seen - MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS);
    const end = Math.ceil((last + MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS;
    setSpan((before) => (before.first === first && before.end === end ? before : { first, end }));
  }, []);
  useLayoutEffect(() => {
    latest.current = { tops, onFirst, heightPx };
    look();
  }, [tops, onFirst, heightPx, look]);
  useLooking(outer, look, setSize);
  useScroller(scroller, outer, latest);
  const measure = useMeasure(setHeights);
  const height = tops.at(-1) ?? 0;
  const style: Variables = { "--columns": String(columns), "--seen-width": `${widthPx}px` };
  return (
    <div
      ref={outer}
      className="diff-scroll"
      role="region"
      aria-label={label}
      tabIndex={0}
      data-split={isSplit}
      style={style}
    >
      <div className="diff-bar">{bar}</div>
      {/* The last file can be brought up to the bar, too. */}
      <div className="diff-rows" style={{ height: height + Math.max(0, heightPx - 3 * FILE_ROW_PX) }}>
        {rows.slice(span.first, span.end).map((row, offset) => {
          const index = span.first + offset;
          const isMeasured = row.type === "comment" || row.type === "form";
          return (
            <div
              key={row.key}
              className="diff-row"
              data-type={row.type === "line" ? row.line.type : row.type}
              style={{ transform: `translateY(${tops[index] ?? 0}px)` }}
              {...(isMeasured ? { ref: measure, "data-key": row.key } : {})}
            >
              {renderRow(row, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface Size {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Looks again whenever it is scrolled or its size changes. */
function useLooking(
  outer: RefObject<HTMLDivElement | null>,
  look: () => void,
  setSize: (size: Size) => void,
): void {
  useEffect(() => {
    const element = outer.current;
    if (!element) return undefined;
    const sized = new ResizeObserver(() => {
      setSize({ widthPx: element.clientWidth, heightPx: element.clientHeight });
      look();
    });
    sized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [outer, look, setSize]);
}

type Variables = CSSProperties & Readonly<Record<`--${string}`, string>>;

const NO_HEIGHTS: ReadonlyMap<string, number> = new Map();

/** Where each row begins, and at last where the last one ends. */
function topsOf(rows: readonly Row[], heights: ReadonlyMap<string, number>): Float64Array {
  const tops = new Float64Array(rows.length + 1);
  let top = 0;
  for (const [index, row] of rows.entries()) {
    tops[index] = top;
    if (row.type === "file") top += FILE_ROW_PX;
    else if (row.type === "comment" || row.type === "form") top += heights.get(row.key) ?? COMMENT_GUESS_PX;
    else top += LINE_PX;
  }
  tops[rows.length] = top;
  return tops;
}

/** The last row that begins at or above a place. */
function rowAt(tops: Float64Array, topPx: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= topPx) low = middle;
    else high = middle - 1;
  }
  return low;
}

function useScroller(
  scroller: RefObject<DiffScroller | null>,
  outer: RefObject<HTMLDivElement | null>,
  latest: RefObject<{ readonly tops: Float64Array }>,
): void {
  useLayoutEffect(() => {
    const topOf = (row: number): number => latest.current.tops[row] ?? 0;
    scroller.current = {
      isAtTop: () => (outer.current?.scrollTop ?? 0) === 0,
      // Rows may begin at parts of a pixel, and where it is scrolled to may be a whole one: not above the row.
      showFirst: (row) => outer.current?.scrollTo({ top: Math.ceil(topOf(row)) }),
      show(row) {
        const element = outer.current;
        if (!element) return;
        const top = topOf(row);
        const bottom = topOf(row + 1);
        if (top - FILE_ROW_PX < element.scrollTop)
          element.scrollTo({ top: Math.max(0, top - FILE_ROW_PX - 3 * LINE_PX) });
        else if (bottom > element.scrollTop + element.clientHeight)
          element.scrollTo({ top: bottom - element.clientHeight + 3 * LINE_PX });
      },
    };
    return () => {
      scroller.current = null;
    };
  }, [scroller, outer, latest]);
}

/** Notes how high rows are that are as high as what they hold. */
function useMeasure(
  setHeights: (change: (before: ReadonlyMap<string, number>) => ReadonlyMap<string, number>) => void,
): Ref<HTMLDivElement> {
  const [observer] = useState(
    () =>
      new ResizeObserver((entries) => {
        setHeights((before) => {
          const after = new Map(before);
          for (const { target, borderBoxSize } of entries) {
            const key = target instanceof HTMLElement ? target.dataset["key"] : undefined;
            const height = borderBoxSize[0]?.blockSize ?? 0;
            if (key !== undefined && height > 0) after.set(key, height);
          }
          return after;
        });
      }),
  );
  useEffect(() => () => observer.disconnect(), [observer]);
  return useCallback(
    (element: HTMLDivElement | null) => {
      if (!element) return undefined;
      observer.observe(element);
      return () => observer.unobserve(element);
    },
    [observer],
  );
}
