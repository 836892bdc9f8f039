import { describe, expect, test, vi } from "vitest";
import { AT_MS, loopBench, NEW_RECORD, told, written } from "../../test/sim/loop-fixture.js";
import { agentLines, SCRIPT, SETTINGS } from "../../test/sim/runtime-fixture.js";
import { EMPTY_ROSTER, type RosterEvent, type RosterState } from "../core/index.js";
import type { AgentCommand } from "../protocol/agent-wire.js";
import type { Batch } from "./batch.js";
import { carryOut, KEEPER_AWAY, unavailable, type Desk } from "./carry-out.js";
import type { Harness } from "./harness.js";
import { SessionLoop } from "./session-loop.js";
import type { Answer, PersonRequest, Submission } from "./submission.js";

const NOT_FOUND: Answer = { ok: false, code: "session_not_found", message: "There is no such session." };
const GRANTED: Answer = { ok: true, value: { sessionId: "s" } };
const READY = agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" });

function bench(roster: RosterState = EMPTY_ROSTER, harness = SCRIPT) {
  const loop = loopBench(harness);
  const loops = new Map([["s", loop.loop]]);
  const seats: RosterEvent[] = [];
  const removed: string[] = [];
  let refusal: Answer | null = null;
  let isReachable = true;
  let idCount = 0;
  const desk: Desk = {
    loop: (sessionId) => loops.get(sessionId) ?? null,
    open: (record) => {
      const opened = new SessionLoop(record, SCRIPT);
      loops.set(record.id, opened);
      return opened;
    },
    remove: ({ id }) => void removed.push(id),
    roster,
    seat: (event) => {
      seats.push(event);
      return refusal;
    },
    isReachable: () => isReachable,
    newId: () => `new${(idCount += 1)}`,
  };
  const submit = (submission: Submission): { readonly answer: Answer; readonly batch: Batch } => {
    let answer: Answer = NOT_FOUND;
    const batch = loop.during((writing) => {
      answer = carryOut(submission, desk, writing);
    });
    return { answer, batch };
  };
  const request = (wish: PersonRequest) => submit({ type: "request", sessionId: "s", request: wish });
  const refuse = (answer: Answer): void => {
    refusal = answer;
  };
  const loseKeeper = (): void => {
    isReachable = false;
  };
  return { ...loop, loops, seats, removed, submit, request, refuse, loseKeeper };
}

function message(messageId: string, text: string, status: string) {
  return { messageId, sessionId: "s", atMs: AT_MS, text, status };
}

describe("create", () => {
  test("with a prompt: a record, a seat, a spawn and the message", () => {
    const { submit, loops, seats } = bench();
    const { answer, batch } = submit({
      type: "create",
      settings: SETTINGS,
      text: "hello",
      approve: "auto",
    });
    expect(answer).toEqual({
      ok: true,
      value: { sessionId: "new1", messageId: "new2", messageStatus: "sending" },
    });
    expect(seats).toEqual([{ type: "seat_opened", seat: "new1" }]);
    expect(loops.get("new1")?.durable).toEqual({
      ...NEW_RECORD,
      id: "new1",
      createdAtMs: AT_MS,
      updatedAtMs: AT_MS,
      statusSinceMs: AT_MS,
    });
    expect(batch.messages).toEqual([{ ...message("new2", "hello", "sending"), sessionId: "new1" }]);
    expect(written(batch)[0]).toEqual([
      "request",
      0,
      { type: "start_session", asksClose: "explicit", approve: "auto", messageId: "new2" },
    ]);
    expect(written(batch).at(-1)).toEqual([
      "stream",
      1,
      {
        schemaVersion: "1.0",
        eventId: "new1:4",
        sessionId: "new1",
        harness: "script",
        streamId: "messages",
        seq: 4,
        timestampMs: AT_MS,
        type: "user_message",
        payload: { text: "hello", messageId: "new2" },
        messageId: "new2",
      },
    ]);
    expect(batch.outbox.map(({ call }) => call.type)).toEqual(["spawn", "write"]);
  });

  test("without a prompt", () => {
    const { submit } = bench();
    const { answer, batch } = submit({ type: "create", settings: SETTINGS, text: null, approve: "ask" });
    expect(answer).toEqual({ ok: true, value: { sessionId: "new1" } });
    expect([batch.messages, batch.outbox.map(({ call }) => call)]).toEqual([
      [],
      [{ type: "spawn", run: 1, resume: null, prompt: null }],
    ]);
  });
});

