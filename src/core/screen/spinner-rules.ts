/**
 * The two rules that most agents share: whoever works shows a spinner by the input box, and a box without one is at rest,
 * as long as the agent's own mark of that, such as its footer, stands there as well.
 */
import type { Mark, Rule } from "./rule.js";
import type { Region, View } from "./view.js";

export interface SpinnerAndBox {
  /** What turns or wanes; a spinner unless it says otherwise. */
  readonly what?: string;
  readonly box: (view: View) => Region | null;
  /** Where the spinner stands; null when there is no input box either. */
  readonly at: (view: View) => Region | null;
  readonly spinner: Mark;
  /** Marks that only add to the confidence that it works. */
  readonly supports?: readonly Mark[];
  readonly atRest: Pick<Rule, "needs" | "unless" | "supports">;
}

export function spinnerRules({
  what = "spinner",
  box,
  at,
  spinner,
  supports = [],
  atRest,
}: SpinnerAndBox): readonly [Rule, Rule] {
  return [
    {
      name: `${what} above the input box`,
      activity: "working",
      looksAt: "spinner",
      find: at,
      needs: [spinner],
      supports,
    },
    {
      name: `input box without a ${what}`,
      activity: "idle",
      looksAt: "input box",
      find: box,
      ...atRest,
    },
  ];
}

/** The rows right above a box, without its upper edge. */
export function rowsAbove(box: Region | null, count: number): Region | null {
  return box && { start: Math.max(0, box.start - 1 - count), end: box.start - 1 };
}
