import type { Json } from "../core/index.js";

/** Deeper than any agent's message; beyond, reading it further or printing it again could exhaust the stack. */
export const JSON_DEPTH_MAX = 500;

/** What an agent wrote. Undefined for what is not JSON, or nests too deeply: either is as unknown as JSON we do not know. */
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
