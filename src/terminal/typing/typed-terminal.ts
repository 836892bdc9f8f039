/** What those need who type into a terminal: to look at it, to wait for it, and to say what came of it. */
import type { Addressee, Program, ScreenReading } from "../../core/index.js";

/** The terminal, as far as whoever types needs it. */
export interface TypedTerminal {
  /** What is in the foreground. */
  readonly program: Program;
  /** A shell was started in it, which reads on when the program in front has ended. */
  readonly isOfShell: boolean;
  /** The program wants to be told what is pasted and what is typed. */
  readonly takesPastes: boolean;
  readonly isFullScreen: boolean;
  /** When somebody last typed at it, by `performance.now`. */
  readonly personTypedAtMs: number;
  /** When it last printed something, by `performance.now`. */
  readonly printedAtMs: number;
  /** What the screen shows now; null: nothing is known of it. */
  look(): ScreenReading | null;
  /** All that the screen shows now, whatever it means. */
  picture(): string;
  /** Resolves with true as soon as more was printed, or else after a while with false. */
  shownMore(withinMs: number): Promise<boolean>;
}

/** Gives bytes to the program. A step with a number acts once; null: it does not matter. */
export type Send = (part: number | null, data: string) => Promise<void>;

/** How something gets to the program. */
export interface Keyboard {
  /** To whoever is in front. */
  readonly send: Send;
  /**
   * From then on what is sent reaches the addressee or nobody. Rejects with `AddresseeGone`, with `InputRefused`, or, when
   * the keeper cannot be asked, with anything else.
   */
  hold(addressee: Addressee): Promise<HeldKeyboard>;
}

export interface HeldKeyboard {
  readonly send: Send;
  /** What was not taken, and has not been read, is taken back. Says how it ended. */
  release(isTaken: boolean): Promise<{ readonly isGone: boolean; readonly unreadBytes: number }>;
}

/** The last number that a step can have. */
export const LAST_PART = 63;

/** The input was refused, and will be if it is tried again. */
export class InputRefused extends Error {
  override readonly name = "InputRefused";
}

/** It was meant for a program that is gone. */
export class AddresseeGone extends InputRefused {}

export type Typed =
  | { readonly isTaken: true }
  /** `isGone`: whom it was meant for is not there any more. */
  | { readonly isTaken: false; readonly reason: string; readonly isGone?: true };

export const TAKEN: Typed = { isTaken: true };

export function refused(reason: string, isGone = false): Typed {
  return { isTaken: false, reason, ...(isGone ? { isGone } : {}) };
}

/** Looks again after each change, until `isSo` gives something or the time is over. */
export async function lookUntil<T>(
  terminal: TypedTerminal,
  withinMs: number,
  isSo: (reading: ScreenReading | null) => T | null,
): Promise<T | null> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    const found = isSo(terminal.look());
    const leftMs = deadlineMs - performance.now();
    if (found !== null || leftMs <= 0) return found;
    await terminal.shownMore(Math.min(leftMs, LOOK_EVERY_MS));
    // More of the same picture is on its way, and there is no hurry.
    await pause(LOOK_PAUSE_MS);
  }
}

const LOOK_EVERY_MS = 250;
const LOOK_PAUSE_MS = 20;

export async function pause(delayMs: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}

/** Resolves when nothing was printed for `quietMs`, or at the latest after `withinMs`. */
export async function untilQuiet(terminal: TypedTerminal, quietMs: number, withinMs: number): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    const nowMs = performance.now();
    const leftMs = Math.min(terminal.printedAtMs + quietMs, deadlineMs) - nowMs;
    if (leftMs <= 0) return;
    await terminal.shownMore(leftMs);
  }
}
