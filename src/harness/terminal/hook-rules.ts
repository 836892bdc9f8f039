/** What Claude's hooks mean. They come at once and are never wrong, but Esc and the end of a dialog fire none. */
import { createHash } from "node:crypto";
import { isPossible, isPromptOf, type Json } from "../../core/index.js";
import { cut } from "../cut.js";
import type { ClaudeHook } from "./claude-hooks.js";
import type { Telling } from "./telling.js";
import type { AskWords, ToldRequest } from "./terminal-state.js";

const CALLS_MAX = 16;
const REQUESTS_MAX = 8;
const DETAIL_LENGTH_MAX = 4_000;
/** As JSON. What is larger is not kept for later. */
const TOOL_LENGTH_MAX = 16 * 1024;

export function takeHook(hook: ClaudeHook, telling: Telling): void {
  const { state } = telling;
  switch (hook.hook_event_name) {
    case "SessionStart":
      telling.change({ hasHooks: true });
      // One that is to go on is ready when it can be given something: the screen shows that.
      if (!state.continues || state.isReady) telling.ready(hook.session_id);
      else if (hook.session_id !== undefined) telling.change({ sessionId: hook.session_id });
      return;
    case "UserPromptSubmit":
      enterPrompt(telling);
      return;
    case "PreToolUse":
      goOn(telling);
      startCall(hook, telling);
      return;
    case "PermissionRequest":
      goOn(telling);
      takeRequest(hook, telling);
      return;
    case "PostToolUse":
    case "PostToolUseFailure":
      endCall(hook, telling);
      return;
    case "Notification":
      // After a minute of waiting: should the end of the turn have escaped everybody, it is known now.
      if (hook.notification_type === "idle_prompt" && !state.ask) telling.over("completed");
      return;
    case "Stop":
      stop(hook, telling);
      return;
    case "StopFailure":
      telling.change({ sawWait: false });
      telling.over("failed", hook.last_assistant_message);
      return;
    case "SubagentStop":
    case "SessionEnd":
      // What it was part of goes on; and only the process's end is its end (004).
      return;
    default:
      telling.unknown(`hook:${hook.hook_event_name}`);
  }
}

/** Nobody enters one while a dialog is shown: then the dialog is gone, and the turn it was in with it. */
function enterPrompt(telling: Telling): void {
  const { doing, ask, queuedPrompts } = telling.state;
  if (doing === "working" && !ask) telling.change({ queuedPrompts: queuedPrompts + 1 });
  telling.closeAsk();
  telling.change({ requests: [] });
  goOn(telling);
}

function goOn(telling: Telling): void {
  telling.begin(false);
  telling.change({ hasHooks: true, isHookTurn: true, sawStop: false });
}

/** A prompt that was entered meanwhile follows at once, or was taken into this turn: then the screen shows the end. */
function stop(hook: ClaudeHook, telling: Telling): void {
  const { queuedPrompts, background } = telling.state;
  const count = hook.background_tasks?.length ?? background;
  if (count !== background) {
    telling.change({ background: count });
    telling.fact({ type: "background_changed", count });
  }
  telling.change({ sawWait: false });
  if (queuedPrompts > 0) telling.change({ queuedPrompts: queuedPrompts - 1, sawStop: true });
  else telling.over("completed");
}

function startCall(hook: ClaudeHook, telling: Telling): void {
  const { tool_use_id: callId, tool_name: toolName = "" } = hook;
  if (callId === undefined || callId === "") return;
  const calls = [...telling.state.calls, { callId, digest: digestOf(hook) }].slice(-CALLS_MAX);
  telling.change({ calls });
  telling.fact({ type: "tool_started", callId, toolName });
}

function endCall(hook: ClaudeHook, telling: Telling): void {
  const { tool_use_id: callId } = hook;
  const { ask, calls, requests } = telling.state;
  if (callId === undefined || callId === "") return;
  if (ask?.request?.call === callId) telling.closeAsk();
  telling.change({
    calls: calls.filter((call) => call.callId !== callId),
    requests: requests.filter(({ call }) => call !== callId),
  });
  telling.fact({ type: "tool_finished", callId, ok: hook.hook_event_name === "PostToolUse" });
}

/**
 * The same prompt may have been seen on the screen before. While another request is asked, this one waits until its own
 * prompt is seen: what is on the screen is not its dialog.
 */
function takeRequest(hook: ClaudeHook, telling: Telling): void {
  const { ask, calls, requests } = telling.state;
  const digest = digestOf(hook);
  const call = calls.findLast((started) => started.digest === digest)?.callId ?? null;
  const request = requestOf(hook, call, digest);
  const kept = keptOf(request);
  if (!ask) {
    telling.openAsk(request, { fingerprint: null, request: kept, shown: null });
    telling.change({ lastFingerprint: null });
  } else if (ask.answer === null && ask.shown && isShownAs(ask.shown, request, requests)) {
    telling.redescribeAsk({ ...ask, request: kept, shown: null }, request);
  } else if (![ask.request, ...requests].some((known) => call !== null && known?.call === call)) {
    telling.change({ requests: [...requests, kept].slice(0, REQUESTS_MAX) });
  }
}

function isShownAs(
  shown: { readonly title: string; readonly detail: string },
  request: ToldRequest,
  others: readonly ToldRequest[],
): boolean {
  return isPromptOf(shown, request) || (others.length === 0 && isPossible(shown, request));
}

function requestOf(
  { tool_name: name = "", tool_input: input = null }: ClaudeHook,
  call: string | null,
  digest: string,
): ToldRequest {
  const detail = cut(detailOf(input), DETAIL_LENGTH_MAX);
  const note = noteOf(input).slice(0, DETAIL_LENGTH_MAX);
  return { fact: kindOf(name), title: name, detail, note, tool: { name, input }, call, digest };
}

/** As it is kept while it waits: of one that is too large no more is known than what a screen shows. */
function keptOf(request: ToldRequest): ToldRequest {
  if (JSON.stringify(request.tool).length <= TOOL_LENGTH_MAX) return request;
  const { title, detail } = request;
  return { ...request, tool: { name: "screen", input: { title, detail } } };
}

function kindOf(name: string): AskWords["fact"] {
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
