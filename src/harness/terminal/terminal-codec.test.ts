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
const AGENT = { agent: "codex", isShell: false, isOwn: true };

/** A codex that waits for its first message. */
function idleAgent(): PlayedTerminal {
  const session = new PlayedTerminal({ args: ["codex"] });
  session.print();
  session.screen("idle");
  session.log();
  return session;
}

test("a shell is ready at its prompt, works on what it is given, and nobody has its seat", () => {
  const session = new PlayedTerminal();
  session.print();
  session.print();
  expect(session.log()).toEqual(["idle -> creating", "process: session_created", "= creating"]);
  session.front("sh", { isOwn: true });
  session.screen("shell");
  expect(session.log()).toEqual([
    "screen: ask:completion_result run-1-end-1",
    "creating -> completed",
    "= completed",
  ]);
  session.tell({ type: "send_message", messageId: "make" });
  // What was shown before says nothing.
  session.screen("shell");
  expect(session.log()).toEqual([
    "completed -> streaming",
    'type {"type":"message","text":"make"}',
    "= streaming",
  ]);
  session.typed("message");
  session.screen("shell");
  expect(session.log()).toEqual([
    "screen: api_req_started",
    "screen: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "= completed",
  ]);
});

test("a shell's first prompt is typed when the shell waits", () => {
  const session = new PlayedTerminal({ args: ["/bin/bash", "-l"], prompt: "make" });
  session.print();
  session.see({ type: "mark", mark: "input", exitCode: null });
  expect(session.log()).toEqual([
    "idle -> creating",
    "process: session_created",
    'type {"type":"message","text":"make"}',
    "= creating",
  ]);
  session.typed("message");
  session.see({ type: "mark", mark: "input", exitCode: null });
  expect(session.log()).toEqual([
    "screen: api_req_started",
    "creating -> streaming",
    "screen: ask:completion_result run-1-end-1",
    "streaming -> completed",
    "= completed",
  ]);
});

test("a shell whose prompt no rule knows is known by its silence", () => {
  const session = new PlayedTerminal({ args: ["sh"] });
  session.print();
  session.screen("unknown", { isSteady: true });
  expect(session.status).toBe("completed");
});

test("what a person starts in a shell is seen, and so is its end", () => {
  const session = new PlayedTerminal();
  session.print();
  session.screen("shell");
  session.log();
  session.front("make", { pid: 2 });
  session.screen("shell");
  expect(session.log()).toEqual(["process: api_req_started", "completed -> streaming", "= streaming"]);
  session.front("sh", { isOwn: true });
  expect(session.log()).toEqual(["= streaming"]);
  session.screen("shell");
  expect(session.log()).toEqual([
    "screen: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "= completed",
  ]);
});

test("an agent that is started in a shell has the seat until its process leaves the foreground", () => {
  const session = new PlayedTerminal();
  session.print();
  session.screen("shell");
  session.log();
  session.front("claude", { pid: 2, agent: "claude" });
  // That the shell waited says nothing of an agent that starts.
  expect(session.log()).toEqual([
    "seat: claude",
    "process: api_req_started",
    "completed -> streaming",
    "= streaming",
  ]);
  session.screen("idle");
  expect(session.log()).toEqual([
    "screen: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "= completed",
  ]);
  session.screen("working");
  session.screen("approval", { prompt: PROMPT });
  expect(session.log()).toEqual([
    "screen: api_req_started",
    "completed -> streaming",
    "about run-1-ask-1: Run a command? | rm x",
    "screen: ask:tool run-1-ask-1",
    "streaming -> waiting_approval",
    "= waiting_approval",
  ]);
  // It still runs, whatever the screen looks like.
  session.screen("shell");
  expect(session.log()).toEqual(["= waiting_approval"]);
  session.front("sh", { isOwn: true });
  session.screen("shell");
  expect(session.log()).toEqual([
    "seat: none, by process_exit",
    "process: ask_closed run-1-ask-1",
    "waiting_approval -> streaming",
    "screen: ask:completion_result run-1-end-3",
    "streaming -> completed",
    "= completed",
  ]);
});

test("the same agent in another process is another one", () => {
  const session = new PlayedTerminal();
  session.front("claude", { pid: 2, agent: "claude" });
  session.front("claude", { pid: 2, agent: "claude" });
  session.front("claude", { pid: 3, agent: "claude" });
  expect(session.log()).toEqual([
    "idle -> creating",
    "seat: claude",
    "seat: none, by process_exit",
    "seat: claude",
    "= creating",
  ]);
});

test("where processes cannot be seen, a farewell above a shell's prompt is an agent's end", () => {
  const session = idleAgent();
  session.see({ type: "left", evidence: "goodbye" });
  expect(session.log()).toEqual([
    "seat: none, by goodbye",
    "screen: ask:completion_result run-1-end-2",
    "ignored: ask:completion_result",
    "= completed",
  ]);
  const seen = idleAgent();
  seen.front("codex", AGENT);
  seen.see({ type: "left", evidence: "goodbye" });
  expect(seen.log()).toEqual(["= completed"]);
});

