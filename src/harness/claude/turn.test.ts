import { describe, expect, test } from "vitest";
import {
  activity,
  answer,
  background,
  deliver,
  done,
  idle,
  lifecycle,
  PROMPT,
  READY,
  requesting,
  response,
  RESULT,
  running,
  Talk,
  toolRequest,
} from "../../../test/golden/claude/claude-talk.js";
import type { HarnessEffect } from "../../runtime/harness.js";
import { uuidOf } from "./told-line.js";

describe("the end of a turn", () => {
  test("is its idle, not its result", () => {
    const talk = running();
    expect(talk.hear(RESULT)).toEqual([]);
    expect(talk.hear(activity("idle"))).toEqual([
      { type: "stream", streamId: "run-1-turn-1", event: "completed", payload: { reason: "done" } },
      { type: "fact", fact: done(1) },
    ]);
    expect(talk.hear(activity("idle"))).toEqual([]);
  });

  test("is not the late idle of the turn before", () => {
    const talk = running();
    talk.hear(RESULT);
    talk.tell(deliver("m2"));
    expect(talk.facts(activity("idle"))).toEqual([]);
    expect(talk.facts(activity("running"), RESULT, activity("idle"))).toEqual([done(1)]);
  });

  test("is not an idle while what it was given lies in its queue", () => {
    const talk = idle();
    talk.tell(deliver("m2"));
    expect(talk.facts(activity("running"), lifecycle("m2", "queued"), activity("idle"))).toEqual([]);
    expect(talk.facts(lifecycle("m2", "started"), RESULT, activity("idle"))).toEqual([done(2)]);
  });

  test("comes once for a message that became a part of the turn before", () => {
    const talk = running();
    talk.tell(deliver("m2"));
    talk.hear(lifecycle("m2", "queued"), lifecycle("m2", "started"), lifecycle("m2", "completed"));
    expect(talk.facts(RESULT, activity("idle"), activity("idle"))).toEqual([done(1)]);
  });

  test("a message that was refused is a failure", () => {
    const talk = idle();
    talk.tell(deliver("m2"));
    expect(talk.facts(activity("running"), lifecycle("m2", "refused"), activity("idle"))).toEqual([
      {
        type: "ask:api_req_failed",
        askId: "run-1-turn-2:end",
        text: "Claude Code did not take the message: it was refused.",
      },
    ]);
  });

  test("is not shown by what becomes of another message", () => {
    const talk = idle();
    talk.tell(deliver("m2"));
    expect(talk.facts(lifecycle("m1", "completed"), activity("idle"))).toEqual([]);
  });

  test("of a Claude that tells no states is its result, once nothing goes on in the background", () => {
    const talk = new Talk({ prompt: PROMPT });
    talk.hear(READY, requesting());
    const work = { task_id: "t1" };
    expect(talk.facts(background(work, { task_id: "t2", ambient: true }), RESULT)).toEqual([
      { type: "background_changed", count: 1 },
    ]);
    expect(talk.facts(background())).toEqual([{ type: "background_changed", count: 0 }, done(1)]);
    // It wakes by itself.
    expect(talk.facts(requesting(), RESULT)).toEqual([{ type: "api_req_started" }, done(2)]);
  });

  test("it wakes by itself, and is done again", () => {
    expect(idle().facts(activity("running"), requesting(), RESULT, activity("idle"))).toEqual([
      { type: "api_req_started" },
      { type: "api_req_started" },
      done(2),
    ]);
  });

  test.each([[[]], [[activity("requires_action")]]])("a subagent asks while it is idle: %j", (told) => {
    const talk = idle();
    const request = toolRequest("a1", "Bash", { command: "ls" });
    const asked = talk.facts(...told, request);
    expect(asked).toEqual([{ type: "ask:command", askId: "a1" }]);
    talk.tell(answer("a1", "approve"));
    expect(talk.facts(activity("idle"))).toEqual([done(2)]);
  });

  test("a failure is told at the end, with Claude's own word for it", () => {
    const talk = running();
    const synthetic = {
      type: "assistant",
      error: "model_not_found",
      is_api_error_message: true,
      message: { id: "x", content: [{ type: "text", text: "no such model" }] },
    };
    expect(talk.hear(synthetic, { ...RESULT, is_error: true, result: "no such model" })).toEqual([]);
    expect(talk.hear(activity("idle"))).toEqual([
      { type: "stream", streamId: "run-1-turn-1", event: "completed", payload: { reason: "failed" } },
      {
        type: "fact",
        fact: { type: "ask:invalid_model", askId: "run-1-turn-1:end", text: "no such model" },
      },
    ]);
  });

  test("an error that a later request got over is not why the turn failed", () => {
    const talk = running();
    talk.hear({ type: "assistant", error: "model_not_found", message: {} }, requesting());
    expect(talk.facts({ ...RESULT, is_error: true, result: "It broke" }, activity("idle"))).toEqual([
      { type: "ask:api_req_failed", askId: "run-1-turn-1:end", text: "It broke" },
    ]);
  });

  test("nobody is logged in: the error names what to do", () => {
    const talk = running();
    talk.hear({ type: "assistant", error: "authentication_failed", message: {} });
    expect(talk.facts({ ...RESULT, is_error: true, result: "Not logged in" }, activity("idle"))).toEqual([
      {
        type: "process_error",
        code: "login_required",
        error:
          "Not logged in. To log in, run `claude` in a terminal and type /login, or set ANTHROPIC_API_KEY.",
      },
    ]);
  });
});

describe("an interrupt", () => {
  const interrupt: HarnessEffect = { type: "interrupt_run", run: 1 };
  const request = (number: number) => ({
    type: "control_request",
    request_id: `interrupt-${number}`,
    request: { subtype: "interrupt" },
  });

  test("ends the turn as interrupted", () => {
    const talk = running();
    expect(talk.tell(interrupt)).toEqual([request(1)]);
    const aborted = { type: "result", subtype: "error_during_execution", is_error: true };
    expect(talk.hear(response("interrupt-1", { still_queued: [] }), aborted, activity("idle"))).toEqual([
      { type: "stream", streamId: "run-1-turn-1", event: "completed", payload: { reason: "interrupted" } },
      { type: "fact", fact: { type: "turn_interrupted" } },
    ]);
  });

  test("that comes too early is made again when the turn has begun", () => {
    const talk = idle();
    talk.tell(deliver("m2"));
    talk.tell(interrupt);
    talk.hear(activity("running"), lifecycle("m2", "queued"));
    expect(talk.hear(response("interrupt-1", { still_queued: [uuidOf(1, "m2")] }))).toEqual([]);
    talk.hear(lifecycle("m2", "started"));
    expect(talk.hear(requesting(), requesting())).toEqual([
      { type: "fact", fact: { type: "api_req_started" } },
      { type: "write", data: `${JSON.stringify(request(2))}\n` },
      { type: "fact", fact: { type: "api_req_started" } },
    ]);
  });

  test("an end without a result, after it, is the interruption", () => {
    const talk = running();
    talk.tell(interrupt);
    expect(talk.facts(activity("idle"))).toEqual([{ type: "turn_interrupted" }]);
  });

  test("of one turn does not reach into the next", () => {
    const talk = running();
    talk.tell(interrupt);
    talk.hear(RESULT, activity("idle"));
    talk.tell(deliver("m2"));
    expect(talk.facts(activity("running"), activity("idle"))).toEqual([done(2)]);
  });
});
