/** One connection to a session's terminal. */
import { connect } from "node:net";
import { WebSocket, type RawData } from "ws";
import { refusal } from "../../client/connection.js";
import { inputParts } from "../../client/input-parts.js";
import type { ClientFrame, ServerFrame } from "../../protocol/terminal-frames.js";
import type { RunningDaemon } from "../daemon-process.js";

const HANDSHAKE_TIMEOUT_MS = 10_000;
const REFUSAL_LENGTH_MAX = 64 * 1024;

export interface LinkListener {
  readonly frame: (frame: ServerFrame) => void;
  /** False: no more before `resume`. */
  readonly bytes: (bytes: Buffer) => boolean;
  readonly closed: (code: number, reason: string) => void;
}

export class TerminalLink {
  /** Rejects with a `SignalboxError` when the daemon refuses, else with what the network says. */
  static open(
    { url, socket: path, token }: Pick<RunningDaemon, "url" | "socket" | "token">,
    sessionId: string,
    listener: LinkListener,
  ): Promise<TerminalLink> {
    const base = path === undefined ? url : "http://localhost";
    const address = `${base.replace(/^http/, "ws")}/v1/sessions/${encodeURIComponent(sessionId)}/terminal`;
    const socket = new WebSocket(address, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      perMessageDeflate: false,
      maxPayload: 0,
      ...(path === undefined ? {} : { createConnection: () => connect(path) }),
    });
    return new Promise((resolve, reject) => {
      // Later errors are followed by `close`, which says enough.
      socket.on("error", reject);
      socket.once("unexpected-response", (request, response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => {
          body = (body + text).slice(0, REFUSAL_LENGTH_MAX);
        });
        response.once("close", () => {
          request.destroy();
          reject(refusal(response.statusCode ?? 0, body));
        });
      });
      // Frames may come in the same piece as the handshake's answer.
      const link = new TerminalLink(socket, listener);
      socket.once("open", () => resolve(link));
    });
  }

  private constructor(
    private readonly socket: WebSocket,
    listener: LinkListener,
  ) {
    socket.on("message", (data: RawData, isBinary) => {
      if (!(data instanceof Buffer)) return;
      if (!isBinary) listener.frame(JSON.parse(data.toString("utf8")) as ServerFrame);
      else if (!listener.bytes(data)) socket.pause();
    });
    socket.on("close", (code, reason) => listener.closed(code, reason.toString("utf8")));
  }

  /** How much of what was typed is not sent yet. */
  get unsentBytes(): number {
    return this.socket.bufferedAmount;
  }

  type(text: string, sent: () => void): void {
    for (const input of inputParts(text)) this.send({ input }, sent);
  }

  resize(size: { readonly cols: number; readonly rows: number }): void {
    this.send({ resize: size }, () => undefined);
  }

  resume(): void {
    if (this.socket.isPaused) this.socket.resume();
  }

  close(): void {
    this.socket.removeAllListeners("close");
    this.socket.removeAllListeners("message");
    this.socket.terminate();
  }

  private send(frame: ClientFrame, sent: () => void): void {
    // An error is followed by `close`.
    this.socket.send(JSON.stringify(frame), sent);
  }
}
