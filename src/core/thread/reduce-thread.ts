/**
 * The reducer from stream events to a thread: the same code for what happens now and for what is read again.
 *
 * It never throws. Within a stream `seq` must rise: what is repeated, comes too late or follows the stream's `completed`
 * changes nothing. A payload that makes no sense shows nothing. `status` and `metadata` are telemetry to the session
 * machine; here they show a note, where they hold one for a person, and otherwise change nothing at all.
 */
import type { StreamEvent, StreamEventType } from "../stream-event.js";
import { boundedJson, boundedText, textOf, type BoundedText } from "./bounded.js";
import { Draft } from "./draft.js";
import { isRepeated, noteIn, type FoundNote } from "./notes.js";
import { INTERRUPTED_REASONS, readPayload, type Payload } from "./payloads.js";
import {
  EMPTY_THREAD,
  type Artifact,
  type Item,
  type ItemOf,
  type TextField,
  type Thread,
  type ToolCall,
  type WritingState,
} from "./thread.js";

/** The thread after one more event; the same object when it changes nothing. */
export function reduceThread(thread: Thread, event: StreamEvent): Thread {
  return extendThread(thread, [event]);
}

/** The thread after more events: as one by one, but cheaper. */
export function extendThread(thread: Thread, events: Iterable<StreamEvent>): Thread {
  const draft = new Draft(thread);
  for (const event of events) {
    const note = isTelemetry(event.type) ? noteIn(event.type, event.payload) : null;
    if (note) showNote(draft, event, note);
    const show = SHOW[event.type];
    if (show && draft.advance(event)) show(draft, event);
  }
  return draft.finish();
}

export function threadFrom(events: Iterable<StreamEvent>): Thread {
  return extendThread(EMPTY_THREAD, events);
}

type Show = (draft: Draft, event: StreamEvent) => void;

/** How each kind of event is shown; null: as a note, if it holds one. */
const SHOW: Readonly<Record<StreamEventType, Show | null>> = {
  text_delta: (draft, event) => showWriting(draft, event, "assistant_message", "text_delta"),
  thinking_delta: (draft, event) => showWriting(draft, event, "thinking", "thinking_delta"),
  tool_call_delta: showToolCall,
  tool_call_completed: showToolResult,
  artifact_delta: showArtifact,
  completed: showCompletion,
  error: showError,
  user_message: showUserMessage,
  ask: showAsk,
  status: null,
  metadata: null,
};

function showWriting(
  draft: Draft,
  event: StreamEvent,
  type: "assistant_message" | "thinking",
  delta: "text_delta" | "thinking_delta",
): void {
  const payload = readPayload(delta, event.payload);
  if (payload.text === undefined) return;
  const id = event.messageId ?? event.streamId;
  const found = draft.find(type, id);
  if (!found && payload.text === "") return;
  const written = joined(found?.item.text ?? "", payload.text, payload.replace);
  if (found) {
    const cut = marked(found.item.cut, "text", written);
    const lastStreamId = event.streamId;
    draft.save(found, { ...found.item, lastStreamId, text: written.text, cut, state: "streaming" });
    return;
  }
  const cut = marked([], "text", written);
  const item = { type, id, ...origin(event), text: written.text, cut, state: "streaming" } as const;
  const { startedSeq, startedAtMs } = payload;
  if (payload.replace !== true || (startedSeq === undefined && startedAtMs === undefined))
    draft.save(null, item);
  else draft.place({ ...item, seq: startedSeq ?? item.seq, atMs: startedAtMs ?? item.atMs });
}

function showToolCall(draft: Draft, event: StreamEvent): void {
  const payload = readPayload("tool_call_delta", event.payload);
  if (payload.callId === undefined) return;
  const found = draft.find("tool_call", payload.callId);
  const call = found?.item ?? newToolCall(event, payload.callId);
  // A result is final; a call only thought to be canceled shows here that it goes on.
  if (call.state === "succeeded" || call.state === "failed" || call.state === "rejected") return;
  const args = rejoined(call.args, payload.argsDelta, payload.replace);
  const output = rejoined(call.output, payload.outputDelta, payload.replace);
  draft.save(found, {
    ...call,
    lastStreamId: event.streamId,
    name: payload.name ?? call.name,
    args: args?.text ?? call.args,
    output: output?.text ?? call.output,
    cut: markedAll(call.cut, { args, output }),
    state: "running",
  });
}

