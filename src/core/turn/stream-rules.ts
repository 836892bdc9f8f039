/** What the model's stream says. */
import { ignored } from "../step.js";
import { suggestionIn } from "./call-input.js";
import type { Change } from "./change.js";
import type { TurnRows } from "./events.js";
import { rule } from "./rule.js";
import {
  FOREIGN_CALLS_MAX,
  STREAM_STATUSES,
  TOOLS_MAX,
  isKnownCall,
  isOpenForeignCall,
  isUnresolved,
  type StreamStatus,
  type Tool,
  type TurnState,
} from "./state.js";

export const startStreaming = rule<TurnRows["stream_started"]>(
  ["streaming"],
  "the model answers",
  (change) => {
    change.setMode({ type: "turn", stream: "streaming", status: null });
  },
);

export const addText = rule<TurnRows["stream_chunk"]>(["same"], "collects the text", (change, event) => {
  change.set("text", change.state.text + event.text);
});

export const showStatus = rule<TurnRows["stream_status_changed"]>(
  ["same"],
  "shows the status; an unknown one means thinking",
  (change, event) => {
    const status: StreamStatus = STREAM_STATUSES.find((known) => known === event.status) ?? "thinking";
    change.setMode({ type: "turn", stream: "streaming", status });
  },
);

export const callTool = rule<TurnRows["stream_tool_call"]>(
  ["same"],
  "appends the call and checks permission; a call that cannot run gets its error result at once; a known id is ignored",
  (change, event) => {
    if (isKnownCall(change.state, event.id)) return ignored(change.state, "this call is known already");
    const { id, name, input } = event;
    change.commitText();
    change.append({ type: "tool_call", id, name, input });
    if (configOf(change.state, name)?.remote === true) {
      openForeignCall(change, id);
      return undefined;
    }
    const flaw = callFlaw(change.state, event);
    addTool(change, { id, name, input, state: flaw === null ? "checking_permission" : "completed" });
    if (flaw === null) change.emit({ type: "check_permission", toolId: id, name, input });
    else change.appendResult(id, `Error: ${flaw}`, true);
    return undefined;
  },
);

export const takeServerResult = rule<TurnRows["stream_server_tool_result"]>(
  ["same"],
  "appends the result of an open remote call; any other is ignored, so that no call has two and none is without a call",
  (change, event) => {
    const { toolUseId, content, isError, remote, contentLength } = event;
    if (!isOpenForeignCall(change.state, toolUseId)) return ignored(change.state, "no open remote call");
    const length = contentLength === undefined ? {} : { contentLength };
    change.append({ type: "tool_result", toolUseId, content, isError, remote, ...length });
    change.set(
      "foreignCalls",
      change.state.foreignCalls.map((call) => (call.id === toolUseId ? { ...call, open: false } : call)),
    );
    return undefined;
  },
);

export const suggest = rule<TurnRows["suggest_command"]>(
  ["idle", "connecting", "same"],
  "keeps the command, cancels what is left of the turn and ends it; a known id is ignored",
  (change, event) => {
    const { id, input } = event;
    if (isKnownCall(change.state, id)) return ignored(change.state, "this call is known already");
    change.commitText();
    change.append({ type: "tool_call", id, name: "suggest_command", input });
    change.appendResult(id, "The command was shown to the user.", false);
    change.abortTools();
    change.resolvePending("Error: cancelled, because the turn ended with a suggested command");
    change.abortStream();
    addForeignCall(change, id, false);
    change.set("suggestion", suggestionIn(input) ?? change.state.suggestion);
    change.endTurn();
    return undefined;
  },
);

export const endStream = rule<TurnRows["stream_done"]>(
  ["done", "idle", "connecting", "error"],
  "the stream is over; once every tool is resolved the turn goes on with the results, or ends",
  (change, event) => {
    change.commitText();
    change.keepSessionId(event.sessionId);
    change.closeForeignCalls("Error: the stream ended without a result for this tool call");
    change.setMode({ type: "turn", stream: "done", status: null });
    change.settle();
  },
);

export const keepSession = rule<TurnRows["stream_done"]>(["same"], "only keeps the id", (change, event) => {
  change.keepSessionId(event.sessionId);
  change.emit({ type: "persist" });
});

export const failTurn = rule<TurnRows["stream_error"]>(
  ["error"],
  "aborts tools, resolves every open call, keeps the partial text",
  (change, event) => {
    change.abortTools();
    change.resolvePending("Error: the stream failed before this tool call was finished");
    change.commitText();
    change.fail(event.message);
  },
);

function configOf(state: TurnState, name: string) {
  return Object.hasOwn(state.config.tools, name) ? state.config.tools[name] : undefined;
}

/** Why this call cannot run, or null. */
function callFlaw(state: TurnState, event: TurnRows["stream_tool_call"]): string | null {
  const config = configOf(state, event.name);
  if (config === undefined) return `there is no tool named ${event.name}`;
  if (event.invalid !== undefined) return `invalid input: ${event.invalid}`;
  const capability = config.capability ?? null;
  if (capability !== null && !state.config.capabilities.includes(capability)) {
    return `this client does not offer ${capability}`;
  }
  if (state.tools.filter(isUnresolved).length >= TOOLS_MAX) return `${TOOLS_MAX} tool calls are open already`;
  return null;
}

/** A tool of the turn. The oldest resolved tools make room for it. */
function addTool(change: Change, tool: Tool): void {
  const { mode, tools, turnToolIds } = change.state;
  if (mode.type === "turn") change.setMode({ ...mode, status: null });
  change.set("tools", newest([...tools, tool], TOOLS_MAX, isUnresolved));
  change.set("turnToolIds", [...turnToolIds, tool.id]);
}

/** Once the stream is over its result cannot come any more, and there is a limit to what is remembered as open. */
function openForeignCall(change: Change, callId: string): void {
  const { mode, foreignCalls } = change.state;
  const over = mode.type === "turn" && mode.stream === "done";
  const open = !over && foreignCalls.filter((call) => call.open).length < FOREIGN_CALLS_MAX;
  addForeignCall(change, callId, open);
  if (!open) change.appendResult(callId, "Error: no result can be taken for this tool call", true);
}

function addForeignCall(change: Change, callId: string, open: boolean): void {
  const calls = [...change.state.foreignCalls, { id: callId, open }];
  change.set(
    "foreignCalls",
    newest(calls, FOREIGN_CALLS_MAX, (call) => call.open),
  );
}

/** At most `max`, dropping the oldest that need not be kept. */
function newest<T>(items: readonly T[], max: number, mustKeep: (item: T) => boolean): readonly T[] {
  let excess = items.length - max;
  if (excess <= 0) return items;
  return items.filter((item) => mustKeep(item) || (excess -= 1) < 0);
}
