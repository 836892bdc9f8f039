/** The rules of one file, and what is wrong with it. */
import { isUtf8 } from "node:buffer";
import { parse, TomlError, type TomlTable, type TomlValue } from "smol-toml";
import { parseRule, type Rule, type RuleOrigin } from "../../core/index.js";
import { LineIndex, type Position } from "../toml/line-index.js";
import { scanToml, type TomlItem, type TomlOutline } from "../toml/scan-toml.js";

/** Something in a file that cannot be taken as it is. */
export interface Flaw {
  readonly file: string;
  /** From 1; null when it is the file as a whole. */
  readonly line: number | null;
  readonly column: number | null;
  /** What is there, and what was expected. */
  readonly message: string;
}

export interface RuleFileKind {
  readonly file: string;
  readonly kind: RuleOrigin["kind"];
  /** What its relative paths are relative to; null: to the project of whoever asks. */
  readonly root: string | null;
  /** A person's own file may hold what the person granted; one of a repository may not. */
  readonly mayGrant: boolean;
  /** The one key beside `[permissions]` that a person's file for a project has, with the only value that fits. */
  readonly folder: string | null;
}

export interface ParsedRuleFile {
  readonly rules: readonly Rule[];
  readonly flaws: readonly Flaw[];
}

export const RULES_MAX = 10_000;
const FLAWS_MAX = 20;
/** A repository brings as many as it likes, and every one is tried on every call. */
export const FOLDER_RULES_MAX = 1_000;
const DEPTH_MAX = 32;
const TABLE = "permissions";

const EFFECTS = { allow: "allow", ask: "ask", deny: "deny", grants: "grant" } as const;
type ListName = keyof typeof EFFECTS;

/**
 * A file with a flaw says less than its author meant. Its deny and ask rules that can be read count all the same; what it
 * would permit does not.
 */
export function parseRuleFile(bytes: Buffer, kind: RuleFileKind): ParsedRuleFile {
  const text = bytes.toString("utf8");
  const reading = new Reading(text, kind);
  if (!isUtf8(bytes)) reading.flaw(text.indexOf("\ufffd"), "not valid UTF-8");
  const document = parseToml(text, reading);
  if (document) reading.readDocument(document);
  else reading.salvage();
  return reading.result();
}

