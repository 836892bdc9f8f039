import { expect, test } from "vitest";
import { PlayedTerminal } from "../../../test/golden/terminal/played-terminal.js";

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

test("an interruption is Esc, twice where the agent asks back, and Ctrl-C in a shell", () => {
  const keys = (args: readonly string[]) => {
    const session = new PlayedTerminal({ args });
    session.print();
    session.screen("working");
    session.front("sleep", { pid: 2, ...(args[0] === "sh" ? {} : { agent: args[0] ?? "" }) });
    session.screen("working");
    session.log();
    session.tell({ type: "interrupt" });
    return session.log().filter((line) => line.startsWith("type"));
  };
  expect([keys(["codex"]), keys(["opencode"]), keys(["sh"])]).toEqual([
    ['type {"type":"keys","keys":["\\u001b"]}'],
    ['type {"type":"keys","keys":["\\u001b","\\u001b"]}'],
    ['type {"type":"keys","keys":["\\u0003"]}'],
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

test("to go on is a message to an agent, and Enter to a shell; that it did not work ends no run", () => {
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
  const shell = new PlayedTerminal();
  shell.screen("shell");
  shell.log();
  shell.tell({ type: "resume_session" });
  shell.typed("keys");
  shell.screen("shell");
  expect(shell.log()).toEqual([
    "completed -> streaming",
    'type {"type":"keys","keys":["\\r"]}',
    "screen: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "= completed",
  ]);
});

test("a shell's marks count only while the shell is in front", () => {
  const session = new PlayedTerminal();
  session.see({ type: "mark", mark: "input", exitCode: null });
  session.see({ type: "mark", mark: "running", exitCode: null });
  expect(session.status).toBe("streaming");
  session.see({ type: "mark", mark: "finished", exitCode: 0 });
  session.see({ type: "mark", mark: "prompt", exitCode: null });
  expect(session.status).toBe("completed");
  session.front("codex", { pid: 2, agent: "codex" });
  expect(session.status).toBe("streaming");
  session.see({ type: "mark", mark: "prompt", exitCode: null });
  expect(session.status).toBe("streaming");
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
  session.see({ type: "screen", reading, isSteady: false, retry: { attempt: 2, atMs: 5 } });
  expect(session.log()).toEqual(["screen: retry_scheduled 2 5", "= streaming"]);
});
