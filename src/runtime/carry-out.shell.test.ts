/** A terminal that was started as a shell: what is said to it, and what comes back. */
import { expect, test } from "vitest";
import { AT_MS, loopBench, NEW_RECORD, written } from "../../test/sim/loop-fixture.js";
import { SCRIPT, SETTINGS } from "../../test/sim/runtime-fixture.js";
import { EMPTY_ROSTER, type RosterState, type SessionFact } from "../core/index.js";
import type { Batch } from "./batch.js";
import { carryOut, type Desk } from "./carry-out.js";
import { SessionLoop } from "./session-loop.js";
import type { Answer, PersonRequest, Submission } from "./submission.js";

const SHELL = { ...SETTINGS, harness: "terminal", args: [] };
const CLAUDE: SessionFact = { type: "agent_started", run: 1, name: "claude", start: "100:1" };
const KNOWN: SessionFact = { type: "certainty_changed", run: 1, certainty: "known", sinceMs: 5 };
const GONE: SessionFact = { type: "agent_ended", run: 1, start: "100:1" };

function bench(roster: RosterState = EMPTY_ROSTER) {
  const { during } = loopBench();
  const loop = new SessionLoop({ ...NEW_RECORD, settings: SHELL }, SCRIPT);
  let idCount = 0;
  const opened: string[] = [];
  const desk: Desk = {
    loop: () => loop,
    open: (record) => {
      opened.push(record.id);
      return loop;
    },
    remove: () => undefined,
    roster,
    seat: () => null,
    isReachable: () => true,
    newId: () => `m${(idCount += 1)}`,
  };
  const submit = (submission: Submission): { readonly answer: Answer; readonly batch: Batch } => {
    let answer: Answer | undefined;
    const batch = during((writing) => {
      answer = carryOut(submission, desk, writing);
    });
    for (const waiter of batch.waiters) waiter.done();
    if (!answer) throw new Error("no answer");
    return { answer, batch };
  };
  const request = (wish: PersonRequest) => submit({ type: "request", sessionId: "s", request: wish });
  const told = (...facts: readonly SessionFact[]): Batch =>
    during((writing) => {
      for (const fact of facts) loop.fact(fact, "screen", writing);
    });
  const send = (text: string) => request({ type: "send_message", text });
  return { loop, opened, submit, request, told, send };
}

/** A shell with Claude in it, and a message that waits for it. */
function withReturned(roster: RosterState = EMPTY_ROSTER) {
  const started = bench(roster);
  started.submit({ type: "create", settings: SHELL, text: null, approve: "ask" });
  started.told({ type: "shell_ready", run: 1 }, CLAUDE);
  started.send("look at `this`");
  const returning = started.told(GONE);
  return { ...started, returning };
}

const NO_AGENT = {
  ok: false,
  code: "no_agent",
  message:
    "No agent runs in this session's shell, and a message is never typed into one. `signalbox type s TEXT` types into the shell.",
};

test("a shell is not created with a prompt, and nothing is opened for it", () => {
  const { submit, opened } = bench();
  const { answer, batch } = submit({ type: "create", settings: SHELL, text: "hello", approve: "ask" });
  expect(answer).toEqual({
    ok: false,
    code: "no_agent",
    message:
      "This starts a shell, and a prompt is never typed into one. Start it without a prompt; then type into it with `signalbox type ID TEXT`, or start an agent in it and send it messages.",
  });
  expect([opened, batch.entries, batch.outbox]).toEqual([[], [], []]);
});

test.each([
  [[], "agent"],
  [["bash", "-l"], "agent"],
  [["bash", "-c", "make"], "conversation"],
  [["aider"], "conversation"],
])("a terminal started with %j: its messages are for the %s", (args, addressee) => {
  const { submit, loop } = bench();
  const settings = { ...SHELL, args };
  const own = new SessionLoop({ ...NEW_RECORD, settings }, SCRIPT);
  Object.assign(loop, { durable: own.durable });
  loop.restore();
  submit({ type: "create", settings, text: null, approve: "ask" });
  expect(loop.state.addressee).toBe(addressee);
});

