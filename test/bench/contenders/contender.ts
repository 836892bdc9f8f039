/** One way of running the session's behaviour over recorded facts. */
import type { SessionEffect } from "../../../src/core/session/effects.js";
import type { SessionState } from "../../../src/core/session/state.js";
import type { PlayedEvent } from "./pieces.js";

/** What a step must agree on, whoever took it. */
export interface StepView {
  readonly state: SessionState;
  readonly effects: readonly SessionEffect[];
}

export interface Contender {
  readonly name: string;
  /** What is timed: every event, from the initial state; the number of effects, so that no step can be left out. */
  readonly replay: (events: readonly PlayedEvent[]) => number;
  /** What is compared: the same steps, in the machine's own terms. */
  readonly steps: (events: readonly PlayedEvent[]) => readonly StepView[];
  /** What is kept in memory for a session: the state after these events, as this contender holds it. */
  readonly stateAfter: (events: readonly PlayedEvent[]) => unknown;
}
