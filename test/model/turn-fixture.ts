/** What the turn machine's tests are written with. */
import type { Step } from "../../src/core/step.js";
import type { TurnEffect } from "../../src/core/turn/effects.js";
import type { TurnEvent } from "../../src/core/turn/events.js";
import { initialTurn, type TurnState } from "../../src/core/turn/state.js";
import { transition } from "../../src/core/turn/turn-machine.js";

export const initial: TurnState = {
  ...initialTurn,
  config: {
    capabilities: ["client_v1_read_file", "client_v1_execute_shell_command"],
    tools: {
      read_file: { capability: "client_v1_read_file" },
      edit_file: { capability: "client_v1_edit_file" },
      execute_shell_command: { capability: "client_v1_execute_shell_command", timeoutMs: 30_000 },
      web_search: { remote: true },
    },
    maxContinuations: 200,
  },
};

export const submit: TurnEvent = { type: "user_submit", messageId: "m1", text: "hello" };
export const started: TurnEvent = { type: "stream_started" };
export const done: TurnEvent = { type: "stream_done", sessionId: "" };
export const input = { file_path: "/tmp/test.txt" };

export function chunk(text: string): TurnEvent {
  return { type: "stream_chunk", text };
}

export function call(id: string, name = "read_file"): TurnEvent {
  return { type: "stream_tool_call", id, name, input };
}

export function resolved(
  response: "allowed" | "denied" | "ask" | "session_granted",
  toolId = "t1",
): TurnEvent {
  return { type: "permission_resolved", toolId, response };
}

export function finished(toolId = "t1"): TurnEvent {
  return { type: "tool_execution_done", toolId, outcome: { isError: false, content: "contents" } };
}

export function play(state: TurnState, ...events: readonly TurnEvent[]): TurnState {
  return events.reduce((at, event) => transition(at, event).state, state);
}

export function ok(state: TurnState, ...effects: readonly TurnEffect[]): Step<TurnState, TurnEffect> {
  return { state, effects, result: "ok" };
}

export function result(toolUseId: string, content: string, isError: boolean): TurnEffect {
  return { type: "append", entry: { type: "tool_result", toolUseId, content, isError, remote: false } };
}

export const connecting = { type: "turn", stream: "connecting", status: null } as const;
export const streaming = { type: "turn", stream: "streaming", status: null } as const;
export const streamDone = { type: "turn", stream: "done", status: null } as const;
export const idle = { type: "idle", confirmation: null } as const;
