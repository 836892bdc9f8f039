import { expect, test } from "vitest";
import { printReport, search } from "./search.js";
import { turnModel } from "./turn-model.js";
import type { TurnEvent } from "../../src/core/turn/events.js";
import type { TurnState } from "../../src/core/turn/state.js";
import { turnMachine } from "../../src/core/turn/turn-machine.js";

/** Never fewer: a smaller search proves less. */
const STATES_MIN = 62_912;

/** Cells that no world reaches, each with `because …`. */
const UNREACHABLE: Readonly<Record<string, string>> = {};

/** One step in so many is taken again, from a copy that went through text. */
const STEPS_PER_COPY = 16;

test("the turn keeps its invariants in every reachable state", () => {
  const report = search(turnModel(checkedTransition()));
  console.log(printReport(report));
  expect(report.violation).toBeNull();
  expect(report.states).toBeGreaterThanOrEqual(STATES_MIN);

  const { rows, columns } = turnMachine.description;
  const cells = rows.flatMap((row) => columns.map((column) => `${row.event} / ${column}`));
  const undecided = cells.filter((cell) => report.cells.has(cell) === cell in UNREACHABLE);
  expect(undecided).toEqual([]);
  expect(Object.keys(UNREACHABLE).filter((cell) => !cells.includes(cell))).toEqual([]);
});

/** The machine, checked to depend on nothing but what state and event say as text. */
function checkedTransition(): typeof turnMachine.transition {
  let steps = 0;
  return (state, event) => {
    const step = turnMachine.transition(state, event);
    steps += 1;
    if (steps % STEPS_PER_COPY === 0) {
      const again = turnMachine.transition(copyOf<TurnState>(state), copyOf<TurnEvent>(event));
      expect(JSON.stringify(again)).toBe(JSON.stringify(step));
    }
    return step;
  };
}

function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
