/** What a person chose in this browser. Kept in its storage, and the same in every tab. */
import { useSyncExternalStore } from "react";

export interface Settings {
  /** `system`: as the machine has it. */
  readonly theme: "system" | "light" | "dark";
  readonly sound: boolean;
  readonly notifications: boolean;
  /** How many sessions fit on the board: each in one line, or in two. */
  readonly density: "compact" | "comfortable";
  /** Groups of the sidebar that are folded. */
  readonly folded: readonly string[];
}

export const DEFAULTS: Settings = {
  theme: "system",
  sound: false,
  notifications: false,
  density: "compact",
  folded: [],
};

const KEY = "signalbox.settings";
const listeners = new Set<() => void>();
let current: Settings | null = null;

export function readSettings(): Settings {
  current ??= load();
  return current;
}

type Change = Partial<Settings> | ((before: Settings) => Partial<Settings>);

export function changeSettings(change: Change): void {
  const before = readSettings();
  current = { ...before, ...(typeof change === "function" ? change(before) : change) };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing still heeds them until the page is closed.
  }
  for (const listener of [...listeners]) listener();
}

export function onSettings(listener: () => void): () => void {
  const changed = (event: StorageEvent) => {
    if (event.key !== KEY) return;
    current = null;
    listener();
  };
  listeners.add(listener);
  window.addEventListener("storage", changed);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", changed);
  };
}

export function useSettings(): Settings {
  return useSyncExternalStore(onSettings, readSettings);
}

function load(): Settings {
  return parseSettings(stored());
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** What is not as it should be is as if nobody had chosen. */
export function parseSettings(text: string | null): Settings {
  const value = parse(text);
  const { theme, sound, notifications, density, folded } = value;
  return {
    theme: theme === "light" || theme === "dark" ? theme : DEFAULTS.theme,
    sound: typeof sound === "boolean" ? sound : DEFAULTS.sound,
    notifications: typeof notifications === "boolean" ? notifications : DEFAULTS.notifications,
    density: density === "comfortable" ? density : DEFAULTS.density,
    folded: Array.isArray(folded) && folded.every(isText) ? folded : DEFAULTS.folded,
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function parse(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
