import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { API } from "../../protocol/api.js";
import type { Principal } from "../../protocol/principal.js";
import type { Log } from "../log/log.js";
import type { Auth, Identity } from "./auth.js";
import type { Board } from "./board.js";
import type { Gatekeeper } from "./gatekeeper.js";
import type { RequestGate } from "./host-gate.js";
import type { LongConnections } from "./long-connections.js";
import { PLAIN_CALLS } from "../../protocol/plain-calls.js";
import { answerProblemRaw, failure, sessionNotFound, type Failure } from "./problem.js";
import { identify, targetOf } from "./request-handler.js";
import { createRouter } from "./router.js";

/** A WebSocket to a session's terminal, before its handshake. Whoever takes it owns the connection. */
export interface TerminalUpgrade {
  readonly sessionId: string;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Null: whoever it is may only look. */
  readonly typist: Principal | null;
}

export type TakeTerminal = (upgrade: TerminalUpgrade) => void;

export interface UpgradeDesk {
  readonly gate: RequestGate;
  readonly auth: Auth;
  readonly keeper: Gatekeeper;
  readonly board: Board;
  readonly connections: LongConnections;
  readonly log: Log;
  readonly takeTerminal: TakeTerminal | null;
}

/** Who may type keys by a request may type them here. Whoever may not is only looking: that is no attempt yet. */
async function typistOf(
  request: IncomingMessage,
  caller: Identity,
  keeper: Gatekeeper,
): Promise<Principal | null> {
  const called = { access: API.typeKeys.access };
  const typist = await keeper.authorize(request.socket, caller, called, { params: {}, body: null });
  return "ok" in typist ? null : typist.principal;
}

const match = createRouter([PLAIN_CALLS.terminal]);

/** The same checks as for every request: a page of another origin can open a WebSocket without asking. */
export async function handleUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  desk: UpgradeDesk,
): Promise<void> {
  socket.on("error", (error) => desk.log.debug("an upgraded connection broke", { error }));
  const refused = await tryUpgrade(request, socket, head, desk);
  if (refused) answerProblemRaw(socket, refused);
}

async function tryUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  desk: UpgradeDesk,
): Promise<Failure | null> {
  const { gate, auth, keeper, board, connections, takeTerminal } = desk;
  const foreign = gate.check(request);
  if (foreign) return foreign;
  const caller = identify(auth, gate, request.headers, true);
  if ("ok" in caller) {
    if (caller.code === "unauthorized") await keeper.noticeStranger(request.socket);
    return caller;
  }
  const found = match(request.method ?? "", targetOf(request)?.path ?? "");
  const sessionId = found.type === "found" ? found.params["id"] : undefined;
  if (sessionId === undefined || !takeTerminal)
    return failure("not_found", "There is no WebSocket at this path.");
  if (!board.session(sessionId)) return sessionNotFound(sessionId);
  const typist = await typistOf(request, caller, keeper);
  if (socket.destroyed) return null;
  connections.hold(socket, caller);
  takeTerminal({ sessionId, request, socket, head, typist });
  return null;
}
