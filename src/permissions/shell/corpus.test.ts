/** Every line of the corpus, judged as the daemon judges it; and how many there are of each kind. */
import { describe, expect, test } from "vitest";
import type { Verdict } from "../../core/index.js";
import { decideLine } from "./corpus/decide-line.js";
import { ALL_CASES } from "./corpus/all-cases.js";

const CASES_MIN = 1_700;
const PUBLISHED_MIN = 620;

const all = Object.values(ALL_CASES).flat();

describe.each(Object.entries(ALL_CASES))("%s", (_, list) => {
  test.each(list.map((each) => [each.why, each.command.slice(0, 60), each] as const))(
    "%s: %s",
    (_why, _line, each) => {
      const { verdict, because } = decideLine(each);
      expect({ verdict, because }).toEqual({ verdict: each.expect, because });
    },
  );
});

test("nothing that was published as a way around is allowed", () => {
  const published = all.filter((each) => each.source !== undefined);
  expect(published.length).toBeGreaterThanOrEqual(PUBLISHED_MIN);
  expect(published.filter((each) => decideLine(each).verdict === "allow")).toEqual([]);
});

test("every case is there once, and there are enough of them", () => {
  const keys = all.map((each) => JSON.stringify([each.command, each.rules, each.source ?? ""]));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  expect(all.length).toBeGreaterThanOrEqual(CASES_MIN);
});

test("how many there are", () => {
  const verdicts: readonly Verdict[] = ["allow", "ask", "deny", "none"];
  const rows = Object.entries(ALL_CASES).map(([name, list]) => {
    const counts = verdicts.map(
      (verdict) => `${list.filter((each) => each.expect === verdict).length} ${verdict}`,
    );
    return `${name}: ${list.length} lines, ${counts.join(", ")}`;
  });
  console.log(
    [...rows, `all: ${all.length}, ${all.filter((each) => each.source).length} of them published`].join("\n"),
  );
  expect(rows.length).toBeGreaterThanOrEqual(16);
});
