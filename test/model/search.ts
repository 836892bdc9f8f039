/**
 * Breadth-first search of a machine times a ghost world.
 *
 * The ghost world says which events can happen next and remembers what the machine itself must not: which processes
 * really live, what was really delivered. Breadth-first, so that the first violation found has the shortest path.
 */
import type { Step } from "../../src/core/step.js";
import { freeze, Interner, type Interned } from "./interned.js";

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

/** A step as the machine alone takes it. */
export interface Answered<S, E, X> {
  readonly before: { readonly state: S };
  readonly event: E;
  readonly step: Step<S, X>;
  readonly after: { readonly state: S };
}

/** Says what is wrong, or null. */
export type Check<T> = (subject: T) => string | null;

/** Of a step in its world; `about`, of the answer alone: whether there is anything to look for, in whatever world. */
export interface StepCheck<S, E, X, G> {
  readonly about: (answered: Answered<S, E, X>) => boolean;
  readonly check: Check<Taken<S, E, X, G>>;
}

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
  /** `isProbing`: with the probes, which are of use only once for each state. */
  readonly moves: (node: Node<S, G>, isProbing: boolean) => readonly Move<S, E, X, G>[];
  /** Absent: all of them. */
  readonly parts?: Parts<S, X>;
  /** Of a state alone: once for each, whatever the world around it. */
  readonly stateChecks?: Readonly<Record<string, Check<{ readonly state: S }>>>;
  /** Of an answer alone: once for each state and event. */
  readonly answerChecks?: Readonly<Record<string, Check<Answered<S, E, X>>>>;
  readonly nodeChecks: Readonly<Record<string, Check<Node<S, G>>>>;
  readonly stepChecks: Readonly<Record<string, Check<Taken<S, E, X, G>> | StepCheck<S, E, X, G>>>;
  readonly goals: readonly Goal<S, E, G>[];
}

/**
 * All that the world can see of a machine. States and steps that look the same are the same to it: what it does next, and
 * what becomes of it, is found out once for all of them.
 */
export interface Parts<S, X> {
  /** What the moves depend on. */
  readonly state: (state: S) => object;
  /** What the world after a move depends on. */
  readonly step: (step: Step<S, X>) => object;
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

/** What a machine answered to an event, where in the table, and which goals may use that step. */
interface Answer<S, E, X, G> {
  readonly step: Step<S, X>;
  /** The number of what the world sees of it, once that was asked. */
  told: number | null;
  readonly after: Interned<S>;
  readonly decided: { count: number } | null;
  readonly goals: number;
  /** Of a step in its world: those that have anything to look for. */
  readonly checks: Checks<Taken<S, E, X, G>>;
}

/** What was seen of one state. */
interface Seen<S, E, X, G> {
  isProbed: boolean;
  /** The number of what the world sees of it. */
  readonly look: number;
  /** By the ghost's number: the node of both. */
  readonly nodes: Map<number, number>;
  /** By the event's number. */
  readonly answers: (Answer<S, E, X, G> | undefined)[];
}

/** A move, and the worlds that it led to. */
interface KnownMove<S, E, X, G> {
  readonly move: Move<S, E, X, G>;
  /** The event's. */
  readonly number: number;
  outcomes: Outcome<G> | null;
}

/** The world after a step that looks like this; of a few, so that a list is the smallest. */
interface Outcome<G> {
  readonly told: number;
  readonly world: Interned<G>;
  readonly next: Outcome<G> | null;
}

type Checks<T> = readonly (readonly [name: string, check: Check<T>])[];
const NO_CHECKS: readonly never[] = [];

class Search<S extends object, E, X, G extends object> {
  private readonly states = new Interner<S>();
  private readonly ghosts = new Interner<G>();
  private readonly looks = new Interner<object>();
  private readonly events = new Map<string, number>();
  /** By the state's number: what was seen of it. */
  private readonly seen: Seen<S, E, X, G>[] = [];
  /** By the ghost's number, then by what it sees of the state. */
  private readonly known: Map<number, readonly KnownMove<S, E, X, G>[]>[] = [];
  private readonly nodes: Node<S, G>[] = [];
  /** By the node: the numbers of its state and its ghost. */
  private readonly stateOf: number[] = [];
  private readonly ghostOf: number[] = [];
  private readonly parents: number[] = [];
  private readonly arrivals: (E | null)[] = [];
  private readonly edges = new Edges();
  private steps = 0;
  private readonly cells = new Map<string, { count: number }>();
  private violation: Violation | null = null;

