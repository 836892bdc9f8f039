import { expect, test } from "vitest";
import { isNewer } from "./release-order.js";

test.each([
  ["0.2.0", "0.1.9", true],
  ["0.1.10", "0.1.9", true],
  ["1.0.0", "0.9.9", true],
  ["0.1.0", "0.1.0", false],
  ["0.1.0", "0.2.0", false],
  ["0.1.0-beta", "0.1.0", false],
  ["strange", "0.1.0", false],
])("%s is newer than %s: %s", (version, than, newer) => {
  expect(isNewer(version, than)).toBe(newer);
});
