/** Programs that run the command that follows their own options. One row each. */
import { skipOptions, type ValueOptions } from "./option-words.js";
import { UNKNOWN_WORD, type ShellWord } from "./shell-word.js";
import { glimpse, hides, lineOf, runs, type Inner, type Unwrapped } from "./unwrapped.js";
import { assignedName, assignmentRisk, variableRisk } from "./variable-risk.js";

interface Wrapper extends ValueOptions {
  /** Words of its own between its options and the command: the seconds of `timeout`. */
  readonly operands?: number;
  /** It changes neither what the command may do nor where: the command is all that needs to be allowed. */
  readonly isTransparent?: true;
  /** It adds words that come from elsewhere. */
  readonly isExtended?: true;
  /** It takes assignments before the command. */
  readonly assigns?: true;
  /** Options of its own by which it runs something else, or goes to another folder first. */
  readonly hiding?: RegExp;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  // They change nothing but when and how fast something runs.
  ionice: { letters: "cnpPu", long: ["class", "classdata", "pid"], isTransparent: true },
  nice: { letters: "n", long: ["adjustment"], isTransparent: true },
  nohup: { isTransparent: true },
  setsid: { isTransparent: true },
  stdbuf: { letters: "ioe", long: ["input", "output", "error"], isTransparent: true },
  timeout: { letters: "ks", long: ["kill-after", "signal"], operands: 1, isTransparent: true },
  xargs: {
    letters: "adEIJLnPRSs",
    long: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
    hiding: /^--pr/,
    attached: "eil",
    isTransparent: true,
    isExtended: true,
  },
  // Words of the shell itself.
  builtin: { isTransparent: true },
  command: { isTransparent: true },
  exec: { letters: "a", isTransparent: true },
  // They run as somebody else, elsewhere, or with something around it.
  chroot: { long: ["userspec", "groups"], operands: 1 },
  doas: { letters: "Cu", assigns: true },
  env: {
    letters: "uCaPLU",
    long: ["unset", "chdir", "argv0"],
    isTransparent: true,
    assigns: true,
    hiding: /^(?:-[A-Za-z0-9]*[SCPLU]|--[cs])/,
  },
  pkexec: { letters: "u", long: ["user"] },
  sudo: {
    letters: "CDghpRrTtUu",
    long: ["close-from", "chdir", "group", "host", "prompt", "chroot", "role", "type", "other-user", "user"],
    assigns: true,
    hiding: /^(?:-[A-Za-z]*[siDR]|--shell|--login|--ch)/,
  },
  time: { letters: "fo", long: ["format", "output"] },
  busybox: { isTransparent: true },
};

/** Null when the program is none of these, or runs nothing here. */
export function unwrapPrefix(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  // `command -v ls` runs nothing.
  if (!wrapper || (name === "command" && /^-[pvV]*[vV]/.test(words[1]?.value ?? ""))) return null;
  const { index, isSure } = skipOptions(words, 1, wrapper);
  const start = commandStart(words, index + (wrapper.operands ?? 0), wrapper);
  const own = words.slice(1, start);
  const inner = words.slice(start);
  if (own.some(({ value }) => wrapper.hiding?.test(value)))
    return hides(`an option of ${name} changes what is run, or where`, [
      glimpse(words.slice(1)),
      lineOf(words.slice(1).map(withoutSplit)),
      ...(inner.length === 0 ? [] : [{ type: "words", words: inner } satisfies Inner]),
    ]);
  // A word that is computed may be the command.
  if (inner.length === 0) return isSure ? null : hides(`it cannot be seen which command ${name} runs`);
  const whole = wrapper.isExtended ? extended(words.slice(1, index), inner) : inner;
  const unwrapped = runs([{ type: "words", words: whole }]);
  const assigned = own.filter(({ value }) => assignedName(value) !== null);
  const risky = assigned.find((word) => riskOf(word) === "risky");
  if (risky) return hides(`${risky.value} may change which program is run`, unwrapped.inner);
  if (!isSure || own.slice(index - 1).some((word) => word.unknown && assignedName(word.value) === null))
    return hides(`it cannot be seen which command ${name} runs`, unwrapped.inner);
  const isPlain = assigned.every((word) => riskOf(word) === "harmless");
  return { ...unwrapped, isTransparent: wrapper.isTransparent === true && isPlain };
}

function riskOf({ value, unknown }: ShellWord): ReturnType<typeof variableRisk> {
  return unknown ? variableRisk(assignedName(value) ?? "") : assignmentRisk(value);
}

/** `-S 'rm -rf' x` is `rm -rf x`. */
function withoutSplit(word: ShellWord): ShellWord {
  return { ...word, value: word.value.replace(/^(?:-[A-Za-z0-9]*S|--split[a-z-]*=?)/, "") };
}

function commandStart(words: readonly ShellWord[], start: number, { assigns }: Wrapper): number {
  if (!assigns) return start;
  // A single dash is an option of env.
  const first = words[start]?.value === "-" ? start + 1 : start;
  const index = words.findIndex((word, at) => at >= first && assignedName(word.value) === null);
  return index === -1 ? words.length : index;
}

/** What xargs reads comes behind the command, or into it, wherever the text stands that it was told to replace. */
function extended(options: readonly ShellWord[], command: readonly ShellWord[]): readonly ShellWord[] {
  const replaced = options.flatMap((word, at) => replacedText(word.value, options[at + 1]?.value ?? ""));
  if (replaced.length === 0) return [...command, UNKNOWN_WORD];
  const texts = [...replaced, "{}"].filter((text) => text !== "");
  const fill = (value: string) =>
    texts.reduce((all, text) => all.replaceAll(text, UNKNOWN_WORD.value), value);
  return command.map((word) =>
    texts.some((text) => word.value.includes(text)) ? { ...UNKNOWN_WORD, value: fill(word.value) } : word,
  );
}

/** The text that an option of xargs says is to be replaced. */
function replacedText(option: string, next: string): readonly string[] {
  if (option.startsWith("--")) {
    const [, name = "", text = "{}"] = /^--([a-z-]+)(?:=(.*))?$/s.exec(option) ?? [];
    return name !== "" && "replace".startsWith(name) ? [text] : [];
  }
  const [, letter, text = ""] = /^-[^adEeLlnPRSsiIJ]*([iIJ])(.*)$/s.exec(option) ?? [];
  if (letter === undefined) return [];
  return [text !== "" ? text : letter === "i" ? "{}" : next];
}
