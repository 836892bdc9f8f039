import { useSyncExternalStore } from "react";

const query = window.matchMedia("(max-width: 719px)");

function subscribe(listener: () => void): () => void {
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** The width at which rows become cards. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}
