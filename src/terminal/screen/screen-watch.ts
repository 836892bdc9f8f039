import { readScreen, sawGoodbye, showsSameWork, type Screen, type ScreenReading } from "../../core/index.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import type { ShellMark } from "../emulator/shell-mark.js";

/** A change is read so soon after it, with all that follows in between: programs draw in pieces. */
const READ_DELAY_MS = 40;
/** While it draws on and on, it is read no more often than this. */
const READ_EVERY_MS = 60;
/** And while it prints more than so much in between, no more often than this: the screen goes by. */
const FLOOD_BYTES = 4_096;
const FLOOD_EVERY_MS = 100;
/** While the program says that it is drawing, it is waited for, but not for ever. */
const DRAWING_READS_MAX = 5;
/**
 * That it waits must hold so long before it is told; whatever needs a person is told at once. In recorded sessions of real
 * agents no screen in the middle of a turn looked idle for longer than 120 ms.
 */
const SETTLE_MS = 300;
/** What has been shown so long is told once more. */
const STEADY_MS = 3_000;
/** What no rule knows is told once more after so long without any change. */
const STILL_MS = 20_000;
/** What no rule knows and moves on and on is taken for steady all the same after so long. */
const MOVING_MS = 10_000;
/**
 * A prompt is told when it was read the same once more: a dialog is drawn in pieces, and half of one can be answered
 * wrongly. One that is never twice the same, such as one that counts down, is told nevertheless.
 */
