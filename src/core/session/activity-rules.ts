/** What the agent does while it works: requests, tools, hooks, streams. */
import { ignored } from "../step.js";
import type { Change } from "./change.js";
import type { EventOf, SessionFact, StreamFact } from "./events.js";
import { rule } from "./rule.js";
import { STREAMS_MAX, TOOLS_MAX } from "./state.js";

// Ready and requesting

export const joinReady = rule<EventOf<"session_created">>(
  ["streaming"],
  "joined late: run 1, alive",
  (change, event) => {
    change.join();
    noteCreated(change, event);
    change.moveTo("streaming");
    return undefined;
  },
);

export const ready = rule<EventOf<"session_created">>(
  ["creating", "streaming"],
  "streaming once the first request was seen too",
  (change, event) => {
    noteCreated(change, event);
    streamWhenBothSeen(change);
    return undefined;
  },
);

export const readyAgain = rule<EventOf<"session_created">>(
  ["same", "waiting_input"],
  "a resumed run is ready: once it is understood it gets the queue's head, or goes on; a question it has begun comes first",
  (change, event) => {
    noteCreated(change, event);
    change.proceedWhenReady();
    return undefined;
  },
);

export const noteReady = rule<EventOf<"session_created">>(
  ["same"],
  "keeps the agent's id",
  (change, event) => {
    noteCreated(change, event);
    return undefined;
  },
);

export const noteLateId = rule<EventOf<"session_created">>(
  ["same"],
  "the id still serves to resume",
  (change, event) => {
    if (event.sessionId === undefined || event.sessionId === change.state.harnessSessionId) {
      return ignored(change.state, "the run was stopped");
    }
    change.set("harnessSessionId", event.sessionId);
    return undefined;
  },
);

function noteCreated(change: Change, event: EventOf<"session_created">): void {
  const { seen } = change.state;
  if (!seen.sessionCreated) change.set("seen", { ...seen, sessionCreated: true });
  if (event.sessionId !== undefined) change.set("harnessSessionId", event.sessionId);
  change.cancelReady();
}

export const joinRequest = rule<EventOf<"api_req_started">>(
  ["streaming"],
  "joined late: run 1, alive",
  (change) => {
    change.join();
    noteRequest(change);
    change.moveTo("streaming");
    return undefined;
  },
);

export const firstRequest = rule<EventOf<"api_req_started">>(
  ["creating", "streaming"],
  "streaming once the agent is ready too",
  (change) => {
    noteRequest(change);
    closeImplicitly(change);
    streamWhenBothSeen(change);
    return undefined;
  },
);

export const nextRequest = rule<EventOf<"api_req_started">>(["same"], "the model is called", (change) => {
  noteRequest(change);
  closeImplicitly(change);
  change.set("retry", null);
  change.enterPhase("calling_llm");
  return undefined;
});

export const requestPastAsks = rule<EventOf<"api_req_started">>(
  ["streaming", "same"],
  "implicit: the asks were answered elsewhere; explicit: they stay open",
  (change) => {
    noteRequest(change);
    if (change.state.asksClose === "explicit") return undefined;
    closeImplicitly(change);
    change.voidAsks();
    change.moveTo("streaming");
    return undefined;
  },
);

export const wake = rule<EventOf<"api_req_started">>(["streaming"], "it woke by itself", (change) => {
  noteRequest(change);
  closeImplicitly(change);
  change.moveTo("streaming");
  return undefined;
});

function noteRequest(change: Change): void {
  change.provenActive();
  const { seen } = change.state;
  if (!seen.apiReqStarted) change.set("seen", { ...seen, apiReqStarted: true });
}

function closeImplicitly(change: Change): void {
  if (change.state.asksClose === "explicit") return;
  change.cancelSettle();
  change.clear("answered");
}

function streamWhenBothSeen(change: Change): void {
  const { sessionCreated, apiReqStarted } = change.state.seen;
  if (sessionCreated && apiReqStarted) change.moveTo("streaming");
}

/** A late line of a run that was stopped: it must not restart the spinner, but what it took is taken. */
export const noteLateActivity = rule<SessionFact>(["same"], "proves what the run had taken", (change) => {
  if (change.state.prompt === null && change.state.delivering === null) {
    return ignored(change.state, "the run was stopped");
  }
  change.set("prompt", null);
  change.set("delivering", null);
  return undefined;
});

// Words, tools, hooks, background, retries

export const say = rule<EventOf<"say:text" | "say:completion_result" | "say:checkpoint_saved">>(
  ["same"],
  "words are content, not status",
  () => undefined,
);

