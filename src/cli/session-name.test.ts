import { expect, test } from "vitest";
import { shortIds } from "./session-name.js";

test("ids are cut to what tells them apart, and not below eight characters", () => {
  const ids = ["abcdefgh1234", "abcdefgh1299", "zzzzzzzz0000", "short"];
  expect(Object.fromEntries(shortIds(ids))).toEqual({
    abcdefgh1234: "abcdefgh123",
    abcdefgh1299: "abcdefgh129",
    zzzzzzzz0000: "zzzzzzzz",
    short: "short",
  });
});

test("an id that another begins with stays whole", () => {
  expect(Object.fromEntries(shortIds(["abcdefghi", "abcdefghij"]))).toEqual({
    abcdefghi: "abcdefghi",
    abcdefghij: "abcdefghij",
  });
});