function showToolResult(draft: Draft, event: StreamEvent): void {
  const payload = readPayload("tool_call_completed", event.payload);
  if (payload.callId === undefined) return;
  const found = draft.find("tool_call", payload.callId);
  const call = found?.item ?? newToolCall(event, payload.callId);
  const input = isGiven(payload.input) ? boundedJson(payload.input) : null;
  const output = isGiven(payload.output) ? textOf(payload.output) : null;
  const error = isGiven(payload.error) ? textOf(messageIn(payload.error)) : null;
  const diff = payload.diff === undefined ? null : boundedText("", payload.diff);
  const texts = { input, output, error, diff, args: input ? { cut: false } : null };
  draft.save(found, {
    ...call,
    lastStreamId: event.streamId,
    name: payload.name ?? call.name,
    args: input ? "" : call.args,
    input: input ? input.value : call.input,
    output: output?.text ?? call.output,
    error: error?.text ?? call.error,
    diff: diff?.text ?? call.diff,
    cut: markedAll(call.cut, texts),
    state: resultState(payload),
  });
}

function resultState(payload: Partial<Payload<"tool_call_completed">>): ToolCall["state"] {
  if (payload.rejected === true) return "rejected";
  if (payload.canceled === true) return "canceled";
  return payload.isError === true || isGiven(payload.error) ? "failed" : "succeeded";
}

function showArtifact(draft: Draft, event: StreamEvent): void {
  const payload = readPayload("artifact_delta", event.payload);
  if (payload.artifactId === undefined) return;
  const found = draft.find("artifact", payload.artifactId);
  const artifact = found?.item ?? newArtifact(event, payload.artifactId);
  const text = rejoined(artifact.text, payload.text, payload.replace);
  const diff = rejoined(artifact.diff, payload.diff, payload.replace);
  draft.save(found, {
    ...artifact,
    lastStreamId: event.streamId,
    path: payload.path ?? artifact.path,
    text: text?.text ?? artifact.text,
    diff: diff?.text ?? artifact.diff,
    cut: markedAll(artifact.cut, { text, diff }),
  });
}

function showCompletion(draft: Draft, event: StreamEvent): void {
  const { reason } = readPayload("completed", event.payload);
  if (reason !== undefined && INTERRUPTED_REASONS.has(reason)) settle(draft, event.streamId, "stopped");
  else settle(draft, event.streamId, "done");
}

function showError(draft: Draft, event: StreamEvent): void {
  const payload = readPayload("error", event.payload);
  const message = boundedText("", payload.message ?? "");
  settle(draft, event.streamId, "failed");
  draft.save(draft.find("error", event.eventId), {
    type: "error",
    id: event.eventId,
    ...origin(event),
    code: payload.code ?? "streaming_failed",
    message: message.text,
    recoverable: payload.recoverable ?? false,
    cut: marked([], "message", message),
  });
}

function isTelemetry(type: StreamEventType): type is "status" | "metadata" {
  return type === "status" || type === "metadata";
}

function showNote(draft: Draft, event: StreamEvent, { kind, text, slot }: FoundNote): void {
  // Only what is shown moves a stream forward: the rest of the telemetry changes nothing at all.
  if (!draft.advance(event, true)) return;
  const id = slot === undefined ? event.eventId : `${slot}:${event.streamId}`;
  const known = draft.find("note", id);
  if (known) {
    draft.save(known, { ...known.item, lastStreamId: event.streamId, text });
    return;
  }
  const last = draft.lastNote();
  const note = { type: "note", id, ...origin(event), kind, text, times: 1, cut: [] } as const;
  if (
    last?.item.lastStreamId === event.streamId &&
    slot === undefined &&
    isRepeated(last.item, { kind, text })
  )
    draft.save(last, { ...last.item, text, times: last.item.times + 1 });
  else draft.save(null, note);
}

