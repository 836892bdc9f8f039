/**
 * The roster times a small world: three seats, agents that really start and end, a person who types and chooses.
 *
 * The world knows who must be connected from its own history, without the machine's counter. It reports an end late and
 * repeatedly, but never after the next start in the same seat: a fact that names no run cannot be told apart there.
 */
import type { RosterEffect, RosterRefusalCode } from "../../src/core/roster/effects.js";
import { EVIDENCE, type RosterEvent } from "../../src/core/roster/events.js";
import { route, type Route } from "../../src/core/roster/route.js";
import { rosterMachine } from "../../src/core/roster/roster-machine.js";
import type { RosterState, SeatStatus } from "../../src/core/roster/state.js";
import type { Step } from "../../src/core/step.js";
import type { Check, Goal, Model, Move, Node, Taken } from "./search.js";

/** Not in their order, and one that a locale would sort elsewhere. */
const SEATS = ["b", "Z", "ä"] as const;
/** Enough for every order of starts in three seats, each with restarts. */
const STARTS_MAX = 5;

type Transition = (
  state: RosterState,
  event: RosterEvent,
) => Step<RosterState, RosterEffect, RosterRefusalCode>;
type RosterMove = Move<RosterState, RosterEvent, RosterEffect, RosterGhost>;
type RosterNode = Node<RosterState, RosterGhost>;
type RosterTaken = Taken<RosterState, RosterEvent, RosterEffect, RosterGhost>;

export interface RosterGhost {
  /** Open seats, in the order of `SEATS`. */
  readonly open: readonly string[];
  /** Seats in which an agent really runs, in the order of `SEATS`. */
  readonly running: readonly string[];
  /** The seat of every start so far, oldest first; null once that seat is closed. */
  readonly starts: readonly (string | null)[];
  /** Who must be connected. */
  readonly chosen: string | null;
}

const EMPTY_WORLD: RosterGhost = { open: [], running: [], starts: [], chosen: null };

export function rosterModel(
  transition: Transition = rosterMachine.transition,
  startsMax = STARTS_MAX,
): Model<RosterState, RosterEvent, RosterEffect, RosterGhost> {
  return {
    name: "roster",
    initial: [{ state: rosterMachine.initial, ghost: EMPTY_WORLD }],
    transition,
    cell: cellOf,
    moves: ({ ghost }) => SEATS.flatMap((seat) => movesAt(ghost, seat, startsMax)),
    nodeChecks: NODE_CHECKS,
    stepChecks: STEP_CHECKS,
    goals: [everyoneEnds, ...SEATS.map(canConnect)],
  };
}

function cellOf(state: RosterState, event: RosterEvent): string | null {
  const cell = rosterMachine.locate(state, event);
  return cell && `${cell.row} / ${cell.column}`;
}

function movesAt(ghost: RosterGhost, seat: string, startsMax: number): readonly RosterMove[] {
  return [
    ...(ghost.starts.length < startsMax ? [start(ghost, seat)] : []),
    ...ends(ghost, seat),
    { event: { type: "seat_opened", seat }, ghost: () => ({ ...ghost, open: including(ghost.open, seat) }) },
    { event: { type: "seat_closed", seat }, ghost: () => closed(ghost, seat) },
    { event: { type: "input_entered", seat, text: "/exit" }, ghost: () => ghost },
    // Whoever rests is still who runs there: its next message resumes it.
    { event: { type: "agent_rested", seat }, ghost: () => ghost },
    {
      event: { type: "connect", seat },
      ghost: () => (ghost.running.includes(seat) ? { ...ghost, chosen: seat } : ghost),
    },
  ];
}

function start(ghost: RosterGhost, seat: string): RosterMove {
  const starts = [...ghost.starts, seat];
  return {
    event: { type: "agent_started", seat, agent: agentOfStart(starts.length) },
    ghost: () => ({
      open: including(ghost.open, seat),
      running: including(ghost.running, seat),
      starts,
      chosen: seat,
    }),
  };
}

/** A running agent ends, shown in any way; of one that does not run, an end may be told late or again. */
function ends(ghost: RosterGhost, seat: string): readonly RosterMove[] {
  const evidences = ghost.running.includes(seat) ? EVIDENCE : (["process_exit"] as const);
  return evidences.map((evidence) => ({
    event: { type: "agent_terminated", seat, evidence },
    ghost: () => ended(ghost, seat),
  }));
}

