import type { RefObject } from "react";
import { useShortcuts } from "../keys/shortcuts.js";
import { beginReading, mayBeRead } from "./on-screen.js";

interface Props {
  readonly root: RefObject<HTMLElement | null>;
  /** Who asks for the next after the last, or after the only one that is in view, is led on from here. */
  readonly onEnd?: () => void;
}

/** Keys for the asks within an element: they press what is there to be pressed, on the ask that is looked at. */
export function AskKeys({ root, onEnd }: Props): null {
  const shown = () => [...(root.current?.querySelectorAll<HTMLElement>("article.ask") ?? [])];
  const move = (step: 1 | -1) => {
    const open = shown().filter(isOpen);
    const at = open.findIndex(holdsFocus);
    const [first] = open;
    const isSeen = open.length === 1 && first !== undefined && isInView(first);
    if (onEnd && step === 1 && (at === open.length - 1 || isSeen)) {
      onEnd();
      return;
    }
    const next = at === -1 ? (step === 1 ? 0 : open.length - 1) : at + step;
    look(open[Math.max(0, Math.min(open.length - 1, next))]);
  };
  const press = (action: string) => {
    const all = shown();
    const open = all.filter(isOpen);
    // One that was just answered still counts: the key that answered it means no other.
    const ask = open.find(holdsFocus) ?? (all.length === 1 ? open[0] : undefined);
    if (!ask) bringUp(open[0]);
    // Nobody answers what they have not seen.
    else if (!isInView(ask) || !mayBeRead(ask)) look(ask);
    else ask.querySelector<HTMLElement>(`[data-action="${action}"]`)?.click();
  };
  useShortcuts("Requests", [
    {
      keys: "n",
      label: onEnd ? "Next request, or the next session that needs you" : "Next request",
      run: () => move(1),
      repeats: true,
    },
    { keys: "p", label: "Previous request", run: () => move(-1), repeats: true },
    { keys: "a", label: "Approve", run: () => press("approve") },
    { keys: "r", label: "Reject, with a message", run: () => press("reject") },
  ]);
  return null;
}

function isOpen(ask: HTMLElement): boolean {
  return !ask.hasAttribute("data-gone");
}

function holdsFocus(ask: HTMLElement): boolean {
  return ask.contains(document.activeElement);
}

function look(ask: HTMLElement | undefined): void {
  if (!ask) return;
  if (!isInView(ask)) beginReading(ask);
  ask.focus({ preventScroll: true });
  ask.scrollIntoView({ block: "nearest" });
}

/** The key that chose it was meant for nothing, or for another: it is to be read first, wherever it stands. */
function bringUp(ask: HTMLElement | undefined): void {
  look(ask);
  if (ask) beginReading(ask);
}

/** So much of what it asks for has to be seen at least: its first line. */
const LINE_PX = 16;

/** What it asks for, from its beginning, and what answers it. */
function isInView(ask: HTMLElement): boolean {
  const what = ask.querySelector(".ask-what") ?? ask;
  const actions = ask.querySelector(".ask-actions") ?? ask;
  const { top, height } = what.getBoundingClientRect();
  const { top: actionsTop, height: actionsHeight } = actions.getBoundingClientRect();
  return (
    isSeenAt(what, top + 1) &&
    isSeenAt(what, top + Math.min(LINE_PX, height - 1)) &&
    isSeenAt(actions, actionsTop + actionsHeight / 2)
  );
}

/** Neither scrolled away nor behind something else. */
function isSeenAt(element: Element, y: number): boolean {
  const found = document.elementFromPoint(element.getBoundingClientRect().left + 4, y);
  return found !== null && element.contains(found);
}