function showUserMessage(draft: Draft, event: StreamEvent): void {
  const payload = readPayload("user_message", event.payload);
  if (payload.text === undefined) return;
  const id = payload.messageId ?? event.messageId ?? event.eventId;
  const found = draft.find("user_message", id);
  const message = boundedText("", payload.text);
  const placed = found?.item ?? { type: "user_message", id, ...origin(event) };
  draft.save(found, { ...placed, text: message.text, cut: marked([], "text", message) });
}

function showAsk(draft: Draft, event: StreamEvent): void {
  const payload = readPayload("ask", event.payload);
  if (payload.askId === undefined) return;
  const found = draft.find("ask", payload.askId);
  const ask: ItemOf<"ask"> = found?.item ?? {
    type: "ask",
    id: payload.askId,
    ...origin(event),
    ask: "unknown",
    title: "",
    detail: "",
    partial: true,
    cut: [],
  };
  const [given, rest] = payload.title === undefined ? [payload.text] : [payload.title, payload.text];
  const title = rejoined("", given, true);
  const detail = rejoined("", payload.detail ?? rest, true);
  draft.save(found, {
    ...ask,
    lastStreamId: event.streamId,
    ask: payload.ask ?? ask.ask,
    title: title?.text ?? ask.title,
    detail: detail?.text ?? ask.detail,
    partial: ask.partial && payload.partial === true,
    cut: markedAll(ask.cut, { title, detail }),
  });
}

/**
 * Nothing more is written in a stream. Its calls may still run when it is done: their results come in a later stream. When
 * it stopped or failed, the turn is over and they are over with it.
 */
function settle(draft: Draft, streamId: string, state: Exclude<WritingState, "streaming">): void {
  draft.changeEach(streamId, (item): Item => {
    switch (item.type) {
      case "assistant_message":
      case "thinking":
        return item.state === "streaming" ? { ...item, state } : item;
      case "tool_call":
        return item.state === "running" && state !== "done" ? { ...item, state: "canceled" } : item;
      case "user_message":
      case "artifact":
      case "ask":
      case "error":
      case "note":
        return item;
    }
  });
}

/** Where an item begins, when this event is its first. */
function origin(event: StreamEvent) {
  const { streamId, seq, timestampMs: atMs, parentMessageId } = event;
  const place = { streamId, seq, atMs, lastStreamId: streamId };
  return parentMessageId === undefined ? place : { ...place, parentMessageId };
}

function newToolCall(event: StreamEvent, id: string): ToolCall {
  return {
    type: "tool_call",
    id,
    ...origin(event),
    name: null,
    args: "",
    input: null,
    output: "",
    error: null,
    diff: null,
    cut: [],
    state: "running",
  };
}

function newArtifact(event: StreamEvent, id: string): Artifact {
  return { type: "artifact", id, ...origin(event), path: null, text: "", diff: "", cut: [] };
}

function joined(before: string, added: string, replace: boolean | undefined): BoundedText {
  return boundedText(replace === true ? "" : before, added);
}

/** As `joined`; null when nothing was given, so that the text stays as it is. */
function rejoined(
  before: string,
  added: string | undefined,
  replace: boolean | undefined,
): BoundedText | null {
  return added === undefined ? null : joined(before, added, replace);
}

type Cut = { readonly cut: boolean } | null;

/** The list of cut texts with `field` as `written` has it; null: as it was. */
function marked(cut: readonly TextField[], field: TextField, written: Cut): readonly TextField[] {
  if (!written || written.cut === cut.includes(field)) return cut;
  return written.cut ? [...cut, field] : cut.filter((name) => name !== field);
}

function markedAll(cut: readonly TextField[], texts: Partial<Record<TextField, Cut>>): readonly TextField[] {
  return FIELDS.reduce((marks, field) => marked(marks, field, texts[field] ?? null), cut);
}

const FIELDS = ["args", "input", "output", "error", "diff", "text", "title", "detail"] as const;

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** The `message` of an error that is an object, else the error itself. */
function messageIn(error: unknown): unknown {
  if (typeof error !== "object" || error === null || !("message" in error)) return error;
  return typeof error.message === "string" ? error.message : error;
}
