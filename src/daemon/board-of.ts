import { HARNESSES } from "../harness/registry.js";
import { explain } from "../runtime/explain.js";
import type { HarnessSetup } from "./config/harness-setup.js";
import type { Engine } from "./engine.js";
import type { Board } from "./http/board.js";
import type { Suggest } from "./permissions/session-permissions.js";

/** The runtime, as the API sees it. */
export function boardOf(
  { runtime, pidOf }: Pick<Engine, "runtime" | "pidOf">,
  suggest: Suggest,
  setup: HarnessSetup,
): Board {
  return {
    submit: (submission, receipt, by) => runtime.submit(submission, receipt, by),
    audit: (by, operation, sessionId) => runtime.audit(by, operation, sessionId),
    session: (sessionId) => runtime.committedSession(sessionId),
    sessions: () => runtime.committedSessions(),
    messageText: (sessionId, messageId) => runtime.messageText(sessionId, messageId),
    roster: () => runtime.committedRoster(),
    lastPosition: () => runtime.lastPosition(),
    journal: runtime.journal,
    harnesses: () => HARNESSES,
    setup,
    suggest,
    async explain(sessionId) {
      const record = runtime.committedSession(sessionId);
      if (!record) return null;
      const { run } = record.state;
      const explanation = await explain(runtime.journal, record, pidOf(record.id, run));
      if (!runtime.awaitsSpawn(record.id, run)) return explanation;
      return {
        ...explanation,
        waitingFor: ["its turn: other agents are being started", ...explanation.waitingFor],
      };
    },
  };
}
