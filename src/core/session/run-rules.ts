/** How runs end, and what could not be handed to them. */
import { ignored } from "../step.js";
import type { Change, SessionStep } from "./change.js";
import type { EventOf, FailedHandover } from "./events.js";
import { rule } from "./rule.js";
import { READY_DELAY_MS, messageLine, type SessionError } from "./state.js";

type Exit = EventOf<"process_exit">;

function harnessFailed(message: string): SessionError {
  return { code: "harness_failed", message, retryable: true, source: "harness" };
}

// The process

export const exitQuietly = rule<Exit>(["same"], "the run is over; nothing else changes", (change) => {
  change.endRun();
  return undefined;
});

/** What it said last, if it is known. */
function withWords(message: string, { said }: Exit): string {
  return said === undefined || said === "" ? message : `${message}: ${said}`;
}

export const exitEarly = rule<Exit>(["error"], "it ended before it did anything", (change, event) => {
  change.endRun();
  change.fail(harnessFailed(withWords("the agent ended before it did anything", event)));
  return undefined;
});

export const exitStreaming = rule<Exit>(
  ["completed", "streaming", "paused", "error"],
  "completed, and what is queued goes next; paused while interrupting; an error when it ended with something untaken",
  (change, event) => {
    const { delivering, prompt, onReady, interrupting } = change.state;
    change.endRun();
    if (interrupting) change.pauseInterrupted();
    else if (delivering !== null || prompt !== null || onReady !== null) {
      change.fail(harnessFailed(withWords("the agent ended before it took what it was given", event)));
    } else change.complete();
    return undefined;
  },
);

export const exitAsking = rule<Exit>(["paused"], "its asks can never be answered", (change) => {
  const { interrupting } = change.state;
  change.endRun();
  if (interrupting) change.pauseInterrupted();
  else change.moveTo("paused");
  return undefined;
});

export const exitCompleted = rule<Exit>(
  ["same", "streaming"],
  "the run is over; what waited until it was understood goes next",
  (change) => {
    change.endRun();
    proceedWithQueue(change);
    return undefined;
  },
);

function proceedWithQueue(change: Change): void {
  if (change.state.queue.length > 0) change.proceed("message");
}

export const exitShell = rule<Exit>(["completed"], "the shell is over: `shell_exited`", (change) => {
  change.endRun();
  change.moveTo("completed", undefined, "shell_exited");
  return undefined;
});

export const crash = rule<Exit>(
  ["error", "same"],
  "`harness_failed`, unless we told it to stop",
  (change, event) => {
    const { stopRequested } = change.state;
    change.endRun();
    if (stopRequested) return undefined;
    const how = event.signal == null ? `with code ${String(event.code)}` : `by ${event.signal}`;
    change.fail(harnessFailed(withWords(`the agent ended ${how}`, event)));
    return undefined;
  },
);

export const processError = rule<EventOf<"process_error">>(
  ["error"],
  "`harness_failed`, or `login_required`; the run is stopped",
  (change, event) => {
    failAndStop(change, event.error, event.code);
    return undefined;
  },
);

export const notReady = rule<EventOf<"timer_fired">>(
  ["error"],
  "`harness_failed`; the run is stopped",
  (change) => {
    failAndStop(change, `the agent was not ready after ${READY_DELAY_MS / 1_000} s`);
    return undefined;
  },
);

function failAndStop(change: Change, message: string, code?: EventOf<"process_error">["code"]): void {
  change.stopRun();
  change.fail({ ...harnessFailed(message), ...(code && { code }) });
}

export const interruptOverdue = rule<EventOf<"timer_fired">>(
  ["stopped"],
  "it does not let itself be interrupted: stopped as by `cancel_session`",
  (change) => {
    change.stopSession();
    return undefined;
  },
);

// Found dead after a restart

export const foundDead = rule<EventOf<"interrupted">>(
  ["paused"],
  "its turn can be resumed",
  (change, event) => {
    change.endRun();
    change.moveTo("paused", undefined, event.because);
    return undefined;
  },
);

