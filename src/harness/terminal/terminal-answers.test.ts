import { expect, test } from "vitest";
import { PlayedTerminal } from "../../../test/golden/terminal/played-terminal.js";
import { terminalHarness } from "./terminal-harness.js";

const SETTINGS = { harness: "terminal", title: "", cwd: "/", model: null, args: [], env: {} };
const START = { run: 1, settings: SETTINGS, resume: null, continues: true };

const PROMPT = {
  fingerprint: "f1",
  title: "Run a command?",
  detail: "rm x",
  choices: [
    { label: "Yes", keys: "1", meaning: "approve" },
    { label: "No", keys: "2", meaning: "reject" },
  ],
} as const;

/** A codex that waits for its first message. */
function idleAgent(): PlayedTerminal {
  const session = new PlayedTerminal({ args: ["codex"] });
  session.print();
  session.screen("idle");
  session.log();
  return session;
}

test.each([
  ["that was not taken", false],
  ["that was pressed, and whose prompt is still there,", true],
])("an answer %s is asked anew", (_name, isTaken) => {
  const session = idleAgent();
  session.screen("approval", { prompt: PROMPT });
  session.tell({ type: "approve_action" });
  session.log();
  // Still shown while it is being answered.
  session.screen("approval", { prompt: PROMPT });
  expect(session.log()).toEqual(["= streaming"]);
  session.typed("choice", isTaken);
  session.tell({ type: "ask_closed", askId: "run-1-ask-1" });
  session.screen("approval", { prompt: PROMPT });
  expect(session.log()).toEqual([
    "about run-1-ask-2: Run a command? | rm x",
    "screen: ask:tool run-1-ask-2",
    "streaming -> waiting_approval",
    "= waiting_approval",
  ]);
});

test("another prompt is another ask; an answer to the one before presses nothing", () => {
  const session = idleAgent();
  session.screen("approval", { prompt: PROMPT });
  session.screen("approval", { prompt: PROMPT, isSteady: true });
  session.screen("question", { prompt: { ...PROMPT, fingerprint: "f2" } });
  expect(session.log()).toEqual([
    "about run-1-ask-1: Run a command? | rm x",
    "screen: ask:tool run-1-ask-1",
    "completed -> waiting_approval",
    "screen: ask_closed run-1-ask-1",
    "waiting_approval -> streaming",
    "about run-1-ask-2: Run a command? | rm x",
    "screen: ask:followup run-1-ask-2",
    "streaming -> waiting_input",
    "= waiting_input",
  ]);
  session.tell({ type: "send_message", messageId: "Yes" });
  expect(session.log()).toEqual([
    "waiting_input -> streaming",
    'type {"type":"choice","fingerprint":"f2","choice":{"type":"text","text":"Yes"}}',
    "= streaming",
  ]);
});

test("after a no from afar the agent waits, and what was said with it is next", () => {
  const session = idleAgent();
  session.screen("approval", { prompt: PROMPT });
  session.log();
  session.tell({ type: "reject_action", messageId: "do it so" });
  session.typed("choice");
  const effect = { type: "answer_ask", run: 1, askId: "run-1-ask-1", messageId: "do it so" };
  session.tell({ type: "ask_closed", run: 1, askId: "run-1-ask-1" });
  session.tell({ type: "effect_failed", run: 1, effect, message: "The message waits for the input box." });
  session.screen("idle", { evidence: ["an input box", "Conversation interrupted"] });
  expect(session.log()).toEqual([
    "waiting_approval -> streaming",
    'type {"type":"choice","fingerprint":"f1","choice":{"type":"meaning","meaning":"reject"}}',
    "screen: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "completed -> streaming",
    'type {"type":"message","text":"do it so"}',
    "= streaming",
  ]);
});

test("an interruption is Esc, twice where the agent asks back, and Ctrl-C in a program that nobody knows", () => {
  const keys = (args: readonly string[], prompt?: string) => {
    const session = new PlayedTerminal({ args, ...(prompt === undefined ? {} : { prompt }) });
    session.print();
    session.screen("working");
    session.log();
    session.tell({ type: "interrupt" });
    return session.log().filter((line) => line.startsWith("type"));
  };
  expect([keys(["codex"]), keys(["opencode"]), keys(["make"], "yes"), keys(["sh"])]).toEqual([
    ['type {"type":"keys","keys":["\\u001b"]}'],
    ['type {"type":"keys","keys":["\\u001b","\\u001b"]}'],
    ['type {"type":"keys","keys":["\\u0003"]}'],
    [],
  ]);
});

