import { expect, test } from "vitest";
import { isNewerEffect } from "../../keeper/effect-id.js";
import { LAST_PART } from "../../terminal/typing/typed-terminal.js";
import { donePart, effectPart } from "./effect-part.js";

test("steps of a call come after those of the call before it, and before those of the next", () => {
  const ids = ["7.0", "7.1", "8.0"].flatMap((effectId) =>
    [0, 1, 2, LAST_PART].map((part) => effectPart(effectId, part)),
  );
  expect(ids.slice(1).every((id, at) => isNewerEffect(id, ids[at] ?? null))).toBe(true);
});

test.each([
  ["7.1", null, 0],
  ["7.1", "6.900", 0],
  ["7.1", effectPart("7.0", LAST_PART), 0],
  ["7.1", effectPart("7.1", 0), 0],
  ["7.1", effectPart("7.1", 2), 2],
  ["7.1", effectPart("7.2", 0), LAST_PART],
  ["7.1", effectPart("8.0", 0), LAST_PART],
])("of the call %s, with %s as the newest, the step %i was done", (effectId, newest, part) => {
  expect(donePart(effectId, newest)).toBe(part);
});
