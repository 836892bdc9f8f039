/** Conformance cases: what a machine must answer, step by step. The format is described in `test/vectors/README.md`. */
import { readFileSync } from "node:fs";
import type { Step } from "../../src/core/step.js";

export interface Vector {
  readonly name: string;
  readonly machine: "session" | "turn" | "roster" | "terminal" | "workspace";
  readonly initial?: Readonly<Record<string, unknown>>;
  readonly steps: readonly VectorStep[];
}

export interface VectorStep {
  readonly event: { readonly type: string };
  readonly result?: string;
  readonly state?: unknown;
  readonly effects?: readonly unknown[];
  readonly noEffects?: readonly string[];
}

export function readVectors(file: string): readonly Vector[] {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as readonly Vector[];
}

type AnyStep = Pick<Step<unknown, { readonly type: string }>, "state" | "effects" | "result">;

/** The first thing in `step` that is not as the vector says, or null. */
export function vectorFlaw(expected: VectorStep, step: AnyStep): string | null {
  const said = `after ${JSON.stringify(expected.event)}`;
  if (expected.result !== undefined && expected.result !== step.result) {
    return `${said}: result ${step.result}, not ${expected.result}`;
  }
  if (expected.state !== undefined && !isSubset(expected.state, step.state)) {
    return `${said}: state ${JSON.stringify(step.state)} lacks ${JSON.stringify(expected.state)}`;
  }
  const missing = firstMissing(expected.effects ?? [], step.effects);
  if (missing !== null) return `${said}: no effect ${missing} in order in ${JSON.stringify(step.effects)}`;
  const unwanted = step.effects.find((effect) => expected.noEffects?.includes(effect.type));
  return unwanted ? `${said}: unwanted effect ${JSON.stringify(unwanted)}` : null;
}

/** Plays a whole vector; the first flaw, or null. */
export function playVector(
  vector: Vector,
  initial: unknown,
  take: (state: unknown, event: unknown) => AnyStep,
) {
  let state = initial;
  for (const expected of vector.steps) {
    const step = take(state, expected.event);
    const flaw = vectorFlaw(expected, step);
    if (flaw) return flaw;
    state = step.state;
  }
  return null;
}

/** Effects must appear in this order; others may stand between them. */
function firstMissing(expected: readonly unknown[], effects: readonly unknown[]): string | null {
  let at = 0;
  for (const wanted of expected) {
    while (at < effects.length && !isSubset(wanted, effects[at])) at += 1;
    if (at === effects.length) return JSON.stringify(wanted);
    at += 1;
  }
  return null;
}

/** Every field of `part` is in `whole`; lists must have the same length. */
export function isSubset(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) &&
      part.length === whole.length &&
      part.every((item, index) => isSubset(item, whole[index]))
    );
  }
  if (typeof part !== "object" || part === null) return part === whole;
  if (typeof whole !== "object" || whole === null) return false;
  return Object.entries(part).every(([key, value]) =>
    isSubset(value, (whole as Record<string, unknown>)[key]),
  );
}
