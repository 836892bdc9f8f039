/** Asks of the legacy Kilo CLI. All but the questions and approvals end a turn. */
import type { Json } from "../../core/index.js";
import {
  fieldAt,
  fieldsAt,
  fieldsOf,
  firstTextAt,
  type JsonObject,
  listAt,
  numberAt,
  stringAt,
  textAt,
} from "../kit/json.js";
import { ASKS_MAX, type KiloStep } from "./kilo-state.js";

const WAITING = ["tool", "command", "browser_action_launch", "use_mcp_server", "followup"] as const;
const FAILURES = [
  "api_req_failed",
  "mistake_limit_reached",
  "invalid_model",
  "payment_required_prompt",
] as const;
const PAUSES = ["resume_task", "resume_completed_task"] as const;

export function isPause(ask: string | null): boolean {
  return isOneOf(PAUSES, ask);
}

export function takeAsk(step: KiloStep, message: JsonObject): void {
  const ask = stringAt(message, "ask");
  const isPartial = fieldAt(message, "partial") === true;
  if (isOneOf(WAITING, ask)) takeWaiting(step, ask, message, isPartial);
  // What is not finished yet changes nothing.
  else if (isPartial) return;
  else if (ask === "completion_result") {
    rest(step, "done", "done");
    step.turnEnded({ askId: idOf(step, message) });
  } else if (isOneOf(FAILURES, ask)) {
    rest(step, "failed", "failed");
    step.turnFailed(ask, wordsOf(message, ask), idOf(step, message));
  } else if (isOneOf(PAUSES, ask)) takePause(step, ask, message);
  // It asks whether to go on while a command runs, and goes on anyway.
  else if (ask === "command_output") showOutput(step, message);
  else step.unknown("ask", message);
}

/** Ready is told once. */
export function beReady(step: KiloStep, sessionId: string | null): void {
  step.set({ ready: true });
  step.fact({ type: "session_created", ...(sessionId ? { sessionId } : {}) });
}

/** What a command or a tool has put out so far. */
export function showOutput(step: KiloStep, message: JsonObject): void {
  const callId = step.state.calls.at(-1)?.callId;
  const outputDelta = textAt(metadataOf(message), "output") ?? contentOf(message);
  if (callId !== undefined && outputDelta !== "") step.tool(callId, { outputDelta, replace: true });
}

/** A call is over when the model is asked again, or when nothing goes on: then what still waits never ran. */
export function closeCalls(step: KiloStep, waiting: readonly string[]): void {
  for (const { callId, rejected } of step.state.calls) {
    const canceled = waiting.includes(callId);
    step.stream("tool_call_completed", {
      callId,
      isError: rejected || canceled,
      ...(rejected ? { error: "It was not allowed.", rejected } : {}),
      ...(canceled ? { canceled } : {}),
    });
  }
  step.set({ calls: [] });
}

/** Messages are told apart by their timestamps. */
export function idOf(step: KiloStep, message: JsonObject): string {
  const { run, count } = step.state;
  const atMs = numberAt(message, "timestamp");
  if (atMs !== null) return `run-${run}-at-${atMs}`;
  step.set({ count: count + 1 });
  return `run-${run}-message-${count + 1}`;
}

function takeWaiting(
  step: KiloStep,
  ask: (typeof WAITING)[number],
  message: JsonObject,
  partial: boolean,
): void {
  const askId = idOf(step, message);
  const { asks, calls } = step.state;
  if (fieldAt(message, "isAnswered") === true) {
    step.set({ asks: asks.filter((other) => other !== askId) });
    if (asks.includes(askId)) step.askClosed(askId);
    return;
  }
  const described = describeAsk(ask, message);
  if (!partial && !asks.includes(askId)) {
    step.set({ asks: [...asks, askId].slice(-ASKS_MAX) });
    if (ask !== "followup") {
      const { name, input } = described.tool;
      step.tool(askId, { name, argsDelta: JSON.stringify(input) });
      step.set({ calls: [...calls, { callId: askId, rejected: false }].slice(-ASKS_MAX) });
    }
  }
  step.ask({ askId, ask, ...described, partial });
}

