/**
 * The session's behaviour as an XState 5 machine: a state for every status, guards for what decides, one action that
 * assigns and names what is to be done. The phase is context: it never decides about an event, so nested states would
 * only make XState slower.
 */
import { initialSession } from "../../../src/core/session/state.js";
import { answering, opening, replying } from "./xstate-asks.js";
import * as runs from "./xstate-runs.js";
import { box, type Context } from "./xstate-setup.js";
import * as work from "./xstate-work.js";

const { status: _status, ...initialContext } = initialSession;
const context: Context = initialContext;

const idle = box.createStateConfig({ on: runs.starting("idle") });

const creating = box.createStateConfig({
  on: {
    ...runs.queueing,
    ...runs.stopping("creating"),
    ...work.readyWhileCreating,
    ...work.contentWhileCreating,
    ...work.toolsElsewhere,
    ...work.countingBackground,
    ...opening("creating"),
    ...runs.turnEnding("creating"),
    ...runs.exitWhileCreating,
  },
});

const streaming = box.createStateConfig({
  on: {
    ...runs.queueing,
    ...runs.interrupting,
    ...runs.stopping("streaming"),
    ...work.readyWhileStreaming,
    ...work.contentWhileStreaming,
    ...work.toolsWhileStreaming,
    ...work.countingBackground,
    ...opening("streaming"),
    ...runs.turnEnding("streaming"),
    ...runs.exitWhileStreaming,
  },
});

function asking(status: "waiting_approval" | "waiting_input") {
  return {
    ...runs.interrupting,
    ...runs.stopping(status),
    ...work.notingReady,
    ...work.requestWhileAsking(status),
    ...work.contentElsewhere,
    ...work.toolsElsewhere,
    ...work.countingBackground,
    ...opening(status),
    ...answering(status),
    ...runs.turnEnding(status),
    ...runs.exitWhileAsking(status),
  } as const;
}

function resting(status: "completed" | "paused" | "error") {
  return {
    ...runs.sending(status),
    ...runs.stopping(status),
    ...work.notingReady,
    ...work.waking(status),
    ...work.contentElsewhere,
    ...work.toolsElsewhere,
    ...work.countingBackground,
    ...opening(status),
    ...runs.exitWhileResting(status),
  } as const;
}

export const xstateMachine = box.createMachine({
  id: "session",
  context,
  initial: "idle",
  states: {
    idle,
    creating,
    streaming,
    waiting_approval: box.createStateConfig({ on: { ...asking("waiting_approval"), ...runs.queueing } }),
    waiting_input: box.createStateConfig({ on: { ...asking("waiting_input"), ...replying } }),
    completed: box.createStateConfig({ on: { ...resting("completed"), ...runs.starting("completed") } }),
    paused: box.createStateConfig({ on: resting("paused") }),
    error: box.createStateConfig({ on: resting("error") }),
    stopped: box.createStateConfig({
      on: {
        ...runs.starting("stopped"),
        ...runs.sending("stopped"),
        ...runs.exitWhileStopped,
        ...runs.lateFacts,
      },
    }),
  },
});
