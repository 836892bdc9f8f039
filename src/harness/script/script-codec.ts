/** The scripted agent's lines, as facts and content; and effects, as lines for it. Pure. */
import type { Json } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, Output, RunStart } from "../../runtime/harness.js";
import { parseJson } from "../parse-json.js";
import { agentLineSchema, type AgentLine, type ToldLine } from "./script-wire.js";

interface ScriptState {
  readonly run: number;
  /** The number of the last line from it, and of the last line to it. */
  readonly received: number;
  readonly sent: number;
  /** Which turn this is: names its stream. */
  readonly turn: number;
  /** It was started to go on: being ready is then not being idle. */
  readonly continues: boolean;
}

export function startScript(start: RunStart): { readonly state: Json; readonly input: string } {
  const { run, continues } = start;
  const first: ScriptState = { run, received: 0, sent: 0, turn: 0, continues };
  if (!start.prompt) return { state: toJson(first), input: "" };
  const told = tell(first, { type: "prompt", text: start.prompt.text });
  return { state: toJson({ ...told.state, turn: 1 }), input: told.line };
}

export function decodeScript(json: Json, line: string): Decoded {
  const state = fromJson(json);
  if (line.trim() === "") return { state: json, outputs: [] };
  const parsed = agentLineSchema.safeParse(parseJson(line));
  if (!parsed.success) return { state: json, outputs: unknown(state, line) };
  const { data } = parsed;
  const expected = state.received + 1;
  const gap = data.n === expected ? [] : [fault(state, `line ${data.n} came instead of ${expected}`)];
  return { state: toJson({ ...state, received: data.n }), outputs: [...gap, ...outputsOf(state, data)] };
}

/** Its hooks say the same things, in their own order. */
export function decodeScriptHook(json: Json, line: string): Decoded {
  const state = fromJson(json);
  const parsed = agentLineSchema.safeParse(parseJson(line));
  if (!parsed.success) return { state: json, outputs: unknown(state, line) };
  const outputs = outputsOf(state, parsed.data).map((output): Output =>
    output.type === "fact" ? { ...output, source: "hooks" } : output,
  );
  return { state: json, outputs };
}

export function encodeScript(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const state = fromJson(json);
  switch (effect.type) {
    case "deliver_message":
      return said({ ...state, turn: state.turn + 1 }, { type: "prompt", text: text ?? "" });
    case "continue_run":
      return said({ ...state, turn: state.turn + 1 }, { type: "continue" });
    case "answer_ask":
      return said(state, { type: "answer", askId: effect.askId, decision: effect.decision, text });
    case "interrupt_run":
      return said(state, { type: "interrupt" });
    case "void_asks":
      return said(state, { type: "void", askIds: effect.askIds });
  }
}

/** A line without its number. */
type Unnumbered<T> = T extends ToldLine ? Omit<T, "n"> : never;

function said(state: ScriptState, line: Unnumbered<ToldLine>): Encoded {
  const told = tell(state, line);
  return { state: toJson(told.state), writes: [told.line] };
}

function tell(
  state: ScriptState,
  line: Unnumbered<ToldLine>,
): { readonly state: ScriptState; readonly line: string } {
  const sent = state.sent + 1;
  return { state: { ...state, sent }, line: `${JSON.stringify({ n: sent, ...line })}\n` };
}

function outputsOf(state: ScriptState, line: AgentLine): readonly Output[] {
  const stream = (event: Streamed["event"], payload: Streamed["payload"], messageId?: string): Output => ({
    type: "stream",
    streamId: streamId(state),
    event,
    payload,
    ...(messageId === undefined ? {} : { messageId }),
  });
  switch (line.type) {
    case "ready":
      return [{ type: "fact", fact: { type: "session_created", sessionId: line.sessionId } }, ...idle(state)];
    case "request":
      return [{ type: "fact", fact: { type: "api_req_started" } }];
    case "text":
      return [stream("text_delta", { text: line.text }, line.messageId)];
    case "thinking":
      return [stream("thinking_delta", { text: line.text })];
    case "tool":
      return [
        stream("tool_call_delta", {
          callId: line.callId,
          name: line.name,
          argsDelta: JSON.stringify(line.input ?? {}),
        }),
        { type: "fact", fact: { type: "tool_started", callId: line.callId, toolName: line.name } },
      ];
    case "tool_done":
      return [
        stream("tool_call_completed", { callId: line.callId, output: line.output ?? "", isError: !line.ok }),
        { type: "fact", fact: { type: "tool_finished", callId: line.callId, ok: line.ok } },
      ];
    case "ask":
      return asked(line, stream);
    case "ask_closed":
      return [{ type: "fact", fact: { type: "ask_closed", askId: line.askId } }];
    case "usage": {
      const { inputTokens, outputTokens, costUsd = null } = line;
      return [{ type: "usage", usage: { inputTokens, outputTokens, cachedTokens: 0, costUsd } }];
    }
    case "retry":
      return [{ type: "fact", fact: { type: "retry_scheduled", attempt: line.attempt, atMs: line.atMs } }];
    case "background":
      return [{ type: "fact", fact: { type: "background_changed", count: line.count } }];
    case "interrupted":
      return [
        stream("completed", { reason: "interrupted" }),
        { type: "fact", fact: { type: "turn_interrupted" } },
      ];
    case "stream_error":
      return [
        stream("error", { code: "streaming_failed", message: line.message, recoverable: line.recoverable }),
      ];
    case "fail":
      return [
        {
          type: "fact",
          fact: { type: `ask:${line.code}`, askId: `${streamId(state)}:end`, text: line.message },
        },
      ];
    case "done":
      return [
        stream("completed", { reason: "done" }),
        { type: "fact", fact: { type: "ask:completion_result", askId: `${streamId(state)}:end` } },
      ];
    case "stdin_fault":
      return [fault(state, `it got line ${line.got} instead of ${line.expected}`)];
  }
}

type Streamed = Extract<Output, { readonly type: "stream" }>;

function asked(
  line: Extract<AgentLine, { type: "ask" }>,
  stream: (event: Streamed["event"], payload: Streamed["payload"]) => Output,
): readonly Output[] {
  const { askId, ask, title = ask, detail = "", partial = false } = line;
  const { tool = { name: ask, input: detail } } = line;
  return [
    { type: "ask_detail", askId, title, detail, tool },
    stream("ask", { askId, ask, title, detail, partial }),
    { type: "fact", fact: { type: `ask:${ask}`, askId, partial } },
  ];
}

/** Started without a prompt, it is ready and has nothing to do. */
function idle(state: ScriptState): readonly Output[] {
  if (state.turn > 0 || state.continues) return [];
  return [{ type: "fact", fact: { type: "ask:completion_result", askId: `${streamId(state)}:end` } }];
}

function fault(state: ScriptState, problem: string): Output {
  return { type: "stream", streamId: streamId(state), event: "metadata", payload: { problem } };
}

function unknown(state: ScriptState, line: string): readonly Output[] {
  const payload = { unknown: line.slice(0, 10_000) };
  return [
    { type: "unknown", kind: "line" },
    { type: "stream", streamId: streamId(state), event: "metadata", payload },
  ];
}

function streamId({ run, turn }: ScriptState): string {
  return `run-${run}-turn-${turn}`;
}

function toJson(state: ScriptState): Json {
  return { ...state };
}

function fromJson(json: Json): ScriptState {
  // Only this codec writes it.
  return json as unknown as ScriptState;
}
