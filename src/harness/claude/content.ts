/** What Claude and its subagents write, and the tools that they use. */
import type { Json } from "../../core/index.js";
import { BLOCKS_MAX, type Block, type Speaker } from "./claude-state.js";
import { diffOfResult } from "./diff-text.js";
import type { Reading } from "./reading.js";
import { readAnswering } from "./turn.js";
import {
  idAt,
  listAt,
  numberAt,
  objectAt,
  objectOf,
  objectsAt,
  textAt,
  type WireObject,
} from "./wire-object.js";

/** Who speaks: a subagent is named by the call that started it. */
export function parentOf(message: WireObject): string | null {
  return idAt(message, "parent_tool_use_id");
}

/** A piece of a message that is being written. */
export function readPiece(reading: Reading, message: WireObject, line: string): void {
  const event = objectAt(message, "event") ?? {};
  const speaker = reading.speaker(parentOf(message));
  switch (textAt(event, "type")) {
    case "message_start": {
      if (speaker.parent === null) readAnswering(reading);
      const messageId = idAt(objectAt(event, "message") ?? {}, "id");
      return reading.say({ ...speaker, messageId, blocks: [] });
    }
    case "content_block_start":
      return beginBlock(reading, speaker, event);
    case "content_block_delta":
      return continueBlock(reading, speaker, event);
    case "message_stop":
      return reading.say({ ...speaker, blocks: [] });
    case "content_block_stop":
    case "message_delta":
    case "ping":
      return;
    default:
      return reading.unknown("stream_event", line);
  }
}

function beginBlock(reading: Reading, speaker: Speaker, event: WireObject): void {
  const index = numberAt(event, "index") ?? 0;
  const block = objectAt(event, "content_block") ?? {};
  const type = textAt(block, "type") ?? "";
  const callId = idAt(block, "id");
  const add = (added: Omit<Block, "index">) =>
    reading.say({ ...speaker, blocks: [...speaker.blocks, { index, ...added }].slice(-BLOCKS_MAX) });
  if (type === "text" || type === "thinking") {
    add({ type, callId: null });
    write(reading, speaker, type, index, textAt(block, type));
  } else if (isCall(type) && callId !== null) {
    add({ type: "call", callId });
    const name = textAt(block, "name");
    reading.stream(speaker.parent, "tool_call_delta", { callId, ...(name === null ? {} : { name }) });
  }
}

function continueBlock(reading: Reading, speaker: Speaker, event: WireObject): void {
  const index = numberAt(event, "index") ?? 0;
  const delta = objectAt(event, "delta") ?? {};
  switch (textAt(delta, "type")) {
    case "text_delta":
      return write(reading, speaker, "text", index, textAt(delta, "text"));
    case "thinking_delta":
      return write(reading, speaker, "thinking", index, textAt(delta, "thinking"));
    case "input_json_delta": {
      const callId = speaker.blocks.findLast((block) => block.index === index)?.callId;
      const argsDelta = textAt(delta, "partial_json");
      if (callId != null && argsDelta !== null)
        reading.stream(speaker.parent, "tool_call_delta", { callId, argsDelta });
      return;
    }
    default:
      // Signatures and citations say nothing to a person.
      return;
  }
}

function write(
  reading: Reading,
  { parent, messageId }: Speaker,
  type: "text" | "thinking",
  index: number,
  text: string | null,
): void {
  if (text === null) return;
  reading.stream(parent, `${type}_delta`, { text }, `${messageId ?? "message"}:${index}`);
}

/** The answer broke off and is asked for again: what came of it does not count. */
export function retract(reading: Reading): void {
  const speaker = reading.speaker(null);
  for (const { type, index, callId } of speaker.blocks) {
    if (callId !== null) reading.stream(null, "tool_call_completed", { callId, canceled: true });
    if (type === "call") continue;
    const payload = { text: "", replace: true };
    reading.stream(null, `${type}_delta`, payload, `${speaker.messageId ?? "message"}:${index}`);
  }
  if (speaker.blocks.length > 0) reading.say({ ...speaker, blocks: [] });
}

/** A whole part of a message. Subagents write only these; of the main conversation the pieces were told already. */
export function readWhole(reading: Reading, message: WireObject): void {
  const content = objectAt(message, "message") ?? {};
  const parent = parentOf(message);
  const failure = idAt(message, "error");
  if (parent === null && (failure !== null || message["is_api_error_message"] === true)) {
    // It is told when the turn is over, with the turn's end.
    reading.change({ failure });
    return;
  }
  const messageId = idAt(content, "id");
  const isTold = messageId !== null && reading.speaker(parent).messageId === messageId;
  const id = idAt(message, "uuid") ?? messageId ?? "message";
  objectsAt(content, "content").forEach((block, index) => {
    readBlock(reading, block, { parent, isTold, messageId: `${id}:${index}` });
  });
}

interface Place {
  readonly parent: string | null;
  readonly isTold: boolean;
  readonly messageId: string;
}

function readBlock(reading: Reading, block: WireObject, { parent, isTold, messageId }: Place): void {
  const type = textAt(block, "type") ?? "";
  if (type === "text" || type === "thinking") {
    const text = textAt(block, type);
    if (!isTold && text !== null) reading.stream(parent, `${type}_delta`, { text }, messageId);
  } else if (isCall(type)) {
    const callId = idAt(block, "id");
    if (callId === null) return;
    const name = textAt(block, "name") ?? "tool";
    const argsDelta = JSON.stringify(block["input"] ?? {});
    if (!isTold) reading.stream(parent, "tool_call_delta", { callId, name, argsDelta });
    reading.fact({ type: "tool_started", callId, toolName: name });
  } else if (type.endsWith("tool_result")) readToolResult(reading, parent, block, null);
}

/** Tools' results come as messages of the user. What the user wrote is known already. */
export function readResults(reading: Reading, message: WireObject): void {
  const content = objectAt(message, "message") ?? {};
  const result = objectOf(message["tool_use_result"]);
  for (const block of objectsAt(content, "content"))
    if (textAt(block, "type") === "tool_result") readToolResult(reading, parentOf(message), block, result);
}

function readToolResult(
  reading: Reading,
  parent: string | null,
  block: WireObject,
  result: WireObject | null,
): void {
  const callId = idAt(block, "tool_use_id");
  if (callId === null) return;
  const isError = block["is_error"] === true;
  const { answered } = reading.state;
  const isRejected = isError && answered.some((one) => one.callId === callId && one.rejected === true);
  closeAsks(reading, callId);
  const diff = result && !isError ? diffOfResult(result) : null;
  const more = { ...(isRejected ? { rejected: true } : {}), ...(diff === null ? {} : { diff }) };
  const payload = { callId, output: outputOf(block), isError, ...more };
  reading.stream(parent, "tool_call_completed", payload);
  reading.fact({ type: "tool_finished", callId, ok: !isError });
}

/** The call has gone on: whoever answered, nothing waits any more. */
function closeAsks(reading: Reading, callId: string): void {
  const { requests, answered, elsewhere } = reading.state;
  const isOther = (one: { readonly callId: string | null }) => one.callId !== callId;
  const closed = [...requests, ...answered].filter((one) => !isOther(one));
  if (closed.length === 0 && elsewhere.every(isOther)) return;
  reading.change({
    requests: requests.filter(isOther),
    answered: answered.filter(isOther),
    elsewhere: elsewhere.filter(isOther),
  });
  for (const { askId } of closed) reading.fact({ type: "ask_closed", askId });
}

function outputOf(block: WireObject): string {
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
