/** Tables with one wrong cell: the vectors and the search together must notice. */
import { search, type Model } from "./search.js";
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

/**
 * Those that answer some reachable event differently: the others are no faults, as the search goes everywhere. One run of
 * the right machine's search is enough to tell.
 */
export function faultyMutants<S extends object, E, X, G extends object>(
  mutants: readonly Mutant[],
  machine: AnyMachine,
  models: readonly Model<S, E, X, G>[],
): Mutant[] {
  const suspects = mutants.map((mutant) => ({ mutant, run: machine.transitionBy(mutant.table) }));
  const faulty = new Set<Mutant>();
  for (const model of models) {
    const transition: typeof model.transition = (state, event) => {
      const step = model.transition(state, event);
      const cell = model.cell(state, event);
      for (const { mutant, run } of suspects) {
        if (mutant.cell !== cell || faulty.has(mutant)) continue;
        if (isDifferent(step, () => run(state, event as never))) faulty.add(mutant);
      }
      return step;
    };
    search({ ...model, transition, goals: [] });
  }
  return mutants.filter((mutant) => faulty.has(mutant));
}

/** Why something is ignored is for the metrics only. */
function isDifferent(step: object, other: () => object): boolean {
  try {
    return JSON.stringify({ ...step, because: null }) !== JSON.stringify({ ...other(), because: null });
  } catch {
    return true; // It threw, and the right one did not.
  }
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

function tableOf(description: AnyMachine["description"]): TableNames {
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
