/** Every line of the corpus, judged as the daemon judges it where no wall stands; and how many there are of each kind. */
import { expect, test } from "vitest";
import { ALL_CASES, CORPUS } from "../wall/corpus/corpus.js";
import { decideLine } from "../wall/corpus/decide-line.js";

const CASES_MIN = 3_200;

test.each(Object.entries(CORPUS))("%s", (_, cases) => {
  const wrong = cases.flatMap((each) => {
    const { verdict, because } = decideLine(each);
    return verdict === each.verdict ? [] : [{ line: each.command, expected: each.verdict, verdict, because }];
  });
  expect(wrong).toEqual([]);
});

test("every case is there once, and there are enough of them", () => {
  const keys = ALL_CASES.map((each) => JSON.stringify([each.command, each.rules, each.source ?? ""]));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  expect(ALL_CASES.length).toBeGreaterThanOrEqual(CASES_MIN);
});

/** What only a wall holds now: the person allowed the program, and its options and texts are its own affair. */
test("how many there are, and how many of them only a wall holds", () => {
  const count = (verdict: string, of = ALL_CASES) => of.filter((each) => each.verdict === verdict).length;
  const verdicts = ["allow", "ask", "deny", "none"].map((verdict) => `${count(verdict)} ${verdict}`);
  const opened = ALL_CASES.filter(({ verdict, was }) => verdict === "allow" && was !== undefined);
  const published = opened.filter(({ source }) => source !== undefined);
  console.log(
    `${ALL_CASES.length} lines: ${verdicts.join(", ")}; allowed now and not before: ${opened.length}, ${published.length} of them published`,
  );
  // A line that a deny names by its command or file is denied, or asked about, but for what options and code hide.
  expect(opened.filter(({ was }) => was === "deny").length).toBeLessThanOrEqual(40);
});
