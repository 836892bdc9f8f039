/** The scripted agent's lines, as facts and content; and effects, as lines for it. Pure. */
import type { Json } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import { parseJson } from "../kit/json.js";
import { Step, toJson } from "../kit/step.js";
import { type AgentLine, agentLineSchema, type ToldLine } from "./script-wire.js";

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
  if (line.trim() === "") return { state: json, outputs: [] };
  const step = new ScriptStep(fromJson(json));
  const parsed = agentLineSchema.safeParse(parseJson(line));
  if (!parsed.success) {
    step.unknown("line", line);
    return step.decoded();
  }
  const { data } = parsed;
  const expected = step.state.received + 1;
  if (data.n !== expected) step.fault(`line ${data.n} came instead of ${expected}`);
  step.set({ received: data.n });
  take(step, data);
  return step.decoded();
}

/** Its hooks say the same things, in their own order. */
export function decodeScriptHook(json: Json, line: string): Decoded {
  const step = new ScriptStep(fromJson(json), 0, "hooks");
  const parsed = agentLineSchema.safeParse(parseJson(line));
  if (parsed.success) take(step, parsed.data);
  else step.unknown("line", line);
  return step.decoded();
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

class ScriptStep extends Step<ScriptState> {
  get streamId(): string {
    const { run, turn } = this.state;
    return `run-${run}-turn-${turn}`;
  }

  /** A line was lost, or came twice. */
  fault(problem: string): void {
    this.metadata({ problem });
  }
}

function take(step: ScriptStep, line: AgentLine): void {
  switch (line.type) {
    case "ready":
      step.fact({ type: "session_created", sessionId: line.sessionId });
      // Started without a prompt, it is ready and has nothing to do.
      if (step.state.turn === 0 && !step.state.continues) step.turnEnded();
      return;
    case "request":
      return step.fact({ type: "api_req_started" });
    case "text":
      return step.text(line.text, line.messageId === undefined ? {} : { messageId: line.messageId });
    case "thinking":
      return step.thinking(line.text);
    case "tool":
      return step.toolStarted(line.callId, line.name, { argsDelta: JSON.stringify(line.input ?? {}) });
    case "tool_done":
      return step.toolEnded({ callId: line.callId, output: line.output ?? "", isError: !line.ok });
    case "ask": {
      const { askId, ask, title = ask, detail = "", partial = false } = line;
      const { tool = { name: ask, input: detail } } = line;
      return step.ask({ askId, ask, title, detail, tool, partial });
    }
    case "ask_closed":
      return step.askClosed(line.askId);
    case "usage": {
      const { inputTokens, outputTokens, costUsd = null } = line;
      return step.usage({ inputTokens, outputTokens, cachedTokens: 0, costUsd });
    }
    case "retry":
      return step.fact({ type: "retry_scheduled", attempt: line.attempt, atMs: line.atMs });
    case "background":
      return step.fact({ type: "background_changed", count: line.count });
    case "interrupted":
      step.stream("completed", { reason: "interrupted" });
      return step.fact({ type: "turn_interrupted" });
    case "stream_error":
      return step.stream("error", {
        code: "streaming_failed",
        message: line.message,
        recoverable: line.recoverable,
      });
    case "fail":
      return step.turnFailed(line.code, line.message);
    case "done":
      step.stream("completed", { reason: "done" });
      return step.turnEnded();
    case "stdin_fault":
      return step.fault(`it got line ${line.got} instead of ${line.expected}`);
  }
}

function fromJson(json: Json): ScriptState {
  // Only this codec writes it.
  return json as unknown as ScriptState;
}