function takePause(step: KiloStep, ask: (typeof PAUSES)[number], message: JsonObject): void {
  const { resume, ready, continues, interrupting } = step.state;
  const askId = idOf(step, message);
  if (resume !== null && !ready) {
    step.set({ sinceMs: numberAt(message, "timestamp"), resting: "paused" });
    beReady(step, resume);
    if (!continues) step.fact({ type: `ask:${ask}`, askId });
    return;
  }
  rest(step, "paused", interrupting ? "interrupted" : "paused");
  step.set({ interrupting: false });
  step.fact(interrupting ? { type: "turn_interrupted" } : { type: `ask:${ask}`, askId });
}

function rest(step: KiloStep, resting: "done" | "paused" | "failed", reason: string): void {
  closeCalls(step, step.state.asks);
  step.set({ resting, asks: [] });
  step.stream("completed", { reason });
}

function wordsOf(message: JsonObject, ask: string): string {
  const words = firstTextAt(metadataOf(message), ["message", "title", "error"]) ?? contentOf(message);
  return words === "" ? ask : words;
}

function isOneOf<const T extends readonly string[]>(all: T, one: string | null): one is T[number] {
  return one !== null && all.includes(one);
}

export interface KiloAsk {
  readonly title: string;
  readonly detail: string;
  readonly tool: KiloTool;
}

/** A type, not an interface: it is JSON as it stands. */
type KiloTool = {
  readonly name: string;
  readonly input: Json;
  readonly kind?: string;
  readonly paths?: readonly string[];
};

/** A text stands in `content`; one that is JSON stands, read, in `metadata` instead. */
export function contentOf(message: JsonObject): string {
  return firstTextAt(message, ["content", "text"]) ?? "";
}

export function metadataOf(message: JsonObject): JsonObject {
  return fieldsAt(message, "metadata");
}

export function describeAsk(ask: string, message: JsonObject): KiloAsk {
  return DESCRIBE[ask]?.(message) ?? describeOther(ask, message);
}

const DESCRIBE: Readonly<Record<string, (message: JsonObject) => KiloAsk>> = {
  tool: describeTool,
  command: (message) => {
    const command = textAt(metadataOf(message), "command") ?? contentOf(message);
    return {
      title: command,
      detail: command,
      tool: { name: "command", kind: "execute", input: { command } },
    };
  },
  use_mcp_server: describeServer,
  followup: (message) => {
    const metadata = metadataOf(message);
    const question = textAt(metadata, "question") ?? contentOf(message);
    const suggested = listAt(metadata, "suggest").map((one, index) => {
      const answer = typeof one === "string" ? one : stringAt(fieldsOf(one), "answer");
      return `  ${index + 1}. ${answer ?? ""}`;
    });
    const detail = [question, ...suggested].join("\n");
    return { title: question, detail, tool: { name: "followup", input: question } };
  },
};

/** As the rules know tools by what they do. */
const KINDS: Readonly<Record<string, string>> = {
  readFile: "read",
  fetchInstructions: "read",
  listFilesTopLevel: "search",
  listFilesRecursive: "search",
  listCodeDefinitionNames: "search",
  searchFiles: "search",
  codebaseSearch: "search",
  editedExistingFile: "edit",
  appliedDiff: "edit",
  newFileCreated: "edit",
  insertContent: "edit",
  searchAndReplace: "edit",
};

function describeTool(message: JsonObject): KiloAsk {
  const metadata = metadataOf(message);
  const name = textAt(metadata, "tool") ?? "tool";
  const path = textAt(metadata, "path");
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  const shown = firstTextAt(metadata, ["diff", "content"]) ?? contentOf(message);
  return {
    title: path === null ? name : `${name} ${path}`,
    detail: shown === "" ? JSON.stringify(metadata, null, 2) : shown,
    tool: {
      name,
      input: metadata,
      ...(kind === undefined ? {} : { kind }),
      ...(path === null ? {} : { paths: [path] }),
    },
  };
}

function describeServer(message: JsonObject): KiloAsk {
  const metadata = metadataOf(message);
  const server = textAt(metadata, "serverName") ?? "";
  const called = firstTextAt(metadata, ["toolName", "uri"]) ?? "";
  const input = metadata["arguments"] ?? null;
  return {
    title: `${called} (${server})`,
    detail: JSON.stringify(metadata, null, 2),
    tool: { name: `mcp__${server}__${called}`, input },
  };
}

function describeOther(ask: string, message: JsonObject): KiloAsk {
  const content = contentOf(message);
  return { title: ask, detail: content, tool: { name: ask, input: content } };
}
