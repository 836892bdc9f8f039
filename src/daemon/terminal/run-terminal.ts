import { FIRST_TERMINAL_SIZE } from "../../harness/terminal/terminal-harness.js";
import type { RunExit } from "../../protocol/keeper.js";
import { KeeperRefusal, type KeeperClient } from "../keeper/keeper-client.js";
import { SpoolGap, SpoolReader } from "../keeper/spool-reader.js";
import { replayStart } from "./replay-start.js";
import { Screen } from "./screen.js";
import { readSize, writeSize } from "./size-file.js";
import type { TerminalClient, TerminalClientOwner } from "./terminal-client.js";
import { CLOSINGS, type Closing, type TerminalSize } from "./terminal-frames.js";

/** What is shown at once: everything else waits so long. */
const CHUNK_BYTES = 16 * 1024;

export interface RunTerminalOptions {
  readonly runId: string;
  readonly run: number;
  readonly runFolder: string;
  readonly keeper: () => KeeperClient | null;
  readonly unwatchedMs: number;
  /** Nobody has looked at it for long, or it cannot be read: whoever made it forgets it. */
  readonly onUnused: () => void;
  readonly onProblem: (what: string, error: unknown) => void;
}

/**
 * The terminal of one run: its screen, and who looks at it.
 *
 * One loop reads the spool, from where the screen ends to where the spool is known to end, and shows each piece first to
 * the screen and then to every client. A client joins between two pieces, with a snapshot. So each gets every byte from
 * its snapshot on, and none twice, whatever else happens.
 */
