import {
  agentOf,
  frontProgram,
  isInteractiveShell,
  SCREEN_AGENTS,
  type FrontProcess,
  type Program,
  type Screen,
  type ScreenReading,
} from "../../core/index.js";
import type { RunExit, RunReport } from "../../protocol/keeper.js";
import { CLOSINGS, type Closing, type TerminalSize } from "../../protocol/terminal-frames.js";
import type { TerminalObservation, Typing } from "../../runtime/terminal-observation.js";
import { Emulator } from "../../terminal/emulator/emulator.js";
import { isCursorReport, withoutReplies } from "../../terminal/emulator/program-replies.js";
import type { ShellMark } from "../../terminal/emulator/shell-mark.js";
import { ScreenWatch } from "../../terminal/screen/screen-watch.js";
import { typeInto } from "../../terminal/typing/type-into.js";
import type { Keyboard, Typed, TypedTerminal } from "../../terminal/typing/typed-terminal.js";
import { KeeperRefusal, type KeeperClient } from "../keeper/keeper-client.js";
import { SpoolGap, SpoolReader } from "../keeper/spool-reader.js";
import { donePart } from "../runs/effect-part.js";
import { Audience } from "./audience.js";
import { REPLAY_BYTES, replayStart } from "./replay-start.js";
import { runKeyboard } from "./run-keyboard.js";
import type { TerminalClient, TerminalClientOwner } from "./terminal-client.js";

/** What is shown at once: everything else waits so long. */
const CHUNK_BYTES = 16 * 1024;
/** Clients answer a question that soon, or not at all. */
const REPLY_WITHIN_MS = 3_000;
const RETRY_DELAY_MS = 1_000;

export interface RunTerminalOptions {
  readonly runId: string;
  readonly run: number;
  /** Of the process that we started. */
  readonly pid: number;
  readonly launched: Program;
  readonly size: TerminalSize;
  readonly runFolder: string;
  /** How far the spool is known to reach; what a program asked before is too old to be answered. */
  readonly end: number;
  readonly keeper: () => KeeperClient | null;
  readonly observe: (observation: TerminalObservation) => void;
  readonly onProblem: (what: string, error: unknown) => void;
}

/**
 * The terminal of one run: its screen, what is read from it, and who looks at it.
 *
 * One loop reads the spool, from where the screen ends to where the spool is known to end, and shows each piece first to
 * the emulator and then to every client. A client joins between two pieces, with a snapshot. So each gets every byte from
 * its snapshot on, and none twice, whatever else happens.
 */
export class RunTerminal implements TerminalClientOwner, TypedTerminal {
  readonly run: number;
  readonly runId: string;
  readonly audience = new Audience();
  personTypedAtMs = -Infinity;
  printedAtMs = -Infinity;
  private readonly reader: SpoolReader;
  private readonly watch: ScreenWatch;
  private emulator: Emulator | null = null;
  private size: TerminalSize;
  private end: number;
  /** Until the screen has come this far it is not shown: it is being made of what was printed before. */
  private shownFrom = 0;
  private front: FrontProcess | null = null;
  private lastEffectId: string | null = null;
  private cursorAskedAtMs = -Infinity;
  /** Set when the keeper has changed the size, and the screen has not. */
  private newSize: TerminalSize | null = null;
  private readonly onShown = new Set<() => void>();
  private working: Promise<void> | null = null;
  /** Set while it cannot be read. */
  private retry: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(private readonly options: RunTerminalOptions) {
    this.run = options.run;
    this.runId = options.runId;
    this.size = options.size;
    this.end = options.end;
    this.reader = new SpoolReader(options.runFolder);
    this.watch = new ScreenWatch({
      terminal: this,
      front: () => this.frontAgent(),
      observe: options.observe,
      nowMs: () => performance.timeOrigin + performance.now(),
    });
    this.work();
  }

  /** What the keeper says of the run, when it is met. */
  follow({
    outEnd,
    lastEffectId,
    foreground,
  }: Pick<RunReport, "outEnd" | "lastEffectId" | "foreground">): void {
    this.lastEffectId = lastEffectId;
    if (foreground) this.foreground(foreground);
    this.grew(outEnd);
  }

  grew(end: number): void {
    this.end = Math.max(this.end, end);
    this.work();
  }

  foreground({ pid, start = "", programs }: NonNullable<RunReport["foreground"]>): void {
    const [{ command, args } = { command: "", args: [] }] = programs;
    const agent = programs
      .map((program) => agentOf(program.command, program.args))
      .find((name) => name !== null);
    const front: FrontProcess = {
      pid,
      start,
      command,
      agent: agent ?? null,
      isShell: isInteractiveShell(command, args),
      isOwn: pid === this.options.pid,
    };
    if (JSON.stringify(front) === JSON.stringify(this.front)) return;
    this.front = front;
    this.options.observe({ type: "foreground", ...front });
    // Another program's screen may mean something else.
    this.watch.retell();
  }