test("a message to a shell is refused and leaves nothing behind", () => {
  const { submit, told, send, loop } = bench();
  submit({ type: "create", settings: SHELL, text: null, approve: "ask" });
  told({ type: "shell_ready", run: 1 });
  const { answer, batch } = send("rm -r /");
  expect(answer).toEqual(NO_AGENT);
  expect([batch.messages, batch.outbox, [...loop.texts]]).toEqual([[], [], []]);
});

test("what waits for an agent comes back when it ends, with its text", () => {
  const { returning, loop } = withReturned();
  expect(loop.state.returned).toEqual(["m2"]);
  expect([...loop.texts]).toEqual([["m2", "look at `this`"]]);
  expect(returning.messageStatuses).toEqual([{ messageId: "m2", status: "returned" }]);
  expect(returning.outbox.map(({ call }) => call)).toEqual([{ type: "notify", reason: "agent_gone" }]);
  const payloads = written(returning).flatMap(([kind, , body]) =>
    kind === "state" ? [(body as { payload: object }).payload] : [],
  );
  expect(payloads).toEqual([
    {
      type: "state_changed",
      from: "streaming",
      to: "idle",
      fromPhase: "calling_llm",
      toPhase: null,
      reason: "agent_ended",
    },
    { type: "message_status", messageId: "m2", status: "returned" },
    {
      type: "certainty_changed",
      certainty: "known",
      unknownSinceMs: null,
      needsAttention: false,
      agent: null,
    },
  ]);
});

test("what came back is sent, as a new message, to whoever is there now", () => {
  const { request, told, loop } = withReturned();
  expect(request({ type: "resend_message", messageId: "m2" }).answer).toEqual(NO_AGENT);
  told({ type: "agent_started", run: 1, name: "codex", start: "200:2" }, KNOWN);
  const { answer, batch } = request({ type: "resend_message", messageId: "m2" });
  expect(answer).toEqual({
    ok: true,
    value: { sessionId: "s", messageId: "m4", messageStatus: "queued" },
  });
  expect(batch.messages).toEqual([
    { messageId: "m4", sessionId: "s", atMs: AT_MS, text: "look at `this`", status: "queued" },
  ]);
  expect(batch.messageStatuses).toEqual([
    { messageId: "m4", status: "queued" },
    { messageId: "m2", status: "failed" },
  ]);
  expect([loop.state.returned, [...loop.texts]]).toEqual([[], [["m4", "look at `this`"]]]);
});

test("what came back is dropped once", () => {
  const { request, loop } = withReturned();
  const { answer, batch } = request({ type: "drop_message", messageId: "m2" });
  expect(answer).toEqual({ ok: true, value: { sessionId: "s" } });
  expect(batch.messageStatuses).toEqual([{ messageId: "m2", status: "failed" }]);
  expect([loop.state.returned, [...loop.texts]]).toEqual([[], []]);
  const gone = {
    ok: false,
    code: "not_found",
    message: "No such message has come back: it was sent, dropped, or never was.",
  };
  expect(request({ type: "drop_message", messageId: "m2" }).answer).toEqual(gone);
  expect(request({ type: "resend_message", messageId: "m2" }).answer).toEqual(gone);
});

const SHELL_SEAT = { seat: "s", agent: null, status: "none", order: 0 } as const;
const ONLY_SHELLS = {
  ok: false,
  code: "no_agent",
  message:
    "No agent is running, and a message is never typed into a shell. `signalbox type ID TEXT` types into one.",
};

test.each([
  ["to whoever is connected", { sessionId: null }, ONLY_SHELLS],
  ["to its session", { sessionId: "s" }, NO_AGENT],
  ["to its session, or else to whoever is connected", { sessionId: "s", fallback: true }, NO_AGENT],
])("a message routed %s is refused where only a shell is", (_how, where, refusal) => {
  const { submit } = withReturned({ seats: [SHELL_SEAT], connected: null, counter: 1 });
  const { answer, batch } = submit({ type: "route", text: "hello", ...where });
  expect([answer, batch.isEmpty]).toEqual([refusal, true]);
});

test("a shell that has ended is no shell any more", () => {
  const { submit, told } = withReturned({ seats: [SHELL_SEAT], connected: null, counter: 1 });
  told({ type: "process_exit", run: 1, code: 0, signal: null });
  expect(submit({ type: "route", sessionId: null, text: "hello" }).answer).toEqual({
    ok: false,
    code: "no_active_agent",
    message: "No agent is running.",
  });
});
