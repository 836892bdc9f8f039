import { createContext, useContext } from "react";

/** Brings the session's terminal to the front of its page; null where there is no such page, or it is in front. */
export const OpenTerminal = createContext<(() => void) | null>(null);

export function useOpenTerminal(): (() => void) | null {
  return useContext(OpenTerminal);
}
