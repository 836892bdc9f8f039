/**
 * What the machine must answer, told from the world instead of the table: which requests make sense and which facts mean
 * something. The table could be wrong; this is a second opinion.
 */
import type { Result } from "../../src/core/step.js";
import { isStreamFact, type StreamFact, type TurnEvent } from "../../src/core/turn/events.js";
import { toolOf } from "../../src/core/turn/state.js";
import type { TurnNode } from "./turn-moves.js";

export function expectedResult(node: TurnNode, event: TurnEvent): Result {
  if (isStreamFact(event)) return isHeard(node, event) ? "ok" : "ignored";
  const { state, ghost } = node;
  const { mode } = state;
  switch (event.type) {
    case "user_submit":
    case "cancel":
    case "slash_command":
    case "request_skill_load":
    case "skill_loaded":
    case "skill_load_failed":
      return "ok";
    case "execute_command":
    case "insert_command":
    case "new_session":
      return mode.type === "idle" ? "ok" : "rejected";
    case "retry":
      return mode.type === "error" ? "ok" : "rejected";
    case "interrupt_tools":
      return ghost.running.some((toolId) => ghost.results[toolId] === 0) ? "ok" : "rejected";
    case "permission_user_choice":
      return ghost.asks.includes(event.toolId) ? "ok" : "rejected";
    case "permission_resolved":
      return ghost.checks.includes(event.toolId) ? "ok" : "ignored";
    case "tool_execution_done":
      return isRunning(node, event.toolId) ? "ok" : "ignored";
    case "tool_execution_timeout": {
      const isIts = toolOf(state, event.toolId)?.timeoutId === event.timeoutId;
      return isRunning(node, event.toolId) && isIts ? "ok" : "ignored";
    }
    case "tool_preview_update":
      return ghost.inTurn && toolOf(state, event.toolId) ? "ok" : "ignored";
    case "confirmation_timeout":
      return mode.type === "idle" && mode.confirmation?.timeoutId === event.timeoutId ? "ok" : "ignored";
  }
}

/** Running, and nothing has resolved it meanwhile. */
function isRunning({ ghost }: TurnNode, toolId: string): boolean {
  return ghost.running.includes(toolId) && ghost.results[toolId] === 0;
}

/** A stream is heard while it talks; of what it says after that only its id counts, and what it does to an open turn. */
function isHeard({ state, ghost }: TurnNode, event: StreamFact): boolean {
  if (event.streamId !== state.streamId || ghost.streamConversation !== ghost.conversation) return false;
  const isStreaming = state.mode.type === "turn" && state.mode.stream === "streaming";
  const isConnecting = state.mode.type === "turn" && state.mode.stream === "connecting";
  switch (event.type) {
    case "stream_started":
      return isConnecting;
    case "stream_chunk":
    case "stream_status_changed":
      return isStreaming;
    case "stream_server_tool_result":
      return isStreaming && ghost.results[event.toolUseId] === 0;
    case "stream_tool_call":
    case "suggest_command":
      return ghost.inTurn && !(event.id in ghost.results);
    case "stream_error":
      return ghost.inTurn;
    case "stream_done":
      return true;
  }
}
