/**
 * The list of tests of the turn's origin (002), each with what its driver does about it: a real process, a real
 * conversation file, a scripted model. The machine's own tests of the same names are in `src/core/turn`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ModelServer } from "../agents/model-server/model-server.js";
import { AgentHome, call, type AgentProcess } from "./agent-process.js";

let model: ModelServer;
let home: AgentHome;
let agent: AgentProcess;

beforeAll(async () => {
  model = await ModelServer.start();
});
afterAll(async () => {
  await model.close();
});
beforeEach(async () => {
  home = new AgentHome(model);
  agent = await home.start();
});
afterEach(async () => {
  await home.end();
});

const types = (): readonly string[] => agent.lines.map(({ type }) => type).filter((type) => type !== "usage");
const entries = (): readonly unknown[] =>
  home.talk(agent.sessionId).flatMap((line) => (line.type === "entry" ? [line.entry] : []));
const results = (): readonly unknown[] =>
  entries().filter((entry) => (entry as { type: string }).type === "tool_result");
/** What the model was told last. */
const sent = (): string => JSON.stringify(model.seen.at(-1)?.body["messages"]);
/** What a person's own shell is told. */
const exits = (): number =>
  agent.lines
    .map((line) => (line.type === "note" ? line.text : line.type))
    .filter((said) => said.startsWith("exit")).length;

describe("basic flow", () => {
  test("user_submit_starts_turn", async () => {
    agent.prompt("[[hang]][[text:Hello there.]]");
    await agent.until("request");
    expect(types()).toEqual(["ready", "controls", "request"]);
    expect(entries()).toEqual([
      { type: "user_message", messageId: "m1", content: "[[hang]][[text:Hello there.]]" },
    ]);
  });

  test("stream_started_transitions_to_streaming", async () => {
    agent.prompt("[[hang]][[think:Hm.]][[text:Hello there.]]");
    await agent.until("text");
    expect(types()).toEqual(["ready", "controls", "request", "thinking", "text"]);
  });

  test("stream_chunk_accumulates_text: shown piece by piece, each written down before, kept as one", async () => {
    await agent.turn("[[chunks:4]][[text:One two three four.]]");
    const pieces = agent.of("text").map(({ text }) => text);
    expect([pieces.length, pieces.join("")]).toEqual([4, "One two three four."]);
    const lines = home.talk(agent.sessionId).slice(-5);
    expect(lines).toEqual([
      ...pieces.map((text) => ({ type: "chunk", text })),
      { type: "entry", entry: { type: "text", content: "One two three four." } },
    ]);
  });

  test("stream_done_without_tools_goes_idle", async () => {
    await agent.turn("[[text:Hi.]]");
    expect(types()).toEqual(["ready", "controls", "request", "text", "text", "text", "done"]);
    await agent.turn("[[text:Hi again.]]");
    expect(agent.of("done")).toHaveLength(2);
  });
});

describe("tools", () => {
  test("stream_tool_call_tracks_tool_and_emits_check_permission", async () => {
    agent.prompt("[[shell:touch made]]");
    const ask = await agent.until("ask");
    const [called] = agent.of("tool_call");
    expect(ask).toMatchObject({ askId: called?.callId, ask: "command", title: "touch made" });
    expect(agent.of("tool_started")).toEqual([]);
  });

  test("permission_allowed_transitions_to_executing: a rule's answer is enough", async () => {
    agent.prompt("[[shell:touch made]]");
    const { askId } = await agent.until("ask");
    agent.hear({ type: "answer", askId, decision: "approve", by: "rule", text: null });
    await agent.until("done");
    expect([home.has("made"), agent.of("tool_started").length]).toEqual([true, 1]);
  });

  test("permission_ask_transitions_to_awaiting: nothing happens until a person answers", async () => {
    agent.prompt("[[shell:touch made]]");
    const { askId } = await agent.until("ask");
    await sleep(200);
    expect([home.has("made"), agent.of("tool_started")]).toEqual([false, []]);
    agent.answer(askId, "approve");
    await agent.until("done");
    expect(home.has("made")).toBe(true);
  });

  test("tool_done_after_stream_done_continues_conversation", async () => {
    await agent.turn("[[shell:echo out]][[text:Seen.]]");
    expect(agent.of("request")).toHaveLength(2);
    expect(sent()).toContain("out\\n[exit code 0]");
  });

  test("continuation_turn_without_new_tools_goes_idle", async () => {
    await agent.turn("[[shell:true]][[text:Over.]]");
    await sleep(100);
    expect([agent.of("done").length, agent.of("request").length]).toEqual([1, 2]);
  });

  test("a call that cannot be made is an error that the model sees (unknown, misfit)", async () => {
    const told = await agent.turn(`${call("no_such_tool", {})}${call("read_file", { file_path: 7 })}`);
    expect(told[0]).toBe("Error: there is no tool named no_such_tool");
    expect(told[1]).toMatch(/^Error: invalid input: /);
    expect(agent.of("ask")).toEqual([]);
    expect(sent()).toContain("there is no tool named no_such_tool");
  });
});

