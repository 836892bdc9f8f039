/** An answer to the prompt that an agent shows: by the keys that the prompt itself names, one at a time. */
import type { ScreenChoice, ScreenReading } from "../../core/index.js";
import type { Choice, Typing } from "../../runtime/terminal-observation.js";
import { plainText } from "./deliver.js";
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
import { LAST_PART } from "../runs/effect-part.js";

type Prompt = NonNullable<ScreenReading["prompt"]>;

/** The key that decides, and the same once more; moves come before them. */
const DECIDING = LAST_PART - 3;
const DECIDING_AGAIN = LAST_PART - 2;
const TEXT = LAST_PART - 1;
const TEXT_ENTER = LAST_PART;
const MOVES_MAX = 40;
/** Moves that the selection did not follow: the prompt does not listen, or is not what it seems. */
const DEAF_MOVES_MAX = 3;

const SHOWN_WITHIN_MS = 2_000;
const MOVED_WITHIN_MS = 1_000;
const GONE_WITHIN_MS = 2_000;
const SETTLE_MS = 150;

export async function choose(
  terminal: TypedTerminal,
  { fingerprint, choice }: Extract<Typing, { readonly type: "choice" }>,
  done: number,
  send: Send,
): Promise<Typed> {
  const prompt = await lookUntil(terminal, SHOWN_WITHIN_MS, (reading) => promptIn(reading, fingerprint));
  // Pressed before a crash: that the prompt is gone is what was wanted.
  if (prompt === null) return done >= DECIDING ? TAKEN : refused(GONE);
  const wanted = wantedIn(prompt, choice);
  if (wanted === null) return refused("The prompt on the screen has no such answer.");
  if (wanted.type === "text") return await enterText(terminal, prompt, wanted.text, send);
  if (done < DECIDING) {
    const obstacle = await moveTo(terminal, prompt, wanted.label, done, send);
    if (obstacle !== null) return refused(obstacle);
  }
  if (wanted.text !== null) return await enterText(terminal, prompt, wanted.text, send);
  if (await isGone(terminal, prompt)) return TAKEN;
  const still = promptIn(terminal.look(), prompt.fingerprint);
  const keys = still && keysOf(still, wanted.label);
  if (keys?.length === 1 && done < DECIDING_AGAIN) await send(DECIDING_AGAIN, keys[0] ?? "");
  return (await isGone(terminal, prompt))
    ? TAKEN
    : refused("The prompt on the screen does not take the answer.");
}

const GONE = "The prompt is not on the screen any more.";

function promptIn(reading: ScreenReading | null, fingerprint: string | null): Prompt | null {
  const prompt = reading?.prompt ?? null;
  return fingerprint === null || prompt?.fingerprint === fingerprint ? prompt : null;
}

type Wanted =
  /** One of the prompt's own choices; some open a line for a text. */
  | { readonly type: "choice"; readonly label: string; readonly text: string | null }
  | { readonly type: "text"; readonly text: string };

function wantedIn({ choices }: Prompt, choice: Choice): Wanted | null {
  if (choice.type === "meaning") {
    const found = choices.find(({ meaning }) => meaning === choice.meaning);
    return found ? { type: "choice", label: found.label, text: null } : null;
  }
  const text = plainText(choice.text).trim();
  const named = namedBy(choices, text);
  if (named) return { type: "choice", label: named.label, text: null };
  if (choices.length === 0) return { type: "text", text };
  const free = choices.find(({ label }) => FREE_TEXT.test(label));
  return free ? { type: "choice", label: free.label, text } : null;
}

const FREE_TEXT = /\b(?:type (?:something|your|a )|own answer|other\b|custom|tell .* what)/i;

/** By its words, or by its number. */
function namedBy(choices: readonly ScreenChoice[], text: string): ScreenChoice | undefined {
  const words = text.toLowerCase();
  const same = choices.find(({ label }) => label.toLowerCase() === words);
  if (same) return same;
  return /^[1-9]$/.test(words) ? choices[Number(words) - 1] : undefined;
}

/** Presses one key, looks where the selection is by then, and presses the next; the deciding one only from there. */
async function moveTo(
  terminal: TypedTerminal,
  { fingerprint }: Prompt,
  label: string,
  done: number,
  send: Send,
): Promise<string | null> {
  let deafMoves = 0;
  for (let part = done + 1; part <= Math.min(MOVES_MAX, DECIDING - 1); part += 1) {
    const prompt = promptIn(terminal.look(), fingerprint);
    if (!prompt) return GONE;
    const keys = keysOf(prompt, label);
    if (keys === null) return "The prompt on the screen has no such answer any more.";
    const [key = "", ...rest] = keys;
    if (rest.length === 0) {
      await send(DECIDING, key);
      return null;
    }
    await send(part, key);
    const hasMoved = await lookUntil(terminal, MOVED_WITHIN_MS, (reading) => {
      const after = promptIn(reading, fingerprint);
      return !after || keysOf(after, label)?.join() !== keys.join() || null;
    });
    deafMoves = hasMoved === null ? deafMoves + 1 : 0;
    if (deafMoves === DEAF_MOVES_MAX)
      return "The selection of the prompt on the screen does not follow the keys.";
  }
  return "The selection of the prompt on the screen does not come to the answer.";
}

/** The keys for a choice, one by one: an arrow is a sequence of several characters. */
function keysOf({ choices }: Prompt, label: string): readonly string[] | null {
  const found = choices.find((choice) => choice.label === label);
  return found ? (found.keys.match(/\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])|[^]/gu) ?? []) : null;
}

async function enterText(terminal: TypedTerminal, prompt: Prompt, text: string, send: Send): Promise<Typed> {
  await untilQuiet(terminal, SETTLE_MS, SHOWN_WITHIN_MS);
  await send(TEXT, terminal.takesPastes ? `\x1b[200~${text}\x1b[201~` : text.replaceAll("\n", " "));
  await pause(SETTLE_MS);
  await untilQuiet(terminal, SETTLE_MS, SHOWN_WITHIN_MS);
  await send(TEXT_ENTER, "\r");
  return (await isGone(terminal, prompt))
    ? TAKEN
    : refused("The prompt on the screen does not take the text.");
}

async function isGone(terminal: TypedTerminal, { fingerprint }: Prompt): Promise<boolean> {
  const gone = await lookUntil(terminal, GONE_WITHIN_MS, (reading) =>
    reading && reading.prompt?.fingerprint !== fingerprint ? true : null,
  );
  return gone !== null;
}
