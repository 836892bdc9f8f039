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

test("a shell is there from its first output, and whatever runs in it, it is no agent", () => {
  const session = new PlayedTerminal();
  session.print();
  session.print();
  expect(session.log()).toEqual(["idle -> creating", "process: shell_ready", "creating -> idle", "= idle"]);
  session.front("sh", { isOwn: true });
  session.screen("shell");
  session.front("make", { pid: 2 });
  session.screen("unknown", { isSteady: true });
  session.screen("approval", { prompt: PROMPT });
  session.see({ type: "mark", mark: "input", exitCode: null });
  session.front("sh", { isOwn: true });
  session.tell({ type: "send_message", messageId: "`make`" });
  expect(session.log()).toEqual(["rejected: send_message", "= idle"]);
});

test.each([
  ["its prompt", (session: PlayedTerminal) => session.screen("shell")],
  ["its silence", (session: PlayedTerminal) => session.screen("unknown", { isSteady: true })],
  ["its process", (session: PlayedTerminal) => session.front("sh", { isOwn: true })],
  ["its mark", (session: PlayedTerminal) => session.see({ type: "mark", mark: "prompt", exitCode: null })],
])("a shell is known by %s", (_name, show) => {
  const session = new PlayedTerminal({ args: ["/bin/bash", "-l"] });
  show(session);
  expect(session.log()).toContain("creating -> idle");
});

test("an agent in a shell is there from when its process is in front until it is not", () => {
  const session = new PlayedTerminal();
  session.print();
  session.front("claude", { pid: 2, agent: "claude" });
  // That the shell waited says nothing of an agent that starts.
  expect(session.log()).toEqual([
    "idle -> creating",
    "process: shell_ready",
    "creating -> idle",
    "seat: claude",
    "process: agent_started claude at 2 0",
    "idle -> streaming",
    "= streaming unknown",
  ]);
  session.screen("idle");
  session.screen("working");
  session.screen("approval", { prompt: PROMPT });
  expect(session.log()).toEqual([
    "screen: ask:completion_result run-1-end-1",
    "streaming -> completed",
    "screen: certainty_changed known 0",
    "screen: api_req_started",
    "completed -> streaming",
    "about run-1-ask-1: Run a command? | rm x",
    "screen: ask:tool run-1-ask-1",
    "streaming -> waiting_approval",
    "= waiting_approval",
  ]);
  // It still runs, whatever the screen looks like.
  session.screen("shell");
  session.tell({ type: "send_message", messageId: "later" });
  expect(session.log()).toEqual(["= waiting_approval"]);
  // Ended, or stopped by Ctrl-Z.
  session.front("sh", { isOwn: true });
  session.screen("shell");
  expect(session.log()).toEqual([
    "seat: none, by process_exit",
    "process: agent_ended at 2",
    "waiting_approval -> idle",
    "returned later",
    "= idle",
  ]);
  session.front("claude", { pid: 2, agent: "claude" });
  expect(session.log()).toEqual([
    "seat: claude",
    "process: agent_started claude at 2 0",
    "idle -> streaming",
    "= streaming unknown",
  ]);
});

test("an agent whose keeper does not mark its start is named by its process", () => {
  const session = new PlayedTerminal();
  session.front("claude", { pid: 7, start: "", agent: "claude" });
  expect(session.log()).toContain("process: agent_started claude 7 0");
});

test("a message goes to the very process that was in front", () => {
  const session = new PlayedTerminal();
  session.front("claude", { pid: 2, agent: "claude" });
  session.screen("idle");
  session.log();
  session.tell({ type: "send_message", messageId: "hello" });
  session.typed("message");
  session.screen("approval", { prompt: PROMPT });
  session.tell({ type: "approve_action" });
  const addressee = JSON.stringify({ pid: 2, start: "at 2" });
  expect(session.log().filter((line) => line.startsWith("type"))).toEqual([
    `type {"type":"message","text":"hello","addressee":${addressee}}`,
    `type {"type":"choice","fingerprint":"f1","choice":{"type":"meaning","meaning":"approve"},"addressee":${addressee}}`,
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
    "process: agent_started claude at 2 0",
    "creating -> streaming",
    "seat: none, by process_exit",
    "process: agent_ended at 2",
    "streaming -> idle",
    "seat: claude",
    "process: agent_started claude at 3 0",
    "idle -> streaming",
    "= streaming unknown",
  ]);
});

