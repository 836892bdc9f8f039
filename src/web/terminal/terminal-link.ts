import { Backoff } from "../../client/backoff.js";
import { inputParts } from "../../client/input-parts.js";
import type { ClientFrame, ServerFrame, TerminalSize } from "../../protocol/terminal-frames.js";

export type LinkState =
  | { readonly type: "connecting" }
  | { readonly type: "open" }
  /** It is tried again. */
  | { readonly type: "lost" }
  | { readonly type: "ended"; readonly code: number | null; readonly signal: string | null };

export interface TerminalLinkOptions {
  readonly url: string;
  readonly onFrame: (frame: ServerFrame) => void;
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onState: (state: LinkState) => void;
}

const DELAY_MIN_MS = 250;
const DELAY_MAX_MS = 5_000;
/** What waits to be sent; more is not taken. */
const UNSENT_BYTES_MAX = 1024 * 1024;

/** The WebSocket to a terminal, made anew whenever it breaks, until the program ends or nobody looks any more. */
export class TerminalLink {
  private readonly backoff = new Backoff(DELAY_MIN_MS, DELAY_MAX_MS);
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isOver = false;

  constructor(private readonly options: TerminalLinkOptions) {
    this.connect();
    window.addEventListener("online", this.hurry);
    document.addEventListener("visibilitychange", this.hurry);
  }

  /** False: it was not sent. */
  type(input: string): boolean {
    const { socket } = this;
    if (socket?.readyState !== WebSocket.OPEN || socket.bufferedAmount > UNSENT_BYTES_MAX) return false;
    for (const part of inputParts(input)) this.send({ input: part });
    return true;
  }

  resize(size: TerminalSize): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.send({ resize: size });
  }

  /** What came and was not shown yet is too much: begins again with a snapshot. */
  restart(): void {
    this.drop();
    this.wait();
  }

  close(): void {
    this.isOver = true;
    this.drop();
    window.removeEventListener("online", this.hurry);
    document.removeEventListener("visibilitychange", this.hurry);
  }

  private send(frame: ClientFrame): void {
    this.socket?.send(JSON.stringify(frame));
  }

  private connect(): void {
    const socket = new WebSocket(this.options.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (this.socket === socket) this.take(data);
    });
    socket.addEventListener("close", () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.options.onState({ type: "lost" });
      this.wait();
    });
  }

  private take(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      this.options.onBytes(new Uint8Array(data));
      return;
    }
    // The daemon that served this page wrote it.
    const frame = JSON.parse(String(data)) as ServerFrame;
    if (frame.type === "snapshot") {
      this.backoff.reset();
      this.options.onState({ type: "open" });
    }
    this.options.onFrame(frame);
    if (frame.type !== "exit") return;
    this.options.onState({ type: "ended", code: frame.code, signal: frame.signal });
    this.close();
  }

  private wait(): void {
    if (this.isOver) return;
    this.timer = setTimeout(() => this.connect(), this.backoff.nextDelayMs());
  }

  private readonly hurry = (): void => {
    if (this.isOver || this.socket || document.visibilityState === "hidden") return;
    this.drop();
    this.connect();
  };

  private drop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { socket } = this;
    this.socket = null;
    socket?.close();
  }
}
