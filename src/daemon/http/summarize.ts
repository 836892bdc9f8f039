/** Sessions as clients see them. */
import { deriveUi } from "../../core/index.js";
import type { InboxItem } from "../../protocol/api-schemas.js";
import type { AskSummary, SessionDetail, SessionSummary } from "../../protocol/session.js";
import type { Harness } from "../../runtime/harness.js";
import type { SessionRecord } from "../../runtime/session-record.js";

/** `harness` is undefined for a session of a harness that is not here any more. */
export function summarize(record: SessionRecord, harness: Harness | undefined): SessionSummary {
  const { id, settings, state, usage, createdAtMs, updatedAtMs } = record;
  return {
    id,
    title: settings.title,
    harness: settings.harness,
    cwd: settings.cwd,
    model: settings.model,
    status: state.status,
    phase: state.phase,
    ui: deriveUi(state),
    asks: summarizeAsks(record),
    queue: summarizeQueue(record),
    usage,
    error: state.error,
    run: state.run,
    autoApprove: state.autoApprove,
    enforcement: harness?.enforcement ?? "none",
    createdAtMs,
    updatedAtMs,
  };
}

export function summarizeInDetail(record: SessionRecord, harness: Harness | undefined): SessionDetail {
  return { ...summarize(record, harness), state: record.state };
}

/** The session's open asks, as the inbox shows them. */
export function inboxOf(record: SessionRecord): readonly InboxItem[] {
  const { id, settings } = record;
  return summarizeAsks(record).map((ask) => ({
    ...ask,
    sessionId: id,
    sessionTitle: settings.title,
    harness: settings.harness,
  }));
}

function summarizeAsks({ state, askDetails, updatedAtMs }: SessionRecord): AskSummary[] {
  return state.asks.map(({ askId, ask, needsHuman }) => {
    const known = Object.hasOwn(askDetails, askId) ? askDetails[askId] : undefined;
    const { title, detail, openedAtMs } = known ?? { title: ask, detail: "", openedAtMs: updatedAtMs };
    return { askId, ask, title, detail, needsHuman, openedAtMs };
  });
}

/** What was handed over is being sent until the agent is seen to have taken it. */
function summarizeQueue({ state }: SessionRecord): SessionSummary["queue"] {
  const sending = [state.delivering, state.prompt].filter((messageId) => messageId !== null);
  return [
    ...sending.map((messageId) => ({ messageId, status: "sending" as const })),
    ...state.queue.map((messageId) => ({ messageId, status: "queued" as const })),
  ];
}