export const toolStarted = rule<EventOf<"tool_started">>(["same"], "an open call", (change, event) => {
  change.join();
  change.provenActive();
  const { tools } = change.state;
  if (!tools.includes(event.callId)) change.set("tools", [...tools, event.callId].slice(-TOOLS_MAX));
  change.enterPhase("executing_tools");
  return undefined;
});

export const toolFinished = rule<EventOf<"tool_finished">>(
  ["same"],
  "a closed call; after the last one the model is called",
  (change, event) => {
    change.join();
    change.provenActive();
    closeCall(change, event.callId);
    return undefined;
  },
);

function closeCall(change: Change, callId: string): void {
  const { tools } = change.state;
  if (tools.includes(callId)) {
    change.set(
      "tools",
      tools.filter((open) => open !== callId),
    );
  }
  if (change.state.tools.length === 0) change.enterPhase("calling_llm");
}

export const hooksStarted = rule<EventOf<"hooks_started">>(["same"], "hooks run", (change) => {
  change.join();
  change.enterPhase("post_tool_hooks");
  return undefined;
});

export const hooksFinished = rule<EventOf<"hooks_finished">>(["same"], "hooks are done", (change) => {
  change.join();
  change.enterPhase("calling_llm");
  return undefined;
});

export const countBackground = rule<EventOf<"background_changed">>(
  ["same"],
  "how much goes on in the background",
  (change, event) => {
    change.join();
    change.set("background", event.count);
    return undefined;
  },
);

export const scheduleRetry = rule<EventOf<"retry_scheduled">>(
  ["same"],
  "the agent itself waits to try again",
  (change, event) => {
    const { retry } = change.state;
    if (retry?.attempt !== event.attempt || retry.atMs !== event.atMs) {
      change.set("retry", { attempt: event.attempt, atMs: event.atMs });
    }
    return undefined;
  },
);

export const turnInterrupted = rule<EventOf<"turn_interrupted">>(
  ["paused"],
  "the turn was interrupted; the run stays",
  (change) => {
    change.provenActive();
    change.pauseInterrupted();
    return undefined;
  },
);

// Streams (001): the event itself was forwarded before the machine saw it

export const firstDelta = rule<StreamFact>(
  ["creating", "streaming"],
  "content counts as the first request",
  (change, event) => {
    recordStream(change, event, false);
    noteRequest(change);
    streamWhenBothSeen(change);
    return undefined;
  },
);

export const delta = rule<StreamFact>(["same"], "content: the model is being called", (change, event) => {
  recordStream(change, event, false);
  change.provenActive();
  change.set("retry", null);
  change.enterPhase("calling_llm");
  return undefined;
});

export const quietDelta = rule<StreamFact>(
  ["same"],
  "content never closes an ask or wakes",
  (change, event) => {
    recordStream(change, event, false);
    change.provenActive();
    return undefined;
  },
);

export const openStreamOfAsk = rule<StreamFact>(
  ["same"],
  "opens its stream; the ask itself is told apart from its words",
  (change, event) => {
    recordStream(change, event, false);
    return undefined;
  },
);

export const streamedToolDone = rule<StreamFact>(["same"], "closes its call", (change, event) => {
  recordStream(change, event, false);
  change.provenActive();
  const callId = event.event.payload["callId"];
  if (typeof callId === "string") closeCall(change, callId);
  return undefined;
});

export const streamCompleted = rule<StreamFact>(["same"], "closes the stream", (change, event) => {
  recordStream(change, event, true);
  change.enterPhase("processing_response");
  return undefined;
});

export const streamFailed = rule<StreamFact>(
  ["error", "paused"],
  "the turn failed: `streaming_failed`; while interrupting: paused",
  (change, event) => {
    recordStream(change, event, false);
    change.provenActive();
    if (change.state.interrupting) {
      change.pauseInterrupted();
      return undefined;
    }
    const { message, recoverable } = event.event.payload;
    change.fail({
      code: "streaming_failed",
      message: typeof message === "string" ? message : "the stream failed",
      retryable: recoverable === true,
      source: "harness",
    });
    return undefined;
  },
);

export const firstStreamFailed: typeof streamFailed = {
  ...streamFailed,
  to: ["error"],
  note: "the first turn failed: `streaming_failed`",
};

function recordStream(change: Change, fact: StreamFact, closed: boolean): void {
  const { streamId, seq } = fact.event;
  const { streams } = change.state;
  const cursor = { streamId, seq, closed };
  const at = streams.findIndex((stream) => stream.streamId === streamId);
  change.edit().streams = at < 0 ? [...streams, cursor].slice(-STREAMS_MAX) : streams.with(at, cursor);
}
