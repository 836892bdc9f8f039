import type { AgentSession } from "../../react/agent-session.js";

export interface Counts {
  readonly working: number;
  /** Sessions that need a person. */
  readonly attention: number;
  /** Those of them that failed: they ask nothing, so that the inbox does not count them. */
  readonly failed: number;
  /** Open asks that need a person. */
  readonly asks: number;
}

export function countsOf(sessions: readonly AgentSession[]): Counts {
  let working = 0;
  let asks = 0;
  let attention = 0;
  let failed = 0;
  for (const session of sessions) {
    if (session.ui.showSpinner) working += 1;
    if (session.ui.needsAttention) attention += 1;
    if (session.status === "error") failed += 1;
    for (const ask of session.asks) if (ask.needsHuman) asks += 1;
  }
  return { working, asks, attention, failed };
}
