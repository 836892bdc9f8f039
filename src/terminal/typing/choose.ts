/**
 * An answer to the prompt that an agent shows: by the keys that the prompt itself names, one at a time. After each key it
 * is looked again where the selection is, because a dialog that was drawn just now may not listen yet; the key that
 * decides is pressed only where the screen shows that it means the answer.
 */
import { isPromptOf, type ScreenChoice, type ScreenReading } from "../../core/index.js";
import type { Choice, Typing } from "../../runtime/terminal-observation.js";
import { plainText } from "./deliver.js";
import { LAST_PART, lookUntil, pause, refused, TAKEN, untilQuiet } from "./typed-terminal.js";
import type { Send, Typed, TypedTerminal } from "./typed-terminal.js";

type Prompt = NonNullable<ScreenReading["prompt"]>;
type ChoiceTyping = Extract<Typing, { readonly type: "choice" }>;

/** How often the answer is tried. */
const ROUNDS_MAX = 3;
const SHOWN_WITHIN_MS = 2_000;
const MOVED_WITHIN_MS = 700;
const GONE_WITHIN_MS = 1_500;
const QUIET_MS = 150;

const GONE = "The prompt is not on the screen any more.";
const ONLY_THERE = "Nobody knows which keys answer this prompt: answer it in the terminal.";
const NO_SUCH_ANSWER = "The prompt on the screen has no such answer.";
const DEAF = "The prompt on the screen does not take the answer.";

export async function choose(
  terminal: TypedTerminal,
  typing: ChoiceTyping,
  done: number,
  send: Send,
): Promise<Typed> {
  const prompt = await lookUntil(terminal, SHOWN_WITHIN_MS, (reading) => promptOf(reading, typing));
  // Which keys answer it is a guess.
  if (terminal.look()?.basis === "structure") return refused(ONLY_THERE);
  if (isDecision(done)) return afterDecision(prompt, typing.choice);
  if (prompt === null) return refused(GONE);
  const wanted = wantedIn(prompt, typing.choice);
  if (wanted === null) return refused(NO_SUCH_ANSWER);
  const answering = new Answering(terminal, prompt.fingerprint, done, send);
  return wanted.label === null
    ? await answering.enterText(wanted.text ?? "")
    : await answering.answer(wanted.label, wanted.text);
}

/**
 * It was pressed before a crash. That the prompt is gone is what was wanted; if it is there, it did not hear the key or is
 * the next one, which asks the same: it is asked anew, and no key is pressed for it. Of a text it is not known whether
 * all of it was entered.
 */
function afterDecision(prompt: Prompt | null, choice: Choice): Typed {
  return prompt === null || choice.type === "meaning" ? TAKEN : refused(DEAF);
}

/** Keys that move have odd numbers, keys that decide even ones: so it is known after a crash which was the last. */
export function isDecision(part: number): boolean {
  return part > 0 && part % 2 === 0;
}

class Answering {
  constructor(
    private readonly terminal: TypedTerminal,
    private readonly fingerprint: string,
    private part: number,
    private readonly send: Send,
  ) {}

  /** By one of the prompt's own choices, which may open a line for a text. */
  async answer(label: string, text: string | null): Promise<Typed> {
    for (let round = 0; round < ROUNDS_MAX && this.part + 2 <= LAST_PART; round += 1) {
      await untilQuiet(this.terminal, QUIET_MS, SHOWN_WITHIN_MS);
      const keys = this.keysFor(label);
      if (keys === null) return this.isShown() ? refused(NO_SUCH_ANSWER) : this.afterAll();
      const [key = "", ...rest] = keys;
      if (rest.length > 0) {
        if (await this.move(key, label)) round = -1;
        continue;
      }
      const picture = this.terminal.picture();
      await this.press(key, true);
      if (text !== null) return await this.enterText(text);
      if (await this.isGone()) return TAKEN;
      // Something came of it: what is shown now may be the next prompt, which only asks the same.
      if (this.terminal.picture() !== picture) break;
    }
    return refused(DEAF);
  }

