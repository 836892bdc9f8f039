/** Which line is chosen, and how far a range reaches: by keys, and by the mouse on the numbers of lines. */
import {
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from "react";
import type { FileChangeItem } from "../../protocol/changes.js";
import {
  findRow,
  lineOn,
  sideOf,
  targetOf,
  type DiffFile,
  type Range,
  type Row,
  type Side,
} from "./diff-model.js";
import type { DiffScroller } from "./diff-list.js";
import { viewKey } from "./viewed.js";

export interface Selection {
  /** -1: none. */
  readonly cursor: number;
  readonly isSelected: (row: number) => boolean;
  readonly range: () => Range | null;
  readonly moveTo: (row: number, options?: { readonly extend?: boolean; readonly focus?: boolean }) => void;
  /** Nothing is chosen. */
  readonly clear: () => void;
  /** The chosen line gets the focus, if what had it goes away. */
  readonly refocus: () => void;
  readonly handlers: {
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: (event: PointerEvent) => void;
    readonly onPointerCancel: () => void;
    readonly onClick: (event: MouseEvent) => void;
  };
}

interface Chosen {
  /** As they were: rows come and go around them. */
  readonly anchor: Row;
  readonly cursor: Row;
  readonly side: Side | null;
  /** What they are lines of: with other contents they are others. */
  readonly item: FileChangeItem;
}

interface Parts {
  readonly rows: readonly Row[];
  readonly files: readonly DiffFile[];
  readonly scroller: { readonly current: DiffScroller | null };
  readonly onComment: (range: Range) => void;
}

export function useSelection({ rows, files, scroller, onComment }: Parts): Selection {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const dragged = useRef(false);
  const focusNext = useFocus(chosen);
  const { anchor, cursor } = useMemo(() => placesOf(rows, files, chosen), [rows, files, chosen]);
  const side = chosen?.side ?? null;
  const choose = (row: number, extend: boolean, on: Side | null): void => {
    const next = rows[row];
    const item = next && files[next.file]?.item;
    if (!next || !item) return;
    const isSame = extend && anchor !== -1 && rows[anchor]?.file === next.file;
    setChosen({ anchor: isSame && chosen ? chosen.anchor : next, cursor: next, side: on, item });
  };
  const moveTo: Selection["moveTo"] = (row, { extend = false, focus = true } = {}) => {
    const key = rows[row]?.key;
    if (key === undefined) return;
    if (focus) focusNext("always");
    choose(row, extend, null);
    scroller.current?.show(key);
  };
  const range = (): Range | null => rangeOf(rows, files, anchor, cursor, side);
  const comment = (found: Range | null): void => {
    if (found) onComment(found);
  };
  const isSelected = useCallback(
    (row: number) => cursor !== -1 && row >= Math.min(anchor, cursor) && row <= Math.max(anchor, cursor),
    [anchor, cursor],
  );
  return {
    ...{ cursor, isSelected, range, moveTo },
    clear() {
      const { activeElement } = document;
      if (activeElement && isNumber(activeElement))
        activeElement.closest<HTMLElement>(".diff-scroll")?.focus({ preventScroll: true });
      setChosen(null);
    },
    refocus() {
      focusNext("if lost");
      setChosen((before) => before && { ...before });
    },
    handlers: {
      onKeyDown(event) {
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (step === 0 || !isNumber(event.target) || cursor === -1) return;
        event.preventDefault();
        const next = nextCode(rows, cursor, step);
        if (next !== -1) moveTo(next, { extend: event.shiftKey });
      },
      ...pointerHandlers({
        ...{ dragged, cursor, choose },
        extendTo: (row) => choose(row, true, side),
        commentOnChosen: () => comment(range()),
      }),
      onClick(event) {
        // By a key, or by what helps a person to press; the mouse was heard before.
        const place = event.detail === 0 ? placeOf(event.target) : null;
        if (!place) return;
        const isChosen = isSelected(place.row);
        if (!isChosen) choose(place.row, false, place.side);
        comment(isChosen ? range() : rangeOf(rows, files, place.row, place.row, place.side));
      },
    },
  };
}

interface PointerParts {
  readonly dragged: { current: boolean };
  readonly cursor: number;
  readonly choose: (row: number, extend: boolean, side: Side) => void;
  readonly extendTo: (row: number) => void;
  readonly commentOnChosen: () => void;
}

type PointerNames = "onPointerDown" | "onPointerMove" | "onPointerUp" | "onPointerCancel";

function pointerHandlers(parts: PointerParts): Pick<Selection["handlers"], PointerNames> {
  const { dragged, cursor, choose, extendTo, commentOnChosen } = parts;
  return {
    onPointerDown(event) {
      const place = placeOf(event.target);
      if (!place || event.button !== 0) return;
      dragged.current = true;
      if (event.target instanceof Element) event.target.releasePointerCapture(event.pointerId);
      choose(place.row, event.shiftKey, place.side);
    },
    onPointerMove(event) {
      // It may have been let go outside.
      if (event.buttons === 0) dragged.current = false;
      const place = dragged.current && event.pointerType === "mouse" ? placeOf(event.target) : null;
      if (place && place.row !== cursor) extendTo(place.row);
    },
    onPointerUp() {
      if (dragged.current) commentOnChosen();
      dragged.current = false;
    },
    onPointerCancel() {
      dragged.current = false;
    },
  };
}

function placesOf(
  rows: readonly Row[],
  files: readonly DiffFile[],
  chosen: Chosen | null,
): { readonly anchor: number; readonly cursor: number } {
  const item = chosen && files[chosen.cursor.file]?.item;
  if (!item || viewKey(item) !== viewKey(chosen.item)) return { anchor: -1, cursor: -1 };
  const cursor = findRow(rows, chosen.cursor);
  const anchor = chosen.anchor === chosen.cursor ? cursor : findRow(rows, chosen.anchor);
  return { anchor: anchor === -1 ? cursor : anchor, cursor };
}

type FocusWish = "always" | "if lost";

/** The focus goes along in the very step that chooses a line: the next key is pressed there. */
function useFocus(chosen: Chosen | null): (wish: FocusWish) => void {
  const wish = useRef<FocusWish | null>(null);
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    if (wish.current === "always" || (wish.current === "if lost" && isLost))
      document.querySelector<HTMLElement>(".diff-number[data-cursor]")?.focus({ preventScroll: true });
    wish.current = null;
  }, [chosen]);
  return (next) => {
    wish.current = next;
  };
}

