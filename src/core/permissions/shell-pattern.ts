/**
 * Patterns over commands. A pattern is a list of words, as the command is: spaces part them, quotes keep spaces inside
 * one, a backslash takes the next character as it is.
 *
 * - `git status`: these words, and no others (an allow); these words in front (a deny or an ask).
 * - `ls *`: a star that stands alone is any number of words, none included.
 * - `ls*`: a star at the end of the last word is any end of that word, and any words after it.
 * - `git push origin feat/* --dry-run`, `git commit -m "*"`: any other star is any characters of that one word.
 */
import { PatternError } from "./path-glob.js";
import type { Rule } from "./rule.js";
import type { TextGlob } from "./text-glob.js";

export interface PatternWord {
  /** A star that stands alone: any words. */
  readonly isAny: boolean;
  readonly glob: TextGlob;
}

export interface ShellPattern {
  readonly words: readonly PatternWord[];
  /** The first word, for programs as they are compared: see `plainName`. */
  readonly program: TextGlob;
  /** The last word ends with a star: more words may follow. */
  readonly isOpen: boolean;
  /** It has no star at all: it says exactly what is meant. */
  readonly isExact: boolean;
}

/** Signs that part commands: a pattern is about one command. */
const OPERATOR = /^(?:[;&|<>`]|\$\()/;

/** Throws a `PatternError`. */
export function parseShellPattern(pattern: string): ShellPattern {
  const words: PatternWord[] = [];
  const reader = new WordReader(pattern);
  for (let word = reader.next(); word; word = reader.next()) words.push(word);
  if (words.length === 0) throw new PatternError("it names no command");
  const isOpen = words.at(-1)?.isAny === false && words.at(-1)?.glob.at(-1) === "" && reader.endsWithStar;
  const program = (words[0]?.glob ?? []).map(plainName);
  const isExact = words.every((word) => !word.isAny && word.glob.length === 1);
  return { words, program, isOpen, isExact };
}

/** Without folders, and without the ending that some systems put behind it. */
export function programBase(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).replace(/\.exe$/, "");
}

/** As names of programs are compared: in small letters, without what cannot be seen, look-alikes in their plain form. */
export function plainName(name: string): string {
  if (/^[a-z0-9_./+-]*$/.test(name)) return name;
  return name
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase();
}

class WordReader {
  private index = 0;
  /** Whether the newest word ends with a star that is in no quotes. */
  endsWithStar = false;

  constructor(private readonly pattern: string) {}

  next(): PatternWord | null {
    while (/\s/.test(this.pattern[this.index] ?? "")) this.index += 1;
    if (this.index >= this.pattern.length) return null;
    const start = this.index;
    const pieces = [""];
    let quote = "";
    this.endsWithStar = false;
    for (; this.index < this.pattern.length; this.index += 1) {
      const char = this.pattern[this.index] ?? "";
      if (char === "\\") {
        this.index += 1;
        const next = this.pattern[this.index];
        if (next === undefined) throw new PatternError("the backslash at its end takes nothing");
        add(pieces, next);
      } else if (char === quote) quote = "";
      else if (quote === "" && (char === "'" || char === '"')) quote = char;
      else if (quote === "" && /\s/.test(char)) break;
      else if (char === "*") {
        pieces.push("");
        this.endsWithStar = quote === "";
        continue;
      } else {
        if (quote === "") this.refuseOperator();
        add(pieces, char);
      }
      this.endsWithStar = false;
    }
    if (quote !== "") throw new PatternError(`the quote ${quote} has no end`);
    return { isAny: this.pattern.slice(start, this.index) === "*", glob: pieces };
  }

  private refuseOperator(): void {
    const found = OPERATOR.exec(this.pattern.slice(this.index, this.index + 2));
    if (!found) return;
    throw new PatternError(
      `${JSON.stringify(found[0])} parts commands, and a rule is about one: write a rule for each, or a backslash before it`,
    );
  }
}

function add(pieces: string[], char: string): void {
  pieces.push((pieces.pop() ?? "") + char);
}

/** Writes words so that they stand for themselves alone. */
export function escapeWords(words: readonly string[]): string {
  return words.map(escapeWord).join(" ");
}

function escapeWord(word: string): string {
  const escaped = word.replace(/[\\*()'"]/g, "\\$&");
  return word === "" || /[\s;&|<>`$]/.test(word) ? `'${escaped}'` : escaped;
}

const patterns = new WeakMap<Rule, { readonly pattern: ShellPattern | null }>();

/** Reads each rule's pattern once. Null for one that cannot be read: it asks, and allows nothing. */
export function shellPatternOf(rule: Rule): ShellPattern | null {
  const known = patterns.get(rule);
  if (known) return known.pattern;
  const pattern = parsedOrNull(rule.pattern ?? "*");
  patterns.set(rule, { pattern });
  return pattern;
}

function parsedOrNull(text: string): ShellPattern | null {
  try {
    return parseShellPattern(text);
  } catch (error) {
    if (error instanceof PatternError) return null;
    throw error;
  }
}
