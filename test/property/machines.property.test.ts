import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { player } from "../../src/cli/machine-player.js";
import { MACHINES } from "../../src/core/machines.js";
import type { RosterState } from "../../src/core/roster/state.js";
import type { WorkspaceState } from "../../src/core/workspace/state.js";
import type { SessionState } from "../../src/core/session/state.js";
import type { Step } from "../../src/core/step.js";
import type { Machine } from "../../src/core/table.js";
import type { TurnState } from "../../src/core/turn/state.js";
import { freeze } from "../model/interned.js";
import {
  ROSTER_KINDS,
  SESSION_KINDS,
  TURN_KINDS,
  rightEvents,
  wrongEvents,
  type EventKinds,
  WORKSPACE_KINDS,
} from "./event-kinds.js";

const SEQUENCES = { numRuns: 300 };
const SINGLES = { numRuns: 1_000 };

/** What is wrong with a state, or null. */
type Invariant<S> = (state: S) => string | null;

function holdsFor<S extends object, E, X, Code extends string>(
  machine: Machine<S, E, X, Code>,
  kinds: EventKinds,
  invariant: Invariant<S>,
  initial: S = machine.initial,
): void {
  const rights = rightEvents(kinds);
  const wrongs = wrongEvents(kinds);

  test("valid events are taken as they are", () => {
    fc.assert(
      fc.property(rights, (value) => {
        expect(machine.parseEvent(value)).toEqual({ ok: true, value });
      }),
      SINGLES,
    );
  });

  test("malformed events are refused, and never throw", () => {
    fc.assert(
      fc.property(wrongs, (value) => {
        expect(machine.parseEvent(value).ok).toBe(false);
      }),
      SINGLES,
    );
  });

  test("whatever happens, in whatever order", () => {
    fc.assert(
      fc.property(fc.array(rights, { maxLength: 60, size: "max" }), (values) => {
        let state = freeze(initial);
        for (const value of values) state = freeze(stepOn(machine, state, value, invariant).state);
      }),
      SEQUENCES,
    );
  });

  test("the line player reports and skips what is no event", () => {
    const lines = fc.array(fc.oneof(rights.map(rightLine), wrongLine(wrongs, rights)), { maxLength: 40 });
    fc.assert(
      fc.property(lines, (items) => {
        const running = player(machine).play(undefined);
        let state = machine.initial;
        for (const [index, item] of items.entries()) {
          const answer = running.answer({ type: "text", text: item.text });
          if (item.isEvent) {
            const step = take(machine, state, JSON.parse(item.text) as unknown);
            state = step.state;
            const error = step.error === undefined ? {} : { error: step.error };
            expect(parsed(answer)).toEqual(
              asJson({ result: step.result, state, effects: step.effects, ...error }),
            );
          } else {
            const message: unknown = expect.stringMatching(new RegExp(`^line ${index + 1}: `));
            const error = { code: "event_invalid", message };
            expect(parsed(answer)).toEqual({ result: "invalid", state: asJson(state), effects: [], error });
          }
        }
        expect(running.invalidCount()).toBe(items.filter((item) => !item.isEvent).length);
      }),
      SEQUENCES,
    );
  });
}

function take<S, E, X, Code extends string>(machine: Machine<S, E, X, Code>, state: S, value: unknown) {
  const event = machine.parseEvent(value);
  if (!event.ok) throw new Error(`refused: ${JSON.stringify(value)}`);
  return machine.transition(state, event.value);
}