function ended(ghost: RosterGhost, seat: string): RosterGhost {
  const running = ghost.running.filter((name) => name !== seat);
  const chosen = ghost.chosen === seat ? latestStarted(ghost.starts, running) : ghost.chosen;
  return { ...ghost, running, chosen };
}

function closed(ghost: RosterGhost, seat: string): RosterGhost {
  return {
    ...ended(ghost, seat),
    open: ghost.open.filter((name) => name !== seat),
    starts: ghost.starts.map((name) => (name === seat ? null : name)),
  };
}

function latestStarted(starts: readonly (string | null)[], running: readonly string[]): string | null {
  return starts.findLast((name) => name !== null && running.includes(name)) ?? null;
}

function including(names: readonly string[], name: string): readonly string[] {
  return SEATS.filter((known) => known === name || names.includes(known));
}

function agentOfStart(order: number): string {
  return order % 2 === 0 ? "codex" : "claude";
}

/** What the world says the whole state must be. */
function expectedState(ghost: RosterGhost): RosterState {
  const seats = ghost.open.toSorted(byCodeUnit).map((seat) => {
    const order = ghost.starts.lastIndexOf(seat) + 1;
    const runs = ghost.running.includes(seat);
    return { seat, agent: runs ? agentOfStart(order) : null, status: expectedStatus(ghost, seat), order };
  });
  return { seats, connected: ghost.chosen, counter: ghost.starts.length };
}

function byCodeUnit(a: string, b: string): number {
  return a.charCodeAt(0) - b.charCodeAt(0);
}

function expectedStatus(ghost: RosterGhost, seat: string): SeatStatus {
  if (!ghost.running.includes(seat)) return "none";
  return ghost.chosen === seat ? "connected" : "disconnected";
}

const NODE_CHECKS: Readonly<Record<string, Check<RosterNode>>> = {
  "the state is what the world's history says": ({ state, ghost }) =>
    differ("state", state, expectedState(ghost)),
  "at most one is connected, and it is named": ({ state }) => {
    const connected = state.seats.filter((seat) => seat.status === "connected").map((seat) => seat.seat);
    return differ("connected", connected, state.connected === null ? [] : [state.connected]);
  },
  "if any agent runs, one is connected": ({ state, ghost }) =>
    ghost.running.length > 0 === (state.connected !== null) ? null : `${ghost.running.length} run`,
  "none means not running": ({ state, ghost }) => {
    const wrong = state.seats.find((seat) => (seat.status === "none") === ghost.running.includes(seat.seat));
    return wrong ? `${wrong.seat} is ${wrong.status}` : null;
  },
  "a state is a valid initial state": ({ state }) =>
    rosterMachine.parseState(JSON.parse(JSON.stringify(state))).ok ? null : "parseState refuses it",
  "a message goes where it should": routeFlaw,
};

function routeFlaw({ state, ghost }: RosterNode): string | null {
  const toChosen: Route =
    ghost.chosen === null ? { ok: false, code: "no_active_agent" } : { ok: true, seat: ghost.chosen };
  const flaws = SEATS.map((seat) => {
    const runs = ghost.running.includes(seat);
    const known = ghost.open.includes(seat);
    const strict: Route = runs
      ? { ok: true, seat }
      : { ok: false, code: known ? "no_agent" : "seat_unknown" };
    const lenient: Route = known && !runs ? toChosen : strict;
    return (
      differ(`route to ${seat}`, route(state, { seat }), strict) ??
      differ(`route to ${seat}, no fallback`, route(state, { seat, fallback: false }), strict) ??
      differ(`route to ${seat}, fallback`, route(state, { seat, fallback: true }), lenient)
    );
  });
  return (
    differ("route", route(state, {}), toChosen) ??
    differ("route, fallback", route(state, { fallback: true }), toChosen) ??
    flaws.find((flaw) => flaw !== null) ??
    null
  );
}

/** Where each cell's rule may lead. */
const TARGETS: ReadonlyMap<string, readonly string[]> = new Map(
  rosterMachine.description.rows.flatMap((row) =>
    Object.entries(row.cells).map(([column, cell]) => [`${row.event} / ${column}`, cell.to] as const),
  ),
);

