import { expect, test } from "vitest";
import { failedVector, faultyMutants, shuffledMutants, type AnyMachine, type Mutant } from "./mutants.js";
import { rosterModel } from "./roster-model.js";
import { search } from "./search.js";
import { sessionModel } from "./session-model.js";
import { turnModel } from "./turn-model.js";
import { rosterMachine } from "../../src/core/roster/roster-machine.js";
import { sessionMachine } from "../../src/core/session/session-machine.js";
import { turnMachine } from "../../src/core/turn/turn-machine.js";
import { readVectors } from "../vectors/vector.js";

const MUTANTS = 50;
/** Drawn, before those that are no faults are put aside. */
const CANDIDATES = 100;
const SEED = 20_261_116;

const SESSION_SCOPES = ["work", "interrupts", "replies", "restarts", "shellAgain"] as const;

interface Subject {
  readonly machine: AnyMachine;
  readonly faulty: (mutants: readonly Mutant[]) => readonly Mutant[];
  /** Whether the search, run with the mutant's table, finds a violation. */
  readonly searched: (mutant: Mutant) => boolean;
}

function asAny(machine: unknown): AnyMachine {
  return machine as AnyMachine;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  session: {
    machine: asAny(sessionMachine),
    faulty: (mutants) =>
      faultyMutants(
        mutants,
        asAny(sessionMachine),
        SESSION_SCOPES.map((scope) => sessionModel("implicit", scope)),
      ),
    searched: ({ table }) =>
      SESSION_SCOPES.some((scope) => {
        const model = sessionModel("implicit", scope, sessionMachine.transitionBy(table));
        return search(model).violation !== null;
      }),
  },
  turn: {
    machine: asAny(turnMachine),
    faulty: (mutants) => faultyMutants(mutants, asAny(turnMachine), [turnModel()]),
    searched: ({ table }) => search(turnModel(turnMachine.transitionBy(table))).violation !== null,
  },
  roster: {
    machine: asAny(rosterMachine),
    faulty: (mutants) => faultyMutants(mutants, asAny(rosterMachine), [rosterModel()]),
    searched: ({ table }) => search(rosterModel(rosterMachine.transitionBy(table))).violation !== null,
  },
};

for (const [name, subject] of Object.entries(SUBJECTS)) {
  test(`${name}: at least 95% of the mutants of the table are killed`, () => {
    const vectors = [`${name}.json`, `${name}-more.json`].flatMap((file) => readVectors(file));
    const mutants = subject
      .faulty(shuffledMutants(subject.machine, SEED).slice(0, CANDIDATES))
      .slice(0, MUTANTS);
    const afterVectors = mutants.filter((mutant) => failedVector(subject.machine, mutant, vectors) === null);
    const survivors = afterVectors.filter((mutant) => !subject.searched(mutant));
    const killed = mutants.length - survivors.length;
    const byVectors = mutants.length - afterVectors.length;
    console.log(
      `${name}: ${killed} of ${mutants.length} mutants killed, ${byVectors} of them by vectors`,
      survivors.map(({ cell, from, to }) => `${cell}: ${from} → ${to}`),
    );
    expect(mutants.length).toBeGreaterThanOrEqual(
      Math.min(MUTANTS, shuffledMutants(subject.machine, SEED).length / 2),
    );
    expect(killed / mutants.length).toBeGreaterThanOrEqual(0.95);
  });
}
