/** The XState machine's transitions for what an agent does while it works: requests to the model, content, tools. */
import { and } from "xstate";
import type { SessionEffect, StateChanged } from "../../../src/core/session/effects.js";
import type { Phase, Status } from "../../../src/core/session/state.js";
import { cancelled, changed, idsOf, recorded, rememberedAll, voided, without } from "./pieces.js";
import { plan, type Context } from "./xstate-setup.js";

/** A fact that is stale, late or repeated: taken, and nothing is done. */
export const dropped = { guard: "isDropped" } as const;

export const taken = { delivering: null, prompt: null, onReady: null, readyTimer: null } as const;

export function readyCancelled({ readyTimer }: Context): readonly SessionEffect[] {
  return readyTimer === null ? [] : [cancelled(readyTimer)];
}

/** A change of phase while streaming, if it is one. */
function phaseChanged({ phase }: Context, to: Phase, reason: string): readonly SessionEffect[] {
  return phase === to ? [] : [changed(["streaming", phase], ["streaming", to], reason)];
}

function streamed(effects: readonly SessionEffect[], streamId: string): readonly SessionEffect[] {
  return effects.map((effect) => ({ ...(effect as StateChanged), streamId }));
}

function createdPatch(context: Context, sessionId: string | undefined) {
  return {
    seen: { ...context.seen, sessionCreated: true },
    harnessSessionId: sessionId ?? context.harnessSessionId,
    readyTimer: null,
  };
}

function requestedPatch(context: Context) {
  const { answered, asksClose, seen } = context;
  return {
    ...taken,
    seen: { ...seen, apiReqStarted: true },
    answered: asksClose === "implicit" && answered.length > 0 ? [] : answered,
  };
}

const created = plan("session_created", (context, event) => ({
  assign: createdPatch(context, event.sessionId),
  effects: readyCancelled(context),
}));

/** Keeps the id; nothing moves. */
export const notingReady = { session_created: [dropped, { actions: created }] } as const;

export const readyWhileCreating = {
  session_created: [
    dropped,
    {
      guard: "isRequested",
      target: "streaming",
      actions: plan("session_created", (context, event) => ({
        assign: { ...createdPatch(context, event.sessionId), phase: "calling_llm" },
        effects: [
          changed(["creating", null], ["streaming", "calling_llm"], event.type),
          ...readyCancelled(context),
        ],
      })),
    },
    { actions: created },
  ],
  api_req_started: [
    dropped,
    {
      guard: "isReady",
      target: "streaming",
      actions: plan("api_req_started", (context, event) => ({
        assign: { ...requestedPatch(context), phase: "calling_llm" },
        effects: [
          changed(["creating", null], ["streaming", "calling_llm"], event.type),
          ...readyCancelled(context),
        ],
      })),
    },
    {
      actions: plan("api_req_started", (context) => ({
        assign: requestedPatch(context),
        effects: readyCancelled(context),
      })),
    },
  ],
} as const;

export const readyWhileStreaming = {
  session_created: [
    dropped,
    {
      actions: plan("session_created", (context, event) => {
        const { onReady, queue, run } = context;
        const assign = createdPatch(context, event.sessionId);
        if (onReady === null) return { assign, effects: readyCancelled(context) };
        const [head, ...rest] = queue;
        if (head === undefined) {
          const why = onReady === "retry" ? "retry" : "resume";
          const effects = [...readyCancelled(context), { type: "continue_run", run, why } as const];
          return { assign: { ...assign, onReady: null }, effects };
        }
        return {
          assign: { ...assign, onReady: null, queue: rest, delivering: head },
          effects: [...readyCancelled(context), { type: "deliver_message", run, messageId: head }],
        };
      }),
    },
  ],
  api_req_started: [
    dropped,
    {
      actions: plan("api_req_started", (context, event) => ({
        assign: { ...requestedPatch(context), retry: null, phase: "calling_llm" },
        effects: [...phaseChanged(context, "calling_llm", event.type), ...readyCancelled(context)],
      })),
    },
  ],
} as const;

export function requestWhileAsking(from: Status) {
  return {
    api_req_started: [
      dropped,
      {
        guard: "isExplicit",
        actions: plan("api_req_started", (context) => ({
          assign: requestedPatch(context),
          effects: readyCancelled(context),
        })),
      },
      {
        target: "streaming",
        actions: plan("api_req_started", (context, event) => ({
          assign: {
            ...requestedPatch(context),
            phase: "calling_llm",
            asks: [],
            closedAsks: rememberedAll(context.closedAsks, idsOf(context.asks)),
          },
          effects: [
            changed([from, null], ["streaming", "calling_llm"], event.type),
            ...readyCancelled(context),
            ...voided(context.asks, event.type),
          ],
        })),
      },
    ],
  } as const;
}

