/**
 * Reading what an agent wrote. It is not to be trusted: a field of the wrong type is as good as absent, and absent is null.
 * Every reader takes null for its object too, so that what is deep inside can be read without asking at each level.
 */
import type { Json } from "../../core/index.js";

export type JsonObject = Readonly<Record<string, Json>>;

/** Deeper than any agent's message; beyond, reading it further or printing it again could exhaust the stack. */
export const JSON_DEPTH_MAX = 500;

/** Longer ones than any agent's own are no names: they would be kept for long. */
const ID_LENGTH_MAX = 4_096;

/** Undefined for what is not JSON, or nests too deeply: either is as unknown as JSON we do not know. */
export function parseJson(text: string): Json | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  // A shorter text cannot nest that deeply.
  return text.length > 2 * JSON_DEPTH_MAX && isDeep(value) ? undefined : value;
}

function isDeep(json: Json): boolean {
  const waiting: { readonly value: Json; readonly depth: number }[] = [{ value: json, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth === JSON_DEPTH_MAX) return true;
    for (const item of Object.values<Json>(value)) waiting.push({ value: item, depth: depth + 1 });
  }
  return false;
}

export function parseObject(text: string): JsonObject | null {
  return objectOf(parseJson(text));
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

/** `Array.isArray` does not narrow a readonly array. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function objectOf(value: Json | undefined): JsonObject | null {
  return isObject(value) ? value : null;
}

/** For taking fields out of it: without any where there is no object. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** A text with anything in it: an empty name or message says nothing. */
export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** A number that can be counted with. */
export function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** The texts of an array; what else is in it is left out. */
export function textsOf(value: Json | undefined): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

/** Agents choose the names of fields: `constructor` is a name like any other. */
export function fieldAt(object: JsonObject | null, key: string): Json | undefined {
  return object !== null && Object.hasOwn(object, key) ? object[key] : undefined;
}

export function objectAt(object: JsonObject | null, key: string): JsonObject | null {
  return objectOf(fieldAt(object, key));
}

/** For taking fields out of it: without any where there is no object. */
export function fieldsAt(object: JsonObject | null, key: string): JsonObject {
  return fieldsOf(fieldAt(object, key));
}

/** A text with anything in it. */
export function textAt(object: JsonObject | null, key: string): string | null {
  return textOf(fieldAt(object, key));
}

/** The first of these fields that is a text with anything in it. */
export function firstTextAt(object: JsonObject | null, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = textAt(object, key);
    if (value !== null) return value;
  }
  return null;
}

/** Any text: the contents of a file may be empty. */
export function stringAt(object: JsonObject | null, key: string): string | null {
  const value = fieldAt(object, key);
  return typeof value === "string" ? value : null;
}

/** A name that an agent gave to something. */
export function idAt(object: JsonObject | null, key: string): string | null {
  const value = textAt(object, key);
  return value !== null && value.length <= ID_LENGTH_MAX ? value : null;
}

export function numberAt(object: JsonObject | null, key: string): number | null {
  return numberOf(fieldAt(object, key));
}

export function listAt(object: JsonObject | null, key: string): readonly Json[] {
  return listOf(fieldAt(object, key));
}

/** The texts of an array; what else is in it is left out. */
export function textsAt(object: JsonObject | null, key: string): readonly string[] {
  return textsOf(fieldAt(object, key));
}

/** The objects of an array; what else is in it is left out. */
export function objectsAt(object: JsonObject | null, key: string): readonly JsonObject[] {
  return listAt(object, key).filter((item) => isObject(item));
}