  private readonly stateChecks: Checks<{ readonly state: S }>;
  private readonly answerChecks: Checks<Answered<S, E, X>>;
  private readonly nodeChecks: Checks<Node<S, G>>;
  private readonly stepChecks: readonly (readonly [name: string, check: StepCheck<S, E, X, G>])[];

  constructor(private readonly model: Model<S, E, X, G>) {
    this.stateChecks = Object.entries(model.stateChecks ?? {});
    this.answerChecks = Object.entries(model.answerChecks ?? {});
    this.nodeChecks = Object.entries(model.nodeChecks);
    this.stepChecks = Object.entries(model.stepChecks).map(([name, check]) => [
      name,
      typeof check === "function" ? { about: () => true, check } : check,
    ]);
  }

  run(): Report {
    for (const { state, ghost } of this.model.initial) {
      if (!isPlainJson(state)) this.violate("contract", "the first state is not plain JSON", -1, null);
      this.visit(this.meet(state, -1, null), this.ghosts.take(ghost), -1, null);
    }
    for (let index = 0; index < this.nodes.length && !this.violation; index += 1) this.expand(index);
    if (!this.violation) this.checkGoals();
    return {
      model: this.model.name,
      states: this.nodes.length,
      steps: this.steps,
      cells: new Map([...this.cells].map(([cell, { count }]) => [cell, count])),
      violation: this.violation,
    };
  }

  private expand(index: number): void {
    const before = this.nodes[index] as Node<S, G>;
    const seen = this.seen[this.stateOf[index] as number] as Seen<S, E, X, G>;
    const isProbing = !seen.isProbed;
    seen.isProbed = true;
    for (const known of isProbing ? this.movesOf(before, true) : this.knownMoves(index, before, seen)) {
      const { event, probe } = known.move;
      this.steps += 1;
      const answer = this.answerTo(seen, index, before.state, known);
      if (!answer) return;
      const { step } = answer;
      const after =
        probe === true
          ? this.inspect({ state: answer.after.value, ghost: freeze(known.move.ghost(step)) }, index, event)
          : this.follow(answer, this.worldAfter(known, answer), index, event);
      if (answer.checks.length > 0)
        this.runChecks(answer.checks, { before, event, step, after }, index, event);
      if (this.violation) return;
    }
  }

  /** Where the world sees the same, it can do the same; where it sees all of a state, no node is like another. */
  private knownMoves(
    index: number,
    node: Node<S, G>,
    { look }: Seen<S, E, X, G>,
  ): readonly KnownMove<S, E, X, G>[] {
    if (!this.model.parts) return this.movesOf(node, false);
    const byLook = (this.known[this.ghostOf[index] as number] ??= new Map());
    let moves = byLook.get(look);
    if (!moves) {
      moves = this.movesOf(node, false);
      byLook.set(look, moves);
    }
    return moves;
  }

  private movesOf(node: Node<S, G>, isProbing: boolean): readonly KnownMove<S, E, X, G>[] {
    const moves: KnownMove<S, E, X, G>[] = [];
    for (const move of this.model.moves(node, isProbing))
      if (isProbing || move.probe !== true)
        moves.push({ move, number: this.numberOf(move.event), outcomes: null });
    return moves;
  }

  private numberOf(event: E): number {
    const text = JSON.stringify(event);
    let number = this.events.get(text);
    if (number === undefined) {
      number = this.events.size;
      this.events.set(text, number);
    }
    return number;
  }

  private worldAfter(known: KnownMove<S, E, X, G>, answer: Answer<S, E, X, G>): Interned<G> {
    const { parts } = this.model;
    if (!parts) return this.ghosts.take(known.move.ghost(answer.step));
    answer.told ??= this.looks.take(parts.step(answer.step)).number;
    const { told } = answer;
    for (let outcome = known.outcomes; outcome !== null; outcome = outcome.next)
      if (outcome.told === told) return outcome.world;
    const world = this.ghosts.take(known.move.ghost(answer.step));
    known.outcomes = { told, world, next: known.outcomes };
    return world;
  }

