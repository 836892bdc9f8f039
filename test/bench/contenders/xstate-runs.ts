/** The XState machine's transitions for how runs and turns begin and end. */
import { and, not } from "xstate";
import type { SessionEffect } from "../../../src/core/session/effects.js";
import type { EventOf } from "../../../src/core/session/events.js";
import type { SessionError, Status } from "../../../src/core/session/state.js";
import {
  FRESH_RUN,
  allCancelled,
  changed,
  failed,
  harnessFailed,
  idsOf,
  interruptStarted,
  messageLine,
  readyStarted,
  remembered,
  rememberedAll,
  requestFailed,
  voided,
} from "./pieces.js";
import { plan, type Context, type Plan } from "./xstate-setup.js";
import { dropped, readyCancelled, taken } from "./xstate-work.js";

export function starting(from: Status) {
  return {
    start_session: {
      target: "creating",
      actions: plan("start_session", (context, event) => {
        const waiting = messageLine(context);
        const line = event.messageId === undefined ? waiting : [...waiting, event.messageId];
        const [prompt = null, ...queue] = line;
        const run = context.run + 1;
        const stop = context.alive ? [{ type: "stop_harness", run: context.run } as const] : [];
        const message = prompt === null ? {} : { messageId: prompt };
        return {
          assign: {
            ...FRESH_RUN,
            run,
            autoApprove: event.autoApprove ?? context.autoApprove,
            asksClose: event.asksClose ?? context.asksClose,
            prompt,
            queue,
            onReady: null,
            harnessSessionId: null,
            readyTimer: `ready:${run}`,
          },
          effects: [
            changed([from, null], ["creating", null], event.type),
            ...stop,
            { type: "spawn_harness", run, resume: false, ...message },
            readyStarted(run),
          ],
        };
      }),
    },
  } as const;
}

export const queueing = {
  send_message: {
    actions: plan("send_message", ({ queue }, { messageId }) => ({
      assign: { queue: [...queue, messageId] },
    })),
  },
} as const;

/** Hands the head of the queue to the run. */
function delivered(context: Context, queue: readonly string[], from: Status, reason: string) {
  const [head = "", ...rest] = queue;
  return {
    assign: { queue: rest, delivering: head, phase: "calling_llm", error: null },
    moved: changed([from, null], ["streaming", "calling_llm"], reason),
    acts: [{ type: "deliver_message", run: context.run, messageId: head }],
  } as const;
}

function respawned(context: Context, queue: readonly string[], from: Status, reason: string) {
  const run = context.run + 1;
  const resume = context.harnessSessionId !== null;
  return {
    assign: {
      ...FRESH_RUN,
      run,
      queue: messageLine({ ...context, queue }),
      prompt: null,
      onReady: "message",
      readyTimer: `ready:${run}`,
      phase: "calling_llm",
      error: null,
    },
    moved: changed([from, null], ["streaming", "calling_llm"], reason),
    acts: [{ type: "spawn_harness", run, resume }, readyStarted(run)],
  } as const;
}

/** After a turn a message goes to the run, or to a new one. */
export function sending(from: Status) {
  const send = (begin: typeof delivered | typeof respawned) =>
    plan("send_message", (context, event) => {
      const { assign, moved, acts } = begin(context, [...context.queue, event.messageId], from, event.type);
      return { assign, effects: [moved, ...acts] };
    });
  return {
    send_message: [
      { guard: "isUsable", target: "streaming", actions: send(delivered) },
      { target: "streaming", actions: send(respawned) },
    ],
  } as const;
}

export const interrupting = {
  interrupt: {
    actions: plan("interrupt", ({ run, interruptTimer, timerCount }) => {
      const effect = { type: "interrupt_run", run } as const;
      if (interruptTimer !== null)
        return { assign: { interrupting: true, onReady: null }, effects: [effect] };
      const timerId = `interrupt:${run}:${timerCount + 1}`;
      return {
        assign: { interrupting: true, onReady: null, timerCount: timerCount + 1, interruptTimer: timerId },
        effects: [effect, interruptStarted(timerId)],
      };
    }),
  },
} as const;

