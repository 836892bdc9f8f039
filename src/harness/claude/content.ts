/** What Claude and its subagents write, and the tools that they use. */
import type { Json } from "../../core/index.js";
import { markedLines } from "../kit/diff.js";
import {
  fieldsAt,
  idAt,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectOf,
  objectsAt,
  textAt,
} from "../kit/json.js";
import { type Block, BLOCKS_MAX, type Speaker } from "./claude-state.js";
import type { ClaudeStep } from "./claude-step.js";
import { readAnswering } from "./turn.js";

/** Who speaks: a subagent is named by the call that started it. */
export function parentOf(message: JsonObject): string | null {
  return idAt(message, "parent_tool_use_id");
}

/** A piece of a message that is being written. */
export function readPiece(step: ClaudeStep, message: JsonObject, line: string): void {
  const event = fieldsAt(message, "event");
  const speaker = step.speaker(parentOf(message));
  switch (textAt(event, "type")) {
    case "message_start": {
      if (speaker.parent === null) readAnswering(step);
      const messageId = idAt(objectAt(event, "message"), "id");
      return step.say({ ...speaker, messageId, blocks: [] });
    }
    case "content_block_start":
      return beginBlock(step, speaker, event);
    case "content_block_delta":
      return continueBlock(step, speaker, event);
    case "message_stop":
      return step.say({ ...speaker, blocks: [] });
    case "content_block_stop":
    case "message_delta":
    case "ping":
      return;
    default:
      return step.unknown("stream_event", line);
  }
}

function beginBlock(step: ClaudeStep, speaker: Speaker, event: JsonObject): void {
  const index = numberAt(event, "index") ?? 0;
  const block = objectAt(event, "content_block");
  const type = textAt(block, "type") ?? "";
  const callId = idAt(block, "id");
  const add = (added: Omit<Block, "index">) =>
    step.say({ ...speaker, blocks: [...speaker.blocks, { index, ...added }].slice(-BLOCKS_MAX) });
  if (type === "text" || type === "thinking") {
    add({ type, callId: null });
    write(step, speaker, type, index, textAt(block, type));
  } else if (isCall(type) && callId !== null) {
    add({ type: "call", callId });
    const name = textAt(block, "name");
    step.tool(callId, name === null ? {} : { name }, step.at(speaker.parent));
  }
}

function continueBlock(step: ClaudeStep, speaker: Speaker, event: JsonObject): void {
  const index = numberAt(event, "index") ?? 0;
  const delta = objectAt(event, "delta");
  switch (textAt(delta, "type")) {
    case "text_delta":
      return write(step, speaker, "text", index, textAt(delta, "text"));
    case "thinking_delta":
      return write(step, speaker, "thinking", index, textAt(delta, "thinking"));
    case "input_json_delta": {
      const callId = speaker.blocks.findLast((block) => block.index === index)?.callId;
      const argsDelta = textAt(delta, "partial_json");
      if (callId != null && argsDelta !== null) step.tool(callId, { argsDelta }, step.at(speaker.parent));
      return;
    }
    default:
      // Signatures and citations say nothing to a person.
      return;
  }
}

function write(
  step: ClaudeStep,
  { parent, messageId }: Speaker,
  type: "text" | "thinking",
  index: number,
  text: string | null,
): void {
  if (text === null) return;
  step[type](text, step.at(parent, `${messageId ?? "message"}:${index}`));
}

/** The answer broke off and is asked for again: what came of it does not count. */
export function retract(step: ClaudeStep): void {
  const speaker = step.speaker(null);
  for (const { type, index, callId } of speaker.blocks) {
    if (callId !== null) step.stream("tool_call_completed", { callId, canceled: true });
    if (type === "call") continue;
    const payload = { text: "", replace: true };
    step.stream(`${type}_delta`, payload, { messageId: `${speaker.messageId ?? "message"}:${index}` });
  }
  if (speaker.blocks.length > 0) step.say({ ...speaker, blocks: [] });
}

/** A whole part of a message. Subagents write only these; of the main conversation the pieces were told already. */
export function readWhole(step: ClaudeStep, message: JsonObject): void {
  const content = objectAt(message, "message");
  const parent = parentOf(message);
  const failure = idAt(message, "error");
  if (parent === null && (failure !== null || message["is_api_error_message"] === true)) {
    // It is told when the turn is over, with the turn's end.
    step.set({ failure });
    return;
  }
  const messageId = idAt(content, "id");
  const isTold = messageId !== null && step.speaker(parent).messageId === messageId;
  const id = idAt(message, "uuid") ?? messageId ?? "message";
  objectsAt(content, "content").forEach((block, index) => {
    readBlock(step, block, { parent, isTold, messageId: `${id}:${index}` });
  });
}

