/**
 * Types into a terminal as a careful person would: looks first, types, looks whether it was taken. Nothing is typed into
 * a prompt that is not meant, and nothing twice: each step has a number at the keeper, and a repeat begins after the last
 * one that was done. Messages and answers are typed in a hold, so that they reach their addressee or nobody.
 */
import type { Typing } from "../../runtime/terminal-observation.js";
import { choose, isDecision } from "./choose.js";
import { deliver, isEntered } from "./deliver.js";
import { overtakable, overtakableSend, Overtaken } from "./overtaken.js";
import {
  AddresseeGone,
  InputRefused,
  pause,
  refused,
  TAKEN,
  type Keyboard,
  type Send,
  type Typed,
  type TypedTerminal,
} from "./typed-terminal.js";

type Keys = Extract<Typing, { readonly type: "keys" }>;
type Addressed = Exclude<Typing, Keys>;

/** The second key of a row is pressed only after the first had time to be heard. */
const KEY_PAUSE_MS = 300;
const GONE = "The program that it was meant for is gone.";

/**
 * `done`: the newest step that was done before. `overtaken`: what comes next must not wait for this any longer. Rejects
 * when the keeper cannot be asked.
 */
export async function typeInto(
  terminal: TypedTerminal,
  typing: Typing,
  done: number,
  keyboard: Keyboard,
  overtaken: AbortSignal,
): Promise<Typed> {
  if (typing.type === "keys") return await typeCarefully(terminal, typing, done, keyboard.send, overtaken);
  // Whatever else is so: it would be run.
  if (terminal.program.type === "shell")
    return refused("A shell is in front, which would run what is typed.", true);
  if (overtaken.aborted) return refused(new Overtaken().message);
  return await typeInHold(terminal, typing, done, keyboard, overtaken);
}

async function typeInHold(
  terminal: TypedTerminal,
  typing: Addressed,
  done: number,
  keyboard: Keyboard,
  overtaken: AbortSignal,
): Promise<Typed> {
  try {
    const held = await keyboard.hold(typing.addressee);
    const typed = await typeCarefully(terminal, typing, done, held.send, overtaken).catch(
      async (error: unknown) => {
        // The first error says more than another one of the same keeper.
        await held.release(false).catch(() => undefined);
        throw error;
      },
    );
    const { isGone, unreadBytes } = await held.release(typed.isTaken);
    // A last Enter may be left over. More than that: it only seemed to be taken.
    const isRead = unreadBytes <= (typing.type === "message" ? 1 : 0);
    if (typed.isTaken) return isRead ? TAKEN : refused("The program has not read all of it.", isGone);
    return isGone ? refused(goneWords(unreadBytes), true) : typed;
  } catch (error) {
    if (!(error instanceof InputRefused)) throw error;
    return refused(error.message, error instanceof AddresseeGone);
  }
}

/** With what was kept from the shell behind it. */
function goneWords(unreadBytes: number): string {
  return unreadBytes === 0 ? GONE : `${GONE} ${unreadBytes} bytes that it had not read were taken back.`;
}

/** Rejects only when the keeper cannot be asked: who holds the terminal then goes on when it can. */
async function typeCarefully(
  terminal: TypedTerminal,
  typing: Typing,
  done: number,
  send: Send,
  overtaken: AbortSignal,
): Promise<Typed> {
  let sent = done;
  const sendNoted = overtakableSend(async (part, data) => {
    await send(part, data);
    sent = part ?? sent;
  }, overtaken);
  try {
    return await type(overtakable(terminal, overtaken), typing, done, sendNoted);
  } catch (error) {
    if (error instanceof Overtaken && (await isDone(terminal, typing, sent))) return TAKEN;
    if (!(error instanceof InputRefused) && !(error instanceof Overtaken)) throw error;
    return refused(error.message, error instanceof AddresseeGone);
  }
}

async function type(terminal: TypedTerminal, typing: Typing, done: number, send: Send): Promise<Typed> {
  switch (typing.type) {
    case "message":
      return await deliver(terminal, typing, done, send);
    case "choice":
      return await choose(terminal, typing, done, send);
    case "keys":
      return await press(terminal, typing.keys, done, send);
  }
}

/** Nothing is left to be typed, and nothing was waited for but to see what came of it. */
async function isDone(terminal: TypedTerminal, typing: Typing, sent: number): Promise<boolean> {
  switch (typing.type) {
    case "message":
      return await isEntered(terminal, typing, sent);
    case "choice":
      return isDecision(sent) && typing.choice.type === "meaning";
    case "keys":
      return true;
  }
}

/** Keys that interrupt. An agent that is seen to wait has nothing to be interrupted in, and takes them for something else. */
async function press(
  terminal: TypedTerminal,
  keys: readonly string[],
  done: number,
  send: Send,
): Promise<Typed> {
  for (const [index, key] of keys.entries()) {
    const activity = terminal.look()?.activity;
    if (terminal.program.type === "agent" && activity === "idle") return TAKEN;
    if (index > 0 && activity !== "working") return TAKEN;
    if (done <= index) await send(index + 1, key);
    // However much is printed meanwhile: two Esc right after each other are one key to some programs.
    if (index < keys.length - 1) await pause(KEY_PAUSE_MS);
  }
  return TAKEN;
}
