/**
 * Breadth-first search of a machine times a ghost world.
 *
 * The ghost world says which events can happen next and remembers what the machine itself must not: which processes
 * really live, what was really delivered. Breadth-first, so that the first violation found has the shortest path.
 */
import type { Step } from "../../src/core/step.js";

export interface Node<S, G> {
  readonly state: S;
  readonly ghost: G;
}

/** Something the ghost world can do now. */
export interface Move<S, E, X, G> {
  readonly event: E;
  /** The world after the machine's answer. */
  readonly ghost: (step: Step<S, X>) => G;
  /** Checked like any other, but what follows it is not searched: its like is. */
  readonly probe?: boolean;
}

export interface Taken<S, E, X, G> {
  readonly before: Node<S, G>;
  readonly event: E;
  readonly step: Step<S, X>;
  readonly after: Node<S, G>;
}

/** Says what is wrong, or null. */
export type Check<T> = (subject: T) => string | null;

/** From every node that is `from`, some path leads to a node that is `to`. */
export interface Goal<S, E, G> {
  readonly name: string;
  readonly from: (node: Node<S, G>) => boolean;
  readonly to: (node: Node<S, G>) => boolean;
  /** Which events the path may use; absent: all. */
  readonly by?: (event: E) => boolean;
}

export interface Model<S, E, X, G> {
  readonly name: string;
  readonly initial: readonly Node<S, G>[];
  readonly transition: (state: S, event: E) => Step<S, X>;
  /** The table's cell that decides, as `row / column`; null when a gate before the table does. */
  readonly cell: (state: S, event: E) => string | null;
  readonly moves: (node: Node<S, G>) => readonly Move<S, E, X, G>[];
  readonly nodeChecks: Readonly<Record<string, Check<Node<S, G>>>>;
  readonly stepChecks: Readonly<Record<string, Check<Taken<S, E, X, G>>>>;
  readonly goals: readonly Goal<S, E, G>[];
}

export interface Violation {
  readonly check: string;
  readonly message: string;
  /** Events from the start, the last one breaking the check. */
  readonly path: readonly string[];
}

export interface Report {
  readonly model: string;
  readonly states: number;
  readonly steps: number;
  /** How often each cell decided. */
  readonly cells: ReadonlyMap<string, number>;
  readonly violation: Violation | null;
}

const STATES_MAX = 3_000_000;

/** Searches until everything reachable is seen or the first violation. */
export function search<S extends object, E, X, G extends object>(model: Model<S, E, X, G>): Report {
  return new Search(model).run();
}

/** One object for all that are equal, with a number; equal states are then the same object. */
class Interned<T extends object> {
  private readonly byText = new Map<string, { readonly value: T; readonly number: number }>();
  private readonly numbers = new WeakMap<T, number>();

  take(value: T): { readonly value: T; readonly number: number } {
    const known = this.numbers.get(value);
    if (known !== undefined) return { value, number: known };
    const text = JSON.stringify(value);
    let entry = this.byText.get(text);
    if (!entry) {
      entry = { value: freeze(value), number: this.byText.size };
      this.byText.set(text, entry);
      this.numbers.set(value, entry.number);
    }
    return entry;
  }
}

class Search<S extends object, E, X, G extends object> {
  private readonly states = new Interned<S>();
  private readonly ghosts = new Interned<G>();
  private readonly seen = new Map<number, number>();
  private readonly probed = new Set<number>();
  private readonly nodes: Node<S, G>[] = [];
  private readonly parents: number[] = [];
  private readonly arrivals: (E | null)[] = [];
  private readonly edges = new Edges();
  private steps = 0;
  private readonly cells = new Map<string, number>();
  private violation: Violation | null = null;

  private readonly nodeChecks: readonly (readonly [string, Check<Node<S, G>>])[];
  private readonly stepChecks: readonly (readonly [string, Check<Taken<S, E, X, G>>])[];

