/**
 * What an agent does just now, in words, from what it streams.
 *
 * The machine's phase is not fine enough for a person: it is `calling_llm` both before the first word and while words
 * come. Whether the agent works at all is the status's to say, and never this.
 */
import type { Phase, Status } from "../session/state.js";
import type { StreamEvent } from "../stream-event.js";
import { readPayload } from "../thread/payloads.js";
import { toolLabel, toolWords } from "./tool-words.js";

/** The newest thing that fits into a line. */
export interface LastActivity {
  readonly type: "text" | "thinking" | "tool" | "message" | "error";
  /** The last line of a text, which call of a tool, what a person wrote. */
  readonly text: string;
  readonly atMs: number;
}

interface OpenCall {
  readonly callId: string;
  readonly name: string;
  readonly args: string;
  /** It was started; before that the model is still writing it, or a rule looks at it. */
  readonly isRunning: boolean;
}

export interface Doing {
  readonly activity: LastActivity | null;
  /** The message that is being written, and its end so far: its pieces become one line. */
  readonly writing: { readonly key: string; readonly tail: string } | null;
  /** What came last of the turn; `nothing` before its first piece, and after the end of a tool. */
  readonly now: "nothing" | "text" | "thinking" | "tool";
  /** Calls without a result, the newest last. */
  readonly calls: readonly OpenCall[];
}

export const NOT_DOING: Doing = { activity: null, writing: null, now: "nothing", calls: [] };

const LENGTH_MAX = 240;
const CALLS_MAX = 16;
const ARGS_LENGTH_MAX = 20_000;

/** The same object when the event says nothing of what is done. */
export function doingAfter(doing: Doing, event: StreamEvent): Doing {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return written(doing, event, event.type === "text_delta" ? "text" : "thinking");
    case "tool_call_delta":
      return called(doing, event);
    case "tool_call_completed": {
      const { callId } = readPayload("tool_call_completed", event.payload);
      return callId === undefined ? doing : closed(doing, callId);
    }
    case "user_message":
      return told(doing, "message", event.payload["text"], event.timestampMs);
    case "error":
      return told(doing, "error", event.payload["message"], event.timestampMs);
    case "completed":
      return doing.now === "nothing" || doing.now === "tool" ? doing : { ...doing, now: "nothing" };
    case "artifact_delta":
    case "status":
    case "metadata":
    case "ask":
      return doing;
  }
}

/** What the channel of states tells of it. */
export type DoingState =
  | { readonly type: "state_changed"; readonly to: Status }
  | {
      readonly type: "tool_lifecycle";
      readonly callId: string;
      readonly toolName?: string;
      readonly status: "queued" | "running" | "succeeded" | "failed" | "canceled";
    };

export function doingAfterState(doing: Doing, payload: DoingState, atMs: number): Doing {
  if (payload.type === "state_changed") {
    if (isTurn(payload.to) || (doing.now === "nothing" && doing.calls.length === 0)) return doing;
    return { ...doing, now: "nothing", calls: [], writing: null };
  }
  const { callId, toolName = "", status } = payload;
  if (status === "queued") return doing;
  if (status !== "running") return closed(doing, callId);
  const known = doing.calls.find((call) => call.callId === callId);
  const name = known === undefined || known.name === "" ? toolName : known.name;
  return running(doing, { callId, name, args: known?.args ?? "", isRunning: true }, atMs);
}

/** A turn may wait for a person in its middle: its calls stay open. */
function isTurn(status: Status): boolean {
  return status === "streaming" || status === "waiting_approval" || status === "waiting_input";
}

function written(doing: Doing, event: StreamEvent, type: "text" | "thinking"): Doing {
  const { payload } = event;
  const added = payload["text"];
  if (typeof added !== "string" || added === "") return doing;
  // What an agent's own agent writes is part of the call that started it.
  const isInside = event.parentMessageId !== undefined && doing.calls.length > 0;
  const key = `${type}:${event.messageId ?? event.streamId}`;
  const goesOn = doing.writing?.key === key && payload["replace"] !== true;
  // Only the end of a long piece is looked at: one delta may be a megabyte.
  const tail = `${goesOn ? doing.writing.tail : ""}${added.slice(-2 * LENGTH_MAX)}`.slice(-2 * LENGTH_MAX);
  return {
    ...doing,
    activity: { type, text: lastLine(tail), atMs: event.timestampMs },
    writing: { key, tail },
    now: isInside ? doing.now : type,
  };
}