/** What ends with a turn. */
function over(context: Context, from: Status): Partial<Context> {
  const left = from === "streaming" ? { retry: null, onReady: null } : {};
  return {
    ...left,
    tools: [],
    phase: null,
    asks: [],
    closedAsks: rememberedAll(context.closedAsks, idsOf(context.asks)),
    interrupting: false,
    readyTimer: null,
    interruptTimer: null,
  };
}

export function stopping(from: Status) {
  return {
    cancel_session: {
      target: "stopped",
      actions: plan("cancel_session", (context, event) => ({
        assign: { ...over(context, from), stopRequested: true, error: null },
        effects: [
          changed([from, context.phase], ["stopped", null], event.type),
          ...(context.alive ? [{ type: "stop_harness", run: context.run } as const] : []),
          ...allCancelled(context),
          ...voided(context.asks, event.type),
        ],
      })),
    },
  } as const;
}

/** What acts on the world when a turn ends: `ready`, the asks, `interrupt`. */
function ending(context: Context, reason: string): readonly SessionEffect[] {
  const { interruptTimer } = context;
  return [
    ...readyCancelled(context),
    ...voided(context.asks, reason),
    ...allCancelled({ readyTimer: null, interruptTimer }),
  ];
}

type TurnEnd = EventOf<"ask:completion_result" | "ask:api_req_failed" | "turn_interrupted">;

function closing(context: Context, event: TurnEnd): Context {
  if (event.type === "turn_interrupted") return context;
  return { ...context, closedAsks: remembered(context.closedAsks, event.askId) };
}

function paused(context: Context, event: TurnEnd, from: Status): Plan {
  return {
    assign: { ...taken, ...over(closing(context, event), from) },
    effects: [
      changed([from, context.phase], ["paused", null], "interrupted_by_user"),
      ...ending(context, event.type),
    ],
  };
}

export function turnEnding(from: Status) {
  const pause = plan(["ask:completion_result", "ask:api_req_failed", "turn_interrupted"], (context, event) =>
    paused(context, event, from),
  );
  const complete = plan("ask:completion_result", (context, event) => ({
    assign: { ...taken, ...over(closing(context, event), from) },
    effects: [
      changed([from, context.phase], ["completed", null], event.type),
      ...ending(context, event.type),
    ],
  }));
  const goOn = plan("ask:completion_result", (context, event) => {
    const { assign, moved, acts } = delivered(context, context.queue, "completed", event.type);
    return {
      assign: { ...taken, ...over(closing(context, event), from), ...assign },
      effects: [
        changed([from, context.phase], ["completed", null], event.type),
        moved,
        ...ending(context, event.type),
        ...acts,
      ],
    };
  });
  const fail = plan("ask:api_req_failed", (context, event) => {
    const error = requestFailed(event.text);
    return {
      assign: { ...taken, ...over(closing(context, event), from), error },
      effects: [
        failed(error),
        changed([from, context.phase], ["error", null], event.type),
        ...ending(context, event.type),
      ],
    };
  });
  return {
    turn_interrupted: [dropped, { target: "paused", actions: pause }],
    "ask:completion_result": [
      dropped,
      { guard: "isInterrupting", target: "paused", actions: pause },
      { guard: "hasQueue", target: "streaming", actions: goOn },
      { target: "completed", actions: complete },
    ],
    "ask:api_req_failed": [
      dropped,
      { guard: "isInterrupting", target: "paused", actions: pause },
      { target: "error", actions: fail },
    ],
  } as const;
}

/** The run is over; a message that it did not take is first in the queue again. */
function ended({ delivering, queue }: Context): Partial<Context> {
  return {
    alive: false,
    readyTimer: null,
    interruptTimer: null,
    delivering: null,
    queue: delivering === null ? queue : [delivering, ...queue],
  };
}