  // Clients

  attach(client: TerminalClient): void {
    this.audience.add(client);
    this.work();
  }

  left(client: TerminalClient): void {
    this.audience.remove(client, this.closed ? null : this.size);
  }

  drained(): void {
    this.work();
  }

  /** Goes straight to the program: what a person types says nothing about the session's state (004). */
  async typed(client: TerminalClient, text: string): Promise<void> {
    const nowMs = performance.now();
    const data = withoutReplies(text, nowMs - this.cursorAskedAtMs < REPLY_WITHIN_MS);
    if (data === "") return;
    this.personTypedAtMs = nowMs;
    client.tellTyped(nowMs);
    try {
      if (!(await this.input(null, data))) client.close(CLOSINGS.notTaken);
    } catch (error) {
      if (!isEnded(error)) client.close(CLOSINGS.notTaken);
    }
  }

  /** What a person types without looking at the terminal here. False: it was not taken. */
  async pressed(text: string): Promise<boolean> {
    this.personTypedAtMs = performance.now();
    try {
      return await this.input(null, text);
    } catch (error) {
      if (error instanceof KeeperRefusal) return false;
      throw error;
    }
  }

  async resized(client: TerminalClient, size: TerminalSize): Promise<void> {
    const keeper = this.options.keeper();
    try {
      if (!keeper) throw new Error("there is no keeper");
      await keeper.resize({ runId: this.runId, ...size });
    } catch (error) {
      // The client learns that the size is still the old one, and may try again.
      if (!isEnded(error)) client.sendSize(this.size, this.audience.isOwner(client));
      return;
    }
    this.audience.claim(client);
    this.newSize = size;
    this.work();
  }

  // Typing

  /** Never acts twice for the same effect. Rejects when the keeper is away: then it may be tried again. */
  async type(effectId: string, typing: Typing, overtaken: AbortSignal): Promise<Typed> {
    const done = donePart(effectId, this.lastEffectId);
    const typed = await typeInto(this, typing, done, this.keyboard(effectId), overtaken);
    this.options.observe({ type: "typed", typing: typing.type, isTaken: typed.isTaken });
    this.watch.retell();
    return typed;
  }

  private keyboard(effectId: string): Keyboard {
    const { runId } = this;
    return runKeyboard({
      runId,
      effectId,
      keeper: this.options.keeper,
      front: () => this.front,
      leaderPid: this.options.pid,
      isOfShell: this.isOfShell,
      onSent: (part) => (this.lastEffectId = part),
    });
  }

  get isOfShell(): boolean {
    return this.options.launched.type === "shell";
  }

  get program(): Program {
    const { launched } = this.options;
    return this.front ? frontProgram(this.front, launched) : launched;
  }

  /** Agents say it once, when they start: of one that has printed much since then, that is not kept any more. */
  get takesPastes(): boolean {
    if (!this.emulator) return false;
    const { program } = this;
    return this.emulator.takesPastes ?? (program.type === "agent" && isScreenAgent(program.agent));
  }

  get isFullScreen(): boolean {
    return this.emulator?.isFullScreen ?? false;
  }

  get isDrawing(): boolean {
    return this.emulator?.isDrawing ?? false;
  }

  screen(): Screen | null {
    const { emulator } = this;
    if (!emulator || emulator.offset < this.shownFrom) return null;
    return emulator.screen();
  }

  look(): ScreenReading | null {
    return this.watch.look();
  }

  picture(): string {
    return this.screen()?.rows.join("\n") ?? "";
  }

  async shownMore(withinMs: number): Promise<boolean> {
    return await new Promise((resolve) => {
      const settle = (isMore: boolean) => {
        clearTimeout(timer);
        this.onShown.delete(onShown);
        resolve(isMore);
      };
      const onShown = () => settle(true);
      const timer = setTimeout(settle, withinMs, false);
      this.onShown.add(onShown);
    });
  }

  // The end

  /** Shows what is left to be shown, and how it ended. Never rejects. */
  async finish(exit: RunExit): Promise<void> {
    this.endRetry();
    this.work();
    while (this.working) await this.working;
    this.closed = true;
    const { emulator } = this;
    this.audience.sendExit(exit, () => emulator?.snapshot() ?? null);
    await this.close(CLOSINGS.ended);
  }

  /** Never rejects. */
  async close(closing: Closing): Promise<void> {
    this.closed = true;
    this.endRetry();
    this.watch.close();
    this.audience.close(closing);
    while (this.working) await this.working;
    this.emulator?.dispose();
    this.emulator = null;
    await this.reader.close().catch((error: unknown) => this.tellProblem(error));
  }

  // What the program does besides printing

