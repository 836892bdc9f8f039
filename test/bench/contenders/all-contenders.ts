/** Ours, XState 5 and the bare switch, ready to be replayed and compared. */
import { initialTransition, transition as xstateTransition, type SnapshotFrom } from "xstate";
import type { SessionEffect } from "../../../src/core/session/effects.js";
import { transition } from "../../../src/core/session/session-machine.js";
import { initialSession, type SessionState } from "../../../src/core/session/state.js";
import type { Contender, StepView } from "./contender.js";
import { switchTransition } from "./switch-machine.js";
import { xstateMachine } from "./xstate-machine.js";

export const ours: Contender = {
  name: "Signalbox",
  replay(events) {
    let state: SessionState = initialSession;
    let effects = 0;
    for (const event of events) {
      const step = transition(state, event);
      state = step.state;
      effects += step.effects.length;
    }
    return effects;
  },
  steps(events) {
    let state: SessionState = initialSession;
    return events.map((event): StepView => {
      const { effects, ...step } = transition(state, event);
      state = step.state;
      return { state, effects };
    });
  },
  stateAfter: (events) => events.reduce((state, event) => transition(state, event).state, initialSession),
};

export const bareSwitch: Contender = {
  name: "bare switch",
  replay(events) {
    let state: SessionState = initialSession;
    let effects = 0;
    for (const event of events) {
      const step = switchTransition(state, event);
      state = step.state;
      effects += step.effects.length;
    }
    return effects;
  },
  steps(events) {
    let state: SessionState = initialSession;
    return events.map((event): StepView => {
      const { effects, ...step } = switchTransition(state, event);
      state = step.state;
      return { state, effects };
    });
  },
  stateAfter: (events) =>
    events.reduce((state, event) => switchTransition(state, event).state, initialSession),
};

type Snapshot = SnapshotFrom<typeof xstateMachine>;

const [initialSnapshot] = initialTransition(xstateMachine);

export const xstate: Contender = {
  name: "XState 5",
  replay(events) {
    let snapshot: Snapshot = initialSnapshot;
    let effects = 0;
    for (const event of events) {
      const [next, actions] = xstateTransition(xstateMachine, snapshot, event);
      snapshot = next;
      effects += actions.length;
    }
    return effects;
  },
  steps(events) {
    let snapshot: Snapshot = initialSnapshot;
    return events.map((event): StepView => {
      const [next, actions] = xstateTransition(xstateMachine, snapshot, event);
      snapshot = next;
      // Every action is `perform`, and its parameter is the effect.
      const effects = actions.map((action) => action.params as SessionEffect);
      return { state: { status: next.value, ...next.context }, effects };
    });
  },
  stateAfter: (events) =>
    events.reduce<Snapshot>(
      (snapshot, event) => xstateTransition(xstateMachine, snapshot, event)[0],
      initialSnapshot,
    ),
};

export const CONTENDERS: readonly Contender[] = [ours, xstate, bareSwitch];
