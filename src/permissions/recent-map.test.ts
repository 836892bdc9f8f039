import fc from "fast-check";
import { expect, test } from "vitest";
import { RecentMap } from "./recent-map.js";

const COUNT = 3;
const KEYS = ["a", "b", "c", "d", "e", "f", "g", "h"];

test("what was used last is kept, and never more than twice as much", () => {
  const key = fc.constantFrom(...KEYS);
  const uses = fc.array(fc.record({ key, isSet: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(uses, (steps) => {
      const map = new RecentMap<number>(COUNT);
      const set = new Map<string, number>();
      let recent: readonly string[] = [];
      for (const [index, { key: used, isSet }] of steps.entries()) {
        if (isSet) {
          map.set(used, index);
          set.set(used, index);
        } else if (map.get(used) === undefined) {
          expect(recent.slice(0, COUNT)).not.toContain(used);
          continue;
        }
        recent = [used, ...recent.filter((each) => each !== used)];
      }
      const found = KEYS.filter((each) => map.get(each) !== undefined);
      expect(found.length).toBeLessThanOrEqual(2 * COUNT);
      for (const each of found) expect(set.has(each)).toBe(true);
    }),
  );
});

test("what is set again is what was set last", () => {
  const map = new RecentMap<number>(1);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  expect(["b", "a", "c"].map((each) => map.get(each))).toEqual([2, 3, undefined]);
});