test("any other program runs from its first output to its end, and is never said to wait", () => {
  const session = new PlayedTerminal({ args: ["make", "all"], prompt: "yes" });
  expect(session.log()).toEqual(["idle -> creating", 'input "yes\\r"', "= creating"]);
  session.print();
  expect(session.log()).toEqual([
    "process: session_created",
    "process: api_req_started",
    "creating -> streaming",
    "= streaming",
  ]);
  session.front("make", { isOwn: true });
  session.screen("shell", { isSteady: true });
  session.screen("unknown", { isSteady: true });
  session.see({ type: "mark", mark: "input", exitCode: null });
  expect(session.log()).toEqual(["= streaming"]);
  session.tell({ type: "process_exit", code: 0 });
  expect(session.log()).toEqual(["streaming -> completed", "= completed"]);
});

test("an agent's first prompt is typed when its screen shows that it waits", () => {
  const session = new PlayedTerminal({ args: ["codex"], prompt: "hello" });
  session.print();
  session.screen("unknown", { isSteady: true });
  expect(session.log()).toEqual(["idle -> creating", "seat: codex", "screen: session_created", "= creating"]);
  session.screen("idle");
  session.screen("idle", { isSteady: true });
  expect(session.log()).toEqual(['type {"type":"message","text":"hello"}', "= creating"]);
  session.typed("message");
  // It is about to begin.
  session.screen("idle");
  session.screen("working");
  session.screen("idle");
  expect(session.log()).toEqual([
    "screen: api_req_started",
    "creating -> streaming",
    "screen: ask:completion_result run-1-end-1",
    "streaming -> completed",
    "= completed",
  ]);
});

test("a prompt that nobody could type, and a turn that nobody saw, are noticed", () => {
  const session = idleAgent();
  session.tell({ type: "send_message", messageId: "hello" });
  session.typed("message");
  session.screen("idle");
  expect(session.status).toBe("streaming");
  session.screen("idle", { isSteady: true });
  expect(session.status).toBe("completed");
});

test("a turn that was over before anybody saw its work is known by its own end", () => {
  const session = idleAgent();
  const ended = (mark: string) =>
    session.screen("idle", { evidence: ["input box below a finished turn", mark] });
  ended("Worked for 2s • 10:31");
  session.tell({ type: "send_message", messageId: "hello" });
  session.typed("message");
  ended("Worked for 2s • 10:31");
  expect(session.status).toBe("streaming");
  ended("■ an error 400");
  expect(session.status).toBe("completed");
});

test("a dialog before everything else comes to a person, and the first prompt waits behind it", () => {
  const session = new PlayedTerminal({ args: ["codex"], prompt: "hello" });
  session.print();
  session.screen("approval", { prompt: PROMPT });
  expect(session.log()).toEqual([
    "idle -> creating",
    "seat: codex",
    "about run-1-ask-1: Run a command? | rm x",
    "screen: ask:tool run-1-ask-1",
    "creating -> waiting_approval",
    "screen: delivery_failed 1 hello The program was busy with something else first.",
    "screen: session_created",
    "= waiting_approval",
  ]);
  expect(session.queue).toEqual(["hello"]);
  session.tell({ type: "approve_action" });
  session.typed("choice");
  session.screen("idle");
  expect(session.log()).toEqual([
    "waiting_approval -> streaming",
    'type {"type":"choice","fingerprint":"f1","choice":{"type":"meaning","meaning":"approve"}}',
    "screen: ask:completion_result run-1-end-1",
    "streaming -> completed",
    "completed -> streaming",
    'type {"type":"message","text":"hello"}',
    "= streaming",
  ]);
});

test("a run that goes on with a dialog is given its message after it", () => {
  const session = idleAgent();
  session.tell({ type: "process_exit", code: 0 });
  session.tell({ type: "send_message", messageId: "again" });
  session.print();
  session.screen("approval", { prompt: PROMPT });
  expect(session.log()).toEqual([
    "completed -> streaming",
    "seat: codex",
    "about run-2-ask-1: Run a command? | rm x",
    "screen: ask:tool run-2-ask-1",
    "streaming -> waiting_approval",
    "screen: session_created",
    "= waiting_approval",
  ]);
  session.screen("working");
  session.screen("idle");
  expect(session.log()).toEqual([
    "screen: ask_closed run-2-ask-1",
    "waiting_approval -> streaming",
    "screen: ask:completion_result run-2-end-1",
    "streaming -> completed",
    "completed -> streaming",
    'type {"type":"message","text":"again"}',
    "= streaming",
  ]);
});

test("a run that goes on is given its message when it waits", () => {
  const session = idleAgent();
  session.tell({ type: "process_exit", code: 0 });
  session.tell({ type: "send_message", messageId: "again" });
  session.print();
  session.screen("unknown", { isSteady: true });
  session.screen("idle");
  session.screen("idle", { isSteady: true });
  expect(session.log()).toEqual([
    "completed -> streaming",
    "seat: codex",
    "screen: session_created",
    'type {"type":"message","text":"again"}',
    "= streaming",
  ]);
});
