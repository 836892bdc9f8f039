import type { RawData, WebSocket } from "ws";
import type { Principal } from "../../protocol/principal.js";
import type { RunExit } from "../../protocol/keeper.js";
import {
  CLOSINGS,
  parseClientFrame,
  type ClientFrame,
  type Closing,
  type ServerFrame,
  type TerminalSize,
} from "../../protocol/terminal-frames.js";
import type { Snapshot } from "../../terminal/emulator/emulator.js";

/** What may wait in our memory for one client. */
const BUFFER_BYTES_MAX = 1024 * 1024;
/** A client that was too slow has caught up when no more than this waits. */
const DRAINED_BYTES_MAX = 64 * 1024;
/** What it wants done and is not done yet; beyond it we do not listen until some is. */
const UNANSWERED_MAX = 64;

/** Whoever types is told of when it begins, and then this often while it goes on: not with every key. */
const TYPED_EVERY_MS = 60_000;

/** Who may type, and who is told that they do. */
export interface Typist {
  readonly principal: Principal;
  /** Never what was typed. */
  readonly onTyped: (by: Principal) => void;
}

/** Whoever the client looks at. Must not reject. */
export interface TerminalClientOwner {
  typed(client: TerminalClient, text: string): Promise<void>;
  resized(client: TerminalClient, size: TerminalSize): Promise<void>;
  /** It was too slow, and has taken what waited for it. */
  drained(): void;
  /** May be told again. */
  left(client: TerminalClient): void;
}

/**
 * One WebSocket to a terminal. It has a `snapshot` and gets every byte from there on; or it is behind, gets none, and needs
 * a new snapshot. So a slow client misses bytes, but never shows a wrong screen, and costs a bounded amount of memory.
 */
export class TerminalClient {
  #isBehind = true;
  #isAlive = true;
  #unanswered = 0;
  #toldAtMs: number | null = null;

  constructor(
    private readonly socket: WebSocket,
    private readonly owner: TerminalClientOwner,
    /** Null: it may only look. */
    private readonly typist: Typist | null,
    onError: (error: Error) => void,
  ) {
    socket.on("message", (data, isBinary) => this.#take(frameOf(data, isBinary)));
    socket.on("pong", () => (this.#isAlive = true));
    // What breaks the protocol, and connections that break: `close` follows.
    socket.on("error", onError);
    socket.on("close", () => owner.left(this));
  }

  get wantsSnapshot(): boolean {
    return (
      this.#isBehind &&
      this.socket.readyState === this.socket.OPEN &&
      this.socket.bufferedAmount <= DRAINED_BYTES_MAX
    );
  }

  /** It needs a new snapshot before it can be given bytes. */
  fallBehind(): void {
    this.#isBehind = true;
  }

  sendSnapshot({ cols, rows, data, offset, tail }: Snapshot, isOwner: boolean): void {
    this.#isBehind = false;
    this.#sendFrame({ type: "snapshot", cols, rows, data, offset });
    this.sendSize({ cols, rows }, isOwner);
    if (tail.length > 0) this.sendBytes(tail);
  }

  /** The bytes that follow those that it was sent before. */
  sendBytes(bytes: Buffer): void {
    if (this.#isBehind) return;
    if (this.socket.bufferedAmount > BUFFER_BYTES_MAX) this.#isBehind = true;
    else this.socket.send(bytes, () => this.#flushed());
  }

  /** To a client that is behind, its next snapshot says it. */
  sendSize({ cols, rows }: TerminalSize, isOwner: boolean): void {
    if (!this.#isBehind) this.#sendFrame({ type: "size", cols, rows, owner: isOwner });
  }

  /** The last screen, should it need one, and the end. */
  sendExit({ code, signal }: RunExit, last: () => Snapshot | null): void {
    const snapshot = this.#isBehind ? last() : null;
    if (snapshot) this.sendSnapshot(snapshot, false);
    this.#sendFrame({ type: "exit", code, signal });
    this.close(CLOSINGS.ended);
  }

  /** Asks whether it is still there; one that did not answer the last time is cut. */
  ping(): void {
    if (!this.#isAlive) {
      this.socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.socket.ping();
  }

  /** It is not waited for: whoever it looked at is left at once. */
  close({ code, reason }: Closing): void {
    this.socket.close(code, reason);
    this.owner.left(this);
  }

  /** A person typed, and not their terminal by itself. */
  tellTyped(nowMs: number): void {
    if (this.#toldAtMs !== null && nowMs - this.#toldAtMs < TYPED_EVERY_MS) return;
    this.#toldAtMs = nowMs;
    this.typist?.onTyped(this.typist.principal);
  }

  #take(frame: ClientFrame | Closing): void {
    // It was told to go, and may not have heard it yet.
    if (this.socket.readyState !== this.socket.OPEN) return;
    if ("code" in frame) this.close(frame);
    // A page asks for its size whenever it is opened: who only looks gets the terminal as it is.
    else if (this.typist === null) {
      if ("input" in frame) this.close(CLOSINGS.mayNotType);
    } else if ("input" in frame) this.#await(this.owner.typed(this, frame.input));
    else this.#await(this.owner.resized(this, frame.resize));
  }

  #await(done: Promise<void>): void {
    this.#unanswered += 1;
    if (this.#unanswered >= UNANSWERED_MAX) this.socket.pause();
    void done.then(() => {
      this.#unanswered -= 1;
      if (this.socket.isPaused) this.socket.resume();
    });
  }

  #sendFrame(frame: ServerFrame): void {
    this.socket.send(JSON.stringify(frame), () => this.#flushed());
  }

  /** Something was handed to the system, or could not be: then `close` follows. */
  #flushed(): void {
    if (this.wantsSnapshot) this.owner.drained();
  }
}

function frameOf(data: RawData, isBinary: boolean): ClientFrame | Closing {
  if (isBinary || !(data instanceof Buffer)) return CLOSINGS.notAFrame;
  return parseClientFrame(data.toString("utf8"));
}
