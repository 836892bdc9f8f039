import { expect, test } from "vitest";
import { DEFAULTS, parseSettings } from "./settings.js";

test("what was kept is read again", () => {
  const kept = {
    ...{ theme: "dark", sound: true, notifications: true, density: "comfortable" },
    folded: ["shells"],
  };
  expect(parseSettings(JSON.stringify(kept))).toEqual(kept);
});

test.each([
  [null, DEFAULTS],
  ["", DEFAULTS],
  ["{", DEFAULTS],
  ["null", DEFAULTS],
  ["[1]", DEFAULTS],
  ['{"theme":"pink","sound":"yes"}', DEFAULTS],
  ['{"sound":true,"more":1}', { ...DEFAULTS, sound: true }],
])("of %j only what makes sense is taken", (text, settings) => {
  expect(parseSettings(text)).toEqual(settings);
});