describe("requests", () => {
  test.each<Submission>([
    { type: "request", sessionId: "ghost", request: { type: "interrupt" } },
    { type: "rename", sessionId: "ghost", title: "t" },
    { type: "remove", sessionId: "ghost" },
    { type: "connect", sessionId: "ghost" },
  ])("$type of a session that is not there", (submission) => {
    const { submit } = bench();
    const { answer, batch } = submit(submission);
    expect([answer, batch.isEmpty]).toEqual([NOT_FOUND, true]);
  });

  test("a session that is being removed is not there any more", () => {
    const { loop, during, request } = bench();
    during((writing) => loop.markRemoving(writing));
    expect(request({ type: "interrupt" }).answer).toEqual(NOT_FOUND);
  });

  test("a message that is queued", () => {
    const { started, fed, request, loop } = bench();
    started();
    fed(READY);
    const { answer, batch } = request({ type: "send_message", text: "more" });
    expect(answer).toEqual({
      ok: true,
      value: { sessionId: "s", messageId: "new1", messageStatus: "queued" },
    });
    expect(batch.messages).toEqual([message("new1", "more", "queued")]);
    expect(loop.texts.get("new1")).toBe("more");
  });

  test("to a run that may be gone is refused, and leaves nothing behind; its end may be asked for", () => {
    const { request, submit, started, fed, loseKeeper } = bench();
    started();
    fed(READY);
    loseKeeper();
    const wishes: readonly PersonRequest[] = [
      { type: "send_message", text: "more" },
      { type: "approve_action" },
      { type: "reject_action", text: "no" },
      { type: "interrupt" },
      { type: "resume_session" },
    ];
    for (const wish of wishes) {
      const { answer, batch } = request(wish);
      expect([wish.type, answer, batch.isEmpty]).toEqual([wish.type, KEEPER_AWAY, true]);
    }
    expect(submit({ type: "route", sessionId: "s", text: "more" }).answer.ok).toBe(false);
    expect(request({ type: "cancel_session" }).answer).toEqual({ ok: true, value: { sessionId: "s" } });
  });

  test("a message that answers a question is sent at once, in its words", () => {
    const { started, fed, request } = bench();
    started();
    fed(READY, agentLines(3, { type: "ask", askId: "q", ask: "followup" }));
    const { answer, batch } = request({ type: "send_message", text: "blue" });
    expect(answer).toEqual({ ok: true, value: { sessionId: "s", messageId: "new1", messageStatus: "sent" } });
    expect(batch.messages).toEqual([message("new1", "blue", "sent")]);
    expect(batch.outbox.map(({ call }) => (call.type === "write" ? call.data : ""))).toEqual([
      '{"n":2,"type":"answer","askId":"q","decision":"reply","text":"blue"}\n',
    ]);
  });

  test("a message that is from no person answers no question, not even one that is not in the journal yet", () => {
    const { started, fed, request, loop } = bench();
    started();
    fed(READY);
    const wish = { type: "send_message", text: "blue", unlessAsked: true } as const;
    expect(request(wish).answer).toMatchObject({ ok: true, value: { messageStatus: "queued" } });
    fed(agentLines(3, { type: "ask", askId: "q", ask: "followup" }));
    expect([loop.durable.state.asks.length, loop.state.asks.length]).toEqual([0, 1]);
    const { answer, batch } = request(wish);
    const message = "The session waits for a person's answer, which only a person gives.";
    expect(answer).toEqual({ ok: false, code: "conflict", message });
    expect([batch.entries, batch.outbox, loop.state.asks.length]).toEqual([[], [], 1]);
  });

  test("an answer goes to the question that it names, or nowhere", () => {
    const { started, fed, request, loop } = bench();
    started();
    fed(READY);
    const answerTo = (askId: string) => request({ type: "send_message", text: "yes", askId });
    const asking = (askId: string, ask: string) => ({ type: "ask", askId, ask });
    fed(agentLines(3, asking("q1", "followup"), asking("q2", "followup")));
    expect(answerTo("q2").answer).toMatchObject({ ok: false, code: "conflict" });
    expect(answerTo("q1").answer).toMatchObject({ ok: true, value: { messageStatus: "sent" } });
    const { answer, batch } = answerTo("q1");
    const message = "The question is not open: it was answered or withdrawn.";
    expect(answer).toEqual({ ok: false, code: "ask_stale", message });
    expect([batch.entries, batch.messages, batch.outbox]).toEqual([[], [], []]);
    expect(loop.state.asks.map(({ askId }) => askId)).toEqual(["q2"]);
    fed(agentLines(5, asking("a1", "command")));
    expect(answerTo("q2").answer).toMatchObject({ ok: false, code: "conflict" });
    expect(answerTo("a1").answer).toMatchObject({ ok: false, code: "conflict" });
    expect([loop.state.queue, loop.state.asks.length]).toEqual([[], 2]);
  });

  test("a no with its reason", () => {
    const { started, fed, request } = bench();
    started();
    fed(READY, agentLines(3, { type: "ask", askId: "q", ask: "tool" }));
    const { answer, batch } = request({ type: "reject_action", askId: "q", text: "not that" });
    expect(answer).toEqual({ ok: true, value: { sessionId: "s", messageId: "new1", messageStatus: "sent" } });
    expect(batch.outbox.map(({ call }) => (call.type === "write" ? call.data : ""))).toEqual([
      '{"n":2,"type":"answer","askId":"q","decision":"reject","text":"not that"}\n',
    ]);
  });

  test("a message that is rejected leaves nothing behind but the refusal", () => {
    const { request, loop } = bench();
    const { answer, batch } = request({ type: "send_message", text: "hello?" });
    expect(answer).toEqual({
      ok: false,
      code: "state_transition_invalid",
      message: "send_message is not possible while idle",
    });
    expect(written(batch)).toEqual([
      ["request", 0, { type: "send_message", messageId: "new1" }],
      [
        "state",
        0,
        told(
          2,
          {
            type: "session_error",
            code: "state_transition_invalid",
            message: "send_message is not possible while idle",
            retryable: false,
            source: "orchestrator",
          },
          [1, "send_message", "request"],
        ),
      ],
    ]);
    expect([batch.messages, [...loop.texts]]).toEqual([[], []]);
  });

  test("the text of a message that could not be committed is forgotten", () => {
    const { started, request, loop } = bench();
    started();
    const { batch } = request({ type: "send_message", text: "more" });
    for (const { undone } of batch.waiters) undone(new Error("full"));
    expect([...loop.texts.keys()]).toEqual(["m1"]);
  });

  test("a command goes out as its harness says it, written down first", () => {
    const harness: Harness = {
      ...SCRIPT,
      command: (codec, { command }) =>
        command === "insert"
          ? { state: codec, writes: [], failure: "not now" }
          : { state: { told: command }, writes: [`${command}\n`] },
    };
    const { submit, started, loop } = bench(EMPTY_ROSTER, harness);
    const command = (wish: AgentCommand) => submit({ type: "command", sessionId: "s", command: wish });
    const noAgent = { ok: false, code: "no_agent", message: "No agent is running in this session." };
    expect(command({ command: "new" }).answer).toEqual(noAgent);
    started();
    const seq = loop.snapshot().seq + 1;
    const { answer, batch } = command({ command: "slash", name: "help" });
    expect(answer).toEqual(GRANTED);
    expect(written(batch)).toEqual([["request", 1, { type: "command", command: "slash", name: "help" }]]);
    const call = { type: "write", run: 1, data: "slash\n", onFailure: { type: "none" } };
    expect(batch.outbox).toEqual([{ sessionId: "s", effectId: `${seq}.0`, call }]);
    expect([batch.sync, [...batch.touchedSessionIds]]).toEqual(["full", ["s"]]);
    expect(loop.snapshot().progress.codec).toEqual({ told: "slash" });
    const refused = { ok: false, code: "state_transition_invalid", message: "not now" };
    const refusal = command({ command: "insert" });
    expect([refusal.answer, refusal.batch.entries]).toEqual([refused, []]);
  });

  test("a harness without commands says so", () => {
    const { submit, started } = bench();
    started();
    const { answer, batch } = submit({ type: "command", sessionId: "s", command: { command: "new" } });
    const message = "This agent has no commands.";
    expect(answer).toEqual({ ok: false, code: "state_transition_invalid", message });
    expect([batch.entries, batch.outbox]).toEqual([[], []]);
  });

  test("rename", () => {
    const { submit, loop } = bench();
    const { answer, batch } = submit({ type: "rename", sessionId: "s", title: "New" });
    expect([answer, loop.settings.title, [...batch.touchedSessionIds]]).toEqual([GRANTED, "New", ["s"]]);
  });
});

