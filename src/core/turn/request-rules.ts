/** What a person asks for, and skills, which a person asks for too. */
import type { TurnRows } from "./events.js";
import { refuse, refuseHere, rule } from "./rule.js";
import { IDLE, QUEUE_LENGTH_MAX, hasPendingCalls, toolOf } from "./state.js";
import { executeTool, resolveTool } from "./tool-rules.js";

export const CONFIRMATION_DELAY_MS = 5_000;

const CANCELLED_MARK = "\n\n[User cancelled here]";

/** In idle the queue is empty; after an error what waits there is older. */
export const startTurn = rule<TurnRows["user_submit"]>(
  ["connecting"],
  "goes to the end of the queue, and the oldest of the queue starts a turn",
  (change, event) => {
    change.enqueueMessage(event.messageId, event.text);
    change.startNext();
  },
);

export const queueMessage = rule<TurnRows["user_submit"]>(
  ["same"],
  `waits in the queue; rejected \`queue_full\` when ${QUEUE_LENGTH_MAX} wait`,
  (change, event) => {
    if (change.state.queue.length >= QUEUE_LENGTH_MAX) {
      return refuse(change.state, "queue_full", `${QUEUE_LENGTH_MAX} messages are waiting already`);
    }
    change.enqueueMessage(event.messageId, event.text);
    return undefined;
  },
);

export const leave = rule<TurnRows["cancel"]>(
  ["same"],
  "`exit_app`; what is queued is handed back first",
  (change) => {
    if (change.state.queue.length > 0) {
      change.handBackQueue();
      change.emit({ type: "persist" });
    }
    change.emit({ type: "exit_app", action: { type: "cancel" } });
  },
);

export const dropConfirmation = rule<TurnRows["cancel"]>(["idle"], "the command is not run", (change) => {
  change.setMode(IDLE);
});

export const cancelTurn = rule<TurnRows["cancel"]>(
  ["idle"],
  "aborts stream and tools, resolves every open call, keeps the partial text, hands back the queue",
  (change) => {
    const hadPending = hasPendingCalls(change.state);
    change.abortStream();
    change.abortTools();
    change.resolvePending("Error: the user cancelled this tool call");
    change.commitText(CANCELLED_MARK);
    if (hadPending) {
      change.append({
        type: "system_context",
        content: "The user cancelled the last turn; its unfinished tool calls were aborted.",
      });
    }
    change.handBackQueue();
    change.stopTurn(IDLE);
  },
);

export const runCommand = rule<TurnRows["execute_command"]>(
  ["same", "confirming"],
  "`exit_app` with the suggested command, or without one; a dangerous command must be confirmed within 5 s",
  (change) => {
    const { suggestion } = change.state;
    if (suggestion === null) {
      change.emit({ type: "exit_app", action: { type: "cancel" } });
      return;
    }
    const { command, danger } = suggestion;
    if (danger === "low") {
      change.emit({ type: "exit_app", action: { type: "execute", command } });
      return;
    }
    const timeoutId = change.takeTimeoutId();
    change.setMode({ type: "idle", confirmation: { command, timeoutId } });
    change.emit({
      type: "schedule_timeout",
      timeoutId,
      delayMs: CONFIRMATION_DELAY_MS,
      kind: "confirmation",
    });
  },
);

export const confirmCommand = rule<TurnRows["execute_command"]>(
  ["idle"],
  "`exit_app` with the confirmed command",
  (change) => {
    const { mode } = change.state;
    if (mode.type !== "idle" || mode.confirmation === null) return;
    const { command } = mode.confirmation;
    change.setMode(IDLE);
    change.emit({ type: "exit_app", action: { type: "execute", command } });
  },
);

export const insertCommand = rule<TurnRows["insert_command"]>(
  ["same"],
  "`exit_app` with the suggested command to insert; nothing without one",
  (change) => {
    const { suggestion } = change.state;
    if (suggestion === null) return;
    change.emit({ type: "exit_app", action: { type: "insert", command: suggestion.command } });
  },
);

