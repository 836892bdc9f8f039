/** How long an ask has been on the screen: a key answers nothing that nobody can have read. */
import { useEffect, type RefObject } from "react";

/** What was not on the screen for so long was not read: the key was meant for something else. */
const READ_MIN_MS = 700;

const sinceMs = new WeakMap<Element, number>();

/** While the component is there. Another text is to be read anew. */
export function useOnScreen(card: RefObject<HTMLElement | null>, text: string): void {
  useEffect(() => {
    const { current } = card;
    if (!current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.at(-1)?.isIntersecting === true) beginReading(current);
      else sinceMs.delete(current);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      sinceMs.delete(current);
    };
  }, [card, text]);
}

/** It was brought up just now. */
export function beginReading(card: Element): void {
  sinceMs.set(card, performance.now());
}

export function mayBeRead(card: Element): boolean {
  const since = sinceMs.get(card);
  return since !== undefined && performance.now() - since >= READ_MIN_MS;
}