function exited(context: Context, from: Status): Partial<Context> {
  return { ...over(context, from), ...ended(context) };
}

function exitFailed(from: Status, errorOf: (event: EventOf<"process_exit">) => SessionError) {
  return {
    target: "error",
    actions: plan("process_exit", (context, event) => {
      const error = errorOf(event);
      return {
        assign: { ...(from === "error" ? ended(context) : exited(context, from)), error },
        effects: [
          failed(error),
          ...(from === "error" ? [] : [changed([from, context.phase], ["error", null], event.type)]),
          ...allCancelled(context),
          ...voided(context.asks, event.type),
        ],
      };
    }),
  } as const;
}

function crashed(from: Status) {
  return exitFailed(from, ({ code, signal }) =>
    harnessFailed(`the agent ended ${signal == null ? `with code ${String(code)}` : `by ${signal}`}`),
  );
}

function exitedTo(from: Status, to: Status, reasonOf: (context: Context) => string) {
  return plan("process_exit", (context, event) => ({
    assign: exited(context, from),
    effects: [
      changed([from, context.phase], [to, null], reasonOf(context)),
      ...allCancelled(context),
      ...voided(context.asks, event.type),
    ],
  }));
}

const exitedQuietly = plan("process_exit", (context) => ({
  assign: ended(context),
  effects: allCancelled(context),
}));

export const exitWhileCreating = {
  process_exit: [
    dropped,
    {
      guard: "exitedWell",
      ...exitFailed("creating", () => harnessFailed("the agent ended before it did anything")),
    },
    crashed("creating"),
  ],
} as const;

export const exitWhileStreaming = {
  process_exit: [
    dropped,
    { guard: not("exitedWell"), ...crashed("streaming") },
    {
      guard: "isInterrupting",
      target: "paused",
      actions: exitedTo("streaming", "paused", () => "interrupted_by_user"),
    },
    {
      guard: "hasUntaken",
      ...exitFailed("streaming", () => harnessFailed("the agent ended before it took what it was given")),
    },
    {
      guard: "hasQueue",
      target: "streaming",
      actions: plan("process_exit", (context, event) => {
        const { assign, moved, acts } = respawned(context, context.queue, "completed", event.type);
        return {
          assign: { ...exited(context, "streaming"), ...assign },
          effects: [
            changed(["streaming", context.phase], ["completed", null], event.type),
            moved,
            ...allCancelled(context),
            ...acts,
          ],
        };
      }),
    },
    { target: "completed", actions: exitedTo("streaming", "completed", () => "process_exit") },
  ],
} as const;

export function exitWhileAsking(from: Status) {
  const reasonOf = (context: Context) => (context.interrupting ? "interrupted_by_user" : "process_exit");
  return {
    process_exit: [
      dropped,
      { guard: "exitedWell", target: "paused", actions: exitedTo(from, "paused", reasonOf) },
      crashed(from),
    ],
  } as const;
}

export function exitWhileResting(from: Status) {
  return { process_exit: [dropped, { guard: "exitedWell", actions: exitedQuietly }, crashed(from)] } as const;
}

export const exitWhileStopped = { process_exit: [dropped, { actions: exitedQuietly }] } as const;

const lateActivity = {
  guard: and(["isAlive", "hasUntaken"]),
  actions: plan(["api_req_started", "tool_started", "tool_finished", "turn_interrupted"], () => ({
    assign: { prompt: null, delivering: null },
  })),
} as const;

/** A run that was told to stop and still talks: its id serves, and what it took is taken. */
export const lateFacts = {
  session_created: {
    guard: "isAlive",
    actions: plan("session_created", ({ harnessSessionId }, { sessionId }) => ({
      assign: { harnessSessionId: sessionId ?? harnessSessionId },
    })),
  },
  api_req_started: lateActivity,
  tool_started: lateActivity,
  tool_finished: lateActivity,
  turn_interrupted: lateActivity,
} as const;
