/** What can happen next in the world of a turn. */
import { SKILL, textOf, worldAfter, type Ghost } from "./turn-ghost.js";
import type { Move, Node as AnyNode } from "./search.js";
import type { TurnEffect } from "../../src/core/turn/effects.js";
import { PERMISSION_CHOICES, type TurnEvent } from "../../src/core/turn/events.js";
import type { TurnState } from "../../src/core/turn/state.js";

export type TurnNode = AnyNode<TurnState, Ghost>;
export type TurnMove = Move<TurnState, TurnEvent, TurnEffect, Ghost>;

type Call = Extract<TurnEvent, { type: "stream_tool_call" | "suggest_command" }>;

/** Everything the model may call, by id. */
export const CALLS: Readonly<Record<string, Call>> = {
  read: { type: "stream_tool_call", id: "read", name: "read_file", input: {} },
  shell: { type: "stream_tool_call", id: "shell", name: "shell", input: {} },
  unknown: { type: "stream_tool_call", id: "unknown", name: "toString", input: {} },
  invalid: { type: "stream_tool_call", id: "invalid", name: "read_file", input: {}, invalid: "no path" },
  incapable: { type: "stream_tool_call", id: "incapable", name: "edit_file", input: {} },
  remote: { type: "stream_tool_call", id: "remote", name: "web_search", input: {} },
  safe: { type: "suggest_command", id: "safe", input: { command: "ls" } },
  risky: { type: "suggest_command", id: "risky", input: { command: "rm", danger: "high" } },
};

export const CONFIG: TurnState["config"] = {
  capabilities: ["files", "shell"],
  tools: {
    read_file: { capability: "files" },
    edit_file: { capability: "edits" },
    shell: { capability: "shell", timeoutMs: 1000 },
    web_search: { remote: true },
  },
  maxContinuations: 1,
};

/** Confirmations are not asked for again and again for ever. */
const TIMEOUTS_MAX = 2;

export function movesFrom(node: TurnNode): readonly TurnMove[] {
  const events = [...requests(node), ...streamFacts(node), ...lateFacts(node), ...toolFacts(node)];
  return events.map((event) => ({ event, ghost: (step) => worldAfter(node.ghost, event, step) }));
}

/** A person may ask for anything at any time, sensible or not. */
function requests({ state, ghost }: TurnNode): TurnEvent[] {
  const events: TurnEvent[] = [{ type: "cancel" }, { type: "retry" }, { type: "interrupt_tools" }];
  if (ghost.budget.noise) {
    events.push({ type: "insert_command" }, { type: "slash_command", command: "/help", content: "help" });
  }
  const next = Object.keys(ghost.messages).find((messageId) => ghost.messages[messageId] === "new");
  if (next !== undefined) events.push({ type: "user_submit", messageId: next, text: textOf(next) });
  if (!wouldConfirm(state) || state.nextTimeoutId < TIMEOUTS_MAX) events.push({ type: "execute_command" });
  if (ghost.budget.sessions > 0) events.push({ type: "new_session" });
  if (ghost.skill === "new") events.push({ type: "request_skill_load", name: SKILL });
  for (const { id: toolId } of state.tools) {
    const choices = ghost.asks.includes(toolId) ? choicesIn(ghost) : (["allow"] as const);
    for (const choice of choices) events.push({ type: "permission_user_choice", toolId, choice });
  }
  return events;
}

/** The ways to allow differ only in what is remembered. */
function choicesIn({ budget }: Ghost): typeof PERMISSION_CHOICES | readonly ["allow", "deny"] {
  return budget.noise ? PERMISSION_CHOICES : (["allow", "deny"] as const);
}

function wouldConfirm({ mode, suggestion }: TurnState): boolean {
  return mode.type === "idle" && mode.confirmation === null && suggestion?.danger === "high";
}

/** The stream that talks can always go on, end or break. */
function streamFacts({ state, ghost }: TurnNode): TurnEvent[] {
  const { live: streamId, budget } = ghost;
  if (streamId === 0) return [];
  const events: TurnEvent[] = [
    { type: "stream_started", streamId },
    { type: "stream_server_tool_result", ...serverResult("remote"), streamId },
    { type: "stream_done", sessionId: `c${ghost.streamConversation}`, streamId },
  ];
  if (budget.errors > 0) events.push({ type: "stream_error", message: "broken", streamId });
  if (ghost.unsaid === "") events.push({ type: "stream_chunk", text: "word", streamId });
  if (budget.statuses && !isSearching(state)) {
    events.push({ type: "stream_status_changed", status: "searching", streamId });
  }
  for (const callId of [...budget.calls, ...Object.keys(ghost.results)])
    events.push(callOf(callId, streamId));
  return events;
}

function isSearching({ mode }: TurnState): boolean {
  return mode.type === "turn" && mode.status === "searching";
}

/** What an ended, aborted or older stream still says. Only a late call is worth a place in the budget. */
function lateFacts({ state, ghost }: TurnNode): TurnEvent[] {
  const { budget, live } = ghost;
  const streamId = live === 0 ? state.streamId : live - 1;
  if (streamId === 0 || !budget.noise) return [];
  const events: TurnEvent[] = [
    { type: "stream_chunk", text: "late", streamId },
    { type: "stream_done", sessionId: live === 0 ? `c${ghost.streamConversation}` : "late", streamId },
  ];
  if (live === 0) {
    events.push({ type: "stream_started", streamId });
    events.push({ type: "stream_status_changed", status: "searching", streamId });
    events.push({ type: "stream_server_tool_result", ...serverResult("remote"), streamId });
  }
  if (budget.errors > 0) events.push({ type: "stream_error", message: "late", streamId });
  for (const callId of budget.calls) events.push(callOf(callId, streamId));
  return events;
}

function callOf(callId: string, streamId: number): TurnEvent {
  const call = CALLS[callId];
  if (!call) throw new Error(`no call ${callId}`);
  return { ...call, streamId };
}

function serverResult(toolUseId: string) {
  return { toolUseId, content: "found", isError: false, remote: true } as const;
}

/** Answers may come late, twice, or for what is over; the machine must know. */
function toolFacts({ state, ghost }: TurnNode): TurnEvent[] {
  const events: TurnEvent[] = [];
  for (const toolId of Object.keys(ghost.results)) {
    const responses = ghost.checks.includes(toolId)
      ? (["allowed", "denied", "ask", "session_granted"] as const)
      : (["allowed"] as const);
    for (const response of responses) events.push({ type: "permission_resolved", toolId, response });
    for (let timeoutId = 0; timeoutId < state.nextTimeoutId; timeoutId += 1) {
      events.push({ type: "tool_execution_timeout", timeoutId, toolId });
    }
    if (ghost.budget.previews) events.push(...previews(toolId));
  }
  for (const toolId of ghost.ran) {
    events.push({ type: "tool_execution_done", toolId, outcome: { isError: false, content: "done" } });
  }
  for (let timeoutId = 0; timeoutId < state.nextTimeoutId; timeoutId += 1) {
    events.push({ type: "confirmation_timeout", timeoutId });
  }
  if (ghost.skill === "loading") {
    events.push({ type: "skill_loaded", name: SKILL, content: "tidy up" });
    events.push({ type: "skill_load_failed", name: SKILL, message: "no such skill" });
  }
  return events;
}

function previews(toolId: string): TurnEvent[] {
  return [
    { type: "tool_preview_update", toolId, lines: ["line"] },
    { type: "tool_preview_update", toolId, lines: ["line"], exitCode: 1 },
  ];
}
