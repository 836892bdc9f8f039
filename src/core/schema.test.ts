import { describe, expect, test } from "vitest";
import {
  count,
  describeFlaw,
  flag,
  id,
  integer,
  json,
  jsonObject,
  list,
  nullable,
  object,
  oneOf,
  optional,
  parse,
  record,
  text,
  timeMs,
  union,
  type Shape,
} from "./schema.js";

interface Case {
  readonly shape: Shape<unknown>;
  readonly expected: string;
  readonly right: readonly unknown[];
  readonly wrong: readonly unknown[];
}

const CASES: Readonly<Record<string, Case>> = {
  text: { shape: text, expected: "a string", right: ["", "a"], wrong: [1, null, undefined, [], {}] },
  id: {
    shape: id,
    expected: "a non-empty string",
    right: ["a", " "],
    wrong: ["", 1, null, undefined, ["a"]],
  },
  flag: {
    shape: flag,
    expected: "true or false",
    right: [true, false],
    wrong: [0, 1, "true", null, undefined],
  },
  count: {
    shape: count,
    expected: "a whole number, 0 or more",
    right: [0, 7, Number.MAX_SAFE_INTEGER],
    wrong: [-1, 0.5, NaN, Infinity, 2 ** 53, "0", null, undefined],
  },
  integer: {
    shape: integer,
    expected: "a whole number",
    right: [0, -7, 7],
    wrong: [0.5, NaN, -Infinity, 2 ** 53, "0", null, undefined],
  },
  timeMs: {
    shape: timeMs,
    expected: "a time in milliseconds",
    right: [0, 1.5, -1],
    wrong: [NaN, Infinity, "0", null, undefined],
  },
  json: { shape: json, expected: "a JSON value", right: [null, 0, "", false, [], {}], wrong: [undefined] },
  jsonObject: {
    shape: jsonObject,
    expected: "an object",
    right: [{}, { a: 1 }],
    wrong: [null, [], "a", 1, undefined],
  },
  oneOf: {
    shape: oneOf("a", "b"),
    expected: "one of a, b",
    right: ["a", "b"],
    wrong: ["c", "", 1, null, undefined, ["a"]],
  },
  list: {
    shape: list(text),
    expected: "a list",
    right: [[], ["a", ""]],
    wrong: [null, "a", {}, { length: 0 }, undefined],
  },
  record: {
    shape: record(count),
    expected: "an object",
    right: [{}, { a: 0 }],
    wrong: [null, [], "a", undefined],
  },
  object: {
    shape: object({}),
    expected: "an object",
    right: [{}, { other: 1 }],
    wrong: [null, [], "a", 1, undefined],
  },
  union: {
    shape: union({ on: {} }),
    expected: "an object",
    right: [{ type: "on" }],
    wrong: [null, [], "on", undefined],
  },
};

describe.each(Object.entries(CASES))("%s", (_name, { shape, expected, right, wrong }) => {
  test.each(right.map((value) => [value]))("takes %j as it is", (value) => {
    const parsed = parse(shape, value);
    expect(parsed).toEqual({ ok: true, value });
    expect(parsed.ok && parsed.value).toBe(value);
  });

  test.each(wrong.map((value) => [value]))("refuses %j", (value) => {
    expect(parse(shape, value)).toEqual({ ok: false, flaw: { path: "", expected } });
  });
});

describe("nullable", () => {
  const shape = nullable(count);
  test.each([null, 0, 3])("takes %j", (value) => {
    expect(parse(shape, value)).toEqual({ ok: true, value });
  });
  test.each([undefined, "null", -1])("refuses %j, and says that null would do", (value) => {
    expect(parse(shape, value)).toEqual({
      ok: false,
      flaw: { path: "", expected: "a whole number, 0 or more or null" },
    });
  });
});

describe("objects", () => {
  const shape = object({ name: id, age: optional(count), pets: list(object({ name: id })) });

  test("optional fields may be absent, unknown ones are left alone", () => {
    for (const value of [
      { name: "ann", pets: [] },
      { name: "ann", age: 3, pets: [{ name: "rex", tail: true }], other: null },
    ]) {
      expect(parse(shape, value)).toEqual({ ok: true, value });
    }
  });

  test.each([
    [{ pets: [] }, "name", "a non-empty string"],
    [{ name: "", pets: [] }, "name", "a non-empty string"],
    [{ name: "ann", age: null, pets: [] }, "age", "a whole number, 0 or more"],
    [{ name: "ann" }, "pets", "a list"],
    [{ name: "ann", pets: [{ name: "rex" }, 7] }, "pets[1]", "an object"],
    [{ name: "ann", pets: [{ name: "rex" }, { name: 7 }] }, "pets[1].name", "a non-empty string"],
  ])("%j says where it is wrong", (value, path, expected) => {
    expect(parse(shape, value)).toEqual({ ok: false, flaw: { path, expected } });
  });

  test("the first field in the order of the shape is told", () => {
    expect(parse(shape, { pets: 7, age: -1 })).toEqual({
      ok: false,
      flaw: { path: "name", expected: "a non-empty string" },
    });
  });
});

test("a record says which entry is wrong", () => {
  expect(parse(record(record(count)), { a: { b: 1 }, c: { d: -1 } })).toEqual({
    ok: false,
    flaw: { path: "c.d", expected: "a whole number, 0 or more" },
  });
});

describe("unions", () => {
  const shape = union({ press: { by: text }, wait: {}, "power:lost": { at: optional(timeMs) } });

  test.each([{ type: "press", by: "" }, { type: "wait" }, { type: "power:lost", at: 5, by: 7 }])(
    "takes %j",
    (value) => {
      expect(parse(shape, value)).toEqual({ ok: true, value });
    },
  );

  test.each([
    [{ type: "press" }, "by", "a string"],
    [{ type: "power:lost", at: "now" }, "at", "a time in milliseconds"],
  ])("refuses %j", (value, path, expected) => {
    expect(parse(shape, value)).toEqual({ ok: false, flaw: { path, expected } });
  });

  test.each([
    {},
    { type: "kick" },
    { type: "toString" },
    { type: "__proto__" },
    { type: 7 },
    { type: ["wait"] },
  ])("knows no %j", (value) => {
    const flaw = { path: "type", expected: "one of press, wait, power:lost" };
    expect(parse(shape, value)).toEqual({ ok: false, flaw });
  });

  test("inside something else the path goes on", () => {
    expect(parse(object({ event: shape }), { event: { type: "kick" } })).toEqual({
      ok: false,
      flaw: { path: "event.type", expected: "one of press, wait, power:lost" },
    });
  });
});

test("a flaw reads as a sentence, with its place if it has one", () => {
  expect(describeFlaw({ path: "", expected: "an object" })).toBe("expected an object");
  expect(describeFlaw({ path: "asks[0].askId", expected: "a non-empty string" })).toBe(
    "asks[0].askId: expected a non-empty string",
  );
});