export class RunTerminal implements TerminalClientOwner {
  readonly run: number;
  readonly runId: string;
  /** In the order in which they came: the first decides the size. */
  readonly clients = new Set<TerminalClient>();
  private readonly reader: SpoolReader;
  private screen: Screen | null = null;
  /** Until the screen has come this far it is not shown: it is being made of what was printed before. */
  private shownFrom = 0;
  /** Set when the keeper has changed the size, and the screen has not. */
  private newSize: TerminalSize | null = null;
  private working: Promise<void> | null = null;
  private unwatched: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly options: RunTerminalOptions,
    /** How far the spool is known to reach. */
    private end: number,
  ) {
    this.run = options.run;
    this.runId = options.runId;
    this.reader = new SpoolReader(options.runFolder);
  }

  grew(end: number): void {
    this.end = Math.max(this.end, end);
    this.work();
  }

  attach(client: TerminalClient): void {
    if (this.unwatched) clearTimeout(this.unwatched);
    this.unwatched = null;
    this.clients.add(client);
    this.work();
  }

  left(client: TerminalClient): void {
    const wasOwner = this.isOwner(client);
    if (!this.clients.delete(client) || this.closed) return;
    const [next] = this.clients;
    if (next) {
      if (wasOwner) this.tellSize(next);
      return;
    }
    this.unwatched = setTimeout(this.options.onUnused, this.options.unwatchedMs);
    this.unwatched.unref();
  }

  drained(): void {
    this.work();
  }

  /** Goes straight to the program: what a person types says nothing about the session's state (004). */
  async typed(client: TerminalClient, text: string): Promise<void> {
    const keeper = this.options.keeper();
    if (!keeper) {
      client.close(CLOSINGS.notTaken);
      return;
    }
    try {
      await keeper.input({ runId: this.runId, effectId: null, data: text, encoding: "utf8" });
    } catch (error) {
      if (!isEnded(error)) client.close(CLOSINGS.notTaken);
    }
  }

  async resized(client: TerminalClient, size: TerminalSize): Promise<void> {
    const keeper = this.options.keeper();
    if (!this.isOwner(client) || !keeper) {
      this.tellSize(client);
      return;
    }
    try {
      await keeper.resize({ runId: this.runId, ...size });
    } catch (error) {
      // The client learns that the size is still the old one, and may try again.
      if (!isEnded(error)) this.tellSize(client);
      return;
    }
    this.newSize = size;
    this.work();
  }

  /** Shows what is left to be shown, and how it ended. Never rejects. */
  async finish(exit: RunExit): Promise<void> {
    if (this.clients.size > 0) this.work();
    while (this.working) await this.working;
    this.closed = true;
    const { screen } = this;
    for (const client of this.clients) client.sendExit(exit, () => screen?.snapshot() ?? null);
    await this.close(CLOSINGS.ended);
  }

  /** Never rejects. */
  async close(closing: Closing): Promise<void> {
    this.closed = true;
    if (this.unwatched) clearTimeout(this.unwatched);
    for (const client of this.clients) client.close(closing);
    while (this.working) await this.working;
    this.screen?.dispose();
    this.screen = null;
    await this.reader.close().catch((error: unknown) => this.fail(error));
  }

  private tellSize(client: TerminalClient): void {
    if (this.screen) client.sendSize(this.screen.size, this.isOwner(client));
  }

  private isOwner(client: TerminalClient): boolean {
    const [first] = this.clients;
    return first === client;
  }

  private work(): void {
    if (this.closed) return;
    this.working ??= this.readOn()
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.working = null;
        // What came while the last piece was on its way.
        if (this.hasMore()) this.work();
      });
  }

  private hasMore(): boolean {
    const isBehind = this.screen === null || this.screen.offset < this.end;
    return isBehind || this.newSize !== null || [...this.clients].some((client) => client.wantsSnapshot);
  }

  private async readOn(): Promise<void> {
    while (!this.closed) {
      this.screen ??= await this.open();
      await this.takeSize(this.screen);
      if (this.screen.offset >= this.shownFrom) this.greet(this.screen);
      if (this.screen.offset >= this.end) return;
      await this.takePiece(this.screen);
    }
  }

  private async open(): Promise<Screen> {
    const { runFolder } = this.options;
    const size = (await readSize(runFolder)) ?? FIRST_TERMINAL_SIZE;
    this.shownFrom = this.end;
    return new Screen(size, await replayStart(runFolder, this.end));
  }

  private async takeSize(screen: Screen): Promise<void> {
    const size = this.newSize;
    if (!size) return;
    this.newSize = null;
    screen.resize(size);
    for (const client of this.clients) client.sendSize(size, this.isOwner(client));
    try {
      await writeSize(this.options.runFolder, size);
    } catch (error) {
      this.options.onProblem(`the size of ${this.runId}`, error);
    }
  }

  private greet(screen: Screen): void {
    const newcomers = [...this.clients].filter((client) => client.wantsSnapshot);
    if (newcomers.length === 0) return;
    const snapshot = screen.snapshot();
    for (const client of newcomers) client.sendSnapshot(snapshot, this.isOwner(client));
  }

  private async takePiece(screen: Screen): Promise<void> {
    const { offset } = screen;
    let piece: Buffer;
    try {
      piece = await this.reader.read(offset, Math.min(CHUNK_BYTES, this.end - offset));
    } catch (error) {
      if (!(error instanceof SpoolGap)) throw error;
      this.startOver(screen);
      return;
    }
    if (piece.length === 0) throw new Error(`the spool ends before ${this.end}`);
    const flaw = screen.write(piece);
    if (flaw !== null) this.options.onProblem(`the screen of ${this.runId}`, flaw);
    for (const client of this.clients) client.sendBytes(piece);
  }

  /** The program prints faster than its screen can follow, and what comes next is gone: the newest is shown. */
  private startOver(screen: Screen): void {
    screen.dispose();
    this.screen = null;
    for (const client of this.clients) client.fallBehind();
  }

  private fail(error: unknown): void {
    this.options.onProblem(`the terminal of ${this.runId}`, error);
    if (this.closed) return;
    this.closed = true;
    for (const client of this.clients) client.close(CLOSINGS.unreadable);
    this.options.onUnused();
  }
}

/** Nobody is there to take it any more, which is about to be told. */
function isEnded(error: unknown): boolean {
  return error instanceof KeeperRefusal && (error.code === "ended" || error.code === "unknown_run");
}
