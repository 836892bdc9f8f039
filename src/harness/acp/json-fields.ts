/** Reading what an agent sent: a field that is missing or of another type is as good as absent. */
import type { Json } from "../../core/index.js";

export type JsonObject = Readonly<Record<string, Json>>;

const NOTHING: JsonObject = {};

/** An empty object for what is none. */
export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : NOTHING;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldAt(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function objectAt(object: JsonObject, key: string): JsonObject {
  return asObject(fieldAt(object, key));
}

export function listAt(object: JsonObject, key: string): readonly Json[] {
  const value = fieldAt(object, key);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function textAt(object: JsonObject, key: string): string | null {
  const value = fieldAt(object, key);
  return typeof value === "string" ? value : null;
}

/** The first of these fields that is a text with anything in it. */
export function firstTextAt(object: JsonObject, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = textAt(object, key);
    if (value !== null && value !== "") return value;
  }
  return null;
}

export function numberAt(object: JsonObject, key: string): number | null {
  const value = fieldAt(object, key);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
