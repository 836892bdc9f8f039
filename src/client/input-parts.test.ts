import { expect, test } from "vitest";
import { inputParts } from "./input-parts.js";

test.each([
  ["nothing", ""],
  ["a key", "x"],
  ["pairs of surrogates, from the first place", "😀".repeat(10_000)],
  ["pairs of surrogates, from the second place", `a${"😀".repeat(10_000)}`],
  ["halves of pairs", "\ud83d".repeat(20_000)],
])("%s comes whole, in parts that fit and can be sent each by itself", (_name, text) => {
  const parts = [...inputParts(text)];
  expect(parts.join("")).toBe(text);
  expect(parts.every((part) => part.length > 0 && part.length <= 8_000)).toBe(true);
  const encoded = Buffer.concat(parts.map((part) => Buffer.from(part, "utf8")));
  expect(encoded.equals(Buffer.from(text, "utf8"))).toBe(true);
});
