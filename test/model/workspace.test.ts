import { expect, test } from "vitest";
import { workspaceMachine } from "../../src/core/workspace/workspace-machine.js";
import { printReport, search } from "./search.js";
import { WORKSPACE_WORLDS, workspaceModel, type WorkspaceWorld } from "./workspace-model.js";

/** Never fewer: a smaller search proves less. */
const STATES_MIN: Readonly<Record<WorkspaceWorld, number>> = {
  making: 14_474,
  merging: 38_096,
  failing: 21_963,
  publishing: 4_019,
  working: 14_416,
};

/** Cells that no world reaches, each with `because …`. */
const UNREACHABLE: Readonly<Record<string, string>> = {};

const visited = new Set<string>();

for (const world of Object.keys(WORKSPACE_WORLDS) as WorkspaceWorld[]) {
  test(`the workspace keeps its promises: ${world}`, () => {
    const report = search(workspaceModel(world));
    console.log(printReport(report));
    expect(report.violation).toBeNull();
    expect(report.states).toBeGreaterThanOrEqual(STATES_MIN[world]);
    for (const cell of report.cells.keys()) visited.add(cell);
  });
}

test("every cell is visited, or cannot be", () => {
  const { rows, columns } = workspaceMachine.description;
  const cells = rows.flatMap((row) => columns.map((column) => `${row.event} / ${column}`));
  expect(cells.filter((cell) => visited.has(cell) === cell in UNREACHABLE)).toEqual([]);
  expect(Object.keys(UNREACHABLE).filter((cell) => !cells.includes(cell))).toEqual([]);
});
