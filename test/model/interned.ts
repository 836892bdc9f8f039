/** Plain values by what they say: equal ones have one number and become one object. */

/** The one object for all that are equal, and its number. */
export interface Interned<T> {
  readonly value: T;
  readonly number: number;
}

/**
 * A value is told by its parts, each of which has a number of its own: what is made from another value by changing one
 * field shares the rest with it, so that most parts are known by identity and are not looked into again. Like JSON it
 * tells the order of fields apart, and a field that is `undefined` is none.
 */
export class Interner<T extends object> {
  private readonly parts = new Map<string, number>();
  /** By identity: only what is kept, and what is part of it. */
  private readonly known = new Map<object, number>();
  private readonly values = new Map<number, Interned<T>>();

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
    const text = Array.isArray(value) ? this.listText(value) : this.fieldsText(value);
    let number = this.parts.get(text);
    if (number === undefined) {
      number = this.parts.size;
      this.parts.set(text, number);
    }
    return number;
  }

  private listText(list: readonly unknown[]): string {
    let text = "[";
    for (const item of list) text += this.partText(item);
    return text;
  }

  private fieldsText(value: object): string {
    let text = "{";
    for (const key of Object.keys(value)) {
      const part: unknown = (value as Record<string, unknown>)[key];
      if (part !== undefined) text += `${key}:${this.partText(part)}`;
    }
    return text;
  }

  private partText(part: unknown): string {
    if (typeof part === "object" && part !== null) return `#${this.numberOf(part)},`;
    return typeof part === "string" ? `${JSON.stringify(part)},` : `${String(part)},`;
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

/** Freezes to the leaves; what is frozen already is known to be frozen to the leaves. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
  return value;
}
