/** What the handlers of sessions have in common: ask the runtime, then show the session. */
import type { Principal } from "../../../protocol/principal.js";
import type { SessionSummary } from "../../../protocol/session.js";
import type { PersonRequest, ReceiptDraft, Submission } from "../../../runtime/submission.js";
import type { Board } from "../board.js";
import type { Desk } from "../call-handler.js";
import { sessionNotFound, type Failure } from "../problem.js";
import { summarize } from "../summarize.js";

export type SessionReply = { readonly ok: true; readonly value: SessionSummary } | Failure;

export function showSession(board: Board, sessionId: string): SessionReply {
  const record = board.session(sessionId);
  if (!record) return sessionNotFound(sessionId);
  return { ok: true, value: summarize(record, board) };
}

export async function submitAndShow(
  { board }: Pick<Desk, "board">,
  submission: Submission,
  receipt: ReceiptDraft | null,
  by: Principal,
): Promise<SessionReply> {
  const answer = await board.submit(submission, receipt, by);
  return answer.ok ? showSession(board, answer.value.sessionId) : answer;
}

export function requestAndShow(
  desk: Desk,
  sessionId: string,
  request: PersonRequest,
  receipt: ReceiptDraft | null,
  by: Principal,
): Promise<SessionReply> {
  return submitAndShow(desk, { type: "request", sessionId, request }, receipt, by);
}
