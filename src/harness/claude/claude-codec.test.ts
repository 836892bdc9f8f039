import { describe, expect, test } from "vitest";
import {
  activity,
  answer,
  deliver,
  idle,
  PROMPT,
  READY,
  response,
  running,
  Talk,
  toolRequest,
} from "../../../test/golden/claude/claude-talk.js";
import type { HarnessEffect } from "../../runtime/harness.js";
import { claudeForgot } from "./claude-codec.js";
import { uuidOf } from "./told-line.js";

describe("a conversation that it never kept", () => {
  const START = { run: 2, resume: "s1", continues: true } as const;
  const again = (index: number, text: string) => ({
    type: "write",
    data: `${JSON.stringify({
      type: "user",
      message: { role: "user", content: [{ type: "text", text }] },
      uuid: uuidOf(2, `again ${index}`),
    })}\n`,
  });

  test("it is told again what it was given in its first turn", () => {
    const first = running();
    first.tell({ type: "deliver_message", run: 1, messageId: "m2" }, "and this");
    const forgetful = new Talk({ ...START, before: first.state });
    expect(claudeForgot(forgetful.state).outputs).toEqual([again(0, "hello"), again(1, "and this")]);
  });

  test("forgotten twice, all of it is told again", () => {
    const second = new Talk({ ...START, before: running().state });
    second.state = claudeForgot(second.state).state;
    second.tell({ type: "deliver_message", run: 2, messageId: "m2" }, "and this");
    const third = new Talk({ ...START, run: 3, before: second.state });
    expect(claudeForgot(third.state).outputs).toHaveLength(2);
  });

  test("after its first turn it has kept everything", () => {
    const next = new Talk({ ...START, before: idle().state });
    next.tell({ type: "deliver_message", run: 2, messageId: "m2" }, "more");
    expect(claudeForgot(next.state).outputs).toEqual([]);
  });

  test("of words without end, it keeps the beginning", () => {
    const first = new Talk({ prompt: { messageId: "m1", text: "x".repeat(2 ** 21) } });
    first.tell({ type: "deliver_message", run: 1, messageId: "m2" }, "more");
    const { outputs } = claudeForgot(new Talk({ ...START, before: first.state }).state);
    expect(outputs).toEqual([again(0, "x".repeat(2 ** 20))]);
  });
});

