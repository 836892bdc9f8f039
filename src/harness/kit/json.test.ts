import { expect, test } from "vitest";
import type { Harness } from "../../runtime/harness.js";
import {
  fieldsAt,
  JSON_DEPTH_MAX,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  parseJson,
  parseObject,
  stringAt,
  textAt,
  textsAt,
} from "./json.js";
import { HARNESSES } from "../registry.js";

function lists(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function objects(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

test("what nests too deeply is as unknown as what is no JSON", () => {
  for (const nested of [lists, objects]) {
    expect(parseJson(nested(JSON_DEPTH_MAX))).toEqual(JSON.parse(nested(JSON_DEPTH_MAX)));
    expect(parseJson(nested(JSON_DEPTH_MAX + 1))).toBeUndefined();
  }
  expect(parseJson(lists(1_000_000))).toBeUndefined();
  expect(parseJson("{")).toBeUndefined();
});

/** Where what an agent says may hold anything. */
const LINES: readonly ((nested: string) => string)[] = [
  (nested) => `{"type":"tool_call","callId":"c","name":"n","input":${nested}}`,
  (nested) => `{"type":"other","x":${nested}}`,
  (nested) => `{"method":"other","params":${nested}}`,
  (nested) => `{"id":1,"error":{"why":${nested}}}`,
  (nested) =>
    `{"method":"item/started","params":{"item":{"type":"mcpToolCall","id":"c","arguments":${nested}}}}`,
  (nested) =>
    `{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","rawInput":${nested}}}}`,
  (nested) => `{"id":9,"method":"session/request_permission","params":{"toolCall":{"rawInput":${nested}}}}`,
  (nested) => `{"hook_event_name":"PreToolUse","tool_name":"t","tool_use_id":"c","tool_input":${nested}}`,
];

function hear(harness: Harness, line: string): void {
  const settings = { harness: harness.name, title: "", cwd: "/proj", model: null, args: [], env: {} };
  const prompt = { messageId: "m", text: "go" };
  const { state } = harness.start({ run: 1, settings, resume: null, prompt, continues: false });
  JSON.stringify([harness.decode(state, line, 0), harness.decodeHook?.(state, line, 0)]);
}

test.each(HARNESSES)("$name throws at no depth, and what it makes of it can be printed", (harness) => {
  for (const depth of [JSON_DEPTH_MAX - 10, JSON_DEPTH_MAX + 10, 8_000])
    for (const nested of [lists(depth), objects(depth)])
      for (const line of LINES) expect(() => hear(harness, line(nested))).not.toThrow();
});

test("what is absent, of another type or empty is null, through any number of levels", () => {
  const object = parseObject('{"a":{"b":{"c":"x"}},"empty":"","big":1e300,"list":[1,"t",{}]}');
  expect(textAt(objectAt(objectAt(object, "a"), "b"), "c")).toBe("x");
  expect(textAt(objectAt(objectAt(object, "list"), "b"), "c")).toBeNull();
  expect([textAt(object, "empty"), stringAt(object, "empty")]).toEqual([null, ""]);
  expect([numberAt(object, "big"), numberAt(object, "a"), textAt(object, "constructor")]).toEqual([
    null,
    null,
    null,
  ]);
  expect([textsAt(object, "list"), objectsAt(object, "list"), listAt(object, "a")]).toEqual([
    ["t"],
    [{}],
    [],
  ]);
  expect([parseObject("[]"), parseObject("{"), fieldsAt(object, "empty")]).toEqual([null, null, {}]);
});