export const foundDeadEarly = rule<EventOf<"interrupted">>(
  ["error"],
  "it died before it was ready",
  (change) => {
    change.endRun();
    change.fail(harnessFailed("the agent was found dead before it was ready"));
    return undefined;
  },
);

export const shellFoundDead = rule<EventOf<"interrupted">>(
  ["paused", "same"],
  "a shell can be started again; without a run there is none",
  (change) => {
    if (!change.state.alive) return ignored(change.state, "no process");
    change.endRun();
    change.moveTo("paused");
    return undefined;
  },
);

export const completedFoundDead = rule<EventOf<"interrupted">>(
  ["same", "streaming"],
  "the run is over; what waited until it was understood goes next",
  (change) => {
    change.endRun();
    proceedWithQueue(change);
    return undefined;
  },
);

export const noteDead = rule<EventOf<"interrupted">>(["same"], "the run is over", (change) => {
  change.endRun();
  return undefined;
});

// What could not be handed over

function undelivered(message: string): SessionError {
  return { code: "delivery_failed", message, retryable: true, source: "harness" };
}

export const deliveryFailed = rule<EventOf<"delivery_failed">>(
  ["error", "same"],
  "first in the queue again; an error when it is what the run waits for",
  (change, event) => {
    const { delivering, status } = change.state;
    const isForeign = change.isForeign(event.messageId);
    const awaited = event.messageId === delivering || (status === "completed" && !isForeign);
    change.putBack(event.messageId);
    if (awaited) change.fail(undelivered(event.error));
    return undefined;
  },
);

export const promptFailed = rule<EventOf<"delivery_failed">>(
  ["error", "same"],
  "first in the queue again; an error when it is the first prompt, and the run, which has nothing to do, is stopped",
  (change, event) => {
    const awaited = event.messageId === change.state.prompt;
    change.putBack(event.messageId);
    if (!awaited) return undefined;
    change.stopRun();
    change.fail(undelivered(event.error));
    return undefined;
  },
);

export const keepUndelivered = rule<EventOf<"delivery_failed">>(
  ["same"],
  "first in the queue again",
  (change, event) => {
    change.putBack(event.messageId);
    return undefined;
  },
);

export const handoverFailed = rule<EventOf<"effect_failed">>(
  ["error", "same"],
  "`harness_failed`, the run is stopped; an answer to an ask that was closed meanwhile is no failure",
  (change, event) => {
    failHandover(change, event);
    return undefined;
  },
);

export const handoverFailedLate = rule<EventOf<"effect_failed">>(
  ["error", "streaming", "waiting_input", "same"],
  "as while streaming; a message that comes back is next",
  (change, event) => {
    failHandover(change, event);
    if (change.state.status === "completed") proceedWithQueue(change);
    return undefined;
  },
);

function failHandover(change: Change, event: EventOf<"effect_failed">): void {
  const { type, askId, messageId } = event.effect;
  const moot = type === "answer_ask" && askId !== undefined && !change.state.answered.includes(askId);
  if (messageId !== undefined) change.putBack(messageId);
  if (!moot) failAndStop(change, event.message);
}

export const keepStray = rule<FailedHandover>(
  ["same"],
  "its message, unless it waits already, is first in the queue again",
  (change, event) => takeBack(change, event),
);

export const deliverStray = rule<FailedHandover>(
  ["same", "streaming", "waiting_input"],
  "its message, unless it waits already, is next",
  (change, event) => {
    const refused = takeBack(change, event);
    if (refused) return refused;
    proceedWithQueue(change);
    return undefined;
  },
);

function takeBack(change: Change, event: FailedHandover): SessionStep | undefined {
  const messageId = event.type === "delivery_failed" ? event.messageId : event.effect.messageId;
  const { returned } = change.state;
  if (messageId === undefined || [...messageLine(change.state), ...returned].includes(messageId)) {
    return ignored(change.state, "another run");
  }
  change.putBack(messageId);
  return undefined;
}

export const keepUnhanded = rule<EventOf<"effect_failed">>(
  ["same"],
  "a message it carried is in the queue again",
  (change, event) => {
    if (event.effect.messageId !== undefined) change.putBack(event.effect.messageId);
    return undefined;
  },
);
