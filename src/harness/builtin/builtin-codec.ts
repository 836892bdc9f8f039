/** The built-in agent's lines, as facts and content; and effects, as lines for it. Pure. */
import type { Json } from "../../core/index.js";
import {
  fromAgentSchema,
  type AgentCommand,
  type FromAgent,
  type ToAgent,
} from "../../protocol/agent-wire.js";
import type {
  Decoded,
  Encoded,
  HarnessEffect,
  Output,
  RunStart,
  StreamOutput,
} from "../../runtime/harness.js";
import { parseJson } from "../parse-json.js";

interface BuiltinState {
  readonly run: number;
  /** Which turn this is: names its stream. */
  readonly turn: number;
  /** It was started to go on: being ready is then not being idle. */
  readonly continues: boolean;
}

export function startBuiltin({ run, continues, prompt }: RunStart): {
  readonly state: Json;
  readonly input: string;
} {
  const state: BuiltinState = { run, turn: prompt ? 1 : 0, continues };
  const input = prompt ? lineOf({ type: "prompt", messageId: prompt.messageId, text: prompt.text }) : "";
  return { state: toJson(state), input };
}

export function decodeBuiltin(json: Json, line: string, nowMs: number): Decoded {
  const state = fromJson(json);
  if (line.trim() === "") return { state: json, outputs: [] };
  const parsed = fromAgentSchema.safeParse(parseJson(line));
  return {
    state: json,
    outputs: parsed.success ? outputsOf(state, parsed.data, nowMs) : unknown(state, line),
  };
}

export function encodeBuiltin(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const state = fromJson(json);
  switch (effect.type) {
    case "deliver_message":
      return said(nextTurn(state), { type: "prompt", messageId: effect.messageId, text: text ?? "" });
    case "continue_run":
      return said(nextTurn(state), { type: "continue", why: effect.why });
    case "answer_ask": {
      const { askId, decision, scope } = effect;
      // Agents of before know no wall, and to them it is one more rule.
      const by = effect.by === "wall" ? "rule" : effect.by;
      return said(state, { type: "answer", askId, decision, by, text, ...(scope ? { scope } : {}) });
    }
    case "interrupt_run":
      return said(state, { type: "interrupt" });
    case "void_asks":
      return said(state, { type: "void", askIds: [...effect.askIds] });
  }
}

/** A skill begins a turn of its own; the rest is said beside the turns. */
export function commandBuiltin(json: Json, command: AgentCommand): Encoded {
  const state = fromJson(json);
  return said(command.command === "skill" ? nextTurn(state) : state, { type: "command", command });
}

function outputsOf(state: BuiltinState, line: FromAgent, nowMs: number): readonly Output[] {
  switch (line.type) {
    case "ready":
      return [{ type: "fact", fact: { type: "session_created", sessionId: line.sessionId } }, ...idle(state)];
    case "request":
      return [{ type: "fact", fact: { type: "api_req_started" } }];
    case "text":
    case "thinking": {
      const event = line.type === "text" ? "text_delta" : "thinking_delta";
      return [{ ...stream(state, event, { text: line.text }), messageId: line.messageId }];
    }
    case "tool_call":
    case "tool_started":
    case "tool_preview":
    case "tool_result":
      return toolOutputs(state, line);
    case "ask":
      return asked(state, line);
    case "ask_closed":
      return [{ type: "fact", fact: { type: "ask_closed", askId: line.askId } }];
    case "usage": {
      const { type: _type, ...usage } = line;
      return [{ type: "usage", usage }];
    }
    case "retry": {
      const { attempt, delayMs, message } = line;
      return [
        stream(state, "metadata", { problem: `${message} (asked again in ${delayMs / 1_000} s)` }),
        { type: "fact", fact: { type: "retry_scheduled", attempt, atMs: nowMs + delayMs } },
      ];
    }
    case "hooks_started":
      return [{ type: "fact", fact: { type: "hooks_started" } }];
    case "hooks_finished":
      return [{ type: "fact", fact: { type: "hooks_finished", ok: line.ok } }];
    case "suggestion":
    case "confirm":
    case "exit":
    case "refused":
    case "note":
      return [promptOutput(state, line)];
    case "interrupted":
      return [
        stream(state, "completed", { reason: "interrupted" }),
        { type: "fact", fact: { type: "turn_interrupted" } },
      ];
    case "failed":
      return failed(state, line);
    case "done":
      return [stream(state, "completed", { reason: "done" }), turnOver(state)];
  }
}

