import { expect, test } from "vitest";
import { lampMachine } from "../../test/docs/lamp-machine.js";
import { UsageError } from "./command.js";
import { player } from "./machine-player.js";

function play(lines: readonly string[], initialJson?: string) {
  const running = player(lampMachine).play(initialJson);
  const answers = lines.map((text) => running.answer({ type: "text", text }));
  return { answers, invalidCount: running.invalidCount() };
}

test("answers with result, state, effects and error, in this order", () => {
  const lines = ['{"type":"press","by":"ann"}', '{"type":"burn_out"}', '{"type":"press","by":"ann"}'];
  expect(play(lines)).toEqual({
    answers: [
      '{"result":"ok","state":{"light":"on","presses":1,"label":""},"effects":[{"type":"click","by":"ann"}]}',
      '{"result":"ok","state":{"light":"broken","presses":1,"label":""},"effects":[]}',
      '{"result":"rejected","state":{"light":"broken","presses":1,"label":""},"effects":[],' +
        '"error":{"code":"lamp_broken","message":"the lamp is broken"}}',
    ],
    invalidCount: 0,
  });
});

test("leaves out why a fact was ignored", () => {
  expect(play(['{"type":"power:lost"}'], '{"light":"broken"}').answers).toEqual([
    '{"result":"ignored","state":{"light":"broken","presses":0,"label":""},"effects":[]}',
  ]);
});

test("skips blank lines", () => {
  expect(play(["", "  \t", "\r"])).toEqual({ answers: [null, null, null], invalidCount: 0 });
});

test.each([
  ["no JSON", "press", /^line 1: not JSON: /],
  ["no object", "[]", /^line 1: expected an object$/],
  ["an unknown type", '{"type":"kick"}', /^line 1: type: expected one of press, power:lost, burn_out$/],
  ["a missing field", '{"type":"press"}', /^line 1: by: expected a string$/],
  ["a wrong field", '{"type":"press","by":7}', /^line 1: by: expected a string$/],
  ["a name that only a prototype has", '{"type":"toString"}', /^line 1: type: expected one of /],
  ["nesting without end", "[".repeat(2_000), /^line 1: nested deeper than 1000$/],
])("refuses %s and changes nothing", (_, line, message) => {
  const { answers, invalidCount } = play([line, '{"type":"press","by":"ann"}']);
  expect(JSON.parse(answers[0] ?? "")).toEqual({
    result: "invalid",
    state: lampMachine.initial,
    effects: [],
    error: { code: "event_invalid", message: expect.stringMatching(message) as string },
  });
  expect(JSON.parse(answers[1] ?? "")).toMatchObject({ result: "ok", state: { presses: 1 } });
  expect(invalidCount).toBe(1);
});

test("numbers lines as an editor does, blank ones included", () => {
  const { answers } = play(["", "", "x"]);
  expect(answers[2]).toContain('"message":"line 3: not JSON');
});

test("starts at the initial state with some fields replaced", () => {
  expect(play(["x"], '{"presses":41,"light":"on"}').answers[0]).toContain(
    '"state":{"light":"on","presses":41,"label":""}',
  );
});

test.each([
  ["{", /^--initial: not JSON: /],
  ["[]", /^--initial: expected a JSON object$/],
  ["null", /^--initial: expected a JSON object$/],
  ['{"colour":"red"}', /^--initial: the lamp machine has no field "colour"$/],
  ['{"presses":-1}', /^--initial: presses: expected a whole number, 0 or more$/],
  ['{"light":null}', /^--initial: light: expected one of off, on, broken$/],
  ['{"__proto__":{"light":"on"}}', /^--initial: the lamp machine has no field "__proto__"$/],
  ['{"constructor":1}', /^--initial: the lamp machine has no field "constructor"$/],
])("refuses the initial state %s", (initialJson, message) => {
  expect(() => play([], initialJson)).toThrow(UsageError);
  expect(() => play([], initialJson)).toThrow(message);
});

test("is not polluted by the keys of an event", () => {
  play([
    '{"type":"press","by":"ann","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  ]);
  expect("polluted" in {}).toBe(false);
});
