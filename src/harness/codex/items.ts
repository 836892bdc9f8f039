/** Messages and tool calls as they begin, go on and end. */
import type { Json } from "../../core/index.js";
import {
  fieldsAt,
  fieldsOf,
  type JsonObject,
  listAt,
  listOf,
  numberAt,
  textAt,
  textOf,
  textsAt,
  textsOf,
} from "../kit/json.js";
import { cut } from "../kit/words.js";
import { entryOf, ITEMS_MAX, type OpenItem, withEntry, withoutEntry } from "./codex-state.js";
import type { CodexStep } from "./codex-step.js";

/** Who says it, in which turn, and about which item. */
export interface Place {
  readonly conversationId: string;
  readonly turnId: string;
  readonly itemId: string;
}

export function placeOf(params: JsonObject): Place | null {
  const conversationId = textAt(params, "threadId");
  const turnId = textAt(params, "turnId");
  const itemId = textAt(params, "itemId") ?? textAt(fieldsAt(params, "item"), "id");
  return conversationId === null || turnId === null || itemId === null
    ? null
    : { conversationId, turnId, itemId };
}

export function itemStarted(step: CodexStep, place: Place, item: JsonObject): void {
  const tool = toolItem(item);
  if (!tool) {
    if (isText(item)) openItem(step, place, item);
    return;
  }
  openItem(step, place, item);
  const { itemId: callId } = place;
  // All of a change, before a person is asked about it: the ask may have to cut it short.
  const args = item["type"] === "fileChange" ? { changes: item["changes"] ?? null } : tool.input;
  step.toolStarted(callId, tool.name, { argsDelta: JSON.stringify(args) }, shownAt(step, place));
}

export function itemCompleted(step: CodexStep, place: Place, item: JsonObject): void {
  const { itemId: callId } = place;
  const tool = toolItem(item);
  if (!tool) {
    if (isText(item)) textCompleted(step, place, item);
    else if (item["type"] !== "userMessage") step.metadata({ item }, { streamId: streamOf(step, place) });
    closeItem(step, callId);
    return;
  }
  const { output, outcome, error, diff } = toolResult(item, step.state.cwd);
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
  step.toolEnded(payload, shownAt(step, place));
  noteSubagents(step, callId, item);
  closeItem(step, callId);
}

/** A piece of a message, a plan or a thought. */
export function textStreamed(
  step: CodexStep,
  place: Place,
  event: "text_delta" | "thinking_delta",
  text: string,
): void {
  const known = entryOf(step.state.items, place.itemId);
  if (!known?.streamed) {
    const { conversationId, turnId, itemId } = place;
    const item: OpenItem = { type: "text", conversationId, turnId, streamed: true };
    step.set({ items: withEntry(step.state.items, itemId, item, ITEMS_MAX) });
  }
  step.stream(event, { text }, { ...shownAt(step, place), messageId: place.itemId });
}

export function outputStreamed(step: CodexStep, place: Place, outputDelta: string): void {
  step.tool(place.itemId, { outputDelta }, shownAt(step, place));
}

/**
 * The turn is over, and with it what is still open of it. Commands are not: Codex lets them go on in the background,
 * even past an interrupt, unless a person had not yet been able to say whether they may run. That an interrupt cancels
 * calls is plain from the end of their stream.
 */
export function closeItemsOf(step: CodexStep, conversationId: string, turnId: string, reason: string): void {
  const { items, asks } = step.state;
  const waiting = new Set(Object.values(asks).flatMap((ask) => (ask.answered ? [] : [ask.itemId])));
  for (const [callId, item] of Object.entries(items)) {
    if (item.conversationId !== conversationId || item.turnId !== turnId) continue;
    if (item.type === "commandExecution" && !waiting.has(callId)) continue;
    closeItem(step, callId);
    if (item.type === "text" || reason === "interrupted") continue;
    const place = { conversationId, turnId, itemId: callId };
    step.toolEnded({ callId, isError: true, canceled: true }, shownAt(step, place));
  }
}

/** A stream ends with its turn: what comes after that is in another one. */
export function streamOf(step: CodexStep, place: { conversationId: string; turnId: string }): string {
  const { turnId } = step.conversation(place.conversationId);
  return turnId === place.turnId ? place.turnId : `${place.turnId}:later`;
}

/** A subagent's content stands under the call that started it. */
export function parentOf(step: CodexStep, { conversationId }: { readonly conversationId: string }) {
  const { callId } = step.conversation(conversationId);
  return callId === null ? {} : { parentMessageId: callId };
}

