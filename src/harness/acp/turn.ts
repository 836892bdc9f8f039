/** A turn: from a prompt to the agent's word that it is over, and what that word means. */
import type { CancelNotification, PromptRequest } from "@agentclientprotocol/sdk";
import type { Ending } from "../../core/index.js";
import { SAID_AGAIN_LENGTH_MAX } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import { failureOf, type Failure } from "./failure.js";
import type { Reply } from "./handshake.js";
import { asObject, textAt } from "./json-fields.js";
import { closeCalls } from "./tool-calls.js";
import { takeTurnUsage, usedNothing } from "./usage.js";

/**
 * A request of our own that no agent knows. Agents take their input in order and answer what they do not know at once:
 * whatever was said before has then been taken.
 */
export const PING = "_signalbox/ping";

export function ping(step: AcpStep, note: string | number): void {
  step.request(PING, {}, note);
}

/** What was lost with an earlier process, and what was said while rejecting and did not get through, goes first. */
export function beginTurn(step: AcpStep, text: string | null): void {
  const { followUps, sessionId, unkept } = step.state;
  const turn = step.state.turn + 1;
  step.set({
    turn,
    turnOpen: true,
    isAwake: false,
    taken: false,
    hasActed: false,
    interrupting: false,
    cancelled: false,
    followUps: [],
    approved: [],
    approvedCommands: [],
    failure: null,
    failing: false,
    retries: 0,
    message: { ...step.state.message, open: false, agentId: null },
  });
  const words = [unkept, ...followUps, text].filter((part) => part !== null).join("\n\n");
  const { forgetsFailedPrompt = false, keepsPromptsLate = false } = step.agent.quirks;
  const kept = words.length <= SAID_AGAIN_LENGTH_MAX ? words : null;
  step.set({ unheard: forgetsFailedPrompt ? kept : null, unkept: keepsPromptsLate ? kept : null });
  const prompt = [{ type: "text" as const, text: words }];
  step.request("session/prompt", { sessionId: sessionId ?? "", prompt } satisfies PromptRequest, turn);
  ping(step, turn);
}

export function cancelTurn(step: AcpStep): void {
  const { sessionId } = step.state;
  if (sessionId === null) return;
  step.set({ cancelled: true });
  step.notify("session/cancel", { sessionId } satisfies CancelNotification);
}

/** The prompt is answered. Only now is the turn over: neither a finished call nor silence says so. */
export function endTurn(step: AcpStep, turn: number, reply: Reply): void {
  if (turn !== step.state.turn || !step.state.turnOpen) return;
  step.set({ unkept: null });
  closeCalls(step);
  if (reply.ok) takeTurnUsage(step, asObject(reply.result));
  const end = endOf(step, reply);
  const { followUps, interrupting } = step.state;
  step.stream("completed", { reason: end.reason });
  if (followUps.length > 0 && !interrupting && end.failure === null) {
    beginTurn(step, null);
    return;
  }
  const askId = `${step.streamId}:end`;
  step.set({ turnOpen: false, interrupting: false });
  if (end.failure) fail(step, askId, end.failure);
  else if (end.reason === "cancelled") step.fact({ type: "turn_interrupted" });
  else step.fact({ type: "ask:completion_result", askId, ...end.shortfall });
}

interface End {
  readonly reason: string;
  readonly failure: Failure | null;
  readonly shortfall?: Shortfall;
}

interface Shortfall {
  readonly text: string;
  readonly ending?: Ending;
}

/** Reasons that are no failure, but that a person should know. */
const STOPPED_SHORT: Readonly<Record<string, Shortfall>> = {
  max_tokens: { text: "The answer reached the model's limit of tokens.", ending: "max_tokens" },
  max_turn_requests: { text: "The agent reached its limit of requests for one turn." },
  refusal: { text: "The model refused to answer.", ending: "refusal" },
};

function endOf(step: AcpStep, reply: Reply): End {
  const { cancelled, failing, failure } = step.state;
  if (!reply.ok) {
    if (cancelled) return { reason: "cancelled", failure: null };
    return { reason: "failed", failure: failureOf(reply.error, step.agent) };
  }
  const reason = textAt(asObject(reply.result), "stopReason") ?? "end_turn";
  if (reason === "cancelled") return { reason, failure: null };
  if (failing) {
    const error = { code: 0, message: failure ?? "The request to the model failed.", data: null };
    return { reason: "failed", failure: failureOf(error, step.agent) };
  }
  if (reason === "end_turn" && !step.state.hasActed && usedNothing(asObject(reply.result)))
    return { reason: "failed", failure: { type: "ask", ask: "api_req_failed", text: NOTHING_CAME } };
  const shortfall = Object.hasOwn(STOPPED_SHORT, reason) ? STOPPED_SHORT[reason] : undefined;
  return { reason, failure: null, ...(shortfall && { shortfall }) };
}

/** Some agents end a turn whose request has failed as if it were well: nothing was said, done or used. */
const NOTHING_CAME =
  "The agent ended its turn without an answer, and used nothing of its model. The request has probably failed: its own log may say why.";

function fail(step: AcpStep, askId: string, failure: Failure): void {
  if (failure.type === "login")
    step.fact({ type: "process_error", code: "login_required", error: failure.text });
  else step.fact({ type: `ask:${failure.ask}`, askId, text: failure.text });
}
