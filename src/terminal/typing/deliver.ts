/** A message, into the input box of an agent. */
import type { ScreenReading } from "../../core/index.js";
import type { Typing } from "../../runtime/terminal-observation.js";
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
/** How long it may take an agent, on a busy machine, from the first picture of its input box until it reads keys. */
const LISTENS_WITHIN_MS = 20_000;
/** Who has typed something so recently is still at it; and what they typed may not be on the screen yet. */
const PERSON_MS = 10_000;
const PERSON_RESTS_MS = 1_000;
const SOMEBODY_TYPES = "Somebody is typing at the terminal.";
const SETTLE_WITHIN_MS = 3_000;
const SETTLE_QUIET_MS = 120;
const TAKEN_WITHIN_MS = 4_000;
/** Claude draws all of it anew while it starts, and for a moment its box is empty, with a message in it that was not taken. */
const EMPTIED_MS = 800;
const ENTERED_WITHIN_MS = 500;
const CLEAR_TRIES_MAX = 40;
/** So much of a text, without spaces, is enough to know it by. */
const HEAD_LENGTH = 40;

type Message = Extract<Typing, { readonly type: "message" }>;

export async function deliver(
  terminal: TypedTerminal,
  message: Message,
  done: number,
  send: Send,
): Promise<Typed> {
  const text = plainText(message.text);
  const { force } = message;
  if (done < PASTE) {
    const obstacle =
      (await notPastable(terminal, text)) ??
      (await notReady(terminal, force)) ??
      (await notEmpty(terminal, send));
    if (obstacle !== null) return refused(obstacle);
    await send(PASTE, terminal.takesPastes ? `\x1b[200~${text}\x1b[201~` : asKeys(text));
    await settle(terminal);
  }
  if (done < ENTER) {
    const trouble = await notEnterable(terminal, text, force);
    if (trouble !== null) return refused(trouble);
    await send(ENTER, "\r");
  }
  if (await isTaken(terminal, text, force)) return TAKEN;
  if (done < SECOND_ENTER && holds(terminal.look(), text)) {
    const trouble = await notEnterable(terminal, text, force);
    if (trouble !== null) return refused(trouble);
    await send(SECOND_ENTER, "\r");
    if (await isTaken(terminal, text, force)) return TAKEN;
  }
  return refused("The program does not show that it has taken the message.");
}

/** Of one that was given up: whether it was entered nevertheless, which a program that listens shows at once. */
export async function isEntered(
  terminal: TypedTerminal,
  { text, force }: Message,
  sent: number,
): Promise<boolean> {
  return sent >= ENTER && (await isTaken(terminal, plainText(text), force, ENTERED_WITHIN_MS));
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
async function notReady(terminal: TypedTerminal, force: boolean): Promise<string | null> {
  const { program } = terminal;
  switch (program.type) {
    case "agent": {
      if (force) return promptShown(terminal.look(), force);
      const found = await lookUntil(terminal, READY_WITHIN_MS, (reading) =>
        reading?.activity === "idle" ? "ready" : promptShown(reading, force),
      );
      if (found === "ready") return null;
      return found ?? `The agent is not ready for a message: its screen shows ${shown(terminal.look())}.`;
    }
    case "shell":
      return "A shell is in front, which would run what is typed.";
    case "other":
      return terminal.isFullScreen && !force
        ? `The program ${program.command} has the whole screen to itself: only a person can know what it takes.`
        : promptShown(terminal.look(), force);
  }
}

/** Why Enter must not be pressed now: it would answer a prompt, or send what somebody else has typed. */
async function notEnterable(terminal: TypedTerminal, text: string, force: boolean): Promise<string | null> {
  // After a crash the screen is not there at once.
  const reading = await lookUntil(terminal, force ? 0 : READY_WITHIN_MS, (found) => found);
  if (reading === null && !force) return `The screen shows ${shown(reading)}.`;
  return promptShown(reading, force) ?? (isMixed(reading, text) ? SOMEBODY_TYPES : null);
}

/** One that no rule knows may be none: a person who wants it typed nevertheless has looked. */
function promptShown(reading: ScreenReading | null, force: boolean): string | null {
  if (reading?.activity !== "approval" && reading?.activity !== "question") return null;
  if (force && reading.basis === "structure") return null;
  return `The screen shows a prompt, which a message must not answer: ${reading.prompt?.title ?? reading.activity}`;
}

function shown(reading: ScreenReading | null): string {
  return reading?.activity ?? "nothing that can be read";
}

/**
 * Without the marks of a paste every line would be entered by itself. In front of a shell that is no small matter: should
 * the program end meanwhile, the rest of them would be commands.
 */
async function notPastable(terminal: TypedTerminal, text: string): Promise<string | null> {
  if (await listens(terminal)) return null;
  if (terminal.isOfShell) return "The program does not take pastes, and a shell waits behind it.";
  return text.includes("\n") ? "The program does not take several lines as one message." : null;
}

/** Gemini draws its input box first, and asks for pastes when it begins to read: what is typed between the two is lost. */
async function listens(terminal: TypedTerminal): Promise<boolean> {
  const withinMs = terminal.program.type === "agent" ? LISTENS_WITHIN_MS : 0;
  return (await lookUntil(terminal, withinMs, () => terminal.takesPastes || null)) ?? false;
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
  force: boolean,
  withinMs: number = TAKEN_WITHIN_MS,
): Promise<boolean> {
  // A program that nobody knows draws something, at least; and so does one whose screen nobody understands.
  const isDark = force && !isUnderstood(terminal.look());
  if (terminal.program.type !== "agent" || isDark) return await terminal.shownMore(withinMs);
  const emptied = new Lasting(Math.min(EMPTIED_MS, withinMs / 2));
  const taken = await lookUntil(terminal, withinMs, (reading) => {
    if (reading === null) return null;
    const isActive = reading.activity === "working" || promptShown(reading, false) !== null;
    // A box that is being drawn anew is none that is empty, and one that is empty may be filled again.
    const isEmptied = emptied.look(reading.input !== null && !holds(reading, text));
    return isActive || isEmptied || null;
  });
  return taken ?? isBoxGone(terminal.look());
}

/** Whether something has been so at every look for a while. */
class Lasting {
  private sinceMs: number | null = null;

  constructor(private readonly durationMs: number) {}

  look(isSo: boolean): boolean {
    const nowMs = performance.now();
    this.sinceMs = isSo ? (this.sinceMs ?? nowMs) : null;
    return this.sinceMs !== null && nowMs - this.sinceMs >= this.durationMs;
  }
}

/** For as long as it was looked for: something else is shown, and nothing says that the message was left behind. */
function isBoxGone(reading: ScreenReading | null): boolean {
  return reading !== null && reading.input === null;
}

function isUnderstood(reading: ScreenReading | null): boolean {
  return reading !== null && reading.activity !== "unknown" && reading.basis !== "structure";
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