export function waking(from: Status) {
  return {
    api_req_started: [
      dropped,
      {
        target: "streaming",
        actions: plan("api_req_started", (context, event) => ({
          assign: { ...requestedPatch(context), phase: "calling_llm", error: null },
          effects: [
            changed([from, null], ["streaming", "calling_llm"], event.type),
            ...readyCancelled(context),
          ],
        })),
      },
    ],
  } as const;
}

const streamEnded = plan("harness_stream", (context, { event }) => ({
  assign: { streams: recorded(context.streams, event, true) },
}));

export const contentWhileCreating = {
  harness_stream: [
    dropped,
    {
      guard: and(["isDelta", "isReady"]),
      target: "streaming",
      actions: plan("harness_stream", (context, { event, type }) => ({
        assign: {
          ...taken,
          streams: recorded(context.streams, event, false),
          seen: { ...context.seen, apiReqStarted: true },
          phase: "calling_llm",
        },
        effects: [
          ...streamed([changed(["creating", null], ["streaming", "calling_llm"], type)], event.streamId),
          ...readyCancelled(context),
        ],
      })),
    },
    {
      guard: "isDelta",
      actions: plan("harness_stream", (context, { event }) => ({
        assign: {
          ...taken,
          streams: recorded(context.streams, event, false),
          seen: { ...context.seen, apiReqStarted: true },
        },
        effects: readyCancelled(context),
      })),
    },
    { guard: "isStreamEnd", actions: streamEnded },
  ],
} as const;

export const contentWhileStreaming = {
  harness_stream: [
    dropped,
    {
      guard: "isDelta",
      actions: plan("harness_stream", (context, { event, type }) => ({
        assign: {
          ...taken,
          streams: recorded(context.streams, event, false),
          retry: null,
          phase: "calling_llm",
        },
        effects: [
          ...streamed(phaseChanged(context, "calling_llm", type), event.streamId),
          ...readyCancelled(context),
        ],
      })),
    },
    {
      guard: "isStreamEnd",
      actions: plan("harness_stream", (context, { event, type }) => ({
        assign: { streams: recorded(context.streams, event, true), phase: "processing_response" },
        effects: streamed(phaseChanged(context, "processing_response", type), event.streamId),
      })),
    },
  ],
} as const;

export const contentElsewhere = {
  harness_stream: [
    dropped,
    {
      guard: "isDelta",
      actions: plan("harness_stream", (context, { event }) => ({
        assign: { ...taken, streams: recorded(context.streams, event, false) },
        effects: readyCancelled(context),
      })),
    },
    { guard: "isStreamEnd", actions: streamEnded },
  ],
} as const;

function withCall({ tools }: Context, callId: string): readonly string[] {
  return tools.includes(callId) ? tools : [...tools, callId];
}

export const toolsWhileStreaming = {
  tool_started: [
    dropped,
    {
      actions: plan("tool_started", (context, event) => ({
        assign: { ...taken, tools: withCall(context, event.callId), phase: "executing_tools" },
        effects: [...phaseChanged(context, "executing_tools", event.type), ...readyCancelled(context)],
      })),
    },
  ],
  tool_finished: [
    dropped,
    {
      actions: plan("tool_finished", (context, event) => {
        const tools = without(context.tools, event.callId);
        if (tools.length > 0) return { assign: { ...taken, tools }, effects: readyCancelled(context) };
        return {
          assign: { ...taken, tools, phase: "calling_llm" },
          effects: [...phaseChanged(context, "calling_llm", event.type), ...readyCancelled(context)],
        };
      }),
    },
  ],
  retry_scheduled: [
    dropped,
    {
      actions: plan("retry_scheduled", (_, { attempt, atMs }) => ({ assign: { retry: { attempt, atMs } } })),
    },
  ],
} as const;

export const toolsElsewhere = {
  tool_started: [
    dropped,
    {
      actions: plan("tool_started", (context, event) => ({
        assign: { ...taken, tools: withCall(context, event.callId) },
        effects: readyCancelled(context),
      })),
    },
  ],
  tool_finished: [
    dropped,
    {
      actions: plan("tool_finished", (context, event) => ({
        assign: { ...taken, tools: without(context.tools, event.callId) },
        effects: readyCancelled(context),
      })),
    },
  ],
} as const;

export const countingBackground = {
  background_changed: [
    dropped,
    { actions: plan("background_changed", (_, { count }) => ({ assign: { background: count } })) },
  ],
} as const;