test("an interruption is over when the screen shows it", () => {
  const session = idleAgent();
  session.screen("working");
  session.tell({ type: "interrupt" });
  session.typed("keys");
  session.screen("idle");
  expect(session.status).toBe("paused");
  session.screen("working");
  expect(session.status).toBe("streaming");
  session.screen("idle", { evidence: ["an input box", "■ Conversation interrupted"] });
  expect(session.status).toBe("paused");
});

test("to go on is a message to an agent, and nothing to a shell; that it did not work ends no run", () => {
  const session = idleAgent();
  session.tell({ type: "resume_session" });
  expect(session.log()).toEqual([
    "completed -> streaming",
    'type {"type":"message","text":"Continue."}',
    "= streaming",
  ]);
  session.typed("message", false);
  expect(session.log()).toEqual([
    "screen: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "= completed",
  ]);
  const shell = terminalHarness.start({ ...START, prompt: null });
  const effect = { type: "continue_run", run: 1, why: "resume" } as const;
  expect(terminalHarness.encode(shell.state, effect, null)).toEqual({ state: shell.state, writes: [] });
});

test("a message that reaches a shell all the same is not typed", () => {
  const shell = terminalHarness.start({ ...START, prompt: null });
  const effect = { type: "deliver_message", run: 1, messageId: "m" } as const;
  expect(terminalHarness.encode(shell.state, effect, "`rm x`")).toEqual({
    state: shell.state,
    writes: [],
    failure: "No agent is in front: a message is never typed at a shell.",
  });
});

test("a prompt of which more is drawn keeps its ask, with its own words; the answer is to what is shown", () => {
  const session = idleAgent();
  const half = { ...PROMPT, fingerprint: "f0", detail: "rm", choices: [] };
  session.screen("approval", { prompt: half, atMs: 100 });
  session.screen("approval", { prompt: PROMPT, atMs: 180 });
  session.tell({ type: "approve_action" });
  expect(session.log()).toEqual([
    "about run-1-ask-1: Run a command? | rm",
    "screen: ask:tool run-1-ask-1",
    "completed -> waiting_approval",
    "about run-1-ask-1: Run a command? | rm x",
    "waiting_approval -> streaming",
    'type {"type":"choice","fingerprint":"f1","choice":{"type":"meaning","meaning":"approve"}}',
    "= streaming",
  ]);
  // What comes much later and only begins in the same way is another one.
  session.typed("choice");
  session.screen("working");
  session.screen("approval", { prompt: PROMPT, atMs: 1_000 });
  session.screen("approval", { prompt: { ...PROMPT, fingerprint: "f3", detail: "rm x y" }, atMs: 9_000 });
  expect(session.log()).toContain("screen: ask_closed run-1-ask-2");
});

test("an answer to a prompt that was drawn further meanwhile is refused, and what is shown is asked", () => {
  const session = idleAgent();
  const half = { ...PROMPT, fingerprint: "f0", detail: "rm" };
  session.screen("approval", { prompt: half, atMs: 100 });
  session.tell({ type: "approve_action" });
  session.log();
  session.screen("approval", { prompt: PROMPT, atMs: 180 });
  expect(session.log()).toEqual(["= streaming"]);
  session.typed("choice", false);
  session.tell({ type: "ask_closed", askId: "run-1-ask-1" });
  session.screen("approval", { prompt: PROMPT, atMs: 200 });
  expect(session.log()).toEqual([
    "about run-1-ask-2: Run a command? | rm x",
    "screen: ask:tool run-1-ask-2",
    "streaming -> waiting_approval",
    "= waiting_approval",
  ]);
});

test("a retry that the screen shows is told", () => {
  const session = idleAgent();
  session.screen("working");
  const reading = {
    activity: "working",
    confidence: 1,
    basis: "rule",
    evidence: ["Retrying in 5s"],
    prompt: null,
    input: null,
  } as const;
  session.log();
  session.see({ type: "screen", reading, stability: "fresh", atMs: 0, retry: { attempt: 2, atMs: 5 } });
  expect(session.log()).toEqual(["screen: retry_scheduled 2 5", "= streaming"]);
});
