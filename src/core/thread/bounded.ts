/** Texts and JSON values that are as long as they may be, and no longer. */
import type { Json } from "../schema.js";
import { TEXT_LENGTH_MAX } from "./thread.js";

export interface BoundedText {
  readonly text: string;
  /** It was longer. */
  readonly cut: boolean;
}

export interface BoundedJson {
  readonly value: Json;
  readonly cut: boolean;
}

/** Deeper than any real tool's input, and far less than a stack. */
const DEPTH_MAX = 64;

/** `before` with `added` at its end. Takes no longer for a long `before`, and nothing at all for a full one. */
export function boundedText(before: string, added: string): BoundedText {
  const room = Math.max(0, TEXT_LENGTH_MAX - before.length);
  if (added.length <= room) return { text: before + added, cut: false };
  return { text: room === 0 ? before : before + added.slice(0, room), cut: true };
}

/** A copy of anything as plain JSON: too much of it is left out, and what is not JSON becomes null. */
export function boundedJson(value: unknown): BoundedJson {
  const budget: Budget = { left: TEXT_LENGTH_MAX, cut: false };
  return { value: copy(value, budget, 0), cut: budget.cut };
}

/** Any value as text: a string as it is, other JSON as its text. */
export function textOf(value: unknown): BoundedText {
  if (typeof value === "string") return boundedText("", value);
  const bounded = boundedJson(value);
  const whole = boundedText("", JSON.stringify(bounded.value, null, 2));
  return { text: whole.text, cut: bounded.cut || whole.cut };
}

/** Roughly the length of a JSON value's text: what it costs to keep it. */
export function jsonLength(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 8;
  let length = 2;
  for (const [key, item] of Object.entries(value)) length += key.length + 4 + jsonLength(item);
  return length;
}

interface Budget {
  left: number;
  cut: boolean;
}

function copy(value: unknown, budget: Budget, depth: number): Json {
  if (typeof value === "string") return copyText(value, budget);
  budget.left -= 8;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (depth === DEPTH_MAX) {
    budget.cut = true;
    return null;
  }
  return Array.isArray(value) ? copyList(value, budget, depth) : copyObject(value, budget, depth);
}

function copyText(value: string, budget: Budget): string {
  const room = Math.max(0, budget.left);
  budget.left -= value.length + 2;
  if (value.length <= room) return value;
  budget.cut = true;
  return value.slice(0, room);
}

function copyList(value: readonly unknown[], budget: Budget, depth: number): Json {
  const items: Json[] = [];
  for (const item of value) {
    if (isSpent(budget)) break;
    items.push(copy(item, budget, depth + 1));
  }
  return items;
}

function copyObject(value: object, budget: Budget, depth: number): Json {
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    budget.left -= key.length + 4;
    if (isSpent(budget)) break;
    entries.push([key, copy(item, budget, depth + 1)]);
  }
  // Not by assignment: a key may be called `__proto__`.
  return Object.fromEntries(entries);
}

function isSpent(budget: Budget): boolean {
  if (budget.left > 0) return false;
  budget.cut = true;
  return true;
}
