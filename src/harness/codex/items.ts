/** Messages and tool calls as they begin, go on and end. */
import type { Draft } from "./draft.js";
import { entryOf, ITEMS_MAX, withEntry, withoutEntry, type OpenItem } from "./codex-state.js";
import { fileChanges } from "./file-changes.js";
import { asFields, asList, asText, asTexts, type Fields } from "./read-json.js";
import { toolItem, toolResult } from "./tool-item.js";

/** Who says it, in which turn, and about which item. */
export interface Place {
  readonly conversationId: string;
  readonly turnId: string;
  readonly itemId: string;
}

export function placeOf(params: Fields): Place | null {
  const conversationId = asText(params["threadId"]);
  const turnId = asText(params["turnId"]);
  const itemId = asText(params["itemId"]) ?? asText(asFields(params["item"])["id"]);
  return conversationId === null || turnId === null || itemId === null
    ? null
    : { conversationId, turnId, itemId };
}

export function itemStarted(draft: Draft, place: Place, item: Fields): void {
  const tool = toolItem(item);
  if (!tool) {
    if (isText(item)) openItem(draft, place, item);
    return;
  }
  openItem(draft, place, item);
  const { itemId: callId } = place;
  // All of a change, before a person is asked about it: the ask may have to cut it short.
  const args = item["type"] === "fileChange" ? { changes: item["changes"] ?? null } : tool.input;
  const payload = { callId, name: tool.name, argsDelta: JSON.stringify(args) };
  draft.stream(streamOf(draft, place), "tool_call_delta", payload, parentOf(draft, place));
  if (draft.isMain(place.conversationId)) draft.fact({ type: "tool_started", callId, toolName: tool.name });
}

export function itemCompleted(draft: Draft, place: Place, item: Fields): void {
  const { itemId: callId, conversationId } = place;
  const tool = toolItem(item);
  if (!tool) {
    if (isText(item)) textCompleted(draft, place, item);
    else if (item["type"] !== "userMessage") draft.metadata({ item }, streamOf(draft, place));
    closeItem(draft, callId);
    return;
  }
  const { output, outcome, error, diff } = toolResult(item, draft.state.cwd);
  const payload = {
    callId,
    name: tool.name,
    input: tool.input,
    output,
    isError: outcome !== "ok",
    ...(outcome === "declined" ? { canceled: true, rejected: true } : {}),
    ...(error === undefined ? {} : { error }),
    ...(diff === undefined ? {} : { diff }),
  };
  draft.stream(streamOf(draft, place), "tool_call_completed", payload, parentOf(draft, place));
  if (draft.isMain(conversationId)) draft.fact({ type: "tool_finished", callId, ok: outcome === "ok" });
  noteSubagents(draft, callId, item);
  closeItem(draft, callId);
}

/** A piece of a message, a plan or a thought. */
export function textStreamed(
  draft: Draft,
  place: Place,
  event: "text_delta" | "thinking_delta",
  text: string,
): void {
  const known = entryOf(draft.state.items, place.itemId);
  if (!known?.streamed) {
    const { conversationId, turnId, itemId } = place;
    const item: OpenItem = { type: "text", conversationId, turnId, streamed: true };
    draft.set({ items: withEntry(draft.state.items, itemId, item, ITEMS_MAX) });
  }
  draft.stream(streamOf(draft, place), event, { text }, messageOf(draft, place));
}

export function outputStreamed(draft: Draft, place: Place, outputDelta: string): void {
  const payload = { callId: place.itemId, outputDelta };
  draft.stream(streamOf(draft, place), "tool_call_delta", payload, parentOf(draft, place));
}

/**
 * The turn is over, and with it what is still open of it. Commands are not: Codex lets them go on in the background,
 * even past an interrupt, unless a person had not yet been able to say whether they may run. That an interrupt cancels
 * calls is plain from the end of their stream.
 */