interface Place {
  readonly parent: string | null;
  readonly isTold: boolean;
  readonly messageId: string;
}

function readBlock(step: ClaudeStep, block: JsonObject, { parent, isTold, messageId }: Place): void {
  const type = textAt(block, "type") ?? "";
  if (type === "text" || type === "thinking") {
    const text = textAt(block, type);
    if (!isTold && text !== null) step[type](text, step.at(parent, messageId));
  } else if (isCall(type)) {
    const callId = idAt(block, "id");
    if (callId === null) return;
    const name = textAt(block, "name") ?? "tool";
    const argsDelta = JSON.stringify(block["input"] ?? {});
    if (isTold) step.fact({ type: "tool_started", callId, toolName: name });
    else step.toolStarted(callId, name, { argsDelta }, step.at(parent));
  } else if (type.endsWith("tool_result")) readToolResult(step, parent, block, null);
}

/** Tools' results come as messages of the user. What the user wrote is known already. */
export function readResults(step: ClaudeStep, message: JsonObject): void {
  const content = objectAt(message, "message");
  const result = objectOf(message["tool_use_result"]);
  for (const block of objectsAt(content, "content"))
    if (textAt(block, "type") === "tool_result") readToolResult(step, parentOf(message), block, result);
}

function readToolResult(
  step: ClaudeStep,
  parent: string | null,
  block: JsonObject,
  result: JsonObject | null,
): void {
  const callId = idAt(block, "tool_use_id");
  if (callId === null) return;
  const isError = block["is_error"] === true;
  const { answered } = step.state;
  const isRejected = isError && answered.some((one) => one.callId === callId && one.rejected === true);
  closeAsks(step, callId);
  const diff = result && !isError ? diffOfResult(result) : null;
  const more = { ...(isRejected ? { rejected: true } : {}), ...(diff === null ? {} : { diff }) };
  step.toolEnded({ callId, output: outputOf(block), isError, ...more }, step.at(parent));
}

/** The call has gone on: whoever answered, nothing waits any more. */
function closeAsks(step: ClaudeStep, callId: string): void {
  const { requests, answered, elsewhere } = step.state;
  const isOther = (one: { readonly callId: string | null }) => one.callId !== callId;
  const closed = [...requests, ...answered].filter((one) => !isOther(one));
  if (closed.length === 0 && elsewhere.every(isOther)) return;
  step.set({
    requests: requests.filter(isOther),
    answered: answered.filter(isOther),
    elsewhere: elsewhere.filter(isOther),
  });
  for (const { askId } of closed) step.askClosed(askId);
}

function outputOf(block: JsonObject): string {
  const content = block["content"];
  if (typeof content === "string") return content;
  return listAt(block, "content").map(partText).join("\n");
}

function partText(part: Json): string {
  const object = objectOf(part);
  if (!object) return typeof part === "string" ? part : JSON.stringify(part);
  const type = textAt(object, "type") ?? "content";
  return textAt(object, "text") ?? `[${type}]`;
}

/** Claude's own tools, and those that its provider runs. */
function isCall(type: string): boolean {
  return type.endsWith("tool_use");
}

/** A unified diff of what a tool has done, or null when it changed no file. */
export function diffOfResult(result: JsonObject): string | null {
  const path = textAt(result, "filePath");
  if (path === null) return null;
  const hunks = objectsAt(result, "structuredPatch").map(hunkText);
  if (hunks.length > 0) return unified(path, path, hunks);
  const content = result["content"];
  if (textAt(result, "type") !== "create" || typeof content !== "string") return null;
  const added = markedLines("+", content);
  const count = added === "" ? 0 : added.split("\n").length;
  return unified("/dev/null", path, [`@@ -0,0 +1,${count} @@\n${added}`]);
}

function unified(before: string, after: string, hunks: readonly string[]): string {
  return [`--- ${before}`, `+++ ${after}`, ...hunks].join("\n");
}

function hunkText(hunk: JsonObject): string {
  const at = (key: string) => numberAt(hunk, key) ?? 0;
  const head = `@@ -${at("oldStart")},${at("oldLines")} +${at("newStart")},${at("newLines")} @@`;
  const lines = listAt(hunk, "lines").filter((line) => typeof line === "string");
  return [head, ...lines].join("\n");
}
