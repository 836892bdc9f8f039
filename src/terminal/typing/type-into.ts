/**
 * Types into a terminal as a careful person would: looks first, types, looks whether it was taken. Nothing is typed into
 * a prompt that is not meant, and nothing twice: each step has a number at the keeper, and a repeat begins after the last
 * one that was done.
 */
import type { Typing } from "../../runtime/terminal-observation.js";
import { choose, isDecision } from "./choose.js";
import { deliver, isEntered } from "./deliver.js";
import { overtakable, overtakableSend, Overtaken } from "./overtaken.js";
import {
  InputRefused,
  pause,
  refused,
  TAKEN,
  type Send,
  type Typed,
  type TypedTerminal,
} from "./typed-terminal.js";

/** The second key of a row is pressed only after the first had time to be heard. */
const KEY_PAUSE_MS = 300;

/**
 * `done`: the newest step that was done before. `overtaken`: what comes next must not wait for this any longer. Rejects
 * when the keeper cannot be asked.
 */
export async function typeInto(
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
    return refused(error.message);
  }
}

async function type(terminal: TypedTerminal, typing: Typing, done: number, send: Send): Promise<Typed> {
  switch (typing.type) {
    case "message":
      return await deliver(terminal, typing.text, done, send);
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
      return await isEntered(terminal, typing.text, sent);
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
