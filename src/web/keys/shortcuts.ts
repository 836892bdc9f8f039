/** What keys do, said where they are handled; the sheet of keys lists those that mean something now. */
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";

export interface Shortcut {
  /** As `KeyboardEvent.key` has it: `j`, `?`, `Escape`; or two in a row: `g i`. */
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
  /** Held down, it goes on. Any other acts once for each press. */
  readonly repeats?: boolean;
}

interface Group {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

const SEQUENCE_DELAY_MS = 1_000;

let groups: readonly Group[] = [];
const listeners = new Set<() => void>();
let pending: { readonly key: string; readonly atMs: number } | null = null;

function setGroups(next: readonly Group[]): void {
  groups = next;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Every key that means something now, and only that: what is in front takes a key from what is behind it. */
export function useShortcutGroups(): readonly Group[] {
  const all = useSyncExternalStore(subscribe, () => groups);
  return all
    .map(({ title, shortcuts }, index) => {
      const inFront = new Set(
        all.slice(index + 1).flatMap((group) => group.shortcuts.map(({ keys }) => keys)),
      );
      return { title, shortcuts: shortcuts.filter(({ keys }) => !inFront.has(keys)) };
    })
    .filter(({ shortcuts }) => shortcuts.length > 0);
}

/** While the component is there. Give the same keys each time; what they do may change. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  // Before it is drawn: a key acts on what is seen.
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  const shape = shortcuts.map(({ keys, label }) => `${keys}\n${label}`).join("\n\n");
  useEffect(() => {
    const stable = shape.split("\n\n").map((each, index) => {
      const [keys = "", label = ""] = each.split("\n");
      const repeats = latest.current[index]?.repeats === true;
      return { keys, label, repeats, run: () => latest.current[index]?.run() };
    });
    const group = { title, shortcuts: stable };
    setGroups([...groups, group]);
    return () => setGroups(groups.filter((each) => each !== group));
  }, [title, shape]);
}

/** Hears keys for as long as the page is there. */
export function listenToKeys(): () => void {
  window.addEventListener("keydown", handleKey);
  return () => window.removeEventListener("keydown", handleKey);
}

function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
  const isNext = pending !== null && event.timeStamp - pending.atMs < SEQUENCE_DELAY_MS;
  const keys = isNext && pending ? `${pending.key} ${event.key}` : event.key;
  pending = null;
  // The newest goes first: what is in front decides.
  const all = groups.toReversed().flatMap(({ shortcuts }) => shortcuts);
  const found = all.find((shortcut) => shortcut.keys === keys);
  if (found) {
    event.preventDefault();
    if (!event.repeat || found.repeats === true) found.run();
  } else if (all.some((shortcut) => shortcut.keys.startsWith(`${event.key} `))) {
    pending = { key: event.key, atMs: event.timeStamp };
  }
}

/** Letters that go into a field are no commands. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
}
