/** A message, into the input box of an agent or at the prompt of a shell. */
import type { ScreenReading } from "../../core/index.js";
import {
  lookUntil,
  pause,
  refused,
  TAKEN,
  untilQuiet,
  type Send,
  type Typed,
  type TypedTerminal,
} from "./typed-terminal.js";

const PASTE = 1;
const ENTER = 2;
const SECOND_ENTER = 3;

/** How long a program that is about to be ready is waited for. */
const READY_WITHIN_MS = 5_000;
/** A shell in the foreground that prints nothing for so long waits at its prompt, whatever that looks like. */
const SHELL_QUIET_MS = 1_000;
/** Who has typed something so recently is still at it; and what they typed may not be on the screen yet. */
const PERSON_MS = 10_000;
const PERSON_RESTS_MS = 1_000;
const SOMEBODY_TYPES = "Somebody is typing at the terminal.";
const SETTLE_WITHIN_MS = 3_000;
const SETTLE_QUIET_MS = 120;
const TAKEN_WITHIN_MS = 4_000;
const ENTERED_WITHIN_MS = 500;
const CLEAR_TRIES_MAX = 40;
/** So much of a text, without spaces, is enough to know it by. */
const HEAD_LENGTH = 40;

export async function deliver(
  terminal: TypedTerminal,
  message: string,
  done: number,
  send: Send,
): Promise<Typed> {
  const text = plainText(message);
  if (done < PASTE) {
    const obstacle =
      (await notReady(terminal)) ?? notPastable(terminal, text) ?? (await notEmpty(terminal, send));
    if (obstacle !== null) return refused(obstacle);
    await send(PASTE, terminal.takesPastes ? `\x1b[200~${text}\x1b[201~` : asKeys(text));
    await settle(terminal);
  }
  if (done < ENTER) {
    const trouble = await notEnterable(terminal, text);
    if (trouble !== null) return refused(trouble);
    await send(ENTER, "\r");
  }
  if (await isTaken(terminal, text)) return TAKEN;
  if (done < SECOND_ENTER && holds(terminal.look(), text)) {
    const trouble = await notEnterable(terminal, text);
    if (trouble !== null) return refused(trouble);
    await send(SECOND_ENTER, "\r");
    if (await isTaken(terminal, text)) return TAKEN;
  }
  return refused("The program does not show that it has taken the message.");
}

/** Of one that was given up: whether it was entered nevertheless, which a program that listens shows at once. */
export async function isEntered(terminal: TypedTerminal, message: string, sent: number): Promise<boolean> {
  return sent >= ENTER && (await isTaken(terminal, plainText(message), ENTERED_WITHIN_MS));
}

