import { readScreen, sawGoodbye, showsSameWork, type Screen, type ScreenReading } from "../../core/index.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import type { ShellMark } from "../emulator/shell-mark.js";

/** A change is read so soon after it, with all that follows in between: programs draw in pieces. */
const READ_DELAY_MS = 40;
/** While it draws on and on, it is read no more often than this. */
const READ_EVERY_MS = 100;
/** While the program says that it is drawing, it is waited for, but not for ever. */
const DRAWING_READS_MAX = 5;
/**
 * That it waits must hold so long before it is told; whatever needs a person is told at once. In recorded sessions of real
 * agents no screen in the middle of a turn looked idle for longer than 120 ms.
 */
const SETTLE_MS = 300;
/** What has been shown so long is told once more. */
const STEADY_MS = 3_000;

export interface WatchedTerminal {
  /** Null while there is none to be read. */
  screen(): Screen | null;
  /** The program is in the middle of drawing. */
  readonly isDrawing: boolean;
}

/** Who is in the foreground. */
export interface Front {
  readonly agent: string | null;
  /** Its processes can be seen. */
  readonly isSeen: boolean;
}

export interface ScreenWatchOptions {
  readonly terminal: WatchedTerminal;
  readonly front: () => Front;
  readonly observe: (observation: TerminalObservation) => void;
  readonly nowMs: () => number;
  /** Gives a way to take it back. */
  readonly wakeAfter?: (delayMs: number, act: () => void) => () => void;
}

/**
 * Reads the screen after it has changed, and tells what it shows when that is another thing than before. Runs no timer
 * while nothing changes.
 */
export class ScreenWatch {
  /** What the screen showed when it was last read. */
  reading: ScreenReading | null = null;
  /** Of whom, and what it was read from. */
  private read: { readonly agent: string | null; readonly screen: Screen } | null = null;
  private told: string | null = null;
  private toldSteady = false;
  private sameSinceMs = 0;
  private shownSinceMs = 0;
  private drawingReads = 0;
  private mark: ShellMark | null = null;
  private toldMark: ShellMark | null = null;
  private cancel: (() => void) | null = null;
  private wakesAtMs = Infinity;
  private readAtMs = -Infinity;
  private isUnread = false;
  private closed = false;

  constructor(private readonly options: ScreenWatchOptions) {}

  /** Something was printed, or the size or the foreground changed. */
  changed(): void {
    this.isUnread = true;
    const nextAtMs = this.readAtMs + READ_EVERY_MS;
    this.wake(Math.max(READ_DELAY_MS, nextAtMs - this.options.nowMs()));
  }

  marked(mark: ShellMark): void {
    this.mark = mark;
  }

  /** Whatever is shown is told, even if it was before. */
  retell(): void {
    this.told = null;
    this.toldMark = null;
    this.sameSinceMs = this.options.nowMs();
    this.changed();
  }

  /** What is shown at this moment. */
  look(): ScreenReading | null {
    const screen = this.options.terminal.screen();
    const { agent } = this.options.front();
    const before = this.read?.agent === agent ? this.read.screen : null;
    const isSame = this.reading?.activity === "working" && screen && before && showsSameWork(before, screen);
    if (!isSame) this.reading = screen && readScreen(agent, screen);
    this.read = screen && { agent, screen };
    return this.reading;
  }

  close(): void {
    this.closed = true;
    this.cancel?.();
  }

  private wake(delayMs: number): void {
    if (this.closed) return;
    const atMs = this.options.nowMs() + delayMs;
    if (this.cancel !== null && this.wakesAtMs <= atMs) return;
    this.cancel?.();
    this.wakesAtMs = atMs;
    this.cancel = (this.options.wakeAfter ?? wakeAfter)(delayMs, () => this.awake());
  }

  private awake(): void {
    this.cancel = null;
    if (this.isUnread && this.options.terminal.isDrawing && this.drawingReads < DRAWING_READS_MAX) {
      this.drawingReads += 1;
      this.wake(READ_DELAY_MS);
      return;
    }
    if (this.isUnread) this.readOn();
    this.tellMark();
    if (this.reading) this.tell(this.reading);
  }

  private readOn(): void {
    const before = this.reading && keyOf(this.reading);
    this.isUnread = false;
    this.drawingReads = 0;
    const nowMs = this.options.nowMs();
    this.readAtMs = nowMs;
    // What no rule knows is steady only while nothing at all happens.
    if (this.look() === null || this.reading?.activity === "unknown") this.sameSinceMs = nowMs;
    if (this.reading && keyOf(this.reading) !== before) {
      this.sameSinceMs = nowMs;
      this.toldSteady = false;
    }
    this.shownSinceMs = nowMs;
  }

  private tell(reading: ScreenReading): void {
    const key = keyOf(reading);
    const heldMs = this.options.nowMs() - this.sameSinceMs;
    const isWaiting = reading.activity === "idle" || reading.activity === "shell";
    const dueMs = reading.activity === "unknown" ? STEADY_MS : isWaiting ? SETTLE_MS : 0;
    if (this.told !== key) {
      if (heldMs < dueMs) this.wake(dueMs - heldMs);
      else this.tellNow(reading, key, heldMs >= STEADY_MS);
    }
    if (this.toldSteady) return;
    if (heldMs < STEADY_MS) this.wake(STEADY_MS - heldMs);
    else if (this.told === key) this.tellNow(reading, key, true);
  }

  private tellNow(reading: ScreenReading, key: string, isSteady: boolean): void {
    this.told = key;
    this.toldSteady = isSteady;
    this.tellEnd();
    const retry = retryIn(reading, this.shownSinceMs);
    this.options.observe({ type: "screen", reading, isSteady, retry });
  }

  private tellMark(): void {
    const { mark } = this;
    if (!mark || (this.toldMark?.mark === mark.mark && this.toldMark.exitCode === mark.exitCode)) return;
    this.toldMark = mark;
    this.options.observe({ type: "mark", ...mark });
  }

  /** Where its process cannot be seen, an agent has ended when a shell's prompt stands below a farewell or a mark. */
  private tellEnd(): void {
    const { agent, isSeen } = this.options.front();
    if (isSeen || agent === null) return;
    const screen = this.options.terminal.screen();
    if (!screen || readScreen(null, screen).activity !== "shell") return;
    const isMarked = this.mark?.mark === "prompt" || this.mark?.mark === "input";
    if (isMarked) this.options.observe({ type: "left", evidence: "shell_integration" });
    else if (sawGoodbye(agent, screen)) this.options.observe({ type: "left", evidence: "goodbye" });
  }
}

function wakeAfter(delayMs: number, act: () => void): () => void {
  const timer = setTimeout(act, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}

/** What makes a reading another one: not the spinner's next picture. */
function keyOf({ activity, prompt, evidence }: ScreenReading): string {
  const isRetrying = RETRY.exec(evidence.join("\n"))?.[2] ?? "";
  return `${activity} ${prompt?.fingerprint ?? ""} ${isRetrying}`;
}

const RETRY = /retrying in (\d+) ?s\b.*\battempt (\d+)/i;

function retryIn({ activity, evidence }: ScreenReading, nowMs: number) {
  const found = activity === "working" ? RETRY.exec(evidence.join("\n")) : null;
  return found && { attempt: Number(found[2]), atMs: Math.round(nowMs) + Number(found[1]) * 1_000 };
}