function shownAt(step: CodexStep, place: Place) {
  const isOwn = step.isMain(place.conversationId);
  return { streamId: streamOf(step, place), ...parentOf(step, place), isOwn };
}

function isText({ type }: JsonObject): boolean {
  return type === "agentMessage" || type === "plan" || type === "reasoning";
}

function textCompleted(step: CodexStep, place: Place, item: JsonObject): void {
  if (entryOf(step.state.items, place.itemId)?.streamed) return;
  const thought = item["type"] === "reasoning";
  const parts = listAt(item, "summary").length > 0 ? item["summary"] : item["content"];
  const text = thought ? textsOf(parts).join("\n\n") : (textAt(item, "text") ?? "");
  if (text === "") return;
  const event = thought ? "thinking_delta" : "text_delta";
  step.stream(event, { text }, { ...shownAt(step, place), messageId: place.itemId });
}

/** Diffs of the newest only: Codex asks about a change right after it has begun. */
const CHANGES_MAX = 4;

function openItem(step: CodexStep, { conversationId, turnId, itemId }: Place, item: JsonObject): void {
  const type = isText(item) ? "text" : (textAt(item, "type") ?? "");
  const server = textAt(item, "server");
  const tool = textAt(item, "tool");
  const opened: OpenItem = {
    type,
    conversationId,
    turnId,
    ...(type === "fileChange" ? { changes: fileChanges(item["changes"], step.state.cwd) } : {}),
    ...(type === "mcpToolCall" && server !== null && tool !== null ? { mcp: { server, tool } } : {}),
  };
  const items = withEntry(step.state.items, itemId, opened, ITEMS_MAX);
  step.set({ items: opened.changes ? withFewChanges(items) : items });
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

function closeItem(step: CodexStep, itemId: string): void {
  if (Object.hasOwn(step.state.items, itemId)) step.set({ items: withoutEntry(step.state.items, itemId) });
}

/** Which call started which subagent. */
function noteSubagents(step: CodexStep, callId: string, item: JsonObject): void {
  if (item["type"] !== "collabAgentToolCall" || item["tool"] !== "spawnAgent") return;
  for (const id of textsAt(item, "receiverThreadIds"))
    if (id !== "" && !step.isMain(id)) step.setConversation(id, { callId });
}

export interface ToolItem {
  readonly name: string;
  readonly input: Json;
}

export interface ToolResult {
  readonly output: Json;
  readonly outcome: "ok" | "failed" | "declined";
  readonly error?: string;
  readonly diff?: string;
}

/** Null for an item that is no tool call. */
export function toolItem(item: JsonObject): ToolItem | null {
  switch (item["type"]) {
    case "commandExecution":
      return { name: "commandExecution", input: { command: text(item["command"]), cwd: text(item["cwd"]) } };
    case "fileChange":
      return { name: "fileChange", input: { changes: summaries(item["changes"]) } };
    case "mcpToolCall":
      return {
        name: `${text(item["server"])}/${text(item["tool"])}`,
        input: item["arguments"] ?? null,
      };
    case "dynamicToolCall":
      return { name: text(item["tool"]), input: item["arguments"] ?? null };
    case "collabAgentToolCall": {
      const { prompt = null, receiverThreadIds: agents = [] } = item;
      return { name: text(item["tool"]), input: { prompt, agents } };
    }
    case "webSearch":
      return { name: "webSearch", input: { query: text(item["query"]), action: item["action"] ?? null } };
    case "imageView":
      return { name: "imageView", input: { path: text(item["path"]) } };
    case "imageGeneration":
      return { name: "imageGeneration", input: { prompt: item["revisedPrompt"] ?? null } };
    case "sleep":
      return { name: "sleep", input: { durationMs: numberAt(item, "durationMs") } };
    default:
      return null;
  }
}

/** Of a call that is completed. */
export function toolResult(item: JsonObject, cwd: string): ToolResult {
  const outcome = outcomeOf(item);
  switch (item["type"]) {
    case "commandExecution": {
      const exitCode = numberAt(item, "exitCode");
      const error = outcome === "failed" && exitCode !== null ? { error: `exit code ${exitCode}` } : {};
      return { output: text(item["aggregatedOutput"]), outcome, ...error };
    }
    case "fileChange":
      return { output: "", outcome, diff: shownChanges(item["changes"], cwd) };
    case "mcpToolCall": {
      const error = textAt(fieldsAt(item, "error"), "message");
      const output = contentText(fieldsAt(item, "result")["content"]);
      return error === null ? { output, outcome } : { output, outcome: "failed", error };
    }
    case "dynamicToolCall":
      return { output: contentText(item["contentItems"]), outcome };
    case "collabAgentToolCall":
      return { output: item["agentsStates"] ?? "", outcome };
    case "webSearch":
      return { output: item["results"] ?? "", outcome };
    default:
      return { output: "", outcome };
  }
}

function outcomeOf({ status, success }: JsonObject): ToolResult["outcome"] {
  if (status === "declined") return "declined";
  return status === "failed" || status === "interrupted" || success === false ? "failed" : "ok";
}

/** The texts of an MCP result; what is no text stays as it is. */
function contentText(content: Json | undefined): Json {
  const parts = listOf(content);
  const texts = parts.map((part) => fieldsOf(part)["text"]);
  if (parts.length > 0 && texts.every((part) => typeof part === "string")) return texts.join("\n");
  return content ?? "";
}

/** Which files, and how; the contents are in the diff. */
export function summaries(changes: Json | undefined): Json {
  return listOf(changes).map((change) => {
    const { path, kind } = fieldsOf(change);
    const { type = null, move_path } = fieldsOf(kind);
    const moved = textOf(move_path);
    return { path: text(path), kind: type, ...(moved === null ? {} : { movedTo: moved }) };
  });
}

function text(value: Json | undefined): string {
  return textOf(value) ?? "";
}

export interface FileChanges {
  /** Every file that it writes, moves or deletes; null when there are too many to keep. */
  readonly paths: readonly string[] | null;
  /** Unified, for a person; its end may be cut off. */
  readonly diff: string;
}

const PATHS_MAX = 500;
const DIFF_LENGTH_MAX = 60_000;

/** A rule must see every file: an incomplete list would let the rest pass unseen. */
export function fileChanges(changes: Json | undefined, cwd: string): FileChanges {
  const paths = listOf(changes).flatMap((change) => pathsOf(change));
  const complete = paths.length > 0 && paths.length <= PATHS_MAX && !paths.includes(null);
  return {
    paths: complete ? [...new Set(paths.filter((path) => path !== null))] : null,
    diff: cut(shownChanges(changes, cwd), DIFF_LENGTH_MAX),
  };
}

export function shownChanges(changes: Json | undefined, cwd: string): string {
  return listOf(changes)
    .map((change) => oneDiff(fieldsOf(change), cwd))
    .join("");
}

/** Older versions ask with changes by path, in words of their own. */
export function changesByPath(fileChanges: Json | undefined): Json {
  return Object.entries(fieldsOf(fileChanges)).map(([path, change]) => {
    const { type = null, content, unified_diff, move_path } = fieldsOf(change);
    return { path, kind: { type, move_path: move_path ?? null }, diff: content ?? unified_diff ?? "" };
  });
}

function pathsOf(change: Json): readonly (string | null)[] {
  const { path, kind } = fieldsOf(change);
  const target = textAt(fieldsOf(kind), "move_path");
  return target === null ? [textOf(path)] : [textOf(path), target];
}

function oneDiff(change: Readonly<Record<string, Json>>, cwd: string): string {
  const path = shortPath(textAt(change, "path") ?? "?", cwd);
  const kind = fieldsAt(change, "kind");
  const text = textAt(change, "diff") ?? "";
  switch (kind["type"]) {
    case "add":
      return `--- /dev/null\n+++ b/${path}\n${wholeFile(text, "+")}`;
    case "delete":
      return `--- a/${path}\n+++ /dev/null\n${wholeFile(text, "-")}`;
    default: {
      const target = textAt(kind, "move_path");
      const hunks = target === null ? text : text.replace(/\n*Moved to: [^\n]*\n?$/, "\n");
      return `--- a/${path}\n+++ b/${target === null ? path : shortPath(target, cwd)}\n${ended(hunks)}`;
    }
  }
}

/** Codex gives the whole text of a file that is added or deleted. */
function wholeFile(text: string, sign: "+" | "-"): string {
  if (text === "") return "";
  const lines = text.replace(/\n$/, "").split("\n");
  const range = lines.length === 1 ? "1" : `1,${lines.length}`;
  const head = sign === "+" ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`;
  const end = text.endsWith("\n") ? "" : "\\ No newline at end of file\n";
  return `${head}\n${lines.map((line) => `${sign}${line}\n`).join("")}${end}`;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function shortPath(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