describe("cancel", () => {
  test("cancel_during_streaming_goes_idle: what was said is kept, with a mark", async () => {
    agent.prompt("[[hang]][[text:Half a sentence.]]");
    const { text } = await agent.until("text");
    agent.hear({ type: "interrupt" });
    await agent.until("interrupted");
    expect(entries().at(-1)).toEqual({ type: "text", content: `${text}\n\n[User cancelled here]` });
    await agent.turn("[[text:Next.]]");
    expect(sent()).toContain("[User cancelled here]");
  });

  test("stale_permission_resolved_after_cancel_is_ignored", async () => {
    agent.prompt("[[shell:touch made]]");
    const { askId } = await agent.until("ask");
    agent.hear({ type: "interrupt" });
    await agent.until("interrupted");
    agent.answer(askId, "approve");
    await agent.turn("[[text:Next.]]");
    expect([home.has("made"), agent.of("tool_started")]).toEqual([false, []]);
    expect(agent.of("ask_closed")).toEqual([{ type: "ask_closed", askId }]);
  });

  test("cancel_during_turn_with_pending_tools: they end, each has a result, and the model is told", async () => {
    agent.prompt("[[parallel]][[shell:echo $$ > pid; sleep 300]][[shell:touch other]]");
    const first = await agent.until("ask", 2).then(() => agent.of("ask")[0]);
    agent.answer(first?.askId ?? "", "approve");
    await expect.poll(() => home.has("pid") && home.read("pid").trim()).toMatch(/^\d+$/);
    agent.hear({ type: "interrupt" });
    await agent.until("interrupted");
    expect(agent.of("tool_result").map(({ isError }) => isError)).toEqual([true, true]);
    expect(entries().at(-1)).toMatchObject({ type: "system_context" });
    await expect.poll(() => isAlive(Number(home.read("pid")))).toBe(false);
    expect(home.has("other")).toBe(false);
  });

  test("stale_tool_result_after_cancel_is_ignored: a tool that ends late has one result", async () => {
    agent.prompt("[[shell:trap '' INT; touch started; sleep 1; echo late]]");
    await agent.approve(1);
    await expect.poll(() => home.has("started")).toBe(true);
    agent.hear({ type: "interrupt" });
    await agent.until("interrupted");
    await sleep(1_500);
    expect([results().length, agent.of("tool_result").length]).toEqual([1, 1]);
    await agent.turn("[[text:Next.]]");
    expect(sent()).not.toContain("late\\n");
  });
});