type LineOf<T extends FromAgent["type"]> = Extract<FromAgent, { readonly type: T }>;

function toolOutputs(
  state: BuiltinState,
  line: LineOf<"tool_call" | "tool_started" | "tool_preview" | "tool_result">,
): readonly Output[] {
  const { callId } = line;
  switch (line.type) {
    case "tool_call":
      return [
        stream(state, "tool_call_delta", {
          callId,
          name: line.name,
          argsDelta: JSON.stringify(line.input),
          replace: true,
        }),
      ];
    case "tool_started":
      return [{ type: "fact", fact: { type: "tool_started", callId, toolName: line.name } }];
    case "tool_preview": {
      const outputDelta = line.lines.join("\n");
      return [stream(state, "tool_call_delta", { callId, outputDelta, replace: true })];
    }
    case "tool_result": {
      const { content, isError, canceled = false, rejected, diff } = line;
      const more = {
        ...(rejected === true ? { rejected } : {}),
        ...(diff === undefined ? {} : { diff }),
      };
      const shown = { callId, output: content, isError, canceled, ...more };
      return [
        stream(state, "tool_call_completed", shown),
        { type: "fact", fact: { type: "tool_finished", callId, ok: !isError } },
      ];
    }
  }
}

function asked(state: BuiltinState, line: LineOf<"ask">): readonly Output[] {
  const { askId, ask, title, detail, name, input } = line;
  return [
    { type: "ask_detail", askId, title, detail, tool: { name, input } },
    stream(state, "ask", { askId, ask, title, detail }),
    { type: "fact", fact: { type: `ask:${ask}`, askId } },
  ];
}

/** What is for whoever is at the prompt (002). */
function promptOutput(
  state: BuiltinState,
  line: LineOf<"suggestion" | "confirm" | "exit" | "refused" | "note">,
): Output {
  switch (line.type) {
    case "suggestion": {
      const {
        command,
        description,
        danger,
        dangerNotes = "",
        confidence = null,
        confidenceNotes = "",
      } = line;
      const suggestion = { command, description, danger, dangerNotes, confidence, confidenceNotes };
      const artifactId = `${streamId(state)}:suggestion`;
      return stream(state, "artifact_delta", { artifactId, text: line.command, suggestion });
    }
    case "confirm":
      return stream(state, "metadata", { confirm: { command: line.command, withinMs: line.withinMs } });
    case "exit":
      return stream(state, "metadata", { exit: line.action });
    case "refused":
      return stream(state, "metadata", { refused: { command: line.command, message: line.message } });
    case "note":
      return stream(state, "metadata", {
        note: line.text,
        ...(line.boundary === undefined ? {} : { boundary: line.boundary }),
      });
  }
}

function failed(state: BuiltinState, { code, message }: LineOf<"failed">): readonly Output[] {
  const ended = stream(state, "completed", { reason: "failed" });
  if (code === "login_required")
    return [ended, { type: "fact", fact: { type: "process_error", error: message, code } }];
  const fact = { type: `ask:${code}`, askId: `${streamId(state)}:end`, text: message } as const;
  return [ended, { type: "fact", fact }];
}

/** Started without a prompt, it is ready and has nothing to do. */
function idle(state: BuiltinState): readonly Output[] {
  return state.turn > 0 || state.continues ? [] : [turnOver(state)];
}

function turnOver(state: BuiltinState): Output {
  return { type: "fact", fact: { type: "ask:completion_result", askId: `${streamId(state)}:end` } };
}

function unknown(state: BuiltinState, line: string): readonly Output[] {
  return [{ type: "unknown", kind: "line" }, stream(state, "metadata", { unknown: line.slice(0, 10_000) })];
}

function stream(
  state: BuiltinState,
  event: StreamOutput["event"],
  payload: StreamOutput["payload"],
): StreamOutput {
  return { type: "stream", streamId: streamId(state), event, payload };
}

function streamId({ run, turn }: BuiltinState): string {
  return `run-${run}-turn-${turn}`;
}

function nextTurn(state: BuiltinState): BuiltinState {
  return { ...state, turn: state.turn + 1 };
}

function said(state: BuiltinState, line: ToAgent): Encoded {
  return { state: toJson(state), writes: [lineOf(line)] };
}

function lineOf(line: ToAgent): string {
  return `${JSON.stringify(line)}\n`;
}

function toJson(state: BuiltinState): Json {
  return { ...state };
}

function fromJson(json: Json): BuiltinState {
  // Only this codec writes it.
  return json as unknown as BuiltinState;
}
