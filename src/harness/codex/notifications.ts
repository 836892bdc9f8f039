/** What Codex tells without being asked. */
import { cut } from "../cut.js";
import { itemCompleted, itemStarted, outputStreamed, placeOf, textStreamed, type Place } from "./items.js";
import { entryOf, withoutEntry } from "./codex-state.js";
import type { Draft } from "./draft.js";
import { asFields, asNumber, asText, type Fields } from "./read-json.js";
import { retryScheduled, statusChanged, turnCompleted, turnStarted } from "./turns.js";
import { newUsage } from "./usage.js";

/** `emittedAtMs`: when it was said. */
type Handler = (draft: Draft, params: Fields, emittedAtMs: () => number) => void;

const PARAMS_LENGTH_MAX = 10_000;

export function notified(draft: Draft, method: string, params: Fields, emittedAtMs: () => number): void {
  const handler = Object.hasOwn(HANDLERS, method) ? HANDLERS[method] : undefined;
  if (handler) {
    handler(draft, params, emittedAtMs);
    return;
  }
  if (SILENT.has(method)) return;
  if (!NOTED.has(method)) draft.outputs.push({ type: "unknown", kind: cut(method, 100) });
  draft.metadata({ notice: method, params: bounded(params) });
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  "turn/started": (draft, params) => {
    const conversationId = asText(params["threadId"]);
    const turnId = asText(asFields(params["turn"])["id"]);
    if (conversationId !== null && turnId !== null) turnStarted(draft, conversationId, turnId);
  },
  "turn/completed": (draft, params) => {
    const conversationId = asText(params["threadId"]);
    if (conversationId !== null) turnCompleted(draft, conversationId, asFields(params["turn"]));
  },
  "thread/status/changed": (draft, params) => {
    const conversationId = asText(params["threadId"]);
    if (conversationId !== null) statusChanged(draft, conversationId, asFields(params["status"]));
  },
  "item/started": inPlace((draft, place, params) => itemStarted(draft, place, asFields(params["item"]))),
  "item/completed": inPlace((draft, place, params) => itemCompleted(draft, place, asFields(params["item"]))),
  "item/agentMessage/delta": text("text_delta"),
  "item/plan/delta": text("text_delta"),
  "item/reasoning/textDelta": text("thinking_delta"),
  "item/reasoning/summaryTextDelta": text("thinking_delta"),
  "item/reasoning/summaryPartAdded": inPlace((draft, place, params) => {
    if ((asNumber(params["summaryIndex"]) ?? 0) > 0) textStreamed(draft, place, "thinking_delta", "\n\n");
  }),
  "item/commandExecution/outputDelta": output,
  "item/fileChange/outputDelta": output,
  "serverRequest/resolved": (draft, params) => {
    const { requestId } = params;
    for (const [askId, ask] of Object.entries(draft.state.asks)) {
      if (ask.requestId !== requestId) continue;
      draft.set({ asks: withoutEntry(draft.state.asks, askId) });
      draft.fact({ type: "ask_closed", askId });
    }
  },
  "thread/tokenUsage/updated": (draft, params) => {
    const conversationId = asText(params["threadId"]);
    if (conversationId === null) return;
    const { totals: before, turnId } = draft.conversation(conversationId);
    const { totals, usage } = newUsage(before, params["tokenUsage"], turnId !== null);
    draft.setConversation(conversationId, { totals });
    if (usage) draft.outputs.push({ type: "usage", usage });
  },
  error: (draft, params, emittedAtMs) => {
    draft.metadata({ notice: "error", params: bounded(params) });
    // Without a retry the turn ends, and says then why.
    if (params["willRetry"] === true && draft.isMain(asText(params["threadId"])))
      retryScheduled(draft, params, emittedAtMs());
  },
  "hook/started": (draft, params) => {
    if (isToolHook(draft, params)) draft.fact({ type: "hooks_started" });
  },
  "hook/completed": (draft, params) => {
    const { status } = asFields(params["run"]);
    if (isToolHook(draft, params)) draft.fact({ type: "hooks_finished", ok: status === "completed" });
    else draft.metadata({ notice: "hook/completed", params: bounded(params) });
  },
  "thread/closed": (draft, params) => {
    const conversationId = asText(params["threadId"]);
    if (conversationId === null || !entryOf(draft.state.conversations, conversationId)) return;
    if (draft.isMain(conversationId)) draft.metadata({ notice: "thread/closed" });
    else draft.set({ conversations: withoutEntry(draft.state.conversations, conversationId) });
  },
  "account/rateLimits/updated": (draft, params) => {
    const { primary = null, secondary = null } = asFields(params["rateLimits"]);
    if (primary !== null || secondary !== null) draft.metadata({ rateLimits: { primary, secondary } });
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

function inPlace(handler: (draft: Draft, place: Place, params: Fields) => void): Handler {
  return (draft, params) => {
    const place = placeOf(params);
    if (place) handler(draft, place, params);
  };
}

function text(event: "text_delta" | "thinking_delta"): Handler {
  return inPlace((draft, place, params) => {
    const delta = asText(params["delta"]);
    if (delta !== null) textStreamed(draft, place, event, delta);
  });
}

function output(draft: Draft, params: Fields): void {
  const place = placeOf(params);
  const delta = asText(params["delta"]);
  if (place && delta !== null) outputStreamed(draft, place, delta);
}

function isToolHook(draft: Draft, params: Fields): boolean {
  const { eventName } = asFields(params["run"]);
  return eventName === "postToolUse" && draft.isMain(asText(params["threadId"]));
}

function bounded(params: Fields): Fields | string {
  const json = JSON.stringify(params);
  return json.length > PARAMS_LENGTH_MAX ? cut(json, PARAMS_LENGTH_MAX) : params;
}
