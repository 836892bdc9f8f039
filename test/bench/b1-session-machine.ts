/** B1: the session machine over recorded conversations, against XState 5 and against a bare nested switch. */
import type { SessionEvent } from "../../src/core/session/events.js";
import { transition } from "../../src/core/session/session-machine.js";
import { initialSession, type SessionState } from "../../src/core/session/state.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row } from "./benchmark.js";
import { CONTENDERS, bareSwitch, ours, xstate } from "./contenders/all-contenders.js";
import type { Contender } from "./contenders/contender.js";
import { firstDifference } from "./contenders/difference.js";
import { speedRatio, timeInterleaved, type Timing } from "./interleaved.js";
import { readFacts, type Facts } from "./read-facts.js";

const RETAINED_STATES = 10_000;

export const sessionMachineBench: Benchmark = {
  id: "B1",
  what: "session machine over recorded facts",
  run(options) {
    const facts = readFacts(new URL("facts/", options.folder));
    checkOutputs(facts);
    const pace = options.quick ? { rounds: 5, sliceMs: 40 } : { rounds: 15, sliceMs: 150 };
    return [...transitionRows(facts, pace), ...ignoredRows(facts, pace), ...memoryRows(facts, options)];
  },
};

function checkOutputs(facts: readonly Facts[]): void {
  for (const other of CONTENDERS) {
    for (const file of facts) {
      const difference = firstDifference(ours, other, file);
      if (difference !== null) throw new OutputsDiffer(difference);
    }
  }
}

type Pace = Parameters<typeof timeInterleaved>[1];

function transitionRows(facts: readonly Facts[], pace: Pace): readonly Row[] {
  const files = facts.map((file) => file.events);
  const count = files.reduce((sum, events) => sum + events.length, 0);
  const effects = new Set<number>();
  const timings = timeInterleaved(
    CONTENDERS.map((contender) => ({
      name: contender.name,
      run() {
        effects.add(files.reduce((sum, events) => sum + contender.replay(events), 0));
        return count;
      },
    })),
    pace,
  );
  if (effects.size !== 1) throw new OutputsDiffer(`numbers of effects: ${[...effects]}`);
  const own = timingOf(timings, ours.name);
  const against = (other: Contender, atLeast: number): Row => {
    const timing = timingOf(timings, other.name);
    return {
      what: `transitions/s against ${other.name}`,
      value: `${perSecond(own)}/s : ${perSecond(timing)}/s`,
      measured: speedRatio(own, timing),
      unit: "x",
      target: { atLeast, unit: "x" },
    };
  };
  return [against(xstate, 50), against(bareSwitch, 0.3)];
}

/** What is dropped costs less than what is taken: a flood of telemetry or repetitions must not slow a session. */
function ignoredRows(facts: readonly Facts[], pace: Pace): readonly Row[] {
  const { state, taken, telemetry } = midStream(facts);
  const repeated = { ...taken, event: { ...taken.event, seq: 0 } };
  const timings = timeInterleaved(
    [
      { name: "taken", run: () => repeat(state, taken, "ok") },
      { name: "telemetry", run: () => repeat(state, telemetry, "ignored") },
      { name: "repeated", run: () => repeat(state, repeated, "ignored") },
    ],
    pace,
  );
  const ordinary = timingOf(timings, "taken");
  return ["telemetry", "repeated"].map((name) => {
    const timing = timingOf(timings, name);
    return {
      what: `ignored event (${name}) against a text delta`,
      value: `${timing.median.toFixed(0)} ns : ${ordinary.median.toFixed(0)} ns`,
      measured: 1 / speedRatio(timing, ordinary),
      unit: "of its time",
    };
  });
}

type StreamFact = Extract<SessionEvent, { readonly type: "harness_stream" }>;

interface MidStream {
  readonly state: SessionState;
  readonly taken: StreamFact;
  readonly telemetry: StreamFact;
}

/** A session in the middle of a text, and the piece of text that comes next. */
function midStream(facts: readonly Facts[]): MidStream {
  for (const { events } of facts) {
    let state: SessionState = initialSession;
    for (const event of events) {
      const before = state;
      state = transition(before, event).state;
      if (event.type !== "harness_stream" || event.event.type !== "text_delta") continue;
      if (before.phase !== "calling_llm" || before.streams.length < 3 || event.event.seq < 2) continue;
      const telemetry = { ...event, event: { ...event.event, type: "metadata" } } as const;
      return { state: before, taken: event, telemetry };
    }
  }
  throw new Error("no facts hold a session in the middle of a text");
}

const REPETITIONS = 2_000;

function repeat(state: SessionState, event: SessionEvent, result: string): number {
  for (let index = 0; index < REPETITIONS; index += 1) {
    if (transition(state, event).result !== result) throw new Error(`${event.type} was not ${result}`);
  }
  return REPETITIONS;
}

/** What a session in the middle of its conversation holds; texts and ids of the events themselves are not counted. */
function memoryRows(facts: readonly Facts[], { quick }: BenchOptions): readonly Row[] {
  const collect = globalThis.gc;
  if (!collect) throw new Error("the memory of states needs node --expose-gc");
  const halves = facts.map(({ events }) => events.slice(0, events.length >> 1));
  const retained = quick ? RETAINED_STATES / 10 : RETAINED_STATES;
  const bytes = (contender: Contender) => bytesPerState(contender, halves, retained, collect);
  const own = bytes(ours);
  return [
    {
      what: "memory per state, mid-conversation",
      value: `${own.toFixed(0)} B : ${bytes(xstate).toFixed(0)} B (${xstate.name})`,
      measured: own,
      unit: "B",
    },
  ];
}

function bytesPerState(
  contender: Contender,
  halves: readonly Parameters<Contender["replay"]>[0][],
  retained: number,
  collect: NonNullable<typeof globalThis.gc>,
): number {
  const states = new Array<unknown>(retained).fill(null);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < retained; index += 1) {
    states[index] = contender.stateAfter(halves[index % halves.length] ?? []);
  }
  collect();
  const after = process.memoryUsage().heapUsed;
  if (states.some((state) => state === null)) throw new Error("a state was not kept");
  return (after - before) / retained;
}

function timingOf(timings: ReadonlyMap<string, Timing>, name: string): Timing {
  const timing = timings.get(name);
  if (!timing) throw new Error(`nothing was measured for ${name}`);
  return timing;
}

function perSecond({ median }: Timing): string {
  const rate = 1e9 / median;
  return rate >= 1e6 ? `${(rate / 1e6).toFixed(2)} M` : `${(rate / 1e3).toFixed(0)} k`;
}