  /**
   * Nobody else answers it, and nobody answers twice; what was asked long ago is not answered, and no agent that is gone:
   * the shell behind it would take the answer for keys.
   */
  answered(text: string): void {
    if (!this.emulator || this.emulator.offset <= this.shownFrom) return;
    if (isCursorReport(text)) this.cursorAskedAtMs = performance.now();
    this.input(null, text, this.asker()).catch((error: unknown) => {
      if (!isEnded(error)) this.options.onProblem(`an answer to ${this.runId}`, error);
    });
  }

  private asker(): Asker | null {
    const { front } = this;
    return front?.agent == null || front.isOwn || front.start === ""
      ? null
      : { pid: front.pid, start: front.start };
  }

  marked(mark: ShellMark): void {
    this.watch.marked(mark);
  }

  private frontAgent(): { readonly agent: string | null; readonly isSeen: boolean } {
    const { program } = this;
    return { agent: program.type === "agent" ? program.agent : null, isSeen: this.front !== null };
  }

  /** False: there is nobody to take it now. */
  private async input(effectId: string | null, data: string, asker: Asker | null = null): Promise<boolean> {
    const keeper = this.options.keeper();
    const asked = asker === null ? {} : { asker };
    await keeper?.input({ runId: this.runId, effectId, data, encoding: "utf8", ...asked });
    return keeper !== null;
  }

  // The loop

  private work(): void {
    if (this.closed || this.retry) return;
    this.working ??= this.readOn()
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.working = null;
        // What came while the last piece was on its way.
        if (this.hasMore()) this.work();
      });
  }

  private hasMore(): boolean {
    const isBehind = this.emulator === null || this.emulator.offset < this.end;
    return isBehind || this.newSize !== null || this.audience.hasNewcomers;
  }

  private async readOn(): Promise<void> {
    while (!this.closed) {
      this.emulator ??= await this.open();
      this.takeSize(this.emulator);
      const { emulator } = this;
      if (emulator.offset >= this.shownFrom) this.audience.greet(() => emulator.snapshot());
      if (emulator.offset >= this.end) return;
      await this.takePiece(emulator);
    }
  }

  private async open(): Promise<Emulator> {
    this.shownFrom = this.end;
    return new Emulator(this.size, await replayStart(this.options.runFolder, this.end), this);
  }

  private takeSize(emulator: Emulator): void {
    if (!this.newSize) return;
    this.size = this.newSize;
    this.newSize = null;
    emulator.resize(this.size);
    this.audience.sendSize(this.size);
    this.watch.changed();
  }

  private async takePiece(emulator: Emulator): Promise<void> {
    const { offset } = emulator;
    // Nobody sees it go by, and the newest is enough to read.
    if (this.end - offset > 2 * REPLAY_BYTES && this.audience.clients.size === 0) {
      this.startOver(emulator);
      return;
    }
    let piece: Buffer;
    try {
      piece = await this.reader.read(offset, Math.min(CHUNK_BYTES, this.end - offset));
    } catch (error) {
      if (!(error instanceof SpoolGap)) throw error;
      this.startOver(emulator);
      return;
    }
    if (piece.length === 0) throw new Error(`the spool ends before ${this.end}`);
    const flaw = emulator.write(piece);
    if (flaw !== null) this.options.onProblem(`the screen of ${this.runId}`, flaw);
    this.audience.sendBytes(piece);
    if (emulator.offset < this.shownFrom) return;
    this.printedAtMs = performance.now();
    this.watch.changed(piece.length);
    for (const tell of this.onShown) tell();
  }

  /** The program prints faster than its screen can follow, and what comes next is gone: the newest is shown. */
  private startOver(emulator: Emulator): void {
    emulator.dispose();
    this.emulator = null;
    this.audience.fallBehind();
  }

  /** Nothing is known of the screen until it can be read again, and who looks at it is told. */
  private fail(error: unknown): void {
    this.tellProblem(error);
    if (this.closed) return;
    if (this.emulator) this.startOver(this.emulator);
    this.watch.changed();
    this.audience.close(CLOSINGS.unreadable);
    this.retry = setTimeout(() => {
      this.retry = null;
      this.work();
    }, RETRY_DELAY_MS);
    this.retry.unref();
  }

  private endRetry(): void {
    if (this.retry) clearTimeout(this.retry);
    this.retry = null;
  }

  private tellProblem(error: unknown): void {
    this.options.onProblem(`the terminal of ${this.runId}`, error);
  }
}

/** All of those whose screens we know take pastes. */
function isScreenAgent(name: string): boolean {
  return SCREEN_AGENTS.some((agent) => agent === name);
}

/** The process that has asked its terminal something. */
type Asker = Pick<FrontProcess, "pid" | "start">;

const ENDED: readonly string[] = ["ended", "unknown_run", "agent_gone"];

/** Nobody is there to take it any more, which is about to be told. */
function isEnded(error: unknown): boolean {
  return error instanceof KeeperRefusal && ENDED.includes(error.code);
}