describe("confirmation", () => {
  const danger = (level: string): string =>
    call("suggest_command", {
      command: "rm -rf build",
      description: "Delete it",
      danger: level,
      confidence: "high",
    });

  test("dangerous_command_enters_confirmation, second_execute_confirms_and_exits", async () => {
    await agent.turn(danger("high"));
    expect(agent.of("suggestion")).toMatchObject([{ command: "rm -rf build", danger: "high" }]);
    agent.hear({ type: "command", command: { command: "execute" } });
    await sleep(200);
    expect(exits()).toBe(0);
    agent.hear({ type: "command", command: { command: "execute" } });
    await expect.poll(exits).toBe(1);
  });

  test("confirmation_timeout_clears_confirmation: after five seconds it is asked for again", async () => {
    await agent.turn(danger("high"));
    agent.hear({ type: "command", command: { command: "execute" } });
    await sleep(5_300);
    agent.hear({ type: "command", command: { command: "execute" } });
    await sleep(200);
    expect(exits()).toBe(0);
    agent.hear({ type: "command", command: { command: "execute" } });
    await expect.poll(exits).toBe(1);
  });

  test("danger `med` is medium, and is confirmed too; low is not", async () => {
    await agent.turn(danger("med"));
    agent.hear({ type: "command", command: { command: "execute" } });
    await sleep(200);
    expect([agent.of("suggestion")[0]?.danger, exits()]).toEqual(["medium", 0]);
    await agent.turn(danger("low"));
    agent.hear({ type: "command", command: { command: "execute" } });
    await expect.poll(exits).toBe(1);
  });
});

describe("errors and retry", () => {
  test("stream_error_goes_to_error_state, retry_from_error_starts_new_stream", async () => {
    agent.prompt("[[id:turn-error]][[error:400]][[text:Better.]]");
    await agent.until("failed");
    expect(agent.of("done")).toEqual([]);
    model.mend("turn-error");
    agent.hear({ type: "continue", why: "retry" });
    await agent.until("done");
    expect(agent.of("request")).toHaveLength(2);
    // The same message, not a second one.
    expect(entries().filter((entry) => (entry as { type: string }).type === "user_message")).toHaveLength(1);
  });
});

describe("permission choices", () => {
  test("permission_deny_completes_turn_and_continues", async () => {
    agent.prompt("[[shell:touch made]][[text:As you wish.]]");
    const { askId } = await agent.until("ask");
    agent.answer(askId, "reject");
    await agent.until("done");
    expect(home.has("made")).toBe(false);
    expect(results()).toMatchObject([{ isError: true, content: "Error: the user denied this tool call" }]);
    expect(sent()).toContain("the user denied this tool call");
  });
});

describe("what 003 adds, and what the specification decides", () => {
  test("a timeout ends the whole process group, and the result says so", async () => {
    const command = "sleep 300 & echo $! > child; echo $$ > parent; wait";
    const [told] = await agent.turn(call("execute_shell_command", { command, timeout: 1 }));
    expect(told).toMatch(/timed out/);
    for (const file of ["child", "parent"])
      await expect.poll(() => isAlive(Number(home.read(file)))).toBe(false);
  });

  test("interrupt_tools ends the tool, and the turn goes on; interrupt ends the turn", async () => {
    agent.prompt("[[shell:echo begun; sleep 300]][[text:So it was.]]");
    await agent.approve(1);
    await agent.until("tool_preview");
    agent.hear({ type: "command", command: { command: "interrupt_tools" } });
    await agent.until("done");
    expect(agent.of("tool_result")).toMatchObject([{ isError: true }]);
    expect(sent()).toContain("begun");
    agent.prompt("[[shell:echo begun; sleep 300]][[text:Never said.]]");
    await agent.approve(2);
    await agent.until("tool_preview", 2);
    agent.hear({ type: "interrupt" });
    await agent.until("interrupted");
    await sleep(100);
    expect(agent.of("done")).toHaveLength(1);
    expect(
      agent
        .of("text")
        .map(({ text }) => text)
        .join(""),
    ).not.toContain("Never");
  });

  test("a message during a turn waits, and starts the next one", async () => {
    agent.prompt("[[slow:50]][[text:First answer.]]");
    agent.prompt("[[text:Second answer.]]");
    await agent.until("done", 2);
    expect(
      agent
        .of("text")
        .map(({ text }) => text)
        .join(""),
    ).toBe("First answer.Second answer.");
  });

  test("an empty session id keeps the old one; /new begins another, and keeps the file", async () => {
    const { sessionId } = agent;
    await agent.turn("[[text:Hi.]]");
    expect(agent.of("ready")).toHaveLength(1);
    agent.prompt("/new");
    await agent.until("ready", 2);
    expect(agent.sessionId).not.toBe(sessionId);
    await agent.turn("[[text:Hi.]]");
    expect(sent()).not.toContain("m1");
    expect(model.seen.at(-1)?.body["messages"]).toHaveLength(1);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
