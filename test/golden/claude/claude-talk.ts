/** A run of Claude Code, told line by line, and the lines of both sides. */
import type { Json } from "../../../src/core/index.js";
import type { HarnessEffect, Output, RunStart } from "../../../src/runtime/harness.js";
import { decodeClaude, encodeClaude, startClaude } from "../../../src/harness/claude/claude-codec.js";
import { uuidOf } from "../../../src/harness/claude/told-line.js";

const START: RunStart = {
  run: 1,
  settings: { harness: "claude", title: "", cwd: "/proj", model: null, args: [], env: {} },
  resume: null,
  prompt: null,
  continues: false,
};
export const PROMPT = { messageId: "m1", text: "hello" };
export const READY = {
  type: "control_response",
  response: { subtype: "success", request_id: "initialize", response: {} },
};
export const RESULT = { type: "result", subtype: "success", is_error: false, result: "ok" };

export class Talk {
  state: Json;
  readonly input: readonly object[];

  constructor(start: Partial<RunStart> = {}) {
    const started = startClaude({ ...START, ...start });
    this.state = started.state;
    this.input = linesIn(started.input);
  }

  hear(...messages: readonly object[]): readonly Output[] {
    return messages.flatMap((message) => this.hearLine(JSON.stringify(message)));
  }

  hearLine(line: string, nowMs?: number): readonly Output[] {
    const { state, outputs } = decodeClaude(this.state, line, nowMs);
    this.state = state;
    return outputs;
  }

  tell(effect: HarnessEffect, text: string | null = null): readonly object[] {
    const { state, writes, failure } = encodeClaude(this.state, effect, text);
    this.state = state;
    return failure === undefined ? linesIn(writes.join("")) : [{ failure }];
  }

  /** Only the facts. */
  facts(...messages: readonly object[]): readonly Json[] {
    return this.hear(...messages).flatMap((output) => (output.type === "fact" ? [output.fact as Json] : []));
  }
}

function linesIn(text: string): readonly object[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as object);
}

/** Ready, with a prompt that it works on. */
export function running(): Talk {
  const talk = new Talk({ prompt: PROMPT });
  talk.hear(READY, activity("running"), requesting());
  return talk;
}

/** Ready, and done with its first turn. */
export function idle(): Talk {
  const talk = running();
  talk.hear(RESULT, activity("idle"));
  return talk;
}

export const activity = (state: string) => ({ type: "system", subtype: "session_state_changed", state });
export const requesting = () => ({ type: "system", subtype: "status", status: "requesting" });
export const lifecycle = (messageId: string, state: string) => ({
  type: "command_lifecycle",
  command_uuid: uuidOf(1, messageId),
  state,
});
export const background = (...tasks: readonly object[]) => ({
  type: "system",
  subtype: "background_tasks_changed",
  tasks,
});
export const deliver = (messageId: string): HarnessEffect => ({ type: "deliver_message", run: 1, messageId });
export const done = (turn: number) => ({ type: "ask:completion_result", askId: `run-1-turn-${turn}:end` });
export const toolRequest = (askId: string, tool: string, input: Json, more: object = {}) => ({
  type: "control_request",
  request_id: askId,
  request: { subtype: "can_use_tool", tool_name: tool, input, tool_use_id: `call-${askId}`, ...more },
});
export const response = (requestId: string, answer: Json) => ({
  type: "control_response",
  response: { subtype: "success", request_id: requestId, response: answer },
});
export const answer = (
  askId: string,
  decision: "approve" | "reject" | "reply",
  by: "user" | "rule" | "auto" = "user",
): HarnessEffect => ({ type: "answer_ask", run: 1, askId, decision, by });
