/** Tables with one wrong cell: the vectors and the search together must notice. */
import { search, type Model } from "./search.js";
import type { Step } from "../../src/core/step.js";
import type { Machine, TableNames } from "../../src/core/table.js";
import { playVector, type Vector } from "../vectors/vector.js";

export interface Mutant {
  readonly cell: string;
  readonly from: string;
  readonly to: string;
  readonly table: TableNames;
}

/** What a machine is here: its table, and how it is run by another. */
export type AnyMachine = Pick<
  Machine<object, { readonly type: string }, { readonly type: string }, string>,
  "description" | "initial" | "parseEvent" | "parseState" | "transitionBy"
>;

/** Every mutant in an order drawn by a seeded generator; each puts another rule of the same row into one cell. */
export function shuffledMutants(machine: AnyMachine, seed: number): Mutant[] {
  const left = allMutants(machine);
  const random = generator(seed);
  const shuffled: Mutant[] = [];
  while (left.length > 0) shuffled.push(...left.splice(Math.floor(random() * left.length), 1));
  return shuffled;
}

/** A mutant that is a fault. */
export interface Fault {
  readonly mutant: Mutant;
  /** Which of the worlds it is a fault in: in the others its search would be that of the right machine. */
  readonly worlds: readonly number[];
  /** The first answer that differs breaks a check of answers or of states. */
  readonly isNoticed: boolean;
}

/**
 * Those that answer some reachable event differently: the others are no faults, as the search goes everywhere. One run of
 * the right machine's search is enough to tell. The way to the first answer that differs is the mutant's own, too; what
 * such an answer breaks, its own search would find.
 */
export function faultsAmong<S extends object, E, X, G extends object>(
  mutants: readonly Mutant[],
  machine: AnyMachine,
  models: readonly Model<S, E, X, G>[],
): Fault[] {
  const suspects = mutants.map((mutant) => ({
    mutant,
    run: machine.transitionBy(mutant.table) as unknown as Model<S, E, X, G>["transition"],
    worlds: new Set<number>(),
    isNoticed: false,
  }));
  models.forEach((model, world) => {
    const transition: typeof model.transition = (state, event) => {
      const step = model.transition(state, event);
      const cell = model.cell(state, event);
      for (const suspect of suspects) {
        if (suspect.mutant.cell !== cell || suspect.worlds.has(world)) continue;
        const other = attempt(() => suspect.run(state, event));
        if (!isDifferent(step, other)) continue;
        suspect.worlds.add(world);
        suspect.isNoticed ||= other === null || isBroken(model, state, event, other);
      }
      return step;
    };
    // That the right machine violates nothing is told by its own search.
    const { violation } = search({ ...model, ...UNCHECKED, transition });
    if (violation) throw new Error(`${model.name}: the right machine violates ${violation.check}`);
  });
  return suspects
    .filter(({ worlds }) => worlds.size > 0)
    .map(({ mutant, worlds, isNoticed }) => ({ mutant, worlds: [...worlds], isNoticed }));
}

const UNCHECKED = { stateChecks: {}, answerChecks: {}, nodeChecks: {}, stepChecks: {}, goals: [] };

/** Null: it threw, and the right one did not. */
function attempt<T>(take: () => T): T | null {
  try {
    return take();
  } catch {
    return null;
  }
}

function isBroken<S extends object, E, X, G extends object>(
  { stateChecks = {}, answerChecks = {} }: Model<S, E, X, G>,
  state: S,
  event: E,
  step: Step<S, X>,
): boolean {
  const answered = { before: { state }, event, step, after: { state: step.state } };
  return (
    Object.values(stateChecks).some((check) => check(answered.after) !== null) ||
    Object.values(answerChecks).some((check) => check(answered) !== null)
  );
}

/** Why something is ignored is for the metrics only. */
function isDifferent(step: object, other: object | null): boolean {
  if (other === null) return true;
  return JSON.stringify({ ...step, because: null }) !== JSON.stringify({ ...other, because: null });
}

function allMutants({ description }: AnyMachine): Mutant[] {
  const table = tableOf(description);
  const everywhere = new Set(Object.values(table).flat());
  return description.rows.flatMap(({ event, kind }) => {
    const names = table[event] ?? [];
    const nothing = (kind === "request" ? ["refuse", "reject"] : ["ignore"]).filter((name) =>
      everywhere.has(name),
    );
    const others = [...new Set([...names, ...nothing])];
    return names.flatMap((from, at) =>
      others
        .filter((to) => to !== from)
        .map((to) => ({
          cell: `${event} / ${description.columns[at] ?? ""}`,
          from,
          to,
          table: { ...table, [event]: names.with(at, to) },
        })),
    );
  });
}

export function tableOf(description: AnyMachine["description"]): TableNames {
  return Object.fromEntries(
    description.rows.map(({ event, cells }) => [
      event,
      description.columns.map((column) => cells[column]?.rule ?? ""),
    ]),
  );
}

/** A small seeded generator (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The name of the first vector that the mutant fails, or null. */
export function failedVector(machine: AnyMachine, mutant: Mutant, vectors: readonly Vector[]): string | null {
  const transition = machine.transitionBy(mutant.table);
  const failed = vectors.find((vector) => {
    const initial = { ...machine.initial, ...vector.initial };
    try {
      return (
        playVector(vector, initial, (state, value) => {
          const event = machine.parseEvent(value);
          if (!event.ok) throw new Error(`${vector.name}: not an event`);
          return transition(state as object, event.value);
        }) !== null
      );
    } catch {
      return true; // It threw: that is noticed too.
    }
  });
  return failed?.name ?? null;
}