export function closeItemsOf(draft: Draft, conversationId: string, turnId: string, reason: string): void {
  const { items, asks } = draft.state;
  const waiting = new Set(Object.values(asks).flatMap((ask) => (ask.answered ? [] : [ask.itemId])));
  for (const [callId, item] of Object.entries(items)) {
    if (item.conversationId !== conversationId || item.turnId !== turnId) continue;
    if (item.type === "commandExecution" && !waiting.has(callId)) continue;
    closeItem(draft, callId);
    if (item.type === "text" || reason === "interrupted") continue;
    const place = { conversationId, turnId, itemId: callId };
    const payload = { callId, isError: true, canceled: true };
    draft.stream(streamOf(draft, place), "tool_call_completed", payload, parentOf(draft, place));
    if (draft.isMain(conversationId)) draft.fact({ type: "tool_finished", callId, ok: false });
  }
}

/** A stream ends with its turn: what comes after that is in another one. */
export function streamOf(draft: Draft, place: { conversationId: string; turnId: string }): string {
  const { turnId } = draft.conversation(place.conversationId);
  return turnId === place.turnId ? place.turnId : `${place.turnId}:later`;
}

/** A subagent's content stands under the call that started it. */
export function parentOf(draft: Draft, { conversationId }: { readonly conversationId: string }) {
  const { callId } = draft.conversation(conversationId);
  return callId === null ? {} : { parentMessageId: callId };
}

function messageOf(draft: Draft, place: Place) {
  return { messageId: place.itemId, ...parentOf(draft, place) };
}

function isText({ type }: Fields): boolean {
  return type === "agentMessage" || type === "plan" || type === "reasoning";
}

function textCompleted(draft: Draft, place: Place, item: Fields): void {
  if (entryOf(draft.state.items, place.itemId)?.streamed) return;
  const thought = item["type"] === "reasoning";
  const parts = asList(item["summary"]).length > 0 ? item["summary"] : item["content"];
  const text = thought ? asTexts(parts).join("\n\n") : (asText(item["text"]) ?? "");
  if (text === "") return;
  const event = thought ? "thinking_delta" : "text_delta";
  draft.stream(streamOf(draft, place), event, { text }, messageOf(draft, place));
}

/** Diffs of the newest only: Codex asks about a change right after it has begun. */
const CHANGES_MAX = 4;

function openItem(draft: Draft, { conversationId, turnId, itemId }: Place, item: Fields): void {
  const type = isText(item) ? "text" : (asText(item["type"]) ?? "");
  const server = asText(item["server"]);
  const tool = asText(item["tool"]);
  const opened: OpenItem = {
    type,
    conversationId,
    turnId,
    ...(type === "fileChange" ? { changes: fileChanges(item["changes"], draft.state.cwd) } : {}),
    ...(type === "mcpToolCall" && server !== null && tool !== null ? { mcp: { server, tool } } : {}),
  };
  const items = withEntry(draft.state.items, itemId, opened, ITEMS_MAX);
  draft.set({ items: opened.changes ? withFewChanges(items) : items });
}

function withFewChanges(items: Readonly<Record<string, OpenItem>>): Readonly<Record<string, OpenItem>> {
  const kept = Object.keys(items).filter((id) => items[id]?.changes);
  const dropped = kept.slice(0, -CHANGES_MAX);
  if (dropped.length === 0) return items;
  const entries = Object.entries(items).map(([id, item]) => {
    const { changes: _changes, ...rest } = item;
    return [id, dropped.includes(id) ? rest : item] as const;
  });
  return Object.fromEntries(entries);
}

function closeItem(draft: Draft, itemId: string): void {
  if (Object.hasOwn(draft.state.items, itemId)) draft.set({ items: withoutEntry(draft.state.items, itemId) });
}

/** Which call started which subagent. */
function noteSubagents(draft: Draft, callId: string, item: Fields): void {
  if (item["type"] !== "collabAgentToolCall" || item["tool"] !== "spawnAgent") return;
  for (const id of asTexts(item["receiverThreadIds"]))
    if (id !== "" && !draft.isMain(id)) draft.setConversation(id, { callId });
}
