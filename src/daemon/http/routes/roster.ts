import type { Board } from "../board.js";
import type { Handler, TerminalHands } from "../call-handler.js";
import { failure, sessionNotFound, type Failure } from "../problem.js";

export const getRoster: Handler<"getRoster"> = (_input, { board }) => ({
  ok: true,
  value: showRoster(board),
});

export const connect: Handler<"connect"> = async ({ body, receipt, caller }, { board, terminals }) => {
  const { as, sessionId } = body;
  const refused = as === undefined ? null : nameAgent(sessionId, as, board, terminals);
  if (refused) return refused;
  const answer = await board.submit({ type: "connect", sessionId }, receipt, caller.principal);
  return answer.ok ? { ok: true, value: showRoster(board) } : answer;
};

function nameAgent(
  sessionId: string,
  name: string,
  board: Board,
  terminals: TerminalHands | undefined,
): Failure | null {
  if (!board.session(sessionId)) return sessionNotFound(sessionId);
  if (!terminals) return failure("conflict", "This session has no terminal.");
  return terminals.nameAgent(sessionId, name);
}

function showRoster(board: Board) {
  const { connected, seats } = board.roster();
  return {
    connected,
    position: board.lastPosition(),
    seats: seats.map(({ seat, agent, status }) => ({
      sessionId: seat,
      title: board.session(seat)?.settings.title ?? "",
      agent,
      status,
    })),
  };
}
