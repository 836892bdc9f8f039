import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type FocusEvent,
  type ReactNode,
  type Ref,
  type RefObject,
} from "react";
import { fileKey, findRow, type Row } from "./diff-model.js";

/** Rows beyond the edges, so that a quick scroll does not show a gap. */
const MARGIN_ROWS = 30;
/** The rows that are drawn change by so many at once: most frames of a scroll draw nothing. */
const STEP_ROWS = 10;
const FIRST_ROWS = 100;
const FILE_ROW_PX = 36;
const COMMENT_GUESS_PX = 110;
const LINE_PX = 20;

/** Rows are named by their keys: others may have come above them since. */
export interface DiffScroller {
  /** Scrolls as little as needed until the row is in sight. It is drawn with what is drawn next. */
  show(key: string): void;
  /** The row is the first beneath the bar. */
  showFirst(key: string): void;
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
  const tops = useMemo(() => topsOf(rows, heights), [rows, heights]);
  const { drawn, look, latest, onFocus } = useView(outer, { rows, tops, onFirst });
  useLooking(outer, look);
  useScroller(scroller, outer, latest, look);
  const measure = useMeasure(setHeights);
  const style: Variables = { "--columns": String(columns), "--rows-height": `${tops.at(-1) ?? 0}px` };
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
      <div className="diff-rows" onFocus={onFocus}>
        {drawn.map((index) => {
          const row = rows[index];
          if (!row) return null;
          const isMeasured = row.type === "comment" || row.type === "form";
          return (
            <div
              key={row.key}
              className="diff-row"
              data-key={row.key}
              data-type={row.type === "line" ? row.line.type : row.type}
              style={{ transform: `translateY(${tops[index] ?? 0}px)` }}
              {...(isMeasured ? { ref: measure } : {})}
            >
              {renderRow(row, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface Listed {
  readonly rows: readonly Row[];
  readonly tops: Float64Array;
  readonly onFirst: (row: number) => void;
}

/** The rows that are drawn, as they were numbered when `start` was the first. */
interface Span {
  readonly first: number;
  readonly end: number;
  readonly start: Row | undefined;
  /** The one that has, or had, the focus: it is drawn wherever it is, because what is not drawn loses it. */
  readonly focused: Row | null;
}

interface View {
  /** Places of the rows to draw, in order. */
  readonly drawn: readonly number[];
  readonly look: () => void;
  readonly latest: RefObject<Listed>;
  readonly onFocus: (event: FocusEvent) => void;
}

/** What is in sight stays where it is while rows come above it. */
function useView(outer: RefObject<HTMLDivElement | null>, listed: Listed): View {
  const { rows, tops, onFirst } = listed;
  const latest = useRef(listed);
  const place = useRef({ row: 0, offsetPx: 0 });
  const focused = useRef<Row | null>(null);
  const [span, setSpan] = useState<Span>({ first: 0, end: FIRST_ROWS, start: undefined, focused: null });
  const look = useCallback(() => {
    const element = outer.current;
    if (!element) return;
    const { rows: all, tops: now, onFirst: tell } = latest.current;
    const { scrollTop } = element;
    // Where it is scrolled to may be rounded to a place above the row that was meant.
    const seen = rowAt(now, scrollTop + 1);
    const last = rowAt(now, scrollTop + element.clientHeight);
    place.current = { row: seen, offsetPx: scrollTop === 0 ? -Infinity : scrollTop - (now[seen] ?? 0) };
    tell(seen);
    const first = Math.max(0, Math.floor((seen - MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS);
    const end = Math.ceil((last + MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS;
    const next: Span = { first, end, start: all[first], focused: focused.current };
    setSpan((before) => (isSameSpan(before, next) ? before : next));
  }, [outer]);
  useLayoutEffect(() => {
    const before = latest.current;
    latest.current = { rows, tops, onFirst };
    const { row, offsetPx } = place.current;
    const seen = before.rows[row];
    if (outer.current && seen && before.tops !== tops && offsetPx !== -Infinity)
      outer.current.scrollTop = topAfter(rows, tops, seen, offsetPx);
    look();
  }, [outer, rows, tops, onFirst, look]);
  const drawn = useMemo(() => drawnOf(rows, span), [rows, span]);
  const onFocus = useCallback((event: FocusEvent) => {
    const key = event.target.closest<HTMLElement>(".diff-row")?.dataset["key"];
    focused.current = latest.current.rows.find((row) => row.key === key) ?? null;
  }, []);
  return { drawn, look, latest, onFocus };
}

function isSameSpan(one: Span, other: Span): boolean {
  return (
    one.first === other.first &&
    one.end === other.end &&
    one.start === other.start &&
    one.focused === other.focused
  );
}

/** Where to scroll to, so that a row of the list before is where it was; or its file, if it is no longer shown. */
function topAfter(rows: readonly Row[], tops: Float64Array, seen: Row, offsetPx: number): number {
  const same = findRow(rows, seen);
  if (same !== -1) return (tops[same] ?? 0) + offsetPx;
  const head = rows.findIndex(({ key }) => key === fileKey(seen.file));
  return Math.ceil(tops[head] ?? 0);
}

function drawnOf(rows: readonly Row[], { first, end, start, focused }: Span): readonly number[] {
  const moved = start && rows[first]?.key !== start.key ? findRow(rows, start) : -1;
  const from = moved === -1 ? first : moved;
  const to = Math.min(rows.length, from + end - first);
  const drawn: number[] = [];
  for (let index = from; index < to; index += 1) drawn.push(index);
  const kept = focused ? findRow(rows, focused) : -1;
  if (kept !== -1 && kept < from) drawn.unshift(kept);
  if (kept >= to) drawn.push(kept);
  return drawn;
}

/** Looks again whenever it is scrolled or its size changes. */
function useLooking(outer: RefObject<HTMLDivElement | null>, look: () => void): void {
  useEffect(() => {
    const element = outer.current;
    if (!element) return undefined;
    const sized = new ResizeObserver(look);
    sized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [outer, look]);
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
  latest: RefObject<Listed>,
  look: () => void,
): void {
  useLayoutEffect(() => {
    const scroll = (key: string, topFor: (top: number, bottom: number, element: Element) => number): void => {
      const { rows, tops } = latest.current;
      const row = rows.findIndex((each) => each.key === key);
      const element = outer.current;
      if (!element || row === -1) return;
      element.scrollTo({ top: topFor(tops[row] ?? 0, tops[row + 1] ?? 0, element) });
      // Not with the next frame only: what comes into sight is drawn with what led to it.
      look();
    };
    scroller.current = {
      isAtTop: () => (outer.current?.scrollTop ?? 0) === 0,
      showFirst: (key) => scroll(key, (top) => Math.ceil(top)),
      show: (key) =>
        scroll(key, (top, bottom, { scrollTop, clientHeight }) => {
          if (top - FILE_ROW_PX < scrollTop) return Math.max(0, top - FILE_ROW_PX - 3 * LINE_PX);
          return bottom > scrollTop + clientHeight ? bottom - clientHeight + 3 * LINE_PX : scrollTop;
        }),
    };
    return () => {
      scroller.current = null;
    };
  }, [scroller, outer, latest, look]);
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