test("a program that nobody knows is an agent by a person's word, and a shell is none", () => {
  const session = new PlayedTerminal();
  session.print();
  session.front("sh", { isOwn: true });
  session.log();
  session.see({ type: "named", name: "aider" });
  session.front("python3", { pid: 2 });
  expect(session.log()).toEqual(["= idle"]);
  session.see({ type: "named", name: "aider" });
  session.see({ type: "named", name: "aider" });
  session.front("python3", { pid: 2 });
  session.screen("unknown", { isSteady: true });
  session.screen("unknown", { isStill: true });
  expect(session.log()).toEqual([
    "seat: aider",
    "process: agent_started aider at 2 0",
    "idle -> streaming",
    "screen: screen_still 0",
    "= streaming unknown",
  ]);
  session.tell({ type: "send_message", messageId: "hello", force: true });
  session.typed("message");
  session.tell({ type: "send_message", messageId: "more", force: true });
  session.typed("message");
  const addressee = JSON.stringify({ pid: 2, start: "at 2" });
  expect(session.log()).toEqual([
    `type {"type":"message","text":"hello","force":true,"addressee":${addressee}}`,
    "screen: api_req_started",
    "screen: certainty_changed known 0",
    "screen: certainty_changed unknown 0",
    `type {"type":"message","text":"more","force":true,"addressee":${addressee}}`,
    "screen: api_req_started",
    "screen: certainty_changed known 0",
    "screen: certainty_changed unknown 0",
    "= streaming unknown",
  ]);
  session.front("sh", { isOwn: true });
  expect(session.log().slice(0, 2)).toEqual(["seat: none, by process_exit", "process: agent_ended at 2"]);
});

test("where processes cannot be seen, a farewell above a shell's prompt is an agent's end", () => {
  const session = idleAgent();
  session.see({ type: "left", evidence: "goodbye" });
  session.tell({ type: "send_message", messageId: "hello" });
  expect(session.log()).toEqual([
    "seat: none, by goodbye",
    "screen: certainty_changed unknown 0",
    "= completed unknown",
  ]);
  const seen = idleAgent();
  seen.front("codex", AGENT);
  seen.see({ type: "left", evidence: "goodbye" });
  expect(seen.log()).toEqual(["= completed"]);
});

test("of a program of its own that nobody knows nothing is said but that it is there", () => {
  const session = new PlayedTerminal({ args: ["aider"] });
  session.print();
  session.front("aider", { isOwn: true });
  session.screen("shell", { isSteady: true });
  session.screen("unknown", { isSteady: true, atMs: 4 });
  session.see({ type: "mark", mark: "input", exitCode: null });
  expect(session.log()).toEqual([
    "idle -> creating",
    "process: api_req_started",
    "process: certainty_changed unknown 0",
    "process: session_created",
    "creating -> streaming",
    "= streaming unknown",
  ]);
  session.screen("unknown", { isStill: true });
  session.screen("unknown", { isStill: true });
  expect(session.log()).toEqual(["screen: screen_still 0", "= streaming unknown"]);
  session.tell({ type: "process_exit", code: 0 });
  expect(session.status).toBe("completed");
});

test("what such a program is started with is written to it unseen, and is not written again", () => {
  const session = new PlayedTerminal({ args: ["make", "all"], prompt: "yes" });
  expect(session.log()).toEqual(["idle -> creating", 'input "yes\\r"', "= creating"]);
  session.print();
  expect(session.log()).toEqual([
    "process: api_req_started",
    "process: certainty_changed unknown 0",
    "process: session_created",
    "creating -> streaming",
    "= streaming unknown",
  ]);
});

const DIALOG = {
  basis: "structure",
  prompt: {
    fingerprint: "d1",
    title: "Make auto mode your default permission mode?",
    detail: "Make auto mode your default permission mode?\n❯ Yes\n  No",
    choices: [],
  },
} as const;

test("a dialog that no rule knows is an ask that only the terminal answers, and messages wait behind it", () => {
  const session = new PlayedTerminal({ args: ["claude"], prompt: "hello" });
  session.print();
  session.hook("SessionStart");
  session.log();
  session.screen("question", DIALOG);
  expect(session.log()).toEqual(["= creating"]);
  session.screen("question", { ...DIALOG, isSteady: true });
  const about = `${DIALOG.prompt.title} | ${DIALOG.prompt.detail}`;
  expect(session.log()).toEqual([
    `about run-1-ask-1: ${about}`,
    "screen: ask:followup run-1-ask-1",
    "creating -> waiting_input",
    "screen: delivery_failed 1 hello The program was busy with something else first.",
    "= waiting_input",
  ]);
  session.screen("question", { ...DIALOG, isStill: true });
  expect(session.log()).toEqual(["= waiting_input"]);
  session.screen("idle");
  expect(session.log()).toEqual([
    "screen: ask:completion_result run-1-end-1",
    "waiting_input -> completed",
    "completed -> streaming",
    'type {"type":"message","text":"hello"}',
    "= streaming",
  ]);
});

