/** What could be written where the cursor is. */
import { STATUSES } from "../../core/session/state.js";
import { usageOf, type Usage } from "../command-help.js";
import { COMMANDS } from "../command-table.js";

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** What only a running daemon knows. */
export interface LiveWords {
  readonly sessions: () => Promise<readonly Candidate[]>;
  readonly harnesses: () => Promise<readonly Candidate[]>;
  readonly devices: () => Promise<readonly Candidate[]>;
}

const SHELLS = ["bash", "zsh", "fish"];
const SCOPES = ["once", "session", "project", "always"];
const LOG_LEVELS = ["debug", "info", "warn", "error"];

/**
 * `words` are those after `signalbox`, the last one being written. None at all means that the shell may offer files.
 */
export async function candidatesFor(
  words: readonly string[],
  live: LiveWords,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const [name = "", ...rest] = words;
  const found = words.length <= 1 ? commandNames() : await inCommand(name, rest, live);
  // A list is completed at its end.
  const before = current.startsWith("-") ? "" : current.slice(0, current.lastIndexOf(",") + 1);
  return found
    .map(({ word, about }) => ({ word: `${before}${word}`, about }))
    .filter(({ word }) => word.startsWith(current));
}

function commandNames(): readonly Candidate[] {
  const commands = Object.entries(COMMANDS).map(([word, { summary }]) => ({ word, about: summary }));
  return [...commands, { word: "--help", about: "what can be done" }, { word: "--version", about: "" }];
}

async function inCommand(
  name: string,
  words: readonly string[],
  live: LiveWords,
): Promise<readonly Candidate[]> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) return [];
  const usage = usageOf(name, (await entry.load()).help);
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const previous = usage.flags.find((flag) => flag.name === before.at(-1));
  if (previous && previous.value !== null) return valuesOf(previous.name, live);
  if (current.startsWith("-")) {
    const flags = usage.flags.map((flag) => ({ word: flag.name, about: flag.about }));
    return [...flags, { word: "--help", about: "what this command does" }];
  }
  return atPlace(usage, placedWords(before, usage), live);
}

/** The words that are neither options nor their values. */
function placedWords(words: readonly string[], { flags }: Usage): readonly string[] {
  const takesValue = (word: string | undefined) =>
    flags.some((flag) => flag.name === word && flag.value !== null);
  return words.filter((word, index) => !word.startsWith("-") && !takesValue(words[index - 1]));
}

async function atPlace(
  { forms }: Usage,
  placed: readonly string[],
  live: LiveWords,
): Promise<readonly Candidate[]> {
  const possible = forms.filter((form) =>
    placed.every((word, index) => {
      const expected = wordAt(form, index);
      return expected !== undefined && (isOpen(expected) || expected === word);
    }),
  );
  // `[ID]` of one form and `ID` of another are the same.
  const next = new Set(
    possible.flatMap((form) => wordAt(form, placed.length)?.replace(/[[\]<>]|\.\.\./g, "") ?? []),
  );
  const found = await Promise.all([...next].map((word) => wordsFor(word, live)));
  return found.flat();
}

/** The last one may be there several times: `[ID...]`. */
function wordAt(form: readonly string[], index: number): string | undefined {
  const last = form.at(-1);
  return form[index] ?? (last?.includes("...") === true ? last : undefined);
}

/** A name for what is to be written, not the word itself. */
function isOpen(word: string): boolean {
  return !/^[a-z]/.test(word);
}

async function wordsFor(name: string, live: LiveWords): Promise<readonly Candidate[]> {
  if (name === "ID") return live.sessions();
  if (name === "AGENT") return live.harnesses();
  if (name === "DEVICE") return live.devices();
  if (name === "SHELL") return plain(SHELLS);
  return name === name.toLowerCase() ? plain(name.split("|")) : [];
}

function valuesOf(flag: string, live: LiveWords): readonly Candidate[] | Promise<readonly Candidate[]> {
  if (flag === "--status" || flag === "--for") return plain(STATUSES);
  if (flag === "--scope") return plain(SCOPES);
  if (flag === "--log-level") return plain(LOG_LEVELS);
  return flag === "--session" ? live.sessions() : [];
}

function plain(words: readonly string[]): readonly Candidate[] {
  return words.map((word) => ({ word, about: "" }));
}
