/**
 * One table holds every decision of a machine: a row for every kind of event, a column for every kind of state, the name
 * of a rule in every cell. The compiler refuses a missing row, a missing cell and a rule that cannot take that row's
 * event. The same table is run, searched, mutated and printed; there is no second list.
 */
import type { Parsed } from "./schema.js";
import type { Step } from "./step.js";

export interface Rule<S, E, X, Code extends string, Column extends string> {
  /** The columns this rule can lead to; `"same"` stays in the column it was found in. */
  readonly to: readonly (Column | "same")[];
  /** One line for the generated documents. */
  readonly note: string;
  readonly apply: (state: S, event: E) => Step<S, X, Code>;
}

/** A cell for every column, in the order of the columns. */
export type Cells<Columns extends readonly string[], Name extends string> = {
  readonly [I in keyof Columns]: Name;
};

/** The names of the rules in `Rules` that accept the event `E`. */
export type RulesFor<Rules, E> = {
  [N in keyof Rules & string]: Rules[N] extends { apply: (state: never, event: infer Taken) => unknown }
    ? E extends Taken
      ? N
      : never
    : never;
}[keyof Rules & string];

/** The whole table: for every row, a rule that takes that row's event in every column. */
export type Table<RowEvents, Columns extends readonly string[], Rules> = {
  readonly [R in keyof RowEvents & string]: Cells<Columns, RulesFor<Rules, RowEvents[R]>>;
};

/** Any table, by name only: what mutants are made of. */
export type TableNames = Readonly<Record<string, readonly string[]>>;

type Apply<S, E, X, Code extends string> = (state: S, event: E) => Step<S, X, Code>;

/** The table with the rules themselves in its cells, ready to run. */
export type Compiled<S, E, X, Code extends string> = ReadonlyMap<string, readonly Apply<S, E, X, Code>[]>;

export function compile<S, E, X, Code extends string>(
  table: TableNames,
  rules: Readonly<Record<string, { readonly apply: (state: S, event: never) => Step<S, X, Code> }>>,
): Compiled<S, E, X, Code> {
  const rows = Object.entries(table).map(([row, names]) => {
    const cells = names.map((name) => {
      const rule = rules[name];
      if (!rule) throw new Error(`row ${row} names an unknown rule: ${name}`);
      // The type `Table` has shown that every rule takes its row's event.
      return rule.apply as Apply<S, E, X, Code>;
    });
    return [row, cells] as const;
  });
  return new Map(rows);
}

/** Where the table decides about an event. */
export interface Cell {
  readonly row: string;
  readonly column: string;
}

/** Everything a stranger needs to run, print, search and mutate a machine. */
export interface Machine<S, E, X, Code extends string> {
  readonly name: string;
  readonly initial: S;
  readonly parseEvent: (value: unknown) => Parsed<E>;
  readonly parseState: (value: unknown) => Parsed<S>;
  readonly transition: (state: S, event: E) => Step<S, X, Code>;
  /** The same machine run by another table. */
  readonly transitionBy: (table: TableNames) => (state: S, event: E) => Step<S, X, Code>;
  /** The cell that decides, or null when the event is dropped before the table (stale, repeated). */
  readonly locate: (state: S, event: E) => Cell | null;
  readonly description: TableDescription;
}

/** A machine's table as plain JSON, for `--table`, the documents and the mutants. */
export interface TableDescription {
  readonly machine: string;
  readonly columns: readonly string[];
  /** What is decided before the table is asked. */
  readonly gates: readonly string[];
  readonly rows: readonly RowDescription[];
}

export interface RowDescription {
  readonly event: string;
  readonly kind: "request" | "fact";
  readonly cells: Readonly<Record<string, CellDescription>>;
}

export interface CellDescription {
  readonly rule: string;
  readonly to: readonly string[];
  readonly note: string;
}

export function describe(
  machine: string,
  columns: readonly string[],
  gates: readonly string[],
  table: TableNames,
  rules: Readonly<Record<string, { readonly to: readonly string[]; readonly note: string }>>,
  kindOf: (row: string) => "request" | "fact",
): TableDescription {
  const rows = Object.entries(table).map(([event, names]) => {
    const cells = columns.map((column, index) => {
      const rule = names[index] ?? "";
      const to = (rules[rule]?.to ?? []).map((target) => (target === "same" ? column : target));
      return [column, { rule, to: [...new Set(to)], note: rules[rule]?.note ?? "" }] as const;
    });
    return { event, kind: kindOf(event), cells: Object.fromEntries(cells) };
  });
  return { machine, columns, gates, rows };
}
