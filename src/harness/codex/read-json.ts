/** Fields of what Codex sends, which may be absent or of another type in another version. */
import type { Json } from "../../core/index.js";

export type Fields = Readonly<Record<string, Json>>;

export function asFields(value: Json | undefined): Fields {
  return typeof value === "object" && value !== null && !isList(value) ? value : {};
}

/** Null for an empty text too: an empty id or message says nothing. */
export function asText(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function asNumber(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function asList(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

export function asTexts(value: Json | undefined): readonly string[] {
  return asList(value).filter((text) => typeof text === "string");
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