  private follow(answer: Answer<S, E, X, G>, ghost: Interned<G>, from: number, event: E): Node<S, G> {
    const to = this.visit(answer.after, ghost, from, event);
    if (to !== from) this.edges.add(from, to, answer.goals);
    return this.nodes[to] as Node<S, G>;
  }

  /** A machine is pure: the same event to the same state is answered once, and looked up for every other world. */
  private answerTo(
    seen: Seen<S, E, X, G>,
    index: number,
    state: S,
    { move: { event }, number }: KnownMove<S, E, X, G>,
  ): Answer<S, E, X, G> | null {
    const known = seen.answers[number];
    if (known) {
      if (known.decided) known.decided.count += 1;
      return known;
    }
    const decided = this.decidedBy(this.model.cell(state, event));
    const step = this.takeStep(index, state, event);
    if (!step) return null;
    const after = this.meet(step.state, index, event);
    if (step.state !== state && after.value === state)
      this.violate("contract", "nothing changed, but the state is another object", index, event);
    const answered = { before: { state }, event, step, after: { state: after.value } };
    const goals = this.goalsUsing(event);
    const answer: Answer<S, E, X, G> = {
      step,
      told: null,
      after,
      decided,
      goals,
      checks: this.checksOf(answered),
    };
    seen.answers[number] = answer;
    this.runChecks(this.answerChecks, answered, index, event);
    return answer;
  }

  private checksOf(answered: Answered<S, E, X>): Checks<Taken<S, E, X, G>> {
    const checks = this.stepChecks.filter(([, { about }]) => about(answered));
    return checks.length === 0 ? NO_CHECKS : checks.map(([name, { check }]) => [name, check]);
  }

  private decidedBy(cell: string | null): { count: number } | null {
    if (cell === null) return null;
    const decided = this.cells.get(cell) ?? { count: 0 };
    this.cells.set(cell, decided);
    decided.count += 1;
    return decided;
  }

  private takeStep(index: number, state: S, event: E): Step<S, X> | null {
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

  private meet(state: S, from: number, event: E | null): Interned<S> {
    const met = this.states.take(state);
    if (this.seen[met.number]) return met;
    const { parts } = this.model;
    const look = parts ? this.looks.take(parts.state(met.value)).number : -1;
    this.seen[met.number] = { isProbed: false, look, nodes: new Map(), answers: [] };
    this.runChecks(this.stateChecks, { state: met.value }, from, event);
    return met;
  }

  private visit(state: Interned<S>, ghost: Interned<G>, parent: number, event: E | null): number {
    const { nodes } = this.seen[state.number] as Seen<S, E, X, G>;
    const known = nodes.get(ghost.number);
    if (known !== undefined) return known;
    const index = this.nodes.length;
    if (index >= STATES_MAX) throw new Error(`${this.model.name}: more than ${STATES_MAX} states`);
    const node = { state: state.value, ghost: ghost.value };
    nodes.set(ghost.number, index);
    this.nodes.push(node);
    this.stateOf.push(state.number);
    this.ghostOf.push(ghost.number);
    this.parents.push(parent);
    this.arrivals.push(event);
    this.inspect(node, parent, event);
    return index;
  }

  private inspect(node: Node<S, G>, parent: number, event: E | null): Node<S, G> {
    this.runChecks(this.nodeChecks, node, parent, event);
    return node;
  }

  private runChecks<T>(checks: Checks<T>, subject: T, from: number, event: E | null) {
    for (const entry of checks) {
      const message = entry[1](subject);
      if (message !== null) this.violate(entry[0], message, from, event);
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
    const at = 3 * this.count;
    this.data[at] = from;
    this.data[at + 1] = to;
    this.data[at + 2] = goals;
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
  if (step.state !== state && !isPlainJson(step.state))
    return `the state is not plain JSON: ${JSON.stringify(step.state)}`;
  return isPlainJson(step.effects) ? null : "effects are not plain JSON";
}

function isPlainJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlainJson);
  return typeof value === "object" && Object.values(value).every(isPlainJson);
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
