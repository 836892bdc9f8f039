import { afterAll, expect, test } from "vitest";
import { printReport, search } from "./search.js";
import { terminalModel, WORLDS } from "./terminal-model.js";
import type { World } from "./terminal-moves.js";
import { UNREACHABLE } from "./terminal-unreachable.js";
import { terminalMachine } from "../../src/core/terminal/terminal-machine.js";

/** The search must not come to see less than it once saw. */
const STATES_MIN: Readonly<Record<World, number>> = {
  shell: 3_104,
  agent: 30_058,
  hooked: 55_319,
  answered: 4_165,
  continued: 8_875,
  hurried: 2_562,
  resumed: 1_018,
  stranger: 959,
};

const visited = new Set<string>();
let states = 0;

test.each(Object.keys(WORLDS) as World[])("the terminal keeps its promises: %s", (world) => {
  const report = search(terminalModel(world));
  console.log(printReport(report));
  expect(report.violation).toBeNull();
  expect(report.states).toBeGreaterThanOrEqual(STATES_MIN[world]);
  for (const cell of report.cells.keys()) visited.add(cell);
  states += report.states;
});

test("every cell is visited, or named as one that cannot be", () => {
  const cells = terminalMachine.description.rows.flatMap(({ event }) =>
    terminalMachine.description.columns.map((column) => `${event} / ${column}`),
  );
  const unexplained = cells.filter((cell) => visited.has(cell) === Object.hasOwn(UNREACHABLE, cell));
  expect(unexplained).toEqual([]);
});

afterAll(() => {
  console.log(
    `terminal: ${states} states, ${visited.size} cells visited, ${Object.keys(UNREACHABLE).length} not`,
  );
});
