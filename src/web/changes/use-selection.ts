/** Which line is chosen, and how far a range reaches: by keys, and by the mouse on the numbers of lines. */
import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { lineOn, sideOf, targetOf, type DiffFile, type Range, type Row, type Side } from "./diff-model.js";
import type { DiffScroller } from "./diff-list.js";

export interface Selection {
  /** -1: none. */
  readonly cursor: number;
  readonly isSelected: (row: number) => boolean;
  readonly range: () => Range | null;
  readonly moveTo: (row: number, options?: { readonly extend?: boolean; readonly focus?: boolean }) => void;
  readonly handlers: {
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: (event: PointerEvent) => void;
    readonly onPointerCancel: () => void;
    readonly onClick: (event: React.MouseEvent) => void;
  };
}

interface Chosen {
  /** By their keys: rows come and go around them. */
  readonly anchor: string;
  readonly cursor: string;
  readonly side: Side | null;
}

interface Parts {
  readonly rows: readonly Row[];
  readonly files: readonly DiffFile[];
  readonly scroller: { readonly current: DiffScroller | null };
  readonly onComment: (range: Range) => void;
}

const FRAMES_MAX = 6;

export function useSelection({ rows, files, scroller, onComment }: Parts): Selection {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const dragged = useRef(false);
  const wantsFocus = useRef(false);
  const cursor = indexOf(rows, chosen?.cursor);
  const anchor = indexOf(rows, chosen?.anchor);
  const side = chosen?.side ?? null;
  useEffect(() => {
    if (wantsFocus.current) focusCursor(FRAMES_MAX);
    wantsFocus.current = false;
  }, [chosen]);
  const choose = (row: number, extend: boolean, on: Side | null): void => {
    const key = rows[row]?.key;
    if (key === undefined) return;
    const isSame = extend && anchor !== -1 && rows[anchor]?.file === rows[row]?.file;
    setChosen({ anchor: isSame && chosen ? chosen.anchor : key, cursor: key, side: on });
  };
  const moveTo: Selection["moveTo"] = (row, { extend = false, focus = true } = {}) => {
    wantsFocus.current = focus;
    choose(row, extend, null);
    scroller.current?.show(row);
  };
  const range = (): Range | null => rangeOf(rows, files, anchor, cursor, side);
  const comment = (found: Range | null): void => {
    if (found) onComment(found);
  };
  return {
    cursor,
    isSelected: useCallback(
      (row) => cursor !== -1 && row >= Math.min(anchor, cursor) && row <= Math.max(anchor, cursor),
      [anchor, cursor],
    ),
    range,
    moveTo,
    handlers: {
      onKeyDown(event) {
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (step === 0 || !isNumber(event.target) || cursor === -1) return;
        event.preventDefault();
        const next = nextCode(rows, cursor, step);
        if (next !== -1) moveTo(next, { extend: event.shiftKey });
      },
      onPointerDown(event) {
        const place = placeOf(event.target);
        if (!place || event.button !== 0) return;
        dragged.current = true;
        if (event.target instanceof Element) event.target.releasePointerCapture(event.pointerId);
        choose(place.row, event.shiftKey, place.side);
      },
      onPointerMove(event) {
        const place = dragged.current && event.pointerType === "mouse" ? placeOf(event.target) : null;
        if (place && place.row !== cursor) choose(place.row, true, side);
      },
      onPointerUp() {
        if (dragged.current) comment(range());
        dragged.current = false;
      },
      onPointerCancel() {
        dragged.current = false;
      },
      onClick(event) {
        // By a key, or by what helps a person to press; the mouse was heard before.
        if (event.detail === 0 && placeOf(event.target)) comment(range());
      },
    },
  };
}

function indexOf(rows: readonly Row[], key: string | undefined): number {
  return key === undefined ? -1 : rows.findIndex((row) => row.key === key);
}

/** The row may be drawn only after the scroll that brings it into sight. */
function focusCursor(framesLeft: number): void {
  requestAnimationFrame(() => {
    const button = document.querySelector<HTMLElement>(".diff-number[data-cursor]");
    if (button) button.focus({ preventScroll: true });
    else if (framesLeft > 0) focusCursor(framesLeft - 1);
  });
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