test("an answer from afar to such a dialog is refused, and it is asked again at once", () => {
  const session = idleAgent();
  session.screen("question", { ...DIALOG, isSteady: true });
  session.log();
  session.tell({ type: "send_message", messageId: "yes" });
  session.typed("choice", false);
  expect(session.log().slice(2)).toEqual([
    `about run-1-ask-2: ${DIALOG.prompt.title} | ${DIALOG.prompt.detail}`,
    "screen: ask:followup run-1-ask-2",
    "streaming -> waiting_input",
    "= waiting_input",
  ]);
  // Gone, and nothing that is known came in its place.
  session.screen("unknown", { isSteady: true, atMs: 5 });
  expect(session.log()).toEqual([
    "screen: certainty_changed unknown 5",
    "screen: ask_closed run-1-ask-2",
    "waiting_input -> streaming",
    "= streaming unknown",
  ]);
});

test("a screen that no rule understands is not known, and known again once one does", () => {
  const session = idleAgent();
  session.screen("working");
  session.screen("unknown", { isSteady: true, atMs: 7 });
  session.screen("unknown", { isStill: true, atMs: 7 });
  session.screen("working", { atMs: 30 });
  session.screen("idle");
  session.screen("unknown", { isSteady: true, atMs: 40 });
  session.tell({ type: "send_message", messageId: "hello" });
  expect(session.log()).toEqual([
    "screen: api_req_started",
    "completed -> streaming",
    "screen: certainty_changed unknown 7",
    "screen: screen_still 7",
    "screen: certainty_changed known 30",
    "screen: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "screen: certainty_changed unknown 40",
    "= completed unknown",
  ]);
  session.screen("idle", { atMs: 50 });
  expect(session.log()).toEqual([
    "screen: certainty_changed known 50",
    "completed -> streaming",
    'type {"type":"message","text":"hello"}',
    "= streaming",
  ]);
});

test("a message that waits for a screen to be understood waits on when it shows work or a prompt", () => {
  const session = idleAgent();
  session.screen("unknown", { isSteady: true });
  session.tell({ type: "send_message", messageId: "later" });
  session.log();
  session.screen("working");
  expect(session.log()).toEqual([
    "screen: api_req_started",
    "completed -> streaming",
    "screen: certainty_changed known 0",
    "= streaming",
  ]);
  session.screen("idle");
  expect(session.log()).toContain('type {"type":"message","text":"later"}');
  const asking = idleAgent();
  asking.screen("unknown", { isSteady: true });
  asking.tell({ type: "send_message", messageId: "later" });
  asking.log();
  asking.screen("approval", { prompt: PROMPT });
  expect(asking.log()).toEqual([
    "about run-1-ask-1: Run a command? | rm x",
    "screen: ask:tool run-1-ask-1",
    "completed -> waiting_approval",
    "screen: certainty_changed known 0",
    "= waiting_approval",
  ]);
});

test("while hooks tell that a turn goes on, its screen need not be understood", () => {
  const session = new PlayedTerminal({ args: ["claude"] });
  session.hook("SessionStart");
  session.screen("unknown", { isSteady: true });
  session.log();
  session.hook("UserPromptSubmit");
  session.screen("unknown", { isSteady: true });
  expect(session.log()).toEqual(["hooks: certainty_changed known 0", "= streaming"]);
  // It was the first one of the turn: its end is the turn's.
  session.hook("Stop");
  expect(session.status).toBe("completed");
});

test("an agent's first prompt is typed when its screen shows that it waits", () => {
  const session = new PlayedTerminal({ args: ["codex"], prompt: "hello" });
  session.print();
  session.log();
  session.screen("idle");
  session.screen("idle", { isSteady: true });
  expect(session.log()).toEqual([
    "screen: session_created",
    'type {"type":"message","text":"hello"}',
    "= creating",
  ]);
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

test("an agent that begins with what nobody understands is not being started any more, and its prompt waits", () => {
  const session = new PlayedTerminal({ args: ["claude"], prompt: "hello" });
  session.print();
  session.screen("unknown", { isSteady: true });
  expect(session.log()).toEqual([
    "idle -> creating",
    "seat: claude",
    "screen: api_req_started",
    "screen: delivery_failed 1 hello The program was busy with something else first.",
    "screen: certainty_changed unknown 0",
    "screen: session_created",
    "creating -> streaming",
    "= streaming unknown",
  ]);
  // Its hooks tell that it is there, not what it shows.
  session.hook("SessionStart");
  session.screen("unknown", { isStill: true });
  expect(session.log()).toEqual([
    "hooks: session_created s",
    "screen: screen_still 0",
    "= streaming unknown",
  ]);
  session.screen("idle");
  expect(session.log()).toEqual([
    "screen: ask:completion_result run-1-end-1",
    "streaming -> completed",
    "screen: certainty_changed known 0",
    "completed -> streaming",
    'type {"type":"message","text":"hello"}',
    "= streaming",
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
  session.tell({ type: "send_message", messageId: "again" });
  session.typed("message");
  ended("✦ answer 00ff00ff00ff00ff");
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
    "screen: certainty_changed unknown 0",
    "screen: session_created",
    "screen: certainty_changed known 0",
    'type {"type":"message","text":"again"}',
    "= streaming",
  ]);
});
