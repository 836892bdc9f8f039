import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

/** So near to the end, one reads the end. */
const NEAR_PX = 60;

export interface EndOfThread {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Whether what is new is out of sight. */
  readonly isBehind: boolean;
  readonly isAtEnd: () => boolean;
  readonly toEnd: () => void;
}

/** Stays at the end while it grows, unless somebody scrolled up. `key` changes with what is new. */
export function useEndOfThread(key: unknown): EndOfThread {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const seen = useRef(key);
  const [isBehind, setBehind] = useState(false);
  const readsEnd = useCallback(() => isAtEnd.current, []);
  const toEnd = useCallback(() => {
    const element = scroller.current;
    isAtEnd.current = true;
    setBehind(false);
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  useEffect(() => {
    const element = scroller.current;
    const inner = content.current;
    if (!element || !inner) return undefined;
    const scrolled = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      if (isAtEnd.current) setBehind(false);
    };
    const follow = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    follow.observe(inner);
    follow.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      follow.disconnect();
      element.removeEventListener("scroll", scrolled);
    };
  }, []);
  useLayoutEffect(() => {
    if (seen.current === key) return;
    seen.current = key;
    const element = scroller.current;
    if (isAtEnd.current && element) element.scrollTop = element.scrollHeight;
    else setBehind(true);
  }, [key]);
  return { scroller, content, isBehind, isAtEnd: readsEnd, toEnd };
}