const PROMPT_HOLD_MS = 35;
const PROMPT_READS_MAX = 5;

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
  /** What was read when it was last read on: those who type look at it in between. */
  private key: string | null = null;
  private rows = "";
  private told: string | null = null;
  private toldStability: Stability | null = null;
  /** Since when it shows this; of what no rule knows, since when nothing has changed. */
  private sameSinceMs = 0;
  private unknownSinceMs: number | null = null;
  /** How often a prompt was read since another activity, and how often this one. */
  private promptReads = 0;
  private sameReads = 0;
  private shownSinceMs = 0;
  private drawingReads = 0;
  private mark: ShellMark | null = null;
  private toldMark: ShellMark | null = null;
  private cancel: (() => void) | null = null;
  private wakesAtMs = Infinity;
  private readAtMs = -Infinity;
  private isUnread = false;
  private unreadBytes = 0;
  private closed = false;

  constructor(private readonly options: ScreenWatchOptions) {}

  /** Something was printed, or the size or the foreground changed. */
  changed(printedBytes = 0): void {
    this.isUnread = true;
    this.unreadBytes += printedBytes;
    this.wake(Math.max(READ_DELAY_MS, this.untilNextMs()));
  }

  /** How long the next reading is to wait because of the last one. */
  private untilNextMs(): number {
    const everyMs = this.unreadBytes > FLOOD_BYTES ? FLOOD_EVERY_MS : READ_EVERY_MS;
    return this.readAtMs + everyMs - this.options.nowMs();
  }

  marked(mark: ShellMark): void {
    this.mark = mark;
  }

  /** Whatever is shown is told, even if it was before. */
  retell(): void {
    this.told = null;
    this.toldStability = null;
    this.toldMark = null;
    this.sameSinceMs = this.options.nowMs();
    this.unknownSinceMs = null;
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
    const isAwaited = this.isUnread || this.isHalfRead();
    // Since it was told to wake, a flood may have begun.
    if (this.isUnread && this.unreadBytes > FLOOD_BYTES && this.untilNextMs() > 0) {
      this.wake(this.untilNextMs());
      return;
    }
    if (isAwaited && this.options.terminal.isDrawing && this.drawingReads < DRAWING_READS_MAX) {
      this.drawingReads += 1;
      this.wake(READ_DELAY_MS);
      return;
    }
    if (isAwaited) this.readOn();
    this.tellMark();
    if (this.reading) this.tell(this.reading);
  }

  /** A prompt that was read only once. */
  private isHalfRead(): boolean {
    const { reading } = this;
    return reading !== null && isPrompt(reading) && this.told !== keyOf(reading) && !this.hasHeld();
  }

  private hasHeld(): boolean {
    return this.sameReads > 1 || this.promptReads >= PROMPT_READS_MAX;
  }

  private readOn(): void {
    const { key, rows } = this;
    this.isUnread = false;
    this.unreadBytes = 0;
    this.drawingReads = 0;
    const nowMs = this.options.nowMs();
    this.readAtMs = nowMs;
    const reading = this.look();
    this.key = reading && keyOf(reading);
    this.rows = reading && isUnruled(reading) ? (this.read?.screen.rows.join("\n") ?? "") : "";
    const isSame = reading !== null && this.key === key;
    // What no rule knows is steady only while nothing at all changes.
    const isMoved = isSame && this.rows !== rows;
    if (!isSame || isMoved) this.sameSinceMs = nowMs;
    if (reading && !isSame) this.toldStability = this.key === this.told ? "fresh" : null;
    if (isMoved && this.toldStability === "still") this.toldStability = "steady";
    this.unknownSinceMs = reading?.activity === "unknown" ? (this.unknownSinceMs ?? nowMs) : null;
    this.promptReads = reading && isPrompt(reading) ? this.promptReads + 1 : 0;
    this.sameReads = isSame ? this.sameReads + 1 : 1;
    this.shownSinceMs = nowMs;
  }

  private tell(reading: ScreenReading): void {
    const stability = this.stabilityOf(reading);
    if (stability === null) return;
    const key = keyOf(reading);
    const isTold = this.told === key && this.toldStability !== null;
    if (!isTold || isSteadier(stability, this.toldStability)) this.tellNow(reading, key, stability);
  }

  /** How well what is shown has held; null: not well enough to be told. Wakes when that will be more. */
  private stabilityOf(reading: ScreenReading): Stability | null {
    const nowMs = this.options.nowMs();
    const heldMs = nowMs - this.sameSinceMs;
    const isVague = isUnruled(reading);
    if (isVague && heldMs >= STILL_MS) return "still";
    if (heldMs >= STEADY_MS) {
      if (isVague) this.wake(STILL_MS - heldMs);
      return "steady";
    }
    this.wake(STEADY_MS - heldMs);
    if (isVague) {
      const unknownMs = this.unknownSinceMs === null ? 0 : nowMs - this.unknownSinceMs;
      return unknownMs >= MOVING_MS ? "steady" : null;
    }
    if (isPrompt(reading) && !this.hasHeld()) {
      this.wake(PROMPT_HOLD_MS);
      return null;
    }
    const isWaiting = reading.activity === "idle" || reading.activity === "shell";
    if (!isWaiting || heldMs >= SETTLE_MS) return "fresh";
    this.wake(SETTLE_MS - heldMs);
    return null;
  }

  private tellNow(reading: ScreenReading, key: string, stability: Stability): void {
    this.told = key;
    this.toldStability = stability;
    this.tellEnd();
    const retry = retryIn(reading, this.shownSinceMs);
    const atMs = Math.round(this.unknownSinceMs ?? this.sameSinceMs);
    this.options.observe({ type: "screen", reading, stability, atMs, retry });
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

type Stability = Extract<TerminalObservation, { readonly type: "screen" }>["stability"];

const STABILITIES: readonly Stability[] = ["fresh", "steady", "still"];

function isSteadier(one: Stability, other: Stability | null): boolean {
  return other === null || STABILITIES.indexOf(one) > STABILITIES.indexOf(other);
}

/** No rule knows what is shown. */
function isUnruled({ activity, basis }: ScreenReading): boolean {
  return activity === "unknown" || basis === "structure";
}

function isPrompt(reading: ScreenReading): boolean {
  return !isUnruled(reading) && (reading.activity === "approval" || reading.activity === "question");
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
