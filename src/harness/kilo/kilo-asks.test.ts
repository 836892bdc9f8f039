import { expect, test } from "vitest";
import { describeAsk } from "./kilo-asks.js";

test("a detail that is too long is cut, and says how much is missing", () => {
  const { detail } = describeAsk("command", { content: `${"x".repeat(20_000)}; rm -rf build` });
  expect(detail).toBe(`${"x".repeat(20_000)}\n… 14 more characters are not shown`);
});
