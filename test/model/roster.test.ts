import { expect, test } from "vitest";
import { rosterMachine } from "../../src/core/roster/roster-machine.js";
import { rosterModel } from "./roster-model.js";
import { printReport, search } from "./search.js";

/** Never fewer: a smaller search proves less. */
const STATES_MIN = 13_572;

/** Cells that no world reaches, each with `because …`. */
const UNREACHABLE: Readonly<Record<string, string>> = {};

test("the roster keeps its invariants in every reachable state", () => {
  const report = search(rosterModel());
  console.log(printReport(report));
  expect(report.violation).toBeNull();
  expect(report.states).toBeGreaterThanOrEqual(STATES_MIN);

  const { rows, columns } = rosterMachine.description;
  const cells = rows.flatMap((row) => columns.map((column) => `${row.event} / ${column}`));
  const undecided = cells.filter((cell) => report.cells.has(cell) === cell in UNREACHABLE);
  expect(undecided).toEqual([]);
  expect(Object.keys(UNREACHABLE).filter((cell) => !cells.includes(cell))).toEqual([]);
});
