import { expect, test } from "vitest";
import { playVector, readVectors, type Vector } from "../../../test/vectors/vector.js";
import type { TableNames } from "../table.js";
import { TURN_COLUMNS, type TurnState } from "./state.js";
import { TURN_TABLE } from "./table.js";
import { turnMachine } from "./turn-machine.js";

const FILES = ["turn.json", "turn-more.json"];

function play(vector: Vector, transition = turnMachine.transition): string | null {
  const initial = turnMachine.parseState({ ...turnMachine.initial, ...vector.initial });
  if (!initial.ok) throw new Error(JSON.stringify(initial.flaw));
  return playVector(vector, initial.value, (state, value) => {
    const event = turnMachine.parseEvent(value);
    if (!event.ok) throw new Error(`${JSON.stringify(value)}: ${JSON.stringify(event.flaw)}`);
    return transition(state as TurnState, event.value);
  });
}

for (const file of FILES) {
  for (const vector of readVectors(file)) {
    test(`${file}: ${vector.name}`, () => {
      expect(play(vector)).toBeNull();
    });
  }
}

/** Only in `confirming` is there a confirmation, so elsewhere the rule that looks for one ignores the timeout too. */
const EQUIVALENT = [
  "confirmation_timeout / idle: expireConfirmation",
  "confirmation_timeout / connecting: expireConfirmation",
  "confirmation_timeout / streaming: expireConfirmation",
  "confirmation_timeout / done: expireConfirmation",
  "confirmation_timeout / error: expireConfirmation",
];

test("the vectors tell every cell of the table from every other rule of its row", () => {
  const vectors = FILES.flatMap((file) => readVectors(file));
  const survivors: string[] = [];
  for (const { event, kind } of turnMachine.description.rows) {
    const names = (TURN_TABLE as TableNames)[event] ?? [];
    const rules = new Set([...names, kind === "request" ? "reject" : "ignore"]);
    for (const [index, column] of TURN_COLUMNS.entries()) {
      for (const rule of rules) {
        if (rule === names[index]) continue;
        const mutant = turnMachine.transitionBy({ ...TURN_TABLE, [event]: names.with(index, rule) });
        const isCaught = vectors.some((vector) => play(vector, mutant) !== null);
        if (!isCaught) survivors.push(`${event} / ${column}: ${rule}`);
      }
    }
  }
  expect(survivors).toEqual(EQUIVALENT);
});
