/** What becomes of the tools of a turn: permission, execution, timeouts. */
import { ignored } from "../step.js";
import { askedTimeoutMs } from "./call-input.js";
import type { Change } from "./change.js";
import type { TurnRows } from "./events.js";
import { rule } from "./rule.js";
import { isUnresolved, toolOf, type Tool, type TurnState } from "./state.js";

export const resolvePermission = rule<TurnRows["permission_resolved"]>(
  ["same", "connecting", "error"],
  "runs, denies or waits for the person; only while permission is being checked",
  (change, event) => {
    const tool = toolOf(change.state, event.toolId);
    if (tool?.state !== "checking_permission") return ignored(change.state, "not checking permission");
    switch (event.response) {
      case "allowed":
      case "session_granted":
        executeTool(change, tool);
        break;
      case "ask":
        change.replaceTool({ ...tool, state: "awaiting_permission" });
        break;
      case "denied":
        resolveTool(
          change,
          { ...tool, state: "denied" },
          "Error: a permission rule denies this tool call",
          true,
        );
        break;
    }
    return undefined;
  },
);

export const finishTool = rule<TurnRows["tool_execution_done"]>(
  ["same", "connecting", "error"],
  "appends the result of an executing tool; the last one lets the turn go on",
  (change, event) => {
    const tool = toolOf(change.state, event.toolId);
    if (tool?.state !== "executing") return ignored(change.state, "not executing");
    const { outcome, preview } = event;
    const finished: Tool = { ...tool, state: "completed", ...(preview === undefined ? {} : { preview }) };
    resolveTool(change, finished, outcome.content, outcome.isError);
    return undefined;
  },
);

export const timeOutTool = rule<TurnRows["tool_execution_timeout"]>(
  ["same", "connecting", "error"],
  "aborts the executing tool that this timeout belongs to, and resolves it at once",
  (change, event) => {
    const tool = toolOf(change.state, event.toolId);
    if (tool?.state !== "executing" || tool.timeoutId !== event.timeoutId) {
      return ignored(change.state, "not the timeout of an executing tool");
    }
    change.emit({ type: "abort_tool", toolId: tool.id });
    const timedOut: Tool = { ...tool, state: "completed", interruptReason: "timeout" };
    const delayMs = timeoutMsOf(change.state, tool);
    const after = delayMs === null ? "" : ` after ${delayMs / 1000} s`;
    resolveTool(change, timedOut, `Error: the tool timed out${after}`, true);
    return undefined;
  },
);

export const showPreview = rule<TurnRows["tool_preview_update"]>(
  ["same"],
  "shows the lines; an exit code stays once it is known, and a resolved tool gets none",
  (change, event) => {
    const tool = toolOf(change.state, event.toolId);
    if (tool === undefined) return ignored(change.state, "unknown tool");
    const exitCode = tool.preview?.["exitCode"] ?? (isUnresolved(tool) ? event.exitCode : undefined);
    const preview = { lines: event.lines, ...(exitCode === undefined ? {} : { exitCode }) };
    if (JSON.stringify(preview) !== JSON.stringify(tool.preview)) change.replaceTool({ ...tool, preview });
    return undefined;
  },
);

export const expireConfirmation = rule<TurnRows["confirmation_timeout"]>(
  ["idle", "same"],
  "the command must be asked for again; another confirmation's timeout is ignored",
  (change, event) => {
    const { mode } = change.state;
    if (mode.type !== "idle" || mode.confirmation?.timeoutId !== event.timeoutId) {
      return ignored(change.state, "not this confirmation's timeout");
    }
    change.setMode({ type: "idle", confirmation: null });
    return undefined;
  },
);

/** Only called when a rule, a grant or a person has allowed it. */
export function executeTool(change: Change, tool: Tool): void {
  const { id: toolId, name, input } = tool;
  const delayMs = timeoutMsOf(change.state, tool);
  change.emit({ type: "execute_tool", toolId, name, input });
  if (delayMs === null) {
    change.replaceTool({ ...tool, state: "executing" });
    return;
  }
  const timeoutId = change.takeTimeoutId();
  change.replaceTool({ ...tool, state: "executing", timeoutId });
  change.emit({ type: "schedule_timeout", timeoutId, delayMs, kind: "tool_execution", toolId });
}

/** `tool` is as it will be, resolved. */
export function resolveTool(change: Change, tool: Tool, content: string, isError: boolean): void {
  change.replaceTool(tool);
  change.appendResult(tool.id, content, isError);
  change.settle();
}

/** What the call asks for, within bounds, else what the tool is configured with, else null. */
function timeoutMsOf({ config }: TurnState, { name, input }: Tool): number | null {
  const configured = Object.hasOwn(config.tools, name) ? config.tools[name]?.timeoutMs : undefined;
  return askedTimeoutMs(input) ?? (configured === 0 ? null : (configured ?? null));
}
