/** What Claude Code's hooks write, as events of the terminal machine. */
import { createHash } from "node:crypto";
import type { Json, TerminalEvent, ToldRequest } from "../../core/index.js";
import { cut } from "../kit/words.js";
import type { ClaudeHook } from "./claude-hooks.js";

const DETAIL_LENGTH_MAX = 4_000;

/** Null: it means nothing, or nobody knows what it means (`isKnown`). */
export function hookEvent(
  hook: ClaudeHook,
  atMs: number,
): { readonly isKnown: boolean; readonly event: TerminalEvent | null } {
  const event = eventOf(hook, atMs);
  return event === "unknown" ? { isKnown: false, event: null } : { isKnown: true, event };
}

function eventOf(hook: ClaudeHook, atMs: number): TerminalEvent | "unknown" | null {
  const callId = hook.tool_use_id === undefined || hook.tool_use_id === "" ? null : hook.tool_use_id;
  switch (hook.hook_event_name) {
    case "SessionStart": {
      const { session_id: sessionId } = hook;
      const isTold = sessionId !== undefined && sessionId !== "";
      return { type: "hook_started", atMs, ...(isTold ? { sessionId } : {}) };
    }
    case "UserPromptSubmit":
      return { type: "hook_prompt", atMs };
    case "PreToolUse":
      return {
        type: "hook_tool_started",
        atMs,
        callId,
        toolName: hook.tool_name ?? "",
        digest: digestOf(hook),
      };
    case "PermissionRequest":
      return { type: "hook_request", atMs, request: requestOf(hook) };
    case "PostToolUse":
    case "PostToolUseFailure":
      return { type: "hook_tool_ended", atMs, callId, ok: hook.hook_event_name === "PostToolUse" };
    case "Notification":
      return hook.notification_type === "idle_prompt" ? { type: "hook_idle", atMs } : null;
    case "Stop": {
      const background = hook.background_tasks?.length;
      return { type: "hook_stopped", atMs, ...(background === undefined ? {} : { background }) };
    }
    case "StopFailure": {
      const { last_assistant_message: text } = hook;
      return { type: "hook_failed", atMs, ...(text === undefined ? {} : { text }) };
    }
    case "SubagentStop":
    case "SessionEnd":
      // What it was part of goes on; and only the process's end is its end (004).
      return null;
    default:
      return "unknown";
  }
}

function requestOf(hook: ClaudeHook): ToldRequest {
  const { tool_name: name = "", tool_input: input = null } = hook;
  const detail = cut(detailOf(input), DETAIL_LENGTH_MAX);
  const note = noteOf(input).slice(0, DETAIL_LENGTH_MAX);
  const tool: Json = { name, input };
  return { fact: kindOf(name), title: name, detail, note, tool, call: null, digest: digestOf(hook) };
}

function kindOf(name: string): ToldRequest["fact"] {
  if (name === "AskUserQuestion") return "ask:followup";
  if (name === "Bash") return "ask:command";
  return name.startsWith("mcp__") ? "ask:use_mcp_server" : "ask:tool";
}

/** What a person must see of it; of a call that we do not know, all. */
function detailOf(input: Json): string {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return JSON.stringify(input);
  const { command, file_path: path, url, questions } = input as Readonly<Record<string, Json>>;
  const named = [command, path, url].find((value) => typeof value === "string");
  if (typeof named === "string") return named;
  return Array.isArray(questions) ? questions.map(questionOf).join("\n") : JSON.stringify(input, null, 2);
}

function noteOf(input: Json): string {
  const note = (input as { readonly description?: Json } | null)?.description;
  return typeof note === "string" ? note : "";
}

function questionOf(question: Json): string {
  const text = (question as { readonly question?: Json } | null)?.question;
  return typeof text === "string" ? text : JSON.stringify(question);
}

/** Names a call where its id is not told. */
function digestOf({ tool_name: name, tool_input: input }: ClaudeHook): string {
  return createHash("sha256")
    .update(JSON.stringify([name, input]))
    .digest("hex")
    .slice(0, 16);
}