/** One step, with all that must hold of every step. The state is frozen: a change of it throws. */
function stepOn<S extends object, E, X, Code extends string>(
  machine: Machine<S, E, X, Code>,
  state: S,
  value: unknown,
  invariant: Invariant<S>,
): Step<S, X, Code> {
  const event = freeze(value);
  const step = take(machine, state, event);
  expect(take(machine, state, event)).toEqual(step);
  expect(asJson(step.state)).toStrictEqual(step.state);
  expect(asJson(step.effects)).toStrictEqual(step.effects);
  expect(machine.parseState(step.state).ok).toBe(true);
  expect(invariant(step.state)).toBeNull();
  if (step.result === "ok") expect(step.error).toBeUndefined();
  else expect(step.state).toBe(state);
  if (step.result === "ignored") expect(step.effects).toEqual([]);
  if (step.result === "rejected") {
    expect(typeof step.error?.code).toBe("string");
    expect(typeof step.error?.message).toBe("string");
  }
  return step;
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function parsed(answer: string | null): unknown {
  return answer === null ? null : JSON.parse(answer);
}

interface PlayedLine {
  readonly text: string;
  readonly isEvent: boolean;
}

function rightLine(value: unknown): PlayedLine {
  return { text: JSON.stringify(value), isEvent: true };
}

function wrongLine(wrongs: fc.Arbitrary<unknown>, rights: fc.Arbitrary<unknown>): fc.Arbitrary<PlayedLine> {
  const noEvents = wrongs.filter(hasOwnJson).map((value) => JSON.stringify(value));
  const cut = rights.map((value) => JSON.stringify(value).slice(0, -1));
  const noise = fc
    .string({ minLength: 1 })
    .filter((text) => text.trim() !== "")
    .map((text) => `?${text}`);
  return fc.oneof({ weight: 3, arbitrary: noEvents }, cut, noise).map((text) => ({ text, isEvent: false }));
}

/** Only what JSON says as it is; `undefined`, big numbers and the like would become something else, or throw. */
function hasOwnJson(value: unknown): boolean {
  try {
    const json: unknown = JSON.parse(JSON.stringify(value));
    expect(json).toStrictEqual(value);
    return true;
  } catch {
    return false;
  }
}

function firstWrong(checks: Readonly<Record<string, boolean>>): string | null {
  return Object.keys(checks).find((name) => checks[name] !== true) ?? null;
}

function sessionFlaw(state: SessionState): string | null {
  const { status, asks } = state;
  const approvals = asks.filter((ask) => ask.ask !== "followup").length;
  return firstWrong({
    "phase exactly while streaming": (state.phase !== null) === (status === "streaming"),
    "approvals exactly in waiting_approval": approvals > 0 === (status === "waiting_approval"),
    "only questions in waiting_input": (asks.length > 0 && approvals === 0) === (status === "waiting_input"),
    "an error exactly in error": (state.error !== null) === (status === "error"),
    "no ask twice": new Set(asks.map((ask) => ask.askId)).size === asks.length,
    "no ask both pending and closed": !asks.some((ask) => state.closedAsks.includes(ask.askId)),
    "retry only while streaming": state.retry === null || status === "streaming",
    "onReady only while streaming": state.onReady === null || status === "streaming",
    "interrupting only in a turn":
      !state.interrupting || ["streaming", "waiting_approval", "waiting_input"].includes(status),
    "a timer for every interrupt": (state.interruptTimer !== null) === state.interrupting,
    "no spinner without a run": state.alive || (status !== "creating" && status !== "streaming"),
    "asks only of a run that lives": state.alive || asks.length === 0,
    "no run before the first": state.run > 0 || !state.alive,
    "at most 64 asks": asks.length <= 64,
    "at most 64 closed asks": state.closedAsks.length <= 64,
    "at most 64 answered asks": state.answered.length <= 64,
    "at most 102 queued messages": state.queue.length <= 102,
    "at most 1,000 calls": state.tools.length <= 1_000,
    "at most 16 streams": state.streams.length <= 16,
  });
}

function turnFlaw(state: TurnState): string | null {
  const unresolved = state.tools.filter((tool) => tool.state !== "completed" && tool.state !== "denied");
  return firstWrong({
    "nothing unresolved while idle": state.mode.type !== "idle" || unresolved.length === 0,
    "nothing unresolved after an error": state.mode.type !== "error" || unresolved.length === 0,
    "no tool twice": new Set(state.tools.map((tool) => tool.id)).size === state.tools.length,
    "at most 256 tools": state.tools.length <= 256,
    "at most 100 in the queue": state.queue.length <= 100,
    "a status only while streaming":
      state.mode.type !== "turn" || state.mode.status === null || state.mode.stream === "streaming",
  });
}

function rosterFlaw({ seats, connected, counter }: RosterState): string | null {
  const running = seats.filter((seat) => seat.status !== "none");
  const names = seats.map((seat) => seat.seat);
  const connectedSeats = seats.filter((seat) => seat.status === "connected").map((seat) => seat.seat);
  return firstWrong({
    "exactly one connected when any runs": connectedSeats.length === (running.length > 0 ? 1 : 0),
    "connected names it": (connectedSeats[0] ?? null) === connected,
    "an agent exactly in a seat that runs": seats.every(
      (seat) => (seat.agent !== null) === (seat.status !== "none"),
    ),
    "sorted, each once": names.every((name, index) => index === 0 || (names[index - 1] ?? "") < name),
    "no start after the newest": seats.every((seat) => seat.order <= counter),
  });
}

function workspaceFlaw({ status, finish, path, conflicts, error }: WorkspaceState): string | null {
  return firstWrong({
    "something is under way exactly while finishing or conflicted":
      (finish !== null) === (status === "finishing" || status === "conflicted"),
    "a place, unless it was never asked for": status === "none" || path !== null,
    "at most 100 conflicts": conflicts.length <= 100,
    "no error while something is done": status !== "finishing" || error === null,
  });
}

describe("session", () => {
  holdsFor(MACHINES.session, SESSION_KINDS, sessionFlaw);

  test("stays bounded under a flood of new ids", () => {
    const flood = fc.array(fc.constantFrom(...FLOOD), { minLength: 2_500, maxLength: 2_500, size: "max" });
    fc.assert(
      fc.property(flood, (makers) => {
        let state = MACHINES.session.initial;
        for (const [number, make] of makers.entries()) {
          state = take(MACHINES.session, state, make(number)).state;
          expect(sessionFlaw(state)).toBeNull();
        }
      }),
      { numRuns: 10 },
    );
  });
});

/** Mostly what adds; little that takes away. */
const FLOOD: readonly ((number: number) => unknown)[] = [
  (number) => ({ type: "send_message", messageId: `m${number}` }),
  (number) => ({ type: "ask:tool", askId: `a${number}` }),
  (number) => ({ type: "ask:followup", askId: `a${number}` }),
  (number) => ({ type: "ask:followup", askId: `a${number}`, partial: true }),
  (number) => ({ type: "tool_started", callId: `c${number}` }),
  (number) => ({ type: "tool_started", callId: `d${number}` }),
  (number) => ({ type: "harness_stream", event: deltaOf(number) }),
  () => ({ type: "approve_action" }),
  () => ({ type: "set_approve", approve: "auto" }),
];

function deltaOf(number: number) {
  const streamId = `s${number}`;
  const envelope = { schemaVersion: "1.0", eventId: `e${number}`, sessionId: "x", harness: "claude" };
  return { ...envelope, streamId, seq: number, timestampMs: number, type: "text_delta", payload: {} };
}

describe("turn", () => {
  const tools = { shell: { capability: "shell", timeoutMs: 500 }, read: {}, search: { remote: true } };
  const config = { capabilities: ["shell"], tools, maxContinuations: 3 };
  holdsFor(MACHINES.turn, TURN_KINDS, turnFlaw, { ...MACHINES.turn.initial, config });
});

describe("roster", () => {
  holdsFor(MACHINES.roster, ROSTER_KINDS, rosterFlaw);
});

describe("workspace", () => {
  holdsFor(MACHINES.workspace, WORKSPACE_KINDS, workspaceFlaw);
});