describe("remove", () => {
  test("a session without a process goes at once", () => {
    const { submit, removed, loop } = bench();
    expect(submit({ type: "remove", sessionId: "s" }).answer).toEqual(GRANTED);
    expect([removed, loop.removing]).toEqual([["s"], false]);
  });

  test("a running agent is ended first, and its messages are given up", () => {
    const { submit, removed, loop, started, fed, request } = bench();
    started();
    fed(READY);
    request({ type: "send_message", text: "more" });
    const { answer, batch } = submit({ type: "remove", sessionId: "s" });
    expect([answer, removed, loop.removing]).toEqual([GRANTED, [], true]);
    expect(batch.messageStatuses).toEqual([{ messageId: "new1", status: "failed" }]);
    expect(written(batch)[0]?.[2]).toEqual({
      eventId: `s:${batch.entries[0]?.seq ?? 0}`,
      timestampMs: AT_MS,
      sessionId: "s",
      payload: { type: "message_status", messageId: "new1", status: "failed" },
    });
    expect(batch.outbox.map(({ call }) => call)).toEqual([{ type: "stop", run: 1 }]);
  });

  test("one that is being stopped is not stopped again", () => {
    const { submit, loop, started, request } = bench();
    started();
    request({ type: "cancel_session" });
    const { batch } = submit({ type: "remove", sessionId: "s" });
    expect([batch.outbox, loop.removing]).toEqual([[], true]);
  });
});

