/**
 * Shapes of plain JSON, small enough to need no dependency.
 *
 * Every event and state of a machine is described once, as a shape; its TypeScript type and its parser both come from
 * that one description, so they cannot drift apart.
 */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What is wrong with a value, and where (`asks[0].askId`); an empty path is the value itself. */
export interface Flaw {
  readonly path: string;
  readonly expected: string;
}

export interface Shape<T> {
  /** The first flaw of `value`, or null when it is a `T`. */
  readonly check: (value: unknown, path: string) => Flaw | null;
  readonly optional?: true;
  /** Never set: carries `T` for inference. */
  readonly of?: T;
}

export interface OptionalShape<T> extends Shape<T> {
  readonly optional: true;
}

export type Infer<S> = S extends Shape<infer T> ? T : never;

export type Fields = Readonly<Record<string, Shape<unknown>>>;

type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalShape<unknown> ? K : never;
}[keyof F];

type Flatten<T> = { [K in keyof T]: T[K] };

export type InferFields<F extends Fields> = Flatten<
  { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Infer<F[K]> } & {
    readonly [K in OptionalKeys<F>]?: Infer<F[K]>;
  }
>;

function shape<T>(expected: string, test: (value: unknown) => boolean): Shape<T> {
  return { check: (value, path) => (test(value) ? null : { path, expected }) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const text: Shape<string> = shape("a string", (value) => typeof value === "string");
/** A name chosen by someone else: any non-empty string. */
export const id: Shape<string> = shape(
  "a non-empty string",
  (value) => typeof value === "string" && value !== "",
);
export const flag: Shape<boolean> = shape("true or false", (value) => typeof value === "boolean");
export const count: Shape<number> = shape(
  "a whole number, 0 or more",
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const integer: Shape<number> = shape("a whole number", (value) => Number.isSafeInteger(value));
export const timeMs: Shape<number> = shape("a time in milliseconds", (value) => Number.isFinite(value));
export const json: Shape<Json> = shape("a JSON value", (value) => value !== undefined);
export const jsonObject: Shape<Readonly<Record<string, Json>>> = shape("an object", isRecord);

export function oneOf<const V extends readonly string[]>(...values: V): Shape<V[number]> {
  return shape(`one of ${values.join(", ")}`, (value) => values.includes(value as string));
}

export function nullable<T>(inner: Shape<T>): Shape<T | null> {
  return {
    check(value, path) {
      const flaw = value === null ? null : inner.check(value, path);
      return flaw?.path === path ? { path, expected: `${flaw.expected} or null` } : flaw;
    },
  };
}

export function optional<T>(inner: Shape<T>): OptionalShape<T> {
  return {
    optional: true,
    check: (value, path) => (value === undefined ? null : inner.check(value, path)),
  };
}

export function list<T>(inner: Shape<T>): Shape<readonly T[]> {
  return {
    check(value, path) {
      if (!Array.isArray(value)) return { path, expected: "a list" };
      for (let index = 0; index < value.length; index += 1) {
        const flaw = inner.check(value[index], `${path}[${index}]`);
        if (flaw) return flaw;
      }
      return null;
    },
  };
}

export function record<T>(inner: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    check(value, path) {
      if (!isRecord(value)) return { path, expected: "an object" };
      return firstFlaw(Object.keys(value), (key) => inner.check(value[key], join(path, key)));
    },
  };
}

/** Fields that must be there as described; others may be there too and are left alone. */
export function object<const F extends Fields>(fields: F): Shape<InferFields<F>> {
  const names = Object.keys(fields);
  return {
    check(value, path) {
      if (!isRecord(value)) return { path, expected: "an object" };
      return firstFlaw(names, (name) => fields[name]?.check(value[name], join(path, name)) ?? null);
    },
  };
}

/** One of several objects, told apart by their field `type`. */
export function union<const V extends Readonly<Record<string, Fields>>>(
  variants: V,
): Shape<{ [T in keyof V]: Flatten<{ readonly type: T } & InferFields<V[T]>> }[keyof V]> {
  const shapes = new Map(Object.entries(variants).map(([type, fields]) => [type, object(fields)] as const));
  const expected = `one of ${[...shapes.keys()].join(", ")}`;
  return {
    check(value, path) {
      if (!isRecord(value)) return { path, expected: "an object" };
      const type = value["type"];
      const variant = typeof type === "string" ? shapes.get(type) : undefined;
      return variant ? variant.check(value, path) : { path: join(path, "type"), expected };
    },
  };
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function firstFlaw(names: readonly string[], check: (name: string) => Flaw | null): Flaw | null {
  for (const name of names) {
    const flaw = check(name);
    if (flaw) return flaw;
  }
  return null;
}

export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly flaw: Flaw };

export function parse<T>(expected: Shape<T>, value: unknown): Parsed<T> {
  const flaw = expected.check(value, "");
  return flaw ? { ok: false, flaw } : { ok: true, value: value as T };
}

/** For a person: `askId: expected a non-empty string`. */
export function describeFlaw(flaw: Flaw): string {
  return flaw.path === "" ? `expected ${flaw.expected}` : `${flaw.path}: expected ${flaw.expected}`;
}
