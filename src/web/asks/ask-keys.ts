import type { RefObject } from "react";
import { useShortcuts } from "../keys/shortcuts.js";

/** Keys for the asks within an element: they press what is there to be pressed, on the ask that is looked at. */
export function AskKeys({ root }: { readonly root: RefObject<HTMLElement | null> }): null {
  const asks = () => [...(root.current?.querySelectorAll<HTMLElement>("article.ask:not([data-gone])") ?? [])];
  const move = (step: 1 | -1) => {
    const all = asks();
    const at = all.findIndex(holdsFocus);
    const next = at === -1 ? (step === 1 ? 0 : all.length - 1) : at + step;
    look(all[Math.max(0, Math.min(all.length - 1, next))]);
  };
  const press = (action: string) => {
    const all = asks();
    const ask = all.find(holdsFocus) ?? (all.length === 1 ? all[0] : undefined);
    // Nobody answers what they have not seen.
    if (!ask || !isInView(ask)) {
      look(ask ?? all[0]);
      return;
    }
    ask.querySelector<HTMLElement>(`[data-action="${action}"]`)?.click();
  };
  useShortcuts("Asks", [
    { keys: "n", label: "Next ask", run: () => move(1) },
    { keys: "p", label: "Previous ask", run: () => move(-1) },
    { keys: "a", label: "Approve", run: () => press("approve") },
    { keys: "r", label: "Reject, with a message", run: () => press("reject") },
  ]);
  return null;
}

function holdsFocus(ask: HTMLElement): boolean {
  return ask.contains(document.activeElement);
}

function look(ask: HTMLElement | undefined): void {
  ask?.focus({ preventScroll: true });
  ask?.scrollIntoView({ block: "nearest" });
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