describe("seats", () => {
  const roster: RosterState = {
    seats: [{ seat: "s", agent: "script", status: "connected", order: 1 }],
    connected: "s",
    counter: 1,
  };

  test("connect asks the roster", () => {
    const { submit, seats, refuse } = bench();
    expect(submit({ type: "connect", sessionId: "s" }).answer).toEqual(GRANTED);
    expect(seats).toEqual([{ type: "connect", seat: "s" }]);
    const refused: Answer = { ok: false, code: "no_agent", message: "no agent runs in seat s" };
    refuse(refused);
    expect(submit({ type: "connect", sessionId: "s" }).answer).toEqual(refused);
  });

  test("a message without a name goes to the connected one", () => {
    const { submit, started } = bench(roster);
    started();
    const { answer } = submit({ type: "route", sessionId: null, text: "hi" });
    expect(answer).toEqual({
      ok: true,
      value: { sessionId: "s", messageId: "new1", messageStatus: "queued" },
    });
  });

  test("a named one without an agent gives way to the connected one only when that is wanted", () => {
    const gone = { seat: "gone", agent: null, status: "none", order: 0 } as const;
    const { submit, started } = bench({ ...roster, seats: [gone, ...roster.seats] });
    started();
    expect(submit({ type: "route", sessionId: "gone", text: "hi" }).answer).toEqual({
      ok: false,
      code: "no_agent",
      message: "No agent is running in this session.",
    });
    expect(submit({ type: "route", sessionId: "gone", text: "hi", fallback: true }).answer).toEqual({
      ok: true,
      value: { sessionId: "s", messageId: "new1", messageStatus: "queued" },
    });
    expect(submit({ type: "route", sessionId: "slip", text: "hi", fallback: true }).answer).toEqual({
      ok: false,
      code: "seat_unknown",
      message: "There is no such session.",
    });
  });

  test.each([
    [EMPTY_ROSTER, null, "no_active_agent", "No agent is running."],
    [EMPTY_ROSTER, "s", "seat_unknown", "There is no such session."],
    [
      { ...roster, seats: [{ seat: "s", agent: null, status: "none", order: 1 }], connected: null } as const,
      "s",
      "no_agent",
      "No agent is running in this session.",
    ],
  ])("who cannot be reached", (seats, sessionId, code, text) => {
    const { submit } = bench(seats);
    const { answer, batch } = submit({ type: "route", sessionId, text: "hi" });
    expect([answer, batch.isEmpty]).toEqual([{ ok: false, code, message: text }, true]);
  });
});

test("what the journal could not take is not the client's fault", () => {
  expect(unavailable(new Error("disk full"))).toEqual({
    ok: false,
    code: "internal",
    message: "The journal could not be written, and nothing was changed: disk full",
    unavailable: true,
  });
});

describe("a dialog that no rule knows", () => {
  const shown = (choices: readonly string[]) => ({
    ...{ title: "Log in?", detail: "> Yes", openedAtMs: 1 },
    tool: { name: "screen", input: { title: "Log in?", detail: "> Yes", choices } },
  });

  test.each<PersonRequest>([
    { type: "send_message", text: "yes" },
    { type: "send_message", text: "yes", askId: "q" },
    { type: "reject_action", askId: "q" },
    { type: "approve_action" },
  ])("is answered in the terminal: %j is refused", (wish) => {
    const { fed, request, loop } = bench();
    request({ type: "start_session", text: "go" });
    fed(READY, agentLines(3, { type: "ask", askId: "q", ask: "followup" }));
    const asked = vi.spyOn(loop, "askDetails", "get").mockReturnValue({ q: shown([]) });
    expect(request(wish).answer).toEqual({
      ok: false,
      code: "conflict",
      message:
        "What the terminal shows can only be answered there: signalbox attach s, or the session's page.",
    });
    asked.mockReturnValue({ q: shown(["Yes"]) });
    expect(request({ type: "send_message", text: "yes" }).answer.ok).toBe(true);
  });
});

describe("a message that waits", () => {
  test("is sent anyway without being queued twice", () => {
    const { fed, request, loop } = bench();
    request({ type: "start_session", text: "go" });
    fed(READY);
    const { answer } = request({ type: "send_message", text: "next" });
    if (!answer.ok) throw new Error(answer.message);
    const messageId = answer.value.messageId ?? "";
    expect(request({ type: "resend_message", messageId, force: true }).answer).toEqual({
      ok: true,
      value: { sessionId: "s", messageId, messageStatus: "queued" },
    });
    expect(loop.state.queue).toEqual([messageId]);
  });
});
