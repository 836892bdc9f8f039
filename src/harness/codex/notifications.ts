/** What Codex tells without being asked. */
import { fieldsAt, type JsonObject, numberAt, textAt } from "../kit/json.js";
import { cut } from "../kit/words.js";
import { entryOf, withoutEntry } from "./codex-state.js";
import type { CodexStep } from "./codex-step.js";
import { itemCompleted, itemStarted, outputStreamed, type Place, placeOf, textStreamed } from "./items.js";
import { newUsage, retryScheduled, statusChanged, turnCompleted, turnStarted } from "./turns.js";

/** `emittedAtMs`: when it was said. */
type Handler = (step: CodexStep, params: JsonObject, emittedAtMs: () => number) => void;

const PARAMS_LENGTH_MAX = 10_000;

export function notified(
  step: CodexStep,
  method: string,
  params: JsonObject,
  emittedAtMs: () => number,
): void {
  const handler = Object.hasOwn(HANDLERS, method) ? HANDLERS[method] : undefined;
  if (handler) {
    handler(step, params, emittedAtMs);
    return;
  }
  if (SILENT.has(method)) return;
  if (!NOTED.has(method)) step.outputs.push({ type: "unknown", kind: cut(method, 100) });
  step.metadata({ notice: method, params: bounded(params) });
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  "turn/started": (step, params) => {
    const conversationId = textAt(params, "threadId");
    const turnId = textAt(fieldsAt(params, "turn"), "id");
    if (conversationId !== null && turnId !== null) turnStarted(step, conversationId, turnId);
  },
  "turn/completed": (step, params) => {
    const conversationId = textAt(params, "threadId");
    if (conversationId !== null) turnCompleted(step, conversationId, fieldsAt(params, "turn"));
  },
  "thread/status/changed": (step, params) => {
    const conversationId = textAt(params, "threadId");
    if (conversationId !== null) statusChanged(step, conversationId, fieldsAt(params, "status"));
  },
  "item/started": inPlace((step, place, params) => itemStarted(step, place, fieldsAt(params, "item"))),
  "item/completed": inPlace((step, place, params) => itemCompleted(step, place, fieldsAt(params, "item"))),
  "item/agentMessage/delta": text("text_delta"),
  "item/plan/delta": text("text_delta"),
  "item/reasoning/textDelta": text("thinking_delta"),
  "item/reasoning/summaryTextDelta": text("thinking_delta"),
  "item/reasoning/summaryPartAdded": inPlace((step, place, params) => {
    if ((numberAt(params, "summaryIndex") ?? 0) > 0) textStreamed(step, place, "thinking_delta", "\n\n");
  }),
  "item/commandExecution/outputDelta": output,
  "item/fileChange/outputDelta": output,
  "serverRequest/resolved": (step, params) => {
    const { requestId } = params;
    for (const [askId, ask] of Object.entries(step.state.asks)) {
      if (ask.requestId !== requestId) continue;
      step.set({ asks: withoutEntry(step.state.asks, askId) });
      step.askClosed(askId);
    }
  },
  "thread/tokenUsage/updated": (step, params) => {
    const conversationId = textAt(params, "threadId");
    if (conversationId === null) return;
    const { totals: before, turnId } = step.conversation(conversationId);
    const { totals, usage } = newUsage(before, params["tokenUsage"], turnId !== null);
    step.setConversation(conversationId, { totals });
    if (usage) step.usage(usage);
  },
  error: (step, params, emittedAtMs) => {
    step.metadata({ notice: "error", params: bounded(params) });
    // Without a retry the turn ends, and says then why.
    if (params["willRetry"] === true && step.isMain(textAt(params, "threadId")))
      retryScheduled(step, params, emittedAtMs());
  },
  "hook/started": (step, params) => {
    if (isToolHook(step, params)) step.fact({ type: "hooks_started" });
  },
  "hook/completed": (step, params) => {
    const { status } = fieldsAt(params, "run");
    if (isToolHook(step, params)) step.fact({ type: "hooks_finished", ok: status === "completed" });
    else step.metadata({ notice: "hook/completed", params: bounded(params) });
  },
  "thread/closed": (step, params) => {
    const conversationId = textAt(params, "threadId");
    if (conversationId === null || !entryOf(step.state.conversations, conversationId)) return;
    if (step.isMain(conversationId)) step.metadata({ notice: "thread/closed" });
    else step.set({ conversations: withoutEntry(step.state.conversations, conversationId) });
  },
  "account/rateLimits/updated": (step, params) => {
    const { primary = null, secondary = null } = fieldsAt(params, "rateLimits");
    if (primary !== null || secondary !== null) step.metadata({ rateLimits: { primary, secondary } });
  },
};

/** Known, and nothing new in it: the same is told in another way, or concerns nobody here. */
const SILENT: ReadonlySet<string> = new Set([
  "thread/started",
  "thread/readState/changed",
  "thread/settings/updated",
  "thread/goal/cleared",
  "turn/diff/updated",
  "item/fileChange/patchUpdated",
  "item/commandExecution/terminalInteraction",
  "remoteControl/status/changed",
  "skills/changed",
  "app/list/updated",
  "account/updated",
  "rawResponseItem/completed",
  "rawResponse/completed",
]);

/** Known, and kept for whoever wants to know. */
const NOTED: ReadonlySet<string> = new Set([
  "warning",
  "guardianWarning",
  "configWarning",
  "deprecationNotice",
  "model/rerouted",
  "model/verification",
  "model/safetyBuffering/updated",
  "modelProvider/authRecoveryStarted",
  "modelProvider/authRecoveryCompleted",
  "thread/compacted",
  "thread/name/updated",
  "thread/goal/updated",
  "thread/queue/changed",
  "turn/plan/updated",
  "turn/moderationMetadata",
  "item/mcpToolCall/progress",
  "item/autoApprovalReview/started",
  "item/autoApprovalReview/completed",
  "mcpServer/startupStatus/updated",
  "mcpServer/oauthLogin/completed",
]);

function inPlace(handler: (step: CodexStep, place: Place, params: JsonObject) => void): Handler {
  return (step, params) => {
    const place = placeOf(params);
    if (place) handler(step, place, params);
  };
}

function text(event: "text_delta" | "thinking_delta"): Handler {
  return inPlace((step, place, params) => {
    const delta = textAt(params, "delta");
    if (delta !== null) textStreamed(step, place, event, delta);
  });
}

function output(step: CodexStep, params: JsonObject): void {
  const place = placeOf(params);
  const delta = textAt(params, "delta");
  if (place && delta !== null) outputStreamed(step, place, delta);
}

function isToolHook(step: CodexStep, params: JsonObject): boolean {
  const { eventName } = fieldsAt(params, "run");
  return eventName === "postToolUse" && step.isMain(textAt(params, "threadId"));
}

function bounded(params: JsonObject): JsonObject | string {
  const json = JSON.stringify(params);
  return json.length > PARAMS_LENGTH_MAX ? cut(json, PARAMS_LENGTH_MAX) : params;
}
