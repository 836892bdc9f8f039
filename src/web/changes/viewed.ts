/** Which files a person has looked through, by their contents: one that changes is to be looked at again. */
import { useCallback, useState } from "react";
import type { FileChangeItem } from "../../protocol/changes.js";

const KEY = "signalbox.viewed";
const KEPT_MAX = 5_000;

export function viewKey({ path, oldBlob, newBlob }: FileChangeItem): string {
  return `${path}\0${oldBlob ?? ""}\0${newBlob ?? ""}`;
}

function read(): readonly string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  } catch {
    // A browser that keeps nothing, or something else under this name.
    return [];
  }
}

function keep(keys: readonly string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(keys.slice(-KEPT_MAX)));
  } catch {
    // It is known until the page is left.
  }
}

export interface Viewed {
  readonly has: (item: FileChangeItem) => boolean;
  readonly toggle: (item: FileChangeItem) => void;
}

export function useViewed(): Viewed {
  const [keys, setKeys] = useState<ReadonlySet<string>>(() => new Set(read()));
  const has = useCallback((item: FileChangeItem) => keys.has(viewKey(item)), [keys]);
  const toggle = useCallback((item: FileChangeItem) => {
    // What another tab has noted meanwhile stays.
    const key = viewKey(item);
    const kept = read();
    const next = kept.includes(key) ? kept.filter((each) => each !== key) : [...kept, key];
    keep(next);
    setKeys(new Set(next));
  }, []);
  return { has, toggle };
}
