/**
 * Where things are in a TOML text. The parser says what a text means; this says where each key, value and item of a list
 * stands, so that a flaw can be shown and a list can be added to without touching anything else.
 *
 * It takes every text: what it cannot read it steps over, to the next line that looks like one of TOML. So it also finds
 * what is still readable in a broken file.
 */
import { parse } from "smol-toml";

export interface TomlItem {
  readonly start: number;
  readonly end: number;
  /** Null when it is no string, or one without an end. */
  readonly text: string | null;
}

export interface TomlEntry {
  /** The names of its table, then its own. */
  readonly path: readonly string[];
  /** How many of the names are its table's. */
  readonly tableDepth: number;
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
  readonly value:
    | { readonly type: "list"; readonly items: readonly TomlItem[]; readonly isClosed: boolean }
    | { readonly type: "string"; readonly text: string | null }
    | { readonly type: "other" };
}

export interface TomlHeader {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface TomlOutline {
  readonly headers: readonly TomlHeader[];
  /** Those of inline tables come after the entry that holds them. */
  readonly entries: readonly TomlEntry[];
}

export function scanToml(text: string): TomlOutline {
  return new Scanner(text).document();
}

/** Nobody nests deeper, and a hostile text must not exhaust the stack. */
const DEPTH_MAX = 64;

const BLANK = /[ \t]*/y;
const BLANK_LINES = /(?:[ \t\r\n\ufeff]|#[^\n]*)*/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const SCALAR = /[^\s,\]}#]+/y;
const REST_OF_LINE = /[^\n]*\n?/y;
/** A list that was never closed ends where the next line of the document begins. */
const NEXT_ENTRY = /(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*(?:\.[^=\n]*)?=/y;
const NEXT_HEADER = /\[\[?[A-Za-z0-9_. \t-]+\]?\][ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y;

const STRINGS: readonly { readonly quote: string; readonly whole: RegExp; readonly isPlain: boolean }[] = [
  { quote: '"""', whole: /"""(?:[^"\\]|\\[^]|"(?!""))*"{3,5}/y, isPlain: false },
  { quote: "'''", whole: /'''(?:[^']|'(?!''))*'{3,5}/y, isPlain: false },
  { quote: '"', whole: /"(?:[^"\\\n]|\\[^\n])*"/y, isPlain: true },
  { quote: "'", whole: /'[^'\n]*'/y, isPlain: true },
];

class Scanner {
  private at = 0;
  private readonly headers: TomlHeader[] = [];
  private readonly entries: TomlEntry[] = [];

  constructor(private readonly text: string) {}

  document(): TomlOutline {
    let table: readonly string[] = [];
    for (;;) {
      this.skip(BLANK_LINES);
      if (this.at >= this.text.length) return { headers: this.headers, entries: this.entries };
      if (this.text[this.at] === "[") table = this.header();
      else this.entry(table, 0);
      this.skip(REST_OF_LINE);
    }
  }

  private header(): readonly string[] {
    const start = this.at;
    this.at += this.text.startsWith("[[", start) ? 2 : 1;
    const path = this.key();
    while (this.text[this.at] === "]") this.at += 1;
    this.headers.push({ path, start, end: this.at });
    return path;
  }

  private entry(table: readonly string[], depth: number): void {
    const keyStart = this.at;
    const names = this.key();
    if (names.length === 0 || this.text[this.at] !== "=") return;
    const path = [...table, ...names];
    this.at += 1;
    this.skip(BLANK);
    const start = this.at;
    const index = this.entries.length;
    const value = this.value(path, depth);
    this.entries.splice(index, 0, {
      path,
      tableDepth: table.length,
      keyStart,
      start,
      end: this.at,
      value,
    });
  }

  /** Dotted names, and the blanks around them. */
  private key(): readonly string[] {
    const names: string[] = [];
    for (;;) {
      this.skip(BLANK);
      const start = this.at;
      const quoted = this.isString() ? this.string() : null;
      if (quoted === null && this.at === start) this.skip(BARE_KEY);
      if (this.at === start) return names;
      names.push(quoted ?? this.text.slice(start, this.at));
      this.skip(BLANK);
      if (this.text[this.at] !== ".") return names;
      this.at += 1;
    }
  }

  private value(path: readonly string[], depth: number): TomlEntry["value"] {
    if (this.isString()) return { type: "string", text: this.string() };
    const first = this.text[this.at];
    if (first === "[" && depth < DEPTH_MAX) return this.list(depth);
    if (first === "{" && depth < DEPTH_MAX) this.inlineTable(path, depth);
    else this.skip(SCALAR);
    return { type: "other" };
  }

  private list(depth: number): TomlEntry["value"] {
    const items: TomlItem[] = [];
    this.at += 1;
    for (;;) {
      const before = this.at;
      this.skip(BLANK_LINES);
      const char = this.text[this.at];
      if (char === "]") {
        this.at += 1;
        return { type: "list", items, isClosed: true };
      }
      if (char === undefined || (this.isNewLine(before) && this.isNextLine())) {
        // The end of what belongs to it: the document goes on from there.
        this.at = before;
        return { type: "list", items, isClosed: false };
      }
      if (char === ",") {
        this.at += 1;
        continue;
      }
      const start = this.at;
      const value = this.value([], depth + 1);
      // A character that begins no value is stepped over, or this would never end.
      if (this.at === start) this.at += 1;
      items.push({ start, end: this.at, text: value.type === "string" ? value.text : null });
    }
  }

  private inlineTable(path: readonly string[], depth: number): void {
    this.at += 1;
    for (;;) {
      this.skip(BLANK_LINES);
      const char = this.text[this.at];
      if (char === undefined) return;
      if (char === "}") {
        this.at += 1;
        return;
      }
      const start = this.at;
      if (char === ",") this.at += 1;
      else this.entry(path, depth + 1);
      if (this.at === start) this.at += 1;
    }
  }

  private isString(): boolean {
    const char = this.text[this.at];
    return char === '"' || char === "'";
  }

  /** Null for one without an end; it is then taken to end with its line. */
  private string(): string | null {
    const start = this.at;
    const kind = STRINGS.find(({ quote }) => this.text.startsWith(quote, start));
    if (!kind) throw new Error("a string begins with a quote");
    this.skip(kind.whole);
    if (this.at === start) {
      this.skip(/[^\n]*/y);
      return null;
    }
    const raw = this.text.slice(start, this.at);
    if (kind.isPlain && !raw.includes("\\")) return raw.slice(1, -1);
    return meaningOf(raw);
  }

  private isNewLine(before: number): boolean {
    return this.text.slice(before, this.at).includes("\n");
  }

  private isNextLine(): boolean {
    return this.matches(NEXT_ENTRY) || this.matches(NEXT_HEADER);
  }

  private matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    return pattern.test(this.text);
  }

  private skip(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    if (pattern.test(this.text)) this.at = pattern.lastIndex;
  }
}

function meaningOf(raw: string): string | null {
  try {
    const value = parse(`v = ${raw}`)["v"];
    return typeof value === "string" ? value : null;
  } catch {
    // An escape that TOML does not know: the parser has said so of the whole text.
    return null;
  }
}