export const retry = rule<TurnRows["retry"]>(
  ["connecting"],
  "`start_stream` again; every call has its result already",
  (change) => {
    change.startStream();
  },
);

export const interruptTools = rule<TurnRows["interrupt_tools"]>(
  ["same"],
  "`abort_tool` for each executing tool, which stays so until it reports; rejected when none is",
  (change, event) => {
    const { tools } = change.state;
    if (!tools.some((tool) => tool.state === "executing")) return refuseHere(change.state, event);
    change.abortTools();
    for (const tool of tools) {
      if (tool.state === "executing" && tool.interruptReason !== "user") {
        change.replaceTool({ ...tool, interruptReason: "user" });
      }
    }
    return undefined;
  },
);

export const newSession = rule<TurnRows["new_session"]>(
  ["idle"],
  "archives the conversation and starts an empty one",
  (change) => {
    change.setMode(IDLE);
    change.set("text", "");
    change.clear("tools");
    change.clear("turnToolIds");
    change.clear("foreignCalls");
    change.set("suggestion", null);
    change.set("sessionId", null);
    change.set("archivedStreamId", change.state.streamId);
    change.set("continuations", 0);
    change.emit({ type: "archive_session" });
    change.tell("/new", "A new session begins here.");
    change.emit({ type: "persist" });
  },
);

export const answerSlash = rule<TurnRows["slash_command"]>(
  ["same"],
  "shows the person the answer",
  (change, event) => {
    change.tell(event.command, event.content);
  },
);

export const choosePermission = rule<TurnRows["permission_user_choice"]>(
  ["same", "connecting", "error"],
  "runs or denies a tool that awaits permission; rejected for any other",
  (change, event) => {
    const tool = toolOf(change.state, event.toolId);
    if (tool?.state !== "awaiting_permission") return refuseHere(change.state, event);
    if (event.choice === "deny") {
      resolveTool(change, { ...tool, state: "denied" }, "Error: the user denied this tool call", true);
      return undefined;
    }
    const toolId = tool.id;
    executeTool(change, tool);
    if (event.choice === "allow_for_session") change.emit({ type: "cache_session_grant", toolId });
    if (event.choice === "always_allow_in_project") {
      change.emit({ type: "write_permission_rule", target: "project", toolId, disposition: "allow" });
    }
    if (event.choice === "always_allow") {
      change.emit({ type: "write_permission_rule", target: "global", toolId, disposition: "allow" });
    }
    return undefined;
  },
);

export const loadSkill = rule<TurnRows["request_skill_load"]>(["same"], "`load_skill`", (change, event) => {
  change.emit({ type: "load_skill", name: event.name, ...argumentsOf(event) });
});

export const startSkill = rule<TurnRows["skill_loaded"]>(
  ["connecting"],
  "goes to the end of the queue, and the oldest of the queue starts a turn",
  (change, event) => {
    change.enqueue(queuedSkill(event));
    change.startNext();
  },
);

/** A fact cannot be rejected: a skill that finds the queue full is reported as not started. */
export const queueSkill = rule<TurnRows["skill_loaded"]>(
  ["same"],
  `waits in the queue; the person is told when ${QUEUE_LENGTH_MAX} wait already`,
  (change, event) => {
    if (change.state.queue.length >= QUEUE_LENGTH_MAX) {
      change.tell(`/${event.name}`, "Not started: the queue is full.");
    } else {
      change.enqueue(queuedSkill(event));
    }
  },
);

export const tellSkillFailed = rule<TurnRows["skill_load_failed"]>(
  ["same"],
  "tells the person",
  (change, event) => {
    change.tell(`/${event.name}`, event.message);
  },
);

function queuedSkill(event: TurnRows["skill_loaded"]) {
  return { type: "skill", name: event.name, ...argumentsOf(event), content: event.content } as const;
}

function argumentsOf(event: { readonly arguments?: string }): { readonly arguments?: string } {
  return event.arguments === undefined ? {} : { arguments: event.arguments };
}