  async enterText(text: string): Promise<Typed> {
    await untilQuiet(this.terminal, QUIET_MS, SHOWN_WITHIN_MS);
    const { takesPastes } = this.terminal;
    await this.press(takesPastes ? `\x1b[200~${text}\x1b[201~` : text.replaceAll("\n", " "), false);
    await pause(QUIET_MS);
    await untilQuiet(this.terminal, QUIET_MS, SHOWN_WITHIN_MS);
    await this.press("\r", true);
    return (await this.isGone()) ? TAKEN : refused(DEAF);
  }

  /** The prompt went while it was being answered: by our own key, or by somebody else's. */
  private afterAll(): Typed {
    return isDecision(this.part) ? TAKEN : refused(GONE);
  }

  /** Whether the selection followed. */
  private async move(key: string, label: string): Promise<boolean> {
    const before = this.keysFor(label)?.join();
    await this.press(key, false);
    const moved = await lookUntil(this.terminal, MOVED_WITHIN_MS, () =>
      this.keysFor(label)?.join() === before ? null : true,
    );
    return moved !== null;
  }

  private async press(keys: string, decides: boolean): Promise<void> {
    const next = this.part + 1;
    this.part = isDecision(next) === decides ? next : next + 1;
    await this.send(this.part, keys);
  }

  private async isGone(): Promise<boolean> {
    const gone = await lookUntil(this.terminal, GONE_WITHIN_MS, (reading) =>
      reading && reading.prompt?.fingerprint !== this.fingerprint ? true : null,
    );
    return gone !== null;
  }

  private isShown(): boolean {
    return promptIn(this.terminal.look(), this.fingerprint) !== null;
  }

  /** The keys for a choice, one by one: an arrow is a sequence of several characters. */
  private keysFor(label: string): readonly string[] | null {
    const prompt = promptIn(this.terminal.look(), this.fingerprint);
    const found = prompt?.choices.find((choice) => choice.label === label);
    return found ? (found.keys.match(/\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])|[^]/gu) ?? []) : null;
  }
}

/** A prompt that was not seen before is the one that is meant only if it says so itself: it may be another request's. */
function promptOf(reading: ScreenReading | null, { fingerprint, asked }: ChoiceTyping): Prompt | null {
  if (fingerprint !== null) return promptIn(reading, fingerprint);
  const prompt = reading?.prompt;
  return prompt && asked && isPromptOf(prompt, asked) ? prompt : null;
}

function promptIn(reading: ScreenReading | null, fingerprint: string): Prompt | null {
  const prompt = reading?.prompt;
  return prompt?.fingerprint === fingerprint ? prompt : null;
}

interface Wanted {
  /** Of one of the prompt's choices; null: it has none, and takes a text. */
  readonly label: string | null;
  readonly text: string | null;
}

function wantedIn({ choices }: Prompt, choice: Choice): Wanted | null {
  if (choice.type === "meaning") {
    const found = choices.find(({ meaning }) => meaning === choice.meaning);
    return found ? { label: found.label, text: null } : null;
  }
  const text = plainText(choice.text).trim();
  if (choices.length === 0) return { label: null, text };
  const named = namedBy(choices, text);
  if (named) return { label: named.label, text: null };
  const free = choices.find(({ label }) => FREE_TEXT.test(label));
  return free ? { label: free.label, text } : null;
}

const FREE_TEXT = /\b(?:type (?:something|your|an?\b)|own answer|other\b|custom|tell .* what)/i;

/** By its words, or by its number. */
function namedBy(choices: readonly ScreenChoice[], text: string): ScreenChoice | undefined {
  const words = text.toLowerCase();
  const same = choices.find(({ label }) => label.toLowerCase() === words);
  if (same) return same;
  return /^[1-9]$/.test(words) ? choices[Number(words) - 1] : undefined;
}