  constructor(private readonly model: Model<S, E, X, G>) {
    this.nodeChecks = Object.entries(model.nodeChecks);
    this.stepChecks = Object.entries(model.stepChecks);
  }

  run(): Report {
    for (const node of this.model.initial) this.visit(node.state, node.ghost, -1, null);
    for (let index = 0; index < this.nodes.length && !this.violation; index += 1) this.expand(index);
    if (!this.violation) this.checkGoals();
    return {
      model: this.model.name,
      states: this.nodes.length,
      steps: this.steps,
      cells: this.cells,
      violation: this.violation,
    };
  }

  private expand(index: number): void {
    const before = this.nodes[index] as Node<S, G>;
    const stateNumber = this.states.take(before.state).number;
    const probing = !this.probed.has(stateNumber);
    if (probing) this.probed.add(stateNumber);
    for (const move of this.model.moves(before)) {
      if (move.probe && !probing) continue;
      this.steps += 1;
      const step = this.takeStep(index, before.state, move.event);
      if (!step) return;
      const ghost = move.ghost(step);
      const after = move.probe
        ? this.inspect({ state: step.state, ghost: freeze(ghost) }, index, move.event)
        : this.follow(step.state, ghost, index, move.event);
      this.runChecks(this.stepChecks, { before, event: move.event, step, after }, index, move.event);
      if (this.violation) return;
    }
  }

  private follow(state: S, ghost: G, from: number, event: E): Node<S, G> {
    const to = this.visit(state, ghost, from, event);
    if (to !== from) this.edges.add(from, to, this.goalsUsing(event));
    return this.nodes[to] as Node<S, G>;
  }

  private takeStep(index: number, state: S, event: E): Step<S, X> | null {
    const cell = this.model.cell(state, event);
    if (cell !== null) this.cells.set(cell, (this.cells.get(cell) ?? 0) + 1);
    try {
      freeze(event);
      const step = this.model.transition(state, event);
      const flaw = stepFlaw(state, step);
      if (flaw) this.violate("contract", flaw, index, event);
      return step;
    } catch (thrown) {
      this.violate("never throws, never changes its input", String(thrown), index, event);
      return null;
    }
  }

  private visit(state: S, ghost: G, parent: number, event: E | null): number {
    const theState = this.states.take(state);
    const theGhost = this.ghosts.take(ghost);
    const key = theState.number * STATES_MAX + theGhost.number;
    const known = this.seen.get(key);
    if (known !== undefined) return known;
    const index = this.nodes.length;
    if (index >= STATES_MAX) throw new Error(`${this.model.name}: more than ${STATES_MAX} states`);
    const node = { state: theState.value, ghost: theGhost.value };
    this.seen.set(key, index);
    this.nodes.push(node);
    this.parents.push(parent);
    this.arrivals.push(event);
    this.inspect(node, parent, event);
    return index;
  }

  private inspect(node: Node<S, G>, parent: number, event: E | null): Node<S, G> {
    if (!isPlainJson(node.state)) this.violate("plain JSON", JSON.stringify(node.state), parent, event);
    this.runChecks(this.nodeChecks, node, parent, event);
    return node;
  }

  private runChecks<T>(
    checks: readonly (readonly [string, Check<T>])[],
    subject: T,
    from: number,
    event: E | null,
  ) {
    for (const [name, check] of checks) {
      const message = check(subject);
      if (message !== null) this.violate(name, message, from, event);
    }
  }

  private violate(check: string, message: string, from: number, event: E | null): void {
    if (this.violation) return;
    const last = event === null ? [] : [JSON.stringify(event)];
    this.violation = { check, message, path: [...this.pathTo(from), ...last] };
  }

  private pathTo(index: number): string[] {
    const path: string[] = [];
    for (let at = index; at >= 0; at = this.parents[at] ?? -1) {
      const event = this.arrivals[at];
      if (event != null) path.unshift(JSON.stringify(event));
    }
    return path;
  }

