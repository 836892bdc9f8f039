/** What comes from an agent is not to be trusted: a field of the wrong type is as good as absent. */
import type { Json } from "../../core/index.js";
import { parseJson } from "../parse-json.js";

export type WireObject = Readonly<Record<string, Json>>;

const ID_LENGTH_MAX = 4_096;

/** The object that a line holds, or null. */
export function parseObject(line: string): WireObject | null {
  return objectOf(parseJson(line));
}

export function objectOf(value: unknown): WireObject | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  // Everything here was parsed from JSON.
  return value as WireObject;
}

export function objectAt(object: WireObject, key: string): WireObject | null {
  return objectOf(object[key]);
}

/** A text that is not empty, or null. */
export function textAt(object: WireObject, key: string): string | null {
  const value = object[key];
  return typeof value === "string" && value !== "" ? value : null;
}

/** A name that Claude gave to something. Longer ones than any of its own are no names: they would be kept for long. */
export function idAt(object: WireObject, key: string): string | null {
  const value = textAt(object, key);
  return value !== null && value.length <= ID_LENGTH_MAX ? value : null;
}

/** A number that can be counted with, or null. */
export function numberAt(object: WireObject, key: string): number | null {
  const value = object[key];
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null;
}

export function listAt(object: WireObject, key: string): readonly Json[] {
  const value = object[key];
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** The objects of a list; what else is in it is left out. */
export function objectsAt(object: WireObject, key: string): readonly WireObject[] {
  return listAt(object, key)
    .map(objectOf)
    .filter((item) => item !== null);
}
