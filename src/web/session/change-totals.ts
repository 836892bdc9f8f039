import { useEffect, useState } from "react";
import type { SessionState } from "../../core/index.js";
import type { ChangesReport } from "../../protocol/changes.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { noteTotal } from "../places/change-counts.js";

const DELAY_MS = 300;

/** How much changed in the session's files since its start; null: not known, or nothing is kept of them. */
export function useChangeTotals(
  { id, status }: AgentSession,
  state: SessionState | null,
): ChangesReport["total"] | null {
  const client = useClient();
  const [total, setTotal] = useState<ChangesReport["total"] | null>(null);
  const isKept = state?.checkpoints === true;
  // Looked at when a turn has ended and its files are kept, not while they change.
  const turn = state?.checkpoint === null ? state.turn : null;
  useEffect(() => {
    if (!isKept || turn === null) return undefined;
    let isOver = false;
    const read = async (): Promise<void> => {
      try {
        const report = await client.getChanges(id);
        noteTotal(id, report.total);
        if (!isOver) setTotal(report.total);
      } catch {
        // It is asked for again with the next turn; whoever opens the tab is told why.
        if (!isOver) setTotal(null);
      }
    };
    const timer = setTimeout(() => void read(), DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, id, isKept, turn, status]);
  return total;
}