/** Without what a terminal takes for keys: nothing in a message may press one, nor end the paste that it is in. */
export function plainText(message: string): string {
  return message.replaceAll(/\r\n?/g, "\n").replaceAll(/\x1b\[20[01]~|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

/** What a program gets that cannot tell a paste from keys: each line is entered, and nothing is completed. */
function asKeys(text: string): string {
  return text.replaceAll("\t", " ").replaceAll("\n", "\r");
}

/** Why nothing can be typed now; null: it can. */
async function notReady(terminal: TypedTerminal): Promise<string | null> {
  switch (terminal.program.type) {
    case "agent": {
      const found = await lookUntil(terminal, READY_WITHIN_MS, (reading) =>
        reading?.activity === "idle" ? "ready" : promptShown(reading),
      );
      if (found === "ready") return null;
      return found ?? `The agent is not ready for a message: its screen shows ${shown(terminal.look())}.`;
    }
    case "shell":
      if (await lookUntil(terminal, 0, (reading) => reading?.activity === "shell" || null)) return null;
      await untilQuiet(terminal, SHELL_QUIET_MS, READY_WITHIN_MS);
      return isShell(terminal) ? null : "Something else runs in the shell now.";
    case "other":
      return terminal.isFullScreen
        ? `The program ${terminal.program.command} has the whole screen to itself: only a person can know what it takes.`
        : null;
  }
}

/** Why Enter must not be pressed now: it would answer a prompt, or send what somebody else has typed. */
async function notEnterable(terminal: TypedTerminal, text: string): Promise<string | null> {
  // After a crash the screen is not there at once.
  const reading = await lookUntil(terminal, READY_WITHIN_MS, (found) => found);
  if (reading === null) return `The screen shows ${shown(reading)}.`;
  return promptShown(reading) ?? (isMixed(reading, text) ? SOMEBODY_TYPES : null);
}

function isShell({ program }: TypedTerminal): boolean {
  return program.type === "shell";
}

function promptShown(reading: ScreenReading | null): string | null {
  if (reading?.activity !== "approval" && reading?.activity !== "question") return null;
  return `The screen shows a prompt, which a message must not answer: ${reading.prompt?.title ?? reading.activity}`;
}

function shown(reading: ScreenReading | null): string {
  return reading?.activity ?? "nothing that can be read";
}

/** Without the marks of a paste every line would be entered by itself; that is what a shell is for. */
function notPastable(terminal: TypedTerminal, text: string): string | null {
  if (terminal.takesPastes || !text.includes("\n") || terminal.program.type === "shell") return null;
  return "The program does not take several lines as one message.";
}

/** What stands in the input box is not to be sent together with the message. Null: the box is empty, or was emptied. */
async function notEmpty(terminal: TypedTerminal, send: Send): Promise<string | null> {
  if (terminal.program.type !== "agent") return null;
  if (!(await isAlone(terminal))) return SOMEBODY_TYPES;
  for (let tried = 0; tried < CLEAR_TRIES_MAX; tried += 1) {
    const input = terminal.look()?.input ?? "";
    if (input === "") return null;
    if (restedMs(terminal) < PERSON_MS) return SOMEBODY_TYPES;
    // To the end of the line, all of it away, and then the end of the line before it.
    await send(null, tried % 2 === 0 ? "\x05\x15" : "\x7f");
    await terminal.shownMore(SETTLE_QUIET_MS * 2);
    await pause(SETTLE_QUIET_MS / 2);
  }
  return "The agent's input box holds text that could not be taken away.";
}

/** Nobody presses keys just now. */
async function isAlone(terminal: TypedTerminal): Promise<boolean> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (restedMs(terminal) < PERSON_RESTS_MS) {
    if (performance.now() > deadlineMs) return false;
    await pause(PERSON_RESTS_MS - restedMs(terminal));
  }
  return true;
}

function restedMs({ personTypedAtMs }: TypedTerminal): number {
  return performance.now() - personTypedAtMs;
}

async function settle(terminal: TypedTerminal): Promise<void> {
  await terminal.shownMore(SETTLE_WITHIN_MS);
  await untilQuiet(terminal, SETTLE_QUIET_MS, SETTLE_WITHIN_MS);
}

async function isTaken(
  terminal: TypedTerminal,
  text: string,
  withinMs: number = TAKEN_WITHIN_MS,
): Promise<boolean> {
  // A shell and an unknown program echo the line's end, at least.
  if (terminal.program.type !== "agent") return await terminal.shownMore(withinMs);
  const taken = await lookUntil(terminal, withinMs, (reading) => {
    if (reading === null) return null;
    const isActive = reading.activity === "working" || promptShown(reading) !== null;
    return isActive || !holds(reading, text) || null;
  });
  return taken !== null;
}

/** Whether the input box still has it. A long text stands there as a name for it. */
function holds(reading: ScreenReading | null, text: string): boolean {
  const input = squeezed(reading?.input ?? "");
  if (input === "") return false;
  return (
    input.startsWith(squeezed(text).slice(0, HEAD_LENGTH)) ||
    /\[Pasted/i.test(input) ||
    squeezed(text).includes(input)
  );
}

/** Whether something else stands before it. */
function isMixed(reading: ScreenReading | null, text: string): boolean {
  const input = squeezed(reading?.input ?? "");
  return input.indexOf(squeezed(text).slice(0, HEAD_LENGTH)) > 0;
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
