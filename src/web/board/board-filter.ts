/** The board's filter, kept while other views are shown. */
import { useSyncExternalStore } from "react";
import { NO_FILTER, type Filter } from "./arrange.js";

let filter: Filter = NO_FILTER;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function changeFilter(change: Partial<Filter>): void {
  filter = { ...filter, ...change };
  for (const listener of [...listeners]) listener();
}

export function useFilter(): Filter {
  return useSyncExternalStore(subscribe, () => filter);
}