function parseToml(text: string, reading: Reading): TomlTable | null {
  try {
    return parse(text, { maxDepth: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    reading.flawAt(error, `not valid TOML: ${first}`);
    return null;
  }
}

class Reading {
  private readonly rules: Rule[] = [];
  private readonly flaws: Flaw[] = [];
  private readonly lines: LineIndex;
  private outlined: TomlOutline | null = null;

  constructor(
    private readonly text: string,
    private readonly kind: RuleFileKind,
  ) {
    this.lines = new LineIndex(text);
  }

  result(): ParsedRuleFile {
    const { rules, flaws } = this;
    if (flaws.length === 0) return { rules, flaws };
    return { rules: rules.filter(({ effect }) => effect === "deny" || effect === "ask"), flaws };
  }

  readDocument(document: TomlTable): void {
    const { folder } = this.kind;
    const known = folder === null ? `[${TABLE}]` : `folder and [${TABLE}]`;
    for (const [key, value] of Object.entries(document)) {
      if (key === TABLE) this.readTable(value);
      else if (key !== "folder" || folder === null)
        this.flawOf([key], `unknown key ${JSON.stringify(key)}: expected ${known}`);
      else if (value !== folder)
        this.flawOf([key], `this file is for another folder: expected ${JSON.stringify(folder)}`);
    }
    if (folder !== null && !Object.hasOwn(document, "folder"))
      this.flaw(0, `folder is missing: expected folder = ${JSON.stringify(folder)}`);
  }

  /** What can still be read of a text that is not TOML: only what forbids or asks. */
  salvage(): void {
    for (const { path, value, start } of this.outline().entries) {
      const name = path.at(-1);
      if (name !== "deny" && name !== "ask") continue;
      const items =
        value.type === "list" ? value.items : value.type === "string" ? [{ ...value, start }] : [];
      for (const item of items) if (item.text !== null) this.readRule(name, item.text, item.start);
    }
  }

  private readTable(table: TomlValue): void {
    const lists = this.kind.mayGrant ? "allow, ask, deny or grants" : "allow, ask or deny";
    if (typeof table !== "object" || Array.isArray(table) || table instanceof Date) {
      this.flawOf([TABLE], `expected a table [${TABLE}] with ${lists}`);
      return;
    }
    for (const [key, value] of Object.entries(table)) {
      if (isListName(key) && (key !== "grants" || this.kind.mayGrant)) this.readList(key, value);
      else if (key === "grants")
        this.flawOf([TABLE, key], `only a person's own files may hold grants: expected ${lists}`);
      else this.flawOf([TABLE, key], `unknown key ${JSON.stringify(key)}: expected ${lists}`);
    }
  }

  private readList(name: ListName, value: TomlValue): void {
    const entry = this.entryAt([TABLE, name]);
    if (!Array.isArray(value)) {
      this.flawOf([TABLE, name], `${name}: expected a list of rules, such as ["Shell(git status)"]`);
      if (typeof value === "string") this.readRule(name, value, entry?.start ?? 0);
      return;
    }
    const places: readonly TomlItem[] = entry?.value.type === "list" ? entry.value.items : [];
    for (const [index, item] of value.entries()) {
      const start = places[index]?.start ?? entry?.start ?? 0;
      if (typeof item === "string") this.readRule(name, item, start);
      else this.flaw(start, `${name}: expected a rule in quotes, such as "Shell(git status)"`);
    }
  }

  private readRule(name: ListName, text: string, start: number): void {
    const parsed = parseRule(text);
    if (!parsed.ok) {
      this.flaw(start, `${name}: ${parsed.message}`);
      return;
    }
    const most = this.kind.mayGrant ? RULES_MAX : FOLDER_RULES_MAX;
    if (this.rules.length >= most) {
      this.flaw(start, `more than ${most} rules`);
      return;
    }
    const { category, pattern } = parsed;
    const { file, root } = this.kind;
    const effect = EFFECTS[name];
    const origin = {
      file,
      line: this.positionAt(start).line,
      kind: effect === "grant" ? "grant" : this.kind.kind,
      root,
    } as const;
    this.rules.push({ effect, category, pattern, text, origin });
  }

  flaw(offset: number, message: string): void {
    this.flawAt(this.positionAt(offset), message);
  }

  flawAt({ line, column }: Position, message: string): void {
    if (this.flaws.length < FLAWS_MAX) this.flaws.push({ file: this.kind.file, line, column, message });
  }

  private flawOf(path: readonly string[], message: string): void {
    // To find a place takes a look at the whole file.
    if (this.flaws.length < FLAWS_MAX) this.flaw(this.placeOf(path), message);
  }

  /** Of a key, wherever it is written: alone, in a header, or as the beginning of a longer one. */
  private placeOf(path: readonly string[]): number {
    const begins = (names: readonly string[]): boolean => path.every((name, index) => names[index] === name);
    const { headers, entries } = this.outline();
    const header = headers.find((each) => begins(each.path));
    const entry = entries.find((each) => begins(each.path));
    return Math.min(header?.start ?? Infinity, entry?.keyStart ?? Infinity, this.text.length);
  }

  private entryAt(path: readonly string[]) {
    return this.outline().entries.find(
      (entry) => entry.path.length === path.length && path.every((name, index) => entry.path[index] === name),
    );
  }

  private outline(): TomlOutline {
    this.outlined ??= scanToml(this.text);
    return this.outlined;
  }

  private positionAt(offset: number): Position {
    return this.lines.positionAt(Math.max(0, offset));
  }
}

function isListName(key: string): key is ListName {
  return Object.hasOwn(EFFECTS, key);
}
