/** The built-in agent's lines, as facts and content; and effects, as lines for it. Pure. */
import type { Json } from "../../core/index.js";
import {
  type AgentCommand,
  type FromAgent,
  fromAgentSchema,
  type ToAgent,
} from "../../protocol/agent-wire.js";
import type { Controls, ControlWish } from "../../protocol/controls.js";
import type { Controlled, Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import { commandsOf, controlsOf, NO_OFFER, type Offer, skillsOf, wantedOf } from "../kit/controls.js";
import { parseJson, textAt } from "../kit/json.js";
import { Step, toJson } from "../kit/step.js";

interface BuiltinState {
  readonly run: number;
  /** Which turn this is: names its stream. */
  readonly turn: number;
  /** It was started to go on: being ready is then not being idle. */
  readonly continues: boolean;
  /** Absent: it has not said so yet. */
  readonly offer?: Offer;
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
  if (line.trim() === "") return { state: json, outputs: [] };
  const step = new BuiltinStep(fromJson(json), nowMs);
  const parsed = fromAgentSchema.safeParse(parseJson(line));
  if (parsed.success) take(step, parsed.data);
  else step.unknown("line", line);
  return step.decoded();
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

export function builtinControls(json: Json): Controls {
  return controlsOf(fromJson(json).offer ?? NO_OFFER, ["model"]);
}

/** It knows more models than it names, says itself what came of it, and remembers it. */
export function controlBuiltin(json: Json, wish: ControlWish): Controlled {
  const wanted = wantedOf(wish, NO_OFFER, ["model"]);
  if (typeof wanted === "string") return { state: json, writes: [], failure: wanted };
  const name = wanted[0]?.id ?? "";
  return commandBuiltin(json, { command: "slash", name: "model", arguments: name });
}

class BuiltinStep extends Step<BuiltinState> {
  get streamId(): string {
    const { run, turn } = this.state;
    return `run-${run}-turn-${turn}`;
  }
}

function take(step: BuiltinStep, line: FromAgent): void {
  switch (line.type) {
    case "ready":
      step.fact({ type: "session_created", sessionId: line.sessionId });
      // Started without a prompt, it is ready and has nothing to do.
      if (step.state.turn === 0 && !step.state.continues) step.turnEnded();
      return;
    case "controls": {
      const { model, commands, skills } = line;
      const current = { model, mode: null, effort: null };
      const listed = commandsOf(commands, (command) => textAt(command, "hint"));
      return step.set({ offer: { ...NO_OFFER, commands: listed, skills: skillsOf(skills), current } });
    }
    case "request":
      return step.fact({ type: "api_req_started" });
    case "text":
    case "thinking":
      return step[line.type](line.text, { messageId: line.messageId });
    case "tool_call":
    case "tool_started":
    case "tool_preview":
    case "tool_result":
      return takeTool(step, line);
    case "ask": {
      const { askId, ask, title, detail, name, input } = line;
      return step.ask({ askId, ask, title, detail, tool: { name, input } });
    }
    case "ask_closed":
      return step.askClosed(line.askId);
    case "usage": {
      const { type: _type, ...usage } = line;
      return step.usage(usage);
    }
    case "retry": {
      const { attempt, delayMs, message } = line;
      step.metadata({ problem: `${message} (asked again in ${delayMs / 1_000} s)` });
      return step.fact({ type: "retry_scheduled", attempt, atMs: step.nowMs + delayMs });
    }
    case "hooks_started":
      return step.fact({ type: "hooks_started" });
    case "hooks_finished":
      return step.fact({ type: "hooks_finished", ok: line.ok });
    case "suggestion":
    case "confirm":
    case "exit":
    case "refused":
    case "note":
      return takePrompt(step, line);
    case "interrupted":
      step.stream("completed", { reason: "interrupted" });
      return step.fact({ type: "turn_interrupted" });
    case "failed":
      step.stream("completed", { reason: "failed" });
      if (line.code === "login_required") return step.loginRequired(line.message);
      return step.turnFailed(line.code, line.message);
    case "done":
      step.stream("completed", { reason: "done" });
      return step.turnEnded();
  }
}

type LineOf<T extends FromAgent["type"]> = Extract<FromAgent, { readonly type: T }>;

function takeTool(
  step: BuiltinStep,
  line: LineOf<"tool_call" | "tool_started" | "tool_preview" | "tool_result">,
): void {
  const { callId } = line;
  switch (line.type) {
    case "tool_call":
      return step.tool(callId, { name: line.name, argsDelta: JSON.stringify(line.input), replace: true });
    case "tool_started":
      return step.fact({ type: "tool_started", callId, toolName: line.name });
    case "tool_preview":
      return step.tool(callId, { outputDelta: line.lines.join("\n"), replace: true });
    case "tool_result": {
      const { content, isError, canceled = false, rejected, diff } = line;
      const more = {
        ...(rejected === true ? { rejected } : {}),
        ...(diff === undefined ? {} : { diff }),
      };
      return step.toolEnded({ callId, output: content, isError, canceled, ...more });
    }
  }
}

/** What is for whoever is at the prompt (002). */
function takePrompt(
  step: BuiltinStep,
  line: LineOf<"suggestion" | "confirm" | "exit" | "refused" | "note">,
): void {
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
      const artifactId = `${step.streamId}:suggestion`;
      return step.stream("artifact_delta", { artifactId, text: line.command, suggestion });
    }
    case "confirm":
      return step.metadata({ confirm: { command: line.command, withinMs: line.withinMs } });
    case "exit":
      return step.metadata({ exit: line.action });
    case "refused":
      return step.metadata({ refused: { command: line.command, message: line.message } });
    case "note":
      return step.metadata({
        note: line.text,
        ...(line.boundary === undefined ? {} : { boundary: line.boundary }),
      });
  }
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

function fromJson(json: Json): BuiltinState {
  // Only this codec writes it.
  return json as unknown as BuiltinState;
}
