import { useCallback, useSyncExternalStore } from "react";

/** The width at which rows become cards. */
export const PHONE = "(max-width: 719px)";
/** The width from which the sidebar stands beside the page. */
export const WIDE = "(min-width: 960px)";

const queries = new Map<string, MediaQueryList>();

function queryOf(text: string): MediaQueryList {
  const known = queries.get(text) ?? window.matchMedia(text);
  queries.set(text, known);
  return known;
}

export function useMedia(text: typeof PHONE | typeof WIDE): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const query = queryOf(text);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    [text],
  );
  return useSyncExternalStore(subscribe, () => queryOf(text).matches);
}
