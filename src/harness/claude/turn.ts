/**
 * When a turn begins and when it is over.
 *
 * A `result` is not the end: background work and subagents go on, and wake Claude by themselves. It is over with the first
 * `idle` after a `running` that followed what Claude was given last; an `idle` of the turn before may come late.
 */
import { mainStreamId, UNKEPT_LENGTH_MAX, type ClaudeState, type Outcome } from "./claude-state.js";
import { outcomeOf } from "./outcome.js";
import type { Reading } from "./reading.js";
import { INTERRUPT_ID, requestLine } from "./told-line.js";
import { usageSince } from "./usage.js";
import { idAt, listAt, objectsAt, textAt, type WireObject } from "./wire-object.js";

const LOGIN_HINT = "To log in, run `claude` in a terminal and type /login, or set ANTHROPIC_API_KEY.";

/** Claude is given something: the next turn, or more for the one that is not over yet. */
export function given(state: ClaudeState, uuid: string, text: string): ClaudeState {
  const next = state.activity === "idle" ? beginTurn(state) : state;
  const delivery = { uuid, isQueued: false };
  return { ...next, activity: "awaiting", delivery, idleWhenReady: false, unkept: noted(state.unkept, text) };
}

function noted(unkept: ClaudeState["unkept"], text: string): ClaudeState["unkept"] {
  if (unkept === null) return null;
  const length = unkept.reduce((sum, one) => sum + one.length, 0);
  return [...unkept, text.slice(0, UNKEPT_LENGTH_MAX - length)].filter((one) => one !== "");
}

function beginTurn(state: ClaudeState): ClaudeState {
  // What was left unfinished in the turn before stays as it is.
  const speakers = state.speakers.map((speaker) =>
    speaker.parent === null ? { ...speaker, blocks: [] } : speaker,
  );
  const fresh = { interrupt: "no", outcome: null, failure: null, requesting: false } as const;
  return { ...state, ...fresh, turn: state.turn + 1, speakers };
}

/** It goes on without having been told to. */
export function wake(reading: Reading): void {
  if (reading.state.activity === "idle")
    reading.change({ ...beginTurn(reading.state), activity: "running", delivery: null });
}

export function readActivity(reading: Reading, message: WireObject, line: string): void {
  const name = textAt(message, "state");
  reading.change({ tellsStates: true });
  const { activity, delivery } = reading.state;
  switch (name) {
    case "running":
      if (activity === "awaiting") reading.change({ activity: "running" });
      if (activity !== "idle") return;
      wake(reading);
      return reading.fact({ type: "api_req_started" });
    case "requires_action":
      // A subagent in the background may ask while the conversation itself is idle.
      return wake(reading);
    case "idle":
      if (activity !== "running") return;
      // What it was given lies in its queue: this is the end of something else.
      if (delivery?.isQueued === true) return reading.change({ activity: "awaiting" });
      return endTurn(reading);
    default:
      return reading.unknown("system/session_state_changed", line);
  }
}

/** What becomes of a message: one that comes in the middle of a turn may become a part of it. */
export function readDelivery(reading: Reading, message: WireObject): void {
  const { delivery, activity } = reading.state;
  const progress = textAt(message, "state");
  if (delivery === null) return;
  if (idAt(message, "command_uuid") !== delivery.uuid) return;
  const isQueued = progress === "queued";
  reading.change({ delivery: { ...delivery, isQueued } });
  if (isQueued) return;
  if (activity === "awaiting") reading.change({ activity: "running" });
  if (progress === "discarded" || progress === "refused") {
    const text = `Claude Code did not take the message: it was ${progress}.`;
    reading.change({ outcome: { type: "failed", ask: "api_req_failed", text } });
  }
}

/** A request to the model goes out. */
export function readRequesting(reading: Reading): void {
  const { tellsStates, interrupt } = reading.state;
  if (!tellsStates) wake(reading);
  reading.change({ requesting: true, failure: null });
  reading.fact({ type: "api_req_started" });
  if (interrupt === "again") writeInterrupt(reading);
}

/** An answer has begun to come. */
export function readAnswering(reading: Reading): void {
  if (!reading.state.requesting) readRequesting(reading);
  reading.change({ requesting: false });
}

function writeInterrupt(reading: Reading): void {
  const { state, data } = interrupting(reading.state);
  reading.change(state);
  reading.output({ type: "write", data });
}

export function interrupting(state: ClaudeState): { readonly state: ClaudeState; readonly data: string } {
  const sent = state.sent + 1;
  return {
    state: { ...state, sent, interrupt: "asked" },
    data: requestLine(`${INTERRUPT_ID}-${sent}`, { subtype: "interrupt" }),
  };
}

/** The answer to an interrupt. One that finds the message still in the queue does not stop the turn that it begins. */
export function readInterrupted(reading: Reading, answer: WireObject): void {
  const { delivery, interrupt } = reading.state;
  const isQueued = delivery !== null && listAt(answer, "still_queued").includes(delivery.uuid);
  if (isQueued && interrupt === "asked") reading.change({ interrupt: "again" });
}

export function readBackground(reading: Reading, message: WireObject): void {
  const count = objectsAt(message, "tasks").filter(({ ambient }) => ambient !== true).length;
  if (count === reading.state.background) return;
  reading.change({ background: count });
  reading.fact({ type: "background_changed", count });
  endTurnByResult(reading);
}

export function readResult(reading: Reading, message: WireObject): void {
  const { used, usage } = usageSince(reading.state.used, message);
  reading.change({ used });
  if (usage) reading.output({ type: "usage", usage });
  const outcome = outcomeOf(message, reading.state);
  if (!reading.state.ready) {
    const error = "text" in outcome ? outcome.text : "Claude Code ended before it was ready.";
    return reading.fact({ type: "process_error", error });
  }
  reading.change({ outcome });
  endTurnByResult(reading);
}

/** Of a Claude that does not say when it is idle. */
function endTurnByResult(reading: Reading): void {
  const { tellsStates, outcome, background } = reading.state;
  if (!tellsStates && outcome && background === 0) endTurn(reading);
}

function endTurn(reading: Reading): void {
  const { outcome, interrupt } = reading.state;
  const ended: Outcome = outcome ?? { type: interrupt === "no" ? "done" : "interrupted" };
  const streamId = mainStreamId(reading.state);
  reading.stream(null, "completed", { reason: REASONS[ended.type] });
  const over = { delivery: null, outcome: null, requesting: false, interrupt: "no", unkept: null } as const;
  reading.change({ activity: "idle", ...over });
  const askId = `${streamId}:end`;
  switch (ended.type) {
    case "done":
      return reading.fact({
        type: "ask:completion_result",
        askId,
        ...(ended.ending && { ending: ended.ending }),
      });
    case "interrupted":
      return reading.fact({ type: "turn_interrupted" });
    case "failed":
      return reading.fact({ type: `ask:${ended.ask}`, askId, text: ended.text });
    case "login_required":
      return reading.fact({
        type: "process_error",
        error: `${ended.text.replace(/\.?$/, ".")} ${LOGIN_HINT}`,
        code: "login_required",
      });
  }
}

const REASONS = {
  done: "done",
  interrupted: "interrupted",
  failed: "failed",
  login_required: "failed",
} as const satisfies Record<Outcome["type"], string>;
