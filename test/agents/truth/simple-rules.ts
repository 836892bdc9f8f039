/** Two rules that others go by, for comparison: what they would have shown in the same runs. */
import type { Shown } from "./judge.js";

const QUIET_MS = 2_000;

/** It works while it prints, and is idle when it has printed nothing for two seconds. */
export function quietRule(outputsAtMs: readonly number[]): readonly Shown[] {
  return outputsAtMs.flatMap((atMs, index): readonly Shown[] => {
    const before = outputsAtMs[index - 1];
    const after = outputsAtMs[index + 1] ?? Infinity;
    const wakes: readonly Shown[] =
      before !== undefined && atMs - before <= QUIET_MS ? [] : [{ atMs, status: "streaming" }];
    const rests: readonly Shown[] =
      after - atMs <= QUIET_MS ? [] : [{ atMs: atMs + QUIET_MS, status: "completed" }];
    return [...wakes, ...rests];
  });
}

export interface ScreenSample {
  readonly atMs: number;
  readonly text: string;
}

/** The words and glyphs with which agents show that they work. */
const SPINNER = /esc to (interrupt|cancel)|esc interrupt|Working|Thinking|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏✢✳✶✻✽]/;

/** It works while a spinner is on the screen, and is idle without one. */
export function spinnerRule(samples: readonly ScreenSample[]): readonly Shown[] {
  const shown: Shown[] = [];
  for (const { atMs, text } of samples) {
    const status = SPINNER.test(text) ? "streaming" : "completed";
    if (shown.at(-1)?.status !== status) shown.push({ atMs, status });
  }
  return shown;
}
