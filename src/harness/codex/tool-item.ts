/** Codex's items that are tool calls: their names, what goes in and what came out. */
import type { Json } from "../../core/index.js";
import { asFields, asList, asNumber, asText, type Fields } from "./read-json.js";
import { unifiedDiff } from "./file-changes.js";

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
export function toolItem(item: Fields): ToolItem | null {
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
      return { name: "sleep", input: { durationMs: asNumber(item["durationMs"]) } };
    default:
      return null;
  }
}

/** Of a call that is completed. */
export function toolResult(item: Fields, cwd: string): ToolResult {
  const outcome = outcomeOf(item);
  switch (item["type"]) {
    case "commandExecution": {
      const exitCode = asNumber(item["exitCode"]);
      const error = outcome === "failed" && exitCode !== null ? { error: `exit code ${exitCode}` } : {};
      return { output: text(item["aggregatedOutput"]), outcome, ...error };
    }
    case "fileChange":
      return { output: "", outcome, diff: unifiedDiff(item["changes"], cwd) };
    case "mcpToolCall": {
      const error = asText(asFields(item["error"])["message"]);
      const output = contentText(asFields(item["result"])["content"]);
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

function outcomeOf({ status, success }: Fields): ToolResult["outcome"] {
  if (status === "declined") return "declined";
  return status === "failed" || status === "interrupted" || success === false ? "failed" : "ok";
}

/** The texts of an MCP result; what is no text stays as it is. */
function contentText(content: Json | undefined): Json {
  const parts = asList(content);
  const texts = parts.map((part) => asFields(part)["text"]);
  if (parts.length > 0 && texts.every((part) => typeof part === "string")) return texts.join("\n");
  return content ?? "";
}

/** Which files, and how; the contents are in the diff. */
export function summaries(changes: Json | undefined): Json {
  return asList(changes).map((change) => {
    const { path, kind } = asFields(change);
    const { type = null, move_path } = asFields(kind);
    const moved = asText(move_path);
    return { path: text(path), kind: type, ...(moved === null ? {} : { movedTo: moved }) };
  });
}

function text(value: Json | undefined): string {
  return asText(value) ?? "";
}
