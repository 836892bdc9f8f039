/** Sessions as clients see them. */
import { deriveUi } from "../../core/index.js";
import type { InboxItem } from "../../protocol/api-schemas.js";
import type { AskSummary, SessionDetail, SessionSummary } from "../../protocol/session.js";
import { isAtTerminal } from "../../runtime/at-terminal.js";
import { WALL_ASK } from "../../runtime/state-payload.js";
import type { AskDetail, SessionRecord } from "../../runtime/session-record.js";
import type { Suggest } from "../permissions/session-permissions.js";
import { askedTool } from "../runs/permission-port.js";
import { sessionWallOf } from "../wall/session-wall.js";
import type { Board } from "./board.js";

export function summarize(record: SessionRecord, board: Board): SessionSummary {
  const { id, settings, state, usage, createdAtMs, updatedAtMs, statusSinceMs } = record;
  // Undefined for a session of an agent that is, or was, configured under this name: it speaks ACP.
  const harness = board.harnesses().find(({ name }) => name === settings.harness);
  return {
    id,
    title: settings.title,
    harness: settings.harness,
    cwd: settings.cwd,
    model: settings.model,
    status: state.status,
    phase: state.phase,
    ui: deriveUi(state),
    asks: summarizeAsks(record, board.suggest),
    queue: summarizeQueue(record),
    returned: summarizeReturned(record, board),
    addressee: state.addressee,
    agent: state.agent,
    certainty: state.certainty,
    unknownSinceMs: state.unknownSinceMs,
    ending: state.ending,
    usage,
    error: state.error,
    run: state.run,
    approve: state.approve,
    autoApprove: state.approve === "auto",
    enforcement: harness?.enforcement ?? "when-asked",
    wall: sessionWallOf(record),
    ...(settings.workspaceId === undefined ? {} : { workspaceId: settings.workspaceId }),
    createdAtMs,
    updatedAtMs,
    statusSinceMs,
    position: board.lastPosition(),
  };
}

export function summarizeInDetail(record: SessionRecord, board: Board): SessionDetail {
  return { ...summarize(record, board), state: record.state };
}

/** The session's open asks, as the inbox shows them. */
export function inboxOf(record: SessionRecord, suggest: Suggest): readonly InboxItem[] {
  const { id, settings } = record;
  return summarizeAsks(record, suggest).map((ask) => ({
    ...ask,
    sessionId: id,
    sessionTitle: settings.title,
    harness: settings.harness,
  }));
}

function summarizeAsks(record: SessionRecord, suggest: Suggest): AskSummary[] {
  const { state, updatedAtMs } = record;
  return summarizedOf(state).map(({ askId, ask, needsHuman, source }) => {
    const known = detailOf(record, askId);
    const { title, detail, openedAtMs } = known ?? { title: ask, detail: "", openedAtMs: updatedAtMs };
    const isApproval = known !== undefined && ask !== "followup";
    const tool = isApproval ? askedTool(known.tool).name : null;
    const suggestions = isApproval ? [...suggest(record, known)] : [];
    const where = known && isAtTerminal(known) ? { atTerminal: true as const } : {};
    return { askId, ask, source, title, detail, needsHuman, openedAtMs, tool, suggestions, ...where };
  });
}

/** What it was opened with; undefined: nobody said. The agent chose the id. */
export function detailOf({ askDetails }: SessionRecord, askId: string): AskDetail | undefined {
  return Object.hasOwn(askDetails, askId) ? askDetails[askId] : undefined;
}

type Asked = Pick<AskSummary, "askId" | "ask" | "needsHuman"> & { readonly source: "agent" | "wall" };

/** Of the agent, in the order in which it waits for them, then of the wall. */
function summarizedOf({ asks, wallAsks }: SessionRecord["state"]): readonly Asked[] {
  return [
    ...asks.map((ask) => ({ ...ask, source: "agent" as const })),
    ...wallAsks.map(({ askId }) => ({ askId, ask: WALL_ASK, needsHuman: true, source: "wall" as const })),
  ];
}

function summarizeReturned({ id, state }: SessionRecord, board: Board): SessionSummary["returned"] {
  return state.returned.map((messageId) => ({ messageId, text: board.messageText(id, messageId) ?? "" }));
}

/** What was handed over is being sent until the agent is seen to have taken it. */
function summarizeQueue({ state }: SessionRecord): SessionSummary["queue"] {
  const sending = [state.delivering, state.prompt].filter((messageId) => messageId !== null);
  return [
    ...sending.map((messageId) => ({ messageId, status: "sending" as const })),
    ...state.queue.map((messageId) => ({ messageId, status: "queued" as const })),
  ];
}