const STEP_CHECKS: Readonly<Record<string, Check<RosterTaken>>> = {
  "the rule leads where the table says": ({ before, event, after }) => {
    const to = rosterMachine.locate(after.state, event)?.column ?? "";
    const cell = cellOf(before.state, event) ?? "";
    return TARGETS.get(cell)?.includes(to) ? null : `${cell} leads to ${to}`;
  },
  "the answer is what the world says": (taken) =>
    differ("answer", answerOf(taken.step), expectedAnswer(taken)),
  "typing is the identity": ({ event, before, step }) =>
    event.type !== "input_entered" || (step.state === before.state && step.effects.length === 0)
      ? null
      : "typing changed something",
  "to rest changes nothing": ({ event, before, step }) =>
    event.type !== "agent_rested" || (step.state === before.state && step.effects.length === 0)
      ? null
      : "a rest changed something",
  "effects lead from the old statuses to the new": (taken) =>
    differ("statuses", Object.fromEntries(statusesByEffects(taken)), statusesOf(taken.after.ghost)),
  "one effect for each change, with its reason": ({ before, event, step, after }) => {
    const changed = SEATS.filter(
      (seat) => expectedStatus(before.ghost, seat) !== expectedStatus(after.ghost, seat),
    );
    const named = step.effects.map((effect) => `${effect.seat} ${effect.reason}`);
    return differ("effects", named.toSorted(), changed.map((seat) => `${seat} ${event.type}`).toSorted());
  },
  "demotions before promotions": ({ step }) => {
    const firstPromotion = step.effects.findIndex((effect) => effect.to === "connected");
    const lastDemotion = step.effects.findLastIndex((effect) => effect.to !== "connected");
    return firstPromotion >= 0 && firstPromotion < lastDemotion ? JSON.stringify(step.effects) : null;
  },
};

type Answer = readonly [result: string, code: string | null];

function answerOf(step: Step<RosterState, RosterEffect>): Answer {
  return [step.result, step.error?.code ?? step.because ?? null];
}

function expectedAnswer({ before, event }: RosterTaken): Answer {
  const known = before.ghost.open.includes(event.seat);
  const runs = before.ghost.running.includes(event.seat);
  switch (event.type) {
    case "agent_started":
      return ["ok", null];
    case "agent_terminated":
      return runs ? ["ok", null] : ["ignored", known ? "no_agent" : "seat_unknown"];
    case "agent_rested":
      return runs ? ["ok", null] : ["ignored", known ? "no_agent" : "seat_unknown"];
    case "seat_opened":
      return known ? ["ignored", "seat_known"] : ["ok", null];
    case "seat_closed":
      return known ? ["ok", null] : ["ignored", "seat_unknown"];
    case "input_entered":
      return ["ignored", "typing"];
    case "connect":
      return runs ? ["ok", null] : ["rejected", known ? "no_agent" : "seat_unknown"];
  }
}

/** The old statuses after the effects; an effect that starts from another status is left out, and so shows. */
function statusesByEffects({ before, step }: RosterTaken): Map<string, SeatStatus> {
  const statuses = new Map(Object.entries(statusesOf(before.ghost)));
  for (const { seat, from, to } of step.effects) {
    if (statuses.get(seat) === from) statuses.set(seat, to);
  }
  return statuses;
}

function statusesOf(ghost: RosterGhost): Record<string, SeatStatus> {
  return Object.fromEntries(SEATS.map((seat) => [seat, expectedStatus(ghost, seat)]));
}

const everyoneEnds: Goal<RosterState, RosterEvent, RosterGhost> = {
  name: "when every agent ends, nobody is connected",
  from: () => true,
  to: ({ state }) => state.connected === null,
  by: (event) => event.type === "agent_terminated",
};

function canConnect(seat: string): Goal<RosterState, RosterEvent, RosterGhost> {
  return {
    name: `a person can connect ${seat} while it runs`,
    from: ({ ghost }) => ghost.running.includes(seat),
    to: ({ state }) => state.connected === seat,
    by: (event) => event.type === "connect",
  };
}

function differ(what: string, actual: unknown, expected: unknown): string | null {
  const said = JSON.stringify(actual);
  const wanted = JSON.stringify(expected);
  return said === wanted ? null : `${what} ${said}, not ${wanted}`;
}
