import { expect, test } from "vitest";
import {
  failedVector,
  faultsAmong,
  shuffledMutants,
  tableOf,
  type AnyMachine,
  type Fault,
} from "./mutants.js";
import { rosterModel } from "./roster-model.js";
import { search, type Model } from "./search.js";
import { sessionModel } from "./session-model.js";
import { terminalModel, WORLDS } from "./terminal-model.js";
import type { World } from "./terminal-moves.js";
import { turnModel } from "./turn-model.js";
import { WORKSPACE_WORLDS, workspaceModel, type WorkspaceWorld } from "./workspace-model.js";
import { rosterMachine } from "../../src/core/roster/roster-machine.js";
import { sessionMachine } from "../../src/core/session/session-machine.js";
import { terminalMachine } from "../../src/core/terminal/terminal-machine.js";
import type { TableNames } from "../../src/core/table.js";
import { turnMachine } from "../../src/core/turn/turn-machine.js";
import { workspaceMachine } from "../../src/core/workspace/workspace-machine.js";
import { readVectors } from "../vectors/vector.js";

const MUTANTS = 50;
/** Drawn, before those that are no faults are put aside. */
const CANDIDATES = 100;
const SEED = 20_261_116;

const SESSION_SCOPES = [
  "work",
  "interrupts",
  "replies",
  "restarts",
  "shellAgain",
  "walledShell",
  "checkpointShell",
  "checkpointAnew",
] as const;

type AnyModel = Model<object, { readonly type: string }, { readonly type: string }, object>;

interface Subject {
  readonly machine: AnyMachine;
  readonly vectors: readonly string[];
  /** The machine's worlds, with the machine run by this table. */
  readonly worlds: readonly ((table: TableNames) => AnyModel)[];
}

function asMachine(machine: unknown): AnyMachine {
  return machine as AnyMachine;
}

function asModel(model: unknown): AnyModel {
  return model as AnyModel;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  session: {
    machine: asMachine(sessionMachine),
    vectors: ["session.json", "session-more.json"],
    worlds: SESSION_SCOPES.map(
      (scope) => (table) => asModel(sessionModel("implicit", scope, sessionMachine.transitionBy(table))),
    ),
  },
  turn: {
    machine: asMachine(turnMachine),
    vectors: ["turn.json", "turn-more.json"],
    worlds: [(table) => asModel(turnModel(turnMachine.transitionBy(table)))],
  },
  roster: {
    machine: asMachine(rosterMachine),
    vectors: ["roster.json", "roster-more.json"],
    worlds: [(table) => asModel(rosterModel(rosterMachine.transitionBy(table)))],
  },
  terminal: {
    machine: asMachine(terminalMachine),
    vectors: ["terminal-more.json"],
    worlds: (Object.keys(WORLDS) as World[]).map(
      (world) => (table) => asModel(terminalModel(world, terminalMachine.transitionBy(table))),
    ),
  },
  workspace: {
    machine: asMachine(workspaceMachine),
    vectors: ["workspace-more.json"],
    worlds: (Object.keys(WORKSPACE_WORLDS) as WorkspaceWorld[]).map(
      (world) => (table) => asModel(workspaceModel(world, workspaceMachine.transitionBy(table))),
    ),
  },
};

/** Whether the search, run with the mutant's table, finds a violation. */
function isFound({ worlds }: Subject, { mutant, worlds: faultyIn }: Fault): boolean {
  return faultyIn.some((at) => {
    const world = worlds[at];
    return world !== undefined && search(world(mutant.table)).violation !== null;
  });
}

for (const [name, subjected] of Object.entries(SUBJECTS)) {
  test(`${name}: at least 95% of the mutants of the table are killed`, () => {
    const { machine, worlds } = subjected;
    const vectors = subjected.vectors.flatMap((file) => readVectors(file));
    const candidates = shuffledMutants(machine, SEED).slice(0, CANDIDATES);
    const models = worlds.map((world) => world(tableOf(machine.description)));
    const faults = faultsAmong(candidates, machine, models).slice(0, MUTANTS);
    const afterVectors = faults.filter(({ mutant }) => failedVector(machine, mutant, vectors) === null);
    const survivors = afterVectors.filter((fault) => !fault.isNoticed && !isFound(subjected, fault));
    const killed = faults.length - survivors.length;
    const byVectors = faults.length - afterVectors.length;
    console.log(
      `${name}: ${killed} of ${faults.length} mutants killed, ${byVectors} of them by vectors`,
      survivors.map(({ mutant: { cell, from, to } }) => `${cell}: ${from} → ${to}`),
    );
    expect(faults.length).toBeGreaterThanOrEqual(
      Math.min(MUTANTS, shuffledMutants(machine, SEED).length / 2),
    );
    expect(killed / faults.length).toBeGreaterThanOrEqual(0.95);
  });
}
