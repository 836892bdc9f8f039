/** A tool call as an agent describes it: in a `tool_call`, an update to one, or a request for permission. */
import type { Json } from "../../core/index.js";
import {
  asObject,
  fieldAt,
  firstTextAt,
  isObject,
  listAt,
  objectAt,
  textAt,
  type JsonObject,
} from "./json-fields.js";
import { unifiedDiff } from "./unified-diff.js";

export interface DescribedCall {
  readonly callId: string;
  readonly title: string | null;
  /** The tool's own name, where it is told. */
  readonly name: string | null;
  readonly kind: string | null;
  readonly status: string | null;
  /** Undefined while nothing is known of it. */
  readonly input: Json | undefined;
  readonly paths: readonly string[];
  readonly diffs: readonly FileDiff[];
  /** Terminals that it shows. */
  readonly terminals: readonly string[];
  /** Texts of its content; what it puts out, once it runs. */
  readonly text: string;
  /** What it put out since the last update. */
  readonly outputDelta: string | null;
  readonly rawOutput: Json | undefined;
}

export interface FileDiff {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
}

/** Null: it has no id, and cannot be told from others. */
export function readCall(call: JsonObject): DescribedCall | null {
  const callId = textAt(call, "toolCallId");
  if (callId === null || callId === "") return null;
  const content = listAt(call, "content").map(asObject);
  const input = fieldAt(call, "rawInput");
  const terminal = objectAt(objectAt(call, "_meta"), "terminal_output_delta");
  return {
    callId,
    title: firstTextAt(call, ["title"]),
    name: nameIn(call, callId, input),
    kind: textAt(call, "kind"),
    status: textAt(call, "status"),
    input: isObject(input) && Object.keys(input).length === 0 ? undefined : input,
    paths: listAt(call, "locations").flatMap((location) => textAt(asObject(location), "path") ?? []),
    diffs: content.flatMap((part) => diffIn(part) ?? []),
    terminals: content.flatMap((part) => terminalIn(part) ?? []),
    text: content.flatMap((part) => textIn(part) ?? []).join("\n"),
    outputDelta: firstTextAt(terminal, ["data"]),
    rawOutput: fieldAt(call, "rawOutput"),
  };
}

/** As one text, for a person. */
export function shownDiffs(diffs: readonly FileDiff[]): string {
  return diffs.map(({ path, oldText, newText }) => unifiedDiff(path, oldText, newText)).join("");
}

/** The text of a block of content; a word for what is no text. */
export function blockText(block: JsonObject): string {
  const text = textAt(block, "text") ?? textAt(objectAt(block, "resource"), "text");
  if (text !== null) return text;
  const uri = textAt(block, "uri") ?? textAt(objectAt(block, "resource"), "uri");
  return uri ?? `[${textAt(block, "type") ?? "content"}]`;
}

function textIn(part: JsonObject): string | null {
  return textAt(part, "type") === "content" ? blockText(objectAt(part, "content")) : null;
}

function terminalIn(part: JsonObject): string | null {
  return textAt(part, "type") === "terminal" ? textAt(part, "terminalId") : null;
}

function diffIn(part: JsonObject): FileDiff | null {
  const [path, newText] = [textAt(part, "path"), textAt(part, "newText")];
  if (textAt(part, "type") !== "diff" || path === null || newText === null) return null;
  return { path, oldText: textAt(part, "oldText"), newText };
}

function nameIn(call: JsonObject, callId: string, input: Json | undefined): string | null {
  const { server, tool } = asObject(input);
  // Codex calls tools of MCP servers so.
  if (typeof server === "string" && typeof tool === "string") return `mcp__${server}__${tool}`;
  const meta = objectAt(call, "_meta");
  const told =
    firstTextAt(call, ["name"]) ??
    firstTextAt(objectAt(meta, "claudeCode"), ["toolName"]) ??
    firstTextAt(meta, ["toolName"]);
  // Gemini CLI tells it in the id only: `name__name_time_index`.
  return told ?? /^(.+)__\1_\d+_\d+$/.exec(callId)?.[1] ?? null;
}