  /** One bit for each goal whose path may use the event. */
  private goalsUsing(event: E): number {
    return this.model.goals.reduce((bits, { by }, bit) => (by && !by(event) ? bits : bits | (1 << bit)), 0);
  }

  private checkGoals(): void {
    this.model.goals.forEach((goal, bit) => {
      const reaches = this.reaching(goal, 1 << bit);
      const stuck = this.nodes.findIndex((node, index) => goal.from(node) && !reaches[index]);
      if (stuck >= 0) this.violate(goal.name, JSON.stringify(this.nodes[stuck]), stuck, null);
    });
  }

  /** The nodes from which the goal can be reached: a search backwards from it. */
  private reaching(goal: Goal<S, E, G>, bit: number): Uint8Array {
    const reaches = new Uint8Array(this.nodes.length);
    const open: number[] = [];
    this.nodes.forEach((node, index) => {
      if (!goal.to(node)) return;
      reaches[index] = 1;
      open.push(index);
    });
    const sourcesOf = this.edges.reversed(this.nodes.length, bit);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const source of sourcesOf(at)) {
        if (reaches[source]) continue;
        reaches[source] = 1;
        open.push(source);
      }
    }
    return reaches;
  }
}

/** Millions of edges, so three plain numbers each. */
class Edges {
  private data = new Int32Array(3 * 1024);
  private count = 0;

  add(from: number, to: number, goals: number): void {
    if (3 * this.count === this.data.length) {
      const larger = new Int32Array(2 * this.data.length);
      larger.set(this.data);
      this.data = larger;
    }
    this.data.set([from, to, goals], 3 * this.count);
    this.count += 1;
  }

  /** For each node, where its edges come from; only those that carry the bit. */
  reversed(nodeCount: number, bit: number): (node: number) => Int32Array {
    const starts = new Int32Array(nodeCount + 1);
    this.each(bit, (_from, to) => {
      starts[to + 1] = (starts[to + 1] ?? 0) + 1;
    });
    for (let node = 0; node < nodeCount; node += 1)
      starts[node + 1] = (starts[node + 1] ?? 0) + (starts[node] ?? 0);
    const sources = new Int32Array(starts[nodeCount] ?? 0);
    const filled = starts.slice();
    this.each(bit, (from, to) => {
      const at = filled[to] ?? 0;
      sources[at] = from;
      filled[to] = at + 1;
    });
    return (node) => sources.subarray(starts[node], starts[node + 1]);
  }

  private each(bit: number, visit: (from: number, to: number) => void): void {
    for (let at = 0; at < 3 * this.count; at += 3) {
      if ((this.data[at + 2] ?? 0) & bit) visit(this.data[at] ?? 0, this.data[at + 1] ?? 0);
    }
  }
}

function stepFlaw<S, X>(state: S, step: Step<S, X>): string | null {
  if (step.result !== "ok" && step.state !== state) return `${step.result}, but the state changed`;
  if (step.result === "rejected" && !step.error) return "rejected without an error";
  if (step.state !== state && JSON.stringify(step.state) === JSON.stringify(state)) {
    return "nothing changed, but the state is another object";
  }
  return isPlainJson(step.effects) ? null : "effects are not plain JSON";
}

function isPlainJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlainJson);
  return typeof value === "object" && Object.values(value).every(isPlainJson);
}

/** Freezes to the leaves; what is frozen already is known to be frozen to the leaves. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
  return value;
}

export function printReport(report: Report): string {
  const head = `${report.model}: ${report.states} states, ${report.steps} steps, ${report.cells.size} cells visited`;
  if (!report.violation) return head;
  const { check, message, path } = report.violation;
  return [
    head,
    `VIOLATED ${check}: ${message}`,
    ...path.map((line, index) => `  ${index + 1}. ${line}`),
  ].join("\n");
}
