/** `signalbox attach`, once the session is known: the person's terminal and the session's are one until they part. */
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { SignalboxError } from "../../client/signalbox-error.js";
import type { ServerFrame } from "../../protocol/terminal-frames.js";
import { findDaemon, type RunningDaemon } from "../daemon-process.js";
import { DETACH_KEYS_NAME, DetachKeys } from "./detach-keys.js";
import { RawTerminal } from "./raw-terminal.js";
import { TerminalLink } from "./terminal-link.js";

/** How long the keys that detach are shown; and the program has as long to draw itself in its new size. */
const GREETING_MS = 900;
const RESIZE_TIMEOUT_MS = 2_000;
/** How long a daemon may be away before we give up. */
const AWAY_TIMEOUT_MS = 20_000;
const RETRY_DELAY_MS = 200;
/** More than this is not read from the keyboard while the daemon does not take it. */
const UNSENT_BYTES_MAX = 1024 * 1024;
const CTRL_C = "\u0003";
/** The daemon took leave, and will not take us back: the program's end, and faults. */
const LASTING_CLOSES = [1000, 1007, 1008, 1011];

export type Parting =
  | { readonly type: "detached" }
  | { readonly type: "ended"; readonly code: number | null; readonly signal: string | null }
  | { readonly type: "away" }
  | { readonly type: "failed"; readonly reason: string };

export class AttachedTerminal {
  private readonly terminal = new RawTerminal();
  private readonly decoder = new StringDecoder("utf8");
  private readonly keys = new DetachKeys({
    typed: (text) => this.typed(text),
    detach: () => this.part({ type: "detached" }),
  });
  private link: TerminalLink | null = null;
  private parting: Parting | null = null;
  private tellParting: () => void = () => undefined;

  constructor(
    private readonly dataDir: string,
    private readonly sessionId: string,
  ) {}

  /** Rejects, and has not touched the terminal, when the daemon refuses. */
  async attach(daemon: RunningDaemon): Promise<Parting> {
    const sizing = await this.openForSize(daemon);
    const parted = new Promise<void>((resolve) => {
      this.tellParting = resolve;
    });
    const resized = () => this.link?.resize(this.terminal.size);
    const read = (bytes: Buffer) => this.keys.take(this.decoder.write(bytes));
    const hungUp = () => this.part({ type: "detached" });
    try {
      this.terminal.enter();
      process.stdout.write(`attached to ${this.sessionId}; ${DETACH_KEYS_NAME} detaches\r\n`);
      process.stdin.on("data", read);
      process.stdin.once("end", hungUp);
      process.stdout.on("resize", resized);
      await Promise.all([sizing.settle(), delay(GREETING_MS)]);
      if (!this.parting) await this.open(daemon).catch(() => this.reconnect());
      await parted;
    } finally {
      sizing.close();
      this.link?.close();
      this.keys.close();
      process.stdin.off("data", read);
      process.stdin.off("end", hungUp);
      process.stdout.off("resize", resized);
      process.stdin.pause();
      this.terminal.leave();
    }
    return this.parting ?? { type: "detached" };
  }

  /**
   * A connection that only makes the session's terminal as large as this one: the next gets a snapshot that fits. The size
   * that was settled stays when it goes.
   */
  private async openForSize(daemon: RunningDaemon) {
    const { cols, rows } = this.terminal.size;
    let settled: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      settled = resolve;
    });
    const link = await TerminalLink.open(daemon, this.sessionId, {
      frame: (frame) => {
        if (frame.type === "size" && frame.cols === cols && frame.rows === rows) settled();
      },
      bytes: () => true,
      closed: () => settled(),
    });
    link.resize({ cols, rows });
    const abort = new AbortController();
    return {
      settle: async () => {
        const late = delay(RESIZE_TIMEOUT_MS, undefined, { signal: abort.signal }).catch(() => undefined);
        await Promise.race([done, late]);
        abort.abort();
        link.close();
      },
      close: () => link.close(),
    };
  }

  private async open(daemon: RunningDaemon): Promise<void> {
    const link = await TerminalLink.open(daemon, this.sessionId, {
      frame: (frame) => this.takeFrame(frame),
      bytes: (bytes) => this.show(bytes),
      closed: (code, reason) => this.closed(code, reason),
    });
    if (this.parting) {
      link.close();
      return;
    }
    this.link = link;
    link.resize(this.terminal.size);
  }

  private takeFrame(frame: ServerFrame): void {
    switch (frame.type) {
      case "snapshot":
        this.terminal.clear();
        this.show(frame.data);
        return;
      case "exit":
        this.part({ type: "ended", code: frame.code, signal: frame.signal });
        return;
      case "size":
        // Whoever typed its size last decides; we show what comes.
        return;
    }
  }

  private show(data: string | Buffer): boolean {
    if (this.parting) return true;
    const isTaken = process.stdout.write(data);
    if (!isTaken) process.stdout.once("drain", () => this.link?.resume());
    return isTaken;
  }

  private typed(text: string): void {
    const { link } = this;
    if (link === null) {
      // Nobody is there to get it; but whoever waits may want to leave.
      if (text.includes(CTRL_C)) this.part({ type: "away" });
      return;
    }
    link.type(text, () => {
      if (link.unsentBytes <= UNSENT_BYTES_MAX) process.stdin.resume();
    });
    if (link.unsentBytes > UNSENT_BYTES_MAX) process.stdin.pause();
  }

  private closed(code: number, reason: string): void {
    this.link = null;
    process.stdin.resume();
    if (this.parting) return;
    if (code === 1000) this.part({ type: "ended", code: null, signal: null });
    else if (LASTING_CLOSES.includes(code)) this.part({ type: "failed", reason });
    else this.reconnect().catch((error: unknown) => this.part({ type: "failed", reason: String(error) }));
  }

  private async reconnect(): Promise<void> {
    this.terminal.notice("signalbox: the daemon is away; the agent goes on. Trying again; Ctrl-C leaves");
    const untilMs = Date.now() + AWAY_TIMEOUT_MS;
    while (!this.parting && Date.now() < untilMs) {
      if (await this.tryAgain()) return;
      await delay(RETRY_DELAY_MS);
    }
    this.part({ type: "away" });
  }

  /** Whether that is settled, one way or the other. */
  private async tryAgain(): Promise<boolean> {
    const daemon = await findDaemon(this.dataDir);
    if (daemon === null) return false;
    try {
      const sizing = await this.openForSize(daemon);
      await sizing.settle();
      await this.open(daemon);
      return true;
    } catch (error) {
      // Anything else comes from the network, or from a daemon that is still starting or about to go.
      if (!(error instanceof SignalboxError) || error.status >= 500) return false;
      this.part(
        error.code === "conflict"
          ? { type: "ended", code: null, signal: null }
          : { type: "failed", reason: error.detail },
      );
      return true;
    }
  }

  private part(parting: Parting): void {
    this.parting ??= parting;
    this.tellParting();
  }
}
