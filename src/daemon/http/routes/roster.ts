import type { Board } from "../board.js";
import type { Handler } from "../call-handler.js";

export const getRoster: Handler<"getRoster"> = (_input, { board }) => ({
  ok: true,
  value: showRoster(board),
});

export const connect: Handler<"connect"> = async ({ body, receipt }, { board }) => {
  const answer = await board.submit({ type: "connect", sessionId: body.sessionId }, receipt);
  return answer.ok ? { ok: true, value: showRoster(board) } : answer;
};

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
