/** A client of a terminal's WebSocket that shows what it is sent in a terminal of its own. */
import { once } from "node:events";
import headless, { type Terminal } from "@xterm/headless";
import { WebSocket, type RawData } from "ws";

const NEWEST_LENGTH = 1_000;
/** Its terminal throws away what it has no time for; so it takes no more before it has shown this much. */
const UNSHOWN_BYTES_MAX = 1024 * 1024;

export interface Refused {
  readonly status: number;
  readonly body: string;
}

export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

interface Snapshot {
  readonly cols: number;
  readonly rows: number;
  readonly data: string;
  readonly offset: number;
}

export class TerminalPeer {
  /** Every text frame. */
  readonly frames: Frame[] = [];
  /** Where the newest snapshot ends, how much came since, and the newest of it as text. */
  offset = -1;
  sizeBytes = 0;
  newest = "";
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  private chunks: Buffer[] = [];
  private unshownBytes = 0;
  private isHeld = false;
  private terminal: Terminal | null = null;
  private readonly onChange = new Set<() => void>();
  private readonly onMessage = (data: RawData, isBinary: boolean): void => {
    if (!(data instanceof Buffer)) throw new Error("frames come as buffers");
    if (isBinary) this.takeBytes(data);
    else this.takeFrame(JSON.parse(data.toString("utf8")) as Frame);
    for (const look of this.onChange) look();
  };

  /** Resolves with the handshake's answer where there is no WebSocket. */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<TerminalPeer | Refused> {
    const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
    return await new Promise((resolve, reject) => {
      const peer = new TerminalPeer(socket);
      socket.once("open", () => resolve(peer));
      socket.once("error", reject);
      socket.once("unexpected-response", (_request, response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => (body += text));
        response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
      });
    });
  }

  private constructor(readonly socket: WebSocket) {
    socket.on("message", this.onMessage);
    this.closed = once(socket, "close").then(([code, reason]) => ({
      code: code as number,
      reason: String(reason as Buffer),
    }));
  }

  type(text: string): void {
    this.say({ input: text });
  }

  resize(cols: number, rows: number): void {
    this.say({ resize: { cols, rows } });
  }

  say(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Waits until what was received satisfies it. */
  async until(isSo: (peer: this) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!isSo(this)) return;
        this.onChange.delete(look);
        resolve();
      };
      this.onChange.add(look);
      look();
    });
  }

  async untilPrinted(text: string): Promise<void> {
    await this.until(({ newest }) => newest.includes(text));
  }

  /** All that came since the newest snapshot. */
  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  framesOf(type: string): readonly Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** How many of the lines are on the screen. */
  get rows(): number {
    return this.terminal?.rows ?? 0;
  }

  /** Every line, those above the screen too. */
  async lines(): Promise<readonly string[]> {
    const { terminal } = this;
    if (!terminal) return [];
    await writeTo(terminal, "");
    return linesOf(terminal);
  }

  close(): void {
    this.socket.close();
  }

  private takeBytes(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.sizeBytes += bytes.length;
    this.newest = (this.newest + bytes.toString("latin1")).slice(-NEWEST_LENGTH);
    this.hold(this.unshownBytes + bytes.length);
    const { terminal } = this;
    terminal?.write(bytes, () => {
      if (terminal === this.terminal) this.hold(this.unshownBytes - bytes.length);
    });
  }

  /** Does not listen while too much waits to be shown. */
  private hold(unshownBytes: number): void {
    this.unshownBytes = unshownBytes;
    if (!this.isHeld && unshownBytes > UNSHOWN_BYTES_MAX) this.socket.pause();
    if (this.isHeld && unshownBytes === 0) this.socket.resume();
    this.isHeld = unshownBytes > UNSHOWN_BYTES_MAX || (this.isHeld && unshownBytes > 0);
  }

  private takeFrame(frame: Frame): void {
    this.frames.push(frame);
    const { terminal } = this;
    if (frame.type === "snapshot") this.takeSnapshot(frame as unknown as Snapshot);
    if (frame.type === "size" && terminal) {
      const { cols, rows } = frame as unknown as Snapshot;
      // After all that was written before.
      terminal.write("", () => terminal.resize(cols, rows));
    }
  }

  private takeSnapshot({ cols, rows, data, offset }: Snapshot): void {
    this.terminal?.dispose();
    this.hold(0);
    this.terminal = emptyTerminal(cols, rows);
    this.terminal.write(data);
    this.chunks = [];
    this.sizeBytes = 0;
    this.newest = "";
    this.offset = offset;
  }
}

export function emptyTerminal(cols: number, rows: number): Terminal {
  return new headless.Terminal({ cols, rows, scrollback: 1_000, allowProposedApi: true, logLevel: "off" });
}

/** Resolves when the terminal shows it. */
export async function writeTo(terminal: Terminal, data: string | Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    terminal.write(data, resolve);
  });
}

export function linesOf({ buffer: { active } }: Terminal): readonly string[] {
  return Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true) ?? "",
  );
}
