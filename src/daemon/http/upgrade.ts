import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "../log/log.js";
import type { Auth } from "./auth.js";
import type { Board } from "./board.js";
import type { RequestGate } from "./host-gate.js";
import type { LongConnections } from "./long-connections.js";
import { PLAIN_CALLS } from "./plain-calls.js";
import { answerProblemRaw, failure, sessionNotFound, type Failure } from "./problem.js";
import { identify, targetOf } from "./request-handler.js";
import { createRouter } from "./router.js";

/** A WebSocket to a session's terminal, before its handshake. Whoever takes it owns the connection. */
export interface TerminalUpgrade {
  readonly sessionId: string;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export type TakeTerminal = (upgrade: TerminalUpgrade) => void;

export interface UpgradeDesk {
  readonly gate: RequestGate;
  readonly auth: Auth;
  readonly board: Board;
  readonly connections: LongConnections;
  readonly log: Log;
  readonly takeTerminal: TakeTerminal | null;
}

const match = createRouter([PLAIN_CALLS.terminal]);

/** The same checks as for every request: a page of another origin can open a WebSocket without asking. */
export function handleUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  desk: UpgradeDesk,
): void {
  socket.on("error", (error) => desk.log.debug("an upgraded connection broke", { error }));
  const refused = tryUpgrade(request, socket, head, desk);
  if (refused) answerProblemRaw(socket, refused);
}

function tryUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  desk: UpgradeDesk,
): Failure | null {
  const { gate, auth, board, connections, takeTerminal } = desk;
  const foreign = gate.check(request);
  if (foreign) return foreign;
  const caller = identify(auth, gate, request.headers, true);
  if ("ok" in caller) return caller;
  const found = match(request.method ?? "", targetOf(request)?.path ?? "");
  const sessionId = found.type === "found" ? found.params["id"] : undefined;
  if (sessionId === undefined || !takeTerminal)
    return failure("not_found", "There is no WebSocket at this path.");
  if (!board.session(sessionId)) return sessionNotFound(sessionId);
  connections.hold(socket, caller);
  takeTerminal({ sessionId, request, socket, head });
  return null;
}
