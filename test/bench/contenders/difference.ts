/** Whether two contenders say the same. */
import { isDeepStrictEqual } from "node:util";
import type { Facts } from "../read-facts.js";
import type { Contender } from "./contender.js";

/** The first step in which the other contender does not say what the first one says, or null. */
export function firstDifference(first: Contender, other: Contender, facts: Facts): string | null {
  const expected = first.steps(facts.events);
  const found = other.steps(facts.events);
  for (const [index, step] of expected.entries()) {
    if (isDeepStrictEqual(found[index], step)) continue;
    const event = JSON.stringify(facts.events[index]);
    return [
      `${facts.name}, line ${index + 1}: ${event}`,
      `${first.name}: ${JSON.stringify(step)}`,
      `${other.name}: ${JSON.stringify(found[index])}`,
    ].join("\n  ");
  }
  return found.length === expected.length ? null : `${facts.name}: ${found.length} steps`;
}