describe("the start", () => {
  test("the handshake registers a hook for every tool, and the prompt follows at once", () => {
    expect(new Talk({ prompt: PROMPT }).input).toEqual([
      {
        type: "control_request",
        request_id: "initialize",
        request: {
          subtype: "initialize",
          hooks: {
            PreToolUse: [{ hookCallbackIds: ["pre_tool_use"], timeout: 86_400, onFailure: "block" }],
          },
        },
      },
      {
        type: "user",
        message: { role: "user", content: [{ type: "text", text: "hello" }] },
        uuid: uuidOf(1, "m1"),
      },
    ]);
    expect(uuidOf(1, "m1")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(uuidOf(2, "m1")).not.toBe(uuidOf(1, "m1"));
  });

  test("started with nothing to do, it is idle when it is ready", () => {
    expect(new Talk().facts(READY, READY)).toEqual([
      { type: "session_created" },
      { type: "ask:completion_result", askId: "run-1-ready:end" },
    ]);
  });

  test.each([{ prompt: PROMPT }, { resume: "s1" }, { continues: true }])("with %j it is not", (start) => {
    expect(new Talk(start).facts(READY)).toEqual([{ type: "session_created" }]);
  });

  test("its id comes with its first turn, and again when it changes", () => {
    const talk = running();
    const init = (id: string) => ({ type: "system", subtype: "init", session_id: id });
    expect(talk.facts(init("s1"), init("s1"), init("s2"))).toEqual([
      { type: "session_created", sessionId: "s1" },
      { type: "session_created", sessionId: "s2" },
    ]);
  });

  test.each([
    [{ subtype: "error", request_id: "initialize", error: "no" }, "Claude Code could not be set up: no"],
    [
      { subtype: "success", request_id: "initialize", response: { hooks_applied: false } },
      "Claude Code could not be set up: it does not show its tool calls before they run",
    ],
  ])("a handshake that fails: %j", (reply, error) => {
    expect(new Talk().facts({ type: "control_response", response: reply })).toEqual([
      { type: "process_error", error },
    ]);
  });

  test("a result before it is ready is why it ends", () => {
    const failed = {
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      errors: ["No conversation"],
    };
    expect(new Talk({ resume: "s1", continues: true }).facts(failed)).toEqual([
      { type: "process_error", error: "No conversation" },
    ]);
  });
});

describe("what it is told", () => {
  test("a message, and to go on", () => {
    const talk = idle();
    const said = (text: string, uuid: string) => ({
      type: "user",
      message: { role: "user", content: [{ type: "text", text }] },
      uuid,
    });
    expect(talk.tell(deliver("m2"), "more")).toEqual([said("more", uuidOf(1, "m2"))]);
    talk.hear(activity("running"), activity("idle"));
    expect(talk.tell({ type: "continue_run", run: 1, why: "resume" })).toEqual([
      said("Continue.", uuidOf(1, "turn 3")),
    ]);
    talk.hear(activity("running"), activity("idle"));
    expect(talk.tell({ type: "continue_run", run: 1, why: "retry" })).toEqual([
      said("That failed. Try again.", uuidOf(1, "turn 4")),
    ]);
  });

  test("the input is given back with an approval", () => {
    const talk = running();
    talk.hear(toolRequest("a1", "Bash", { command: "ls" }));
    expect(talk.tell(answer("a1", "approve"))).toEqual([
      response("a1", { behavior: "allow", updatedInput: { command: "ls" } }),
    ]);
    expect(talk.tell(answer("a1", "approve"))).toEqual([
      { failure: "Claude Code no longer waits for this answer" },
    ]);
  });

  test("an input that is too long to keep is left out of it", () => {
    const talk = running();
    talk.hear(toolRequest("a1", "Write", { content: "x".repeat(300_000) }));
    expect(talk.tell(answer("a1", "approve"))).toEqual([response("a1", { behavior: "allow" })]);
    expect(JSON.stringify(talk.state).length).toBeLessThan(2_000);
  });

  test.each([
    ["user", "use make", "use make"],
    ["user", null, "The person does not want this to be done."],
    ["rule", null, "A permission rule of Signalbox denies this."],
    ["auto", null, "Signalbox does not want this to be done."],
  ] as const)("a refusal by %s with the text %j", (by, text, message) => {
    const talk = running();
    talk.hear(toolRequest("a1", "Bash", { command: "ls" }));
    expect(talk.tell(answer("a1", "reject", by), text)).toEqual([
      response("a1", { behavior: "deny", message, interrupt: false }),
    ]);
  });

  test("the answers to its questions", () => {
    const talk = running();
    const questions = [{ question: "Which?", options: [{ label: "Red" }, { label: "Blue" }] }];
    expect(talk.hear(toolRequest("a1", "AskUserQuestion", { questions }))).toEqual([
      {
        type: "ask_detail",
        askId: "a1",
        title: "Which?",
        detail: "  1) Red\n  2) Blue\nChoose one, by number or name, or answer in your own words.",
        tool: { name: "AskUserQuestion", input: { questions } },
      },
      {
        type: "stream",
        streamId: "run-1-turn-1",
        event: "ask",
        payload: {
          askId: "a1",
          ask: "followup",
          title: "Which?",
          detail: "  1) Red\n  2) Blue\nChoose one, by number or name, or answer in your own words.",
        },
      },
      { type: "fact", fact: { type: "ask:followup", askId: "a1" } },
    ]);
    expect(talk.tell(answer("a1", "reply"), "2")).toEqual([
      response("a1", { behavior: "allow", updatedInput: { questions, answers: { "Which?": "Blue" } } }),
    ]);
  });

  test("the answer to an MCP server's question", () => {
    const talk = running();
    const request = {
      subtype: "elicitation",
      mcp_server_name: "s",
      message: "Name?",
      requested_schema: { properties: { n: {} } },
    };
    const asked = talk.facts({ type: "control_request", request_id: "e1", request });
    expect(asked).toEqual([{ type: "ask:followup", askId: "e1" }]);
    expect(talk.tell(answer("e1", "reply"), "Ann")).toEqual([
      response("e1", { action: "accept", content: { n: "Ann" } }),
    ]);
    talk.hear({ type: "control_request", request_id: "e2", request });
    expect(talk.tell(answer("e2", "reject", "rule"))).toEqual([response("e2", { action: "cancel" })]);
  });

  test("what nobody will answer is refused, once; what Claude withdrew is not", () => {
    const talk = running();
    talk.hear(toolRequest("a1", "Bash", {}), toolRequest("a2", "Bash", {}), toolRequest("a3", "Bash", {}));
    expect(talk.facts({ type: "control_cancel_request", request_id: "a2" })).toEqual([
      { type: "ask_closed", askId: "a2" },
    ]);
    expect(talk.facts({ type: "control_cancel_request", request_id: "a2" })).toEqual([]);
    const voided: HarnessEffect = { type: "void_asks", askIds: ["a1", "a2"], reason: "interrupted" };
    const denied = { behavior: "deny", message: "Nobody answered this.", interrupt: false };
    expect(talk.tell(voided)).toEqual([response("a1", denied)]);
    expect(talk.tell(voided)).toEqual([]);
  });
});
