/** `session/update`: what the agent writes, does and tells of itself. */
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Json } from "../../core/index.js";
import {
  fieldAt,
  fieldsAt,
  fieldsOf,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  stringAt,
  textAt,
} from "../kit/json.js";
import type { AcpStep } from "./acp-step.js";
import { withCurrent } from "../kit/controls.js";
import { noteCommands, noteOptions } from "./controls.js";
import { embedTerminals } from "./terminal-requests.js";
import { blockText, closeRejected, readCall, takeCall } from "./tool-calls.js";
import { noteRest, noteWork, takeChunkUsage, takeUsageUpdate } from "./turn.js";

type UpdateKind = SessionUpdate["sessionUpdate"];

const COMMANDS_MAX = 200;
const OPTIONS_MAX = 64;
const PLAN_MAX = 200;

/** Each kind of update that the protocol has, and what is made of it. */
const TAKE: Readonly<Record<UpdateKind, (step: AcpStep, update: JsonObject) => void>> = {
  agent_message_chunk: (step, update) => takeChunk(step, update, "text_delta"),
  agent_thought_chunk: (step, update) => takeChunk(step, update, "thinking_delta"),
  tool_call: takeToolCall,
  tool_call_update: takeToolCall,
  plan: (step, update) => step.metadata({ plan: listAt(update, "entries").slice(0, PLAN_MAX) }),
  current_mode_update: (step, update) => {
    const mode = stringAt(update, "currentModeId");
    step.set({ offer: withCurrent(step.state.offer, "mode", mode) });
    step.stream("status", { mode });
  },
  available_commands_update: (step, update) => {
    const commands = listAt(update, "availableCommands").slice(0, COMMANDS_MAX);
    noteCommands(step, commands);
    step.stream("metadata", { commands: commands.map((command) => stringAt(fieldsOf(command), "name")) });
  },
  session_info_update: (step, update) => {
    const title = textAt(update, "title");
    if (title !== null) step.stream("metadata", { title });
    takeCodexNews(step, fieldsAt(objectAt(update, "_meta"), "codex"));
  },
  usage_update: (step, update) => {
    takeUsageUpdate(step, update);
    noteRest(step, update);
  },
  notice: (step, update) => step.stream("metadata", { notice: update }),
  compaction_update: (step, update) => step.stream("metadata", { compaction: update }),
  compaction_summary_chunk: () => undefined,
  // It repeats what we told it.
  user_message_chunk: () => undefined,
  config_option_update: (step, update) => {
    const options = objectsAt(update, "configOptions").slice(0, OPTIONS_MAX);
    noteOptions(step, update);
    step.metadata({
      options: options.map((option) => ({ id: textAt(option, "id"), value: valueOf(option) })),
    });
  },
};

function valueOf(option: JsonObject): Json {
  const value = fieldAt(option, "currentValue");
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

/** Of a conversation that is replayed, nothing is content, and nothing happened now. */
const NOT_REPLAYED: ReadonlySet<string> = new Set<UpdateKind>([
  "available_commands_update",
  "current_mode_update",
  "usage_update",
]);

export function takeUpdate(step: AcpStep, params: JsonObject): void {
  const update = fieldsAt(params, "update");
  const kind = stringAt(update, "sessionUpdate") ?? "";
  const { phase, sessionId } = step.state;
  if (!Object.hasOwn(TAKE, kind)) {
    step.unknown("update", params);
    return;
  }
  if (phase !== "ready" && !NOT_REPLAYED.has(kind)) {
    step.set({ replayed: true });
    if (kind === "user_message_chunk") noteKept(step, update);
    return;
  }
  const from = stringAt(params, "sessionId");
  if (from !== null && sessionId !== null && from !== sessionId) {
    // A conversation within ours: its parent tells what comes of it.
    step.stream("metadata", { otherSession: from, update: kind });
    return;
  }
  TAKE[kind as UpdateKind](step, update);
}

/** It repeats a prompt that might have been lost: it was not. */
function noteKept(step: AcpStep, update: JsonObject): void {
  const text = blockText(fieldsAt(update, "content")).trim();
  if (text !== "" && step.state.unkept?.trim().startsWith(text) === true) step.set({ unkept: null });
}

function takeChunk(step: AcpStep, update: JsonObject, event: "text_delta" | "thinking_delta"): void {
  const text = blockText(fieldsAt(update, "content"));
  takeChunkUsage(step, update);
  if (text === "") return;
  closeRejected(step, null);
  step.set({ taken: true, hasActed: true, unheard: null });
  noteFailure(step, text);
  const parent = parentOf(update);
  if (parent === null) noteWork(step);
  const messageId = messageIdOf(step, update, parent);
  step.stream(event, { text }, parent === null ? { messageId } : { messageId, parentMessageId: parent });
}

/**
 * A message goes on until a call comes between, or until its own id changes; then it is another one. What a subagent
 * writes is a message of its own.
 */
function messageIdOf(step: AcpStep, update: JsonObject, parent: string | null): string {
  const { run, turn } = step.state;
  if (parent !== null) return `run-${run}-turn-${turn}-call-${parent}`;
  const told = textAt(update, "messageId");
  const { open, agentId, count } = step.state.message;
  const isSame = open && (told === null || told === agentId);
  if (!isSame) step.set({ message: { count: count + 1, open: true, agentId: told } });
  return `run-${run}-message-${step.state.message.count}`;
}

/** The call that a subagent works for. */
function parentOf(update: JsonObject): string | null {
  const meta = objectAt(update, "_meta");
  return textAt(meta, "parentToolCallId") ?? textAt(objectAt(meta, "claudeCode"), "parentToolUseId");
}

function takeToolCall(step: AcpStep, update: JsonObject): void {
  const call = readCall(update);
  if (!call) {
    step.unknown("tool_call", update);
    return;
  }
  step.set({ taken: true, hasActed: true, unheard: null });
  // What had begun before ends now: that is no work of its own.
  if (stringAt(update, "sessionUpdate") === "tool_call" && parentOf(update) === null) noteWork(step);
  takeCall(step, call);
  const ok = call.status === "completed" ? true : call.status === "failed" ? false : null;
  // A result in words is a result.
  if (ok === null || call.text === "") embedTerminals(step, call.callId, call.terminals, ok);
}

/** Some agents write a failure as if it were an answer. It is one if nothing follows it. */
function noteFailure(step: AcpStep, text: string): void {
  const { failureText, retryText } = step.agent.quirks;
  const { failing, failure, retries } = step.state;
  if (failureText?.test(text) === true) {
    step.set({ failing: true, failure: text.replace(/^Error: /, "") });
    return;
  }
  if (failureText !== undefined && failing) step.set({ failing: false, failure: null });
  // The text after the news that the turn has failed is its reason.
  else if (failing && failure === null) step.set({ failure: text });
  if (retryText?.test(text) === true) noteRetry(step, retries + 1);
}

export function takeCodexNews(step: AcpStep, codex: JsonObject): void {
  if (stringAt(objectAt(codex, "threadStatus"), "type") === "systemError")
    step.set({ failing: true, failure: null });
  const error = objectAt(codex, "error");
  if (fieldAt(error, "willRetry") !== true) return;
  const [, attempt] = /(\d+)\/\d+/.exec(textAt(error, "message") ?? "") ?? [];
  noteRetry(step, attempt === undefined ? step.state.retries + 1 : Number(attempt));
}

/** It tries again by itself. None says when, so: about now. */
export function noteRetry(step: AcpStep, attempt: number): void {
  step.set({ retries: attempt });
  step.fact({ type: "retry_scheduled", attempt, atMs: step.nowMs });
}
