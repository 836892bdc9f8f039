/** What is typed into a run's terminal, through the keeper. */
import type { Addressee, FrontProcess } from "../../core/index.js";
import {
  AddresseeGone,
  InputRefused,
  type HeldKeyboard,
  type Keyboard,
  type Send,
} from "../../terminal/typing/typed-terminal.js";
import { KeeperRefusal, type KeeperClient } from "../keeper/keeper-client.js";
import { effectPart } from "../runs/effect-part.js";

type Keeper = Pick<KeeperClient, "canHold" | "hold" | "release" | "input">;

export interface RunKeyboardOptions {
  readonly runId: string;
  readonly effectId: string;
  readonly keeper: () => Keeper | null;
  readonly front: () => FrontProcess | null;
  /** Of the run's own process. */
  readonly leaderPid: number;
  readonly isOfShell: boolean;
  /** A step is done, and counts. */
  readonly onSent: (part: string) => void;
}

const OLD_KEEPER =
  "The keeper of this terminal is of an older version, which cannot keep a message from the shell behind the agent: start the terminal anew.";

/** A repeat of the same effect goes on with its hold. */
export function runKeyboard(options: RunKeyboardOptions): Keyboard {
  return {
    send: sendWith(options, null),
    hold: (addressee) => holdFor(options, addressee),
  };
}

async function holdFor(options: RunKeyboardOptions, addressee: Addressee): Promise<HeldKeyboard> {
  const { runId, effectId: holdId } = options;
  const target = addressee ?? inFront(options);
  if (target === null) throw new AddresseeGone("Nobody knows which program is in front of the shell.");
  const keeper = keeperOf(options);
  if (!keeper.canHold) return unheld(options, OLD_KEEPER);
  try {
    await keeper.hold({ runId, holdId, ...target });
  } catch (error) {
    if (error instanceof KeeperRefusal && error.code === "no_hold") return unheld(options, error.message);
    throw asRefused(error);
  }
  return { send: sendWith(options, holdId), release: (isTaken) => release(options, isTaken) };
}

/** Of a terminal with a program of its own: whatever of it is in front. */
function inFront({ front, leaderPid, isOfShell }: RunKeyboardOptions): Addressee {
  if (isOfShell) return null;
  const seen = front();
  return seen ? { pid: seen.pid, start: seen.start } : { pid: leaderPid, start: "" };
}

/** The run's own program has nobody behind it: its terminal ends when it does. */
function unheld(options: RunKeyboardOptions, why: string): HeldKeyboard {
  const isAlone = !options.isOfShell && options.front()?.isOwn !== false;
  if (!isAlone) throw new InputRefused(why);
  return {
    send: sendWith(options, null),
    release: () => Promise.resolve({ isGone: false, unreadBytes: 0 }),
  };
}

async function release(options: RunKeyboardOptions, isTaken: boolean): ReturnType<HeldKeyboard["release"]> {
  const { runId, effectId: holdId } = options;
  try {
    return await keeperOf(options).release({ runId, holdId, isTaken });
  } catch (error) {
    // The run has ended, and its terminal with it.
    if (error instanceof KeeperRefusal) return { isGone: true, unreadBytes: 0 };
    throw error;
  }
}

function sendWith(options: RunKeyboardOptions, hold: string | null): Send {
  const { runId, onSent } = options;
  return async (part, data) => {
    const effectId = part === null ? null : effectPart(options.effectId, part);
    const held = hold === null ? {} : { hold };
    try {
      await keeperOf(options).input({ runId, effectId, data, encoding: "utf8", ...held });
    } catch (error) {
      throw asRefused(error);
    }
    if (effectId !== null) onSent(effectId);
  };
}

function keeperOf({ keeper }: RunKeyboardOptions): Keeper {
  const client = keeper();
  if (client === null) throw new Error("there is no keeper");
  return client;
}

function asRefused(error: unknown): unknown {
  if (!(error instanceof KeeperRefusal)) return error;
  const { message } = error;
  const cause = { cause: error };
  return error.code === "agent_gone" ? new AddresseeGone(message, cause) : new InputRefused(message, cause);
}