function isNumber(target: EventTarget): boolean {
  return target instanceof Element && target.closest(".diff-number") !== null;
}

function placeOf(target: EventTarget): { readonly row: number; readonly side: Side } | null {
  const button = target instanceof Element ? target.closest<HTMLElement>(".diff-number") : null;
  if (!button) return null;
  return { row: Number(button.dataset["row"]), side: button.dataset["side"] === "old" ? "old" : "new" };
}

/** The next line of code that way; -1: none. */
export function nextCode(rows: readonly Row[], from: number, step: 1 | -1): number {
  for (let row = from + step; row >= 0 && row < rows.length; row += step) if (targetOf(rows[row])) return row;
  return -1;
}

function rangeOf(
  rows: readonly Row[],
  files: readonly DiffFile[],
  anchor: number,
  cursor: number,
  wanted: Side | null,
): Range | null {
  const row = rows[cursor];
  const target = targetOf(row);
  if (!row || !target) return null;
  const { item } = files[row.file] ?? {};
  const side = wanted ?? sideOf(target.line);
  const between = rows.slice(Math.min(anchor, cursor), Math.max(anchor, cursor) + 1);
  const numbers = between.flatMap((each) => {
    const placed =
      each.type === "pair" ? (side === "old" ? each.left : each.right) : each.type === "line" ? each : null;
    const number = placed && lineOn(placed.line, side);
    return number === null ? [] : [number];
  });
  if (!item || numbers.length === 0 || (side === "old" ? item.oldBlob : item.newBlob) === null) return null;
  return { path: item.path, side, startLine: Math.min(...numbers), endLine: Math.max(...numbers) };
}
