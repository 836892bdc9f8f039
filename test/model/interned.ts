/** Plain values by what they say: equal ones have one number and become one object. */

/** The one object for all that are equal, and its number. */
export interface Interned<T> {
  readonly value: T;
  readonly number: number;
}

/** What a list or an object says, as numbers: whether it is a list, then its parts, or its fields and what they are. */
interface Known {
  readonly words: readonly number[];
  readonly number: number;
  /** Another with the same hash. */
  readonly next: Known | undefined;
}

const LIST = 0;
const FIELDS = 1;
const PRIME = 0x01000193;

/**
 * A value is told by its parts, each of which has a number of its own: what is made from another value by changing one
 * field shares the rest with it, so that most parts are known by identity and are not looked into again. Like JSON it
 * tells the order of fields apart, and a field that is `undefined` is none.
 */
export class Interner<T extends object> {
  /** By the hash of what they say. */
  private readonly parts = new Map<number, Known>();
  private partCount = 0;
  /** Names of fields, and what is no object. */
  private readonly leaves = new Map<unknown, number>();
  /** By identity: only what is kept, and what is part of it. */
  private readonly known = new Map<object, number>();
  private readonly values = new Map<number, Interned<T>>();
  /** By depth: what is being told. */
  private readonly scratch: number[][] = [];
  private depth = 0;

  take(value: T): Interned<T> {
    const known = this.known.get(value);
    const entry = this.values.get(known ?? this.numberOf(value));
    if (entry) return entry;
    const fresh = { value: freeze(value), number: this.values.size };
    this.values.set(this.keep(value), fresh);
    return fresh;
  }

  private numberOf(value: object): number {
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const words = (this.scratch[this.depth] ??= []);
    words.length = 0;
    this.depth += 1;
    if (Array.isArray(value)) this.tellList(value, words);
    else this.tellFields(value, words);
    this.depth -= 1;
    return this.numberOfWords(words);
  }

  private numberOfWords(words: readonly number[]): number {
    let hash = words.length;
    for (const word of words) hash = Math.imul(hash ^ word, PRIME) ^ (hash >>> 15);
    const first = this.parts.get(hash);
    for (let part = first; part !== undefined; part = part.next)
      if (isSame(part.words, words)) return part.number;
    const number = this.partCount;
    this.partCount += 1;
    this.parts.set(hash, { words: words.slice(), number, next: first });
    return number;
  }

  private tellList(list: readonly unknown[], words: number[]): void {
    words.push(LIST);
    for (const item of list) words.push(this.word(item));
  }

  private tellFields(value: object, words: number[]): void {
    words.push(FIELDS);
    for (const key of Object.keys(value)) {
      const part: unknown = (value as Record<string, unknown>)[key];
      if (part !== undefined) words.push(this.leaf(key), this.word(part));
    }
  }

  /** Even for a part that has parts, odd for one that has none. */
  private word(part: unknown): number {
    return typeof part === "object" && part !== null ? 2 * this.numberOf(part) : 2 * this.leaf(part) + 1;
  }

  private leaf(leaf: unknown): number {
    let number = this.leaves.get(leaf);
    if (number === undefined) {
      number = this.leaves.size;
      this.leaves.set(leaf, number);
    }
    return number;
  }

  /** From now on it and its parts are known by identity. */
  private keep(value: object): number {
    const known = this.known.get(value);
    if (known !== undefined) return known;
    for (const part of Object.values(value) as unknown[]) {
      if (typeof part === "object" && part !== null) this.keep(part);
    }
    const number = this.numberOf(value);
    this.known.set(value, number);
    return number;
  }
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at += 1) if (some[at] !== others[at]) return false;
  return true;
}

/** Freezes to the leaves; what is frozen already is known to be frozen to the leaves. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
  return value;
}