function called(doing: Doing, event: StreamEvent): Doing {
  const {
    callId,
    name,
    argsDelta = "",
    outputDelta,
    replace,
  } = readPayload("tool_call_delta", event.payload);
  if (callId === undefined) return doing;
  const known = doing.calls.find((call) => call.callId === callId);
  if (known === undefined && name === undefined && outputDelta === undefined) return doing;
  const before = replace === true && argsDelta !== "" ? "" : (known?.args ?? "");
  const call: OpenCall = {
    callId,
    name: name ?? known?.name ?? "",
    args: before.length >= ARGS_LENGTH_MAX ? before : before + argsDelta.slice(0, ARGS_LENGTH_MAX),
    isRunning: (known?.isRunning ?? false) || outputDelta !== undefined,
  };
  return running(doing, call, event.timestampMs);
}

function running(doing: Doing, call: OpenCall, atMs: number): Doing {
  const others = doing.calls.filter(({ callId }) => callId !== call.callId);
  const calls = [...others, call].slice(-CALLS_MAX);
  const text = toolLabel(call.name, call.args);
  const isSame = doing.activity?.type === "tool" && doing.activity.text === text;
  const activity = isSame ? doing.activity : ({ type: "tool", text, atMs } as const);
  return { activity, writing: null, now: "tool", calls };
}

function closed(doing: Doing, callId: string): Doing {
  if (!doing.calls.some((call) => call.callId === callId)) return doing;
  const calls = doing.calls.filter((call) => call.callId !== callId);
  return { ...doing, calls, now: doing.now === "tool" && calls.length === 0 ? "nothing" : doing.now };
}

function told(doing: Doing, type: "message" | "error", value: unknown, atMs: number): Doing {
  const text = line(value);
  if (text === "") return doing;
  const activity = { type, text, atMs } as const;
  return { activity, writing: null, now: doing.calls.length > 0 ? "tool" : "nothing", calls: doing.calls };
}

const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  calling_llm: "Waiting for the model",
  processing_response: "Processing the response",
  executing_tools: "Running a tool",
  post_tool_hooks: "Running hooks",
};

/** What it does while it works; empty when the status says it all, or when nobody understands what its terminal shows. */
export function doingWords(
  status: Status,
  phase: Phase | null,
  doing: Doing,
  certainty: "known" | "unknown" = "known",
): string {
  if (certainty === "unknown") return "";
  if (status === "creating") return "Creating session…";
  if (status !== "streaming" || phase === null) return "";
  if (phase === "post_tool_hooks") return PHASE_WORDS[phase];
  switch (doing.now) {
    case "text":
      return "Writing";
    case "thinking":
      return "Thinking";
    case "tool":
      return callWords(doing.calls, phase);
    case "nothing":
      return PHASE_WORDS[phase];
  }
}

function callWords(calls: readonly OpenCall[], phase: Phase): string {
  const started = calls.filter(({ isRunning }) => isRunning);
  const newest = started.at(-1);
  if (newest === undefined) return phase === "executing_tools" ? PHASE_WORDS[phase] : "Preparing a tool call";
  const words = toolWords(newest.name, newest.args);
  return started.length === 1 ? words : `${words}, and ${started.length - 1} more`;
}

/** The last line that says something. */
function lastLine(text: string): string {
  const last = text.split("\n").findLast((each) => each.trim() !== "") ?? "";
  return last.trim().slice(-LENGTH_MAX);
}

function line(value: unknown): string {
  if (typeof value !== "string") return "";
  return (
    value
      .slice(0, 4 * LENGTH_MAX)
      .trim()
      .split("\n", 1)[0] ?? ""
  ).slice(0, LENGTH_MAX);
}
