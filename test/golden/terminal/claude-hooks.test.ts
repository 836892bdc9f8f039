/** What Claude Code's hooks wrote while a person used it, as facts. Where it was interrupted, only its screen could tell. */
import { expect, test } from "vitest";
import { terminalHarness } from "../../../src/harness/terminal/terminal-harness.js";
import { goldenFile, matchGolden } from "../golden.js";
import { play, type Move } from "../play.js";
import { PlayedTerminal } from "./played-terminal.js";

const SETTINGS = { harness: "terminal", title: "", cwd: "/project", model: null, args: ["claude"], env: {} };
const START = { run: 1, settings: SETTINGS, resume: null, prompt: null, continues: false };

type Seen = Extract<Move, { readonly type: "seen" }>["seen"];
type Reading = Extract<Seen, { readonly type: "screen" }>["reading"];

function seen(activity: Reading["activity"], evidence: string, isSteady = false): Move {
  const reading = {
    activity,
    basis: "rule",
    confidence: 1,
    evidence: [evidence],
    prompt: null,
    input: "",
  } as const;
  return {
    type: "seen",
    seen: { type: "screen", reading, stability: isSteady ? "steady" : "fresh", atMs: 0, retry: null },
  };
}

function asked(activity: "approval" | "question", title: string, detail: string): Move {
  const prompt = { fingerprint: detail, title, detail, choices: [] };
  const reading = { activity, basis: "rule", confidence: 1, evidence: [title], prompt, input: "" } as const;
  return { type: "seen", seen: { type: "screen", reading, stability: "fresh", atMs: 0, retry: null } };
}

function commandAsked(command: string): Move {
  return asked("approval", "Bash command", `run a command\n${command}\nDo you want to proceed?`);
}

/** What the screen showed after the hook with this number, as far as it could add something. */
const SHOWN: Readonly<Record<number, readonly Move[]>> = {
  0: [seen("idle", "an empty box")],
  1: [seen("working", "a spinner")],
  3: [commandAsked("touch tui.txt && echo hi")],
  5: [seen("working", "a spinner")],
  9: [commandAsked("touch a; for i in 1 2 3 4 5 6; do echo tick $i; sleep 1; done")],
  // Esc in a dialog, and in the middle of a text.
  14: [
    asked("approval", "Create file", "new.txt\n1 line one\nDo you want to create new.txt?"),
    seen("idle", "⎿  User rejected write to new.txt"),
  ],
  15: [seen("working", "a spinner"), seen("idle", "⎿  Interrupted · What should Claude do instead?")],
  18: [asked("question", "Which colour?", "☐ Colour")],
  // Esc while it waits to try again: nothing is left of it on the screen.
  21: [seen("working", "a spinner"), seen("idle", "an input box", true)],
};

test("the recorded hooks, with what the screen adds", () => {
  const hooks = goldenFile("terminal/claude-hooks.jsonl").trimEnd().split("\n");
  const moves = hooks.flatMap((line, at): Move[] => [{ type: "hook", line }, ...(SHOWN[at] ?? [])]);
  matchGolden("terminal/claude-hooks.txt", play(terminalHarness, START, moves));
});

function claude(): PlayedTerminal {
  const session = new PlayedTerminal({ args: ["claude"] });
  session.print();
  session.hook("SessionStart");
  session.screen("idle");
  session.log();
  return session;
}

const BASH = { tool_name: "Bash", tool_input: { command: "ls" } };
const PROMPT = { fingerprint: "f1", title: "Bash command", detail: "ls", choices: [] };

test("a request that hooks tell is the prompt that the screen shows a moment later", () => {
  const session = claude();
  session.hook("UserPromptSubmit");
  session.hook("PreToolUse", { ...BASH, tool_use_id: "t1" });
  session.hook("PermissionRequest", BASH);
  // The last picture of the spinner.
  session.screen("working");
  session.screen("approval", { prompt: PROMPT });
  session.screen("approval", { prompt: PROMPT, isSteady: true });
  expect(session.log()).toEqual([
    "hooks: api_req_started",
    "completed -> streaming",
    "hooks: tool_started t1 Bash",
    "about run-1-ask-1: Bash | ls",
    "hooks: ask:command run-1-ask-1",
    "streaming -> waiting_approval",
    "= waiting_approval",
  ]);
  session.tell({ type: "approve_action" });
  session.hook("PostToolUse", { ...BASH, tool_use_id: "t1" });
  session.typed("choice");
  session.screen("working");
  session.hook("Stop", { background_tasks: [{}] });
  // The last picture of the spinner, once more.
  session.screen("working");
  session.screen("idle");
  expect(session.log()).toEqual([
    "waiting_approval -> streaming",
    'type {"type":"choice","fingerprint":"f1","choice":{"type":"meaning","meaning":"approve"}}',
    "hooks: tool_finished t1 true",
    "hooks: background_changed 1",
    "hooks: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "= completed",
  ]);
  // It wakes by itself.
  session.screen("working");
  expect(session.status).toBe("streaming");
});

test("a request that is too long to be shown says how much is missing", () => {
  const session = claude();
  session.hook("UserPromptSubmit");
  session.log();
  session.hook("PermissionRequest", { ...BASH, tool_input: { command: `${"x".repeat(4_000)}; rm a` } });
  const detail = `${"x".repeat(4_000)}\n… 6 more characters are not shown`;
  expect(session.log()).toContain(`about run-1-ask-1: Bash | ${detail}`);
});

test("a request that is answered before it is shown is the same one when it is", () => {
  const session = claude();
  session.hook("UserPromptSubmit");
  session.hook("PermissionRequest", BASH);
  session.tell({ type: "reject_action" });
  session.log();
  session.screen("approval", { prompt: PROMPT });
  session.screen("working");
  session.typed("choice");
  session.screen("idle");
  expect(session.log()).toEqual([
    "screen: ask:completion_result run-1-end-2",
    "streaming -> completed",
    "= completed",
  ]);
});

test("a prompt that was entered during a turn follows it, or was taken into it", () => {
  const session = claude();
  session.hook("UserPromptSubmit");
  session.screen("working");
  session.hook("UserPromptSubmit");
  session.hook("Stop");
  expect(session.status).toBe("streaming");
  session.hook("PreToolUse", { ...BASH, tool_use_id: "t1" });
  session.hook("UserPromptSubmit");
  session.hook("Stop");
  expect(session.status).toBe("streaming");
  session.screen("idle");
  expect(session.status).toBe("completed");
});

test("a prompt that the screen showed first becomes better known by its hook", () => {
  const session = claude();
  session.hook("UserPromptSubmit");
  session.hook("PreToolUse", { ...BASH, tool_use_id: "t1" });
  session.log();
  session.screen("approval", { prompt: PROMPT });
  session.hook("PermissionRequest", BASH);
  session.hook("PostToolUse", { ...BASH, tool_use_id: "t1" });
  expect(session.log()).toEqual([
    "about run-1-ask-1: Bash command | ls",
    "screen: ask:tool run-1-ask-1",
    "streaming -> waiting_approval",
    "about run-1-ask-1: Bash | ls",
    "hooks: ask_closed run-1-ask-1",
    "waiting_approval -> streaming",
    "hooks: tool_finished t1 true",
    "= streaming",
  ]);
});

test("a turn that ends without a hook was cut off; that has to be plain", () => {
  const session = claude();
  session.hook("UserPromptSubmit");
  session.screen("working");
  session.screen("idle");
  expect(session.status).toBe("streaming");
  session.screen("idle", { isSteady: true });
  expect(session.status).toBe("paused");
  session.hook("UserPromptSubmit");
  session.screen("working");
  session.screen("idle", { evidence: ["⎿  Interrupted · What should Claude do instead?"] });
  expect(session.status).toBe("paused");
  // In a dialog.
  session.hook("UserPromptSubmit");
  session.screen("approval", { prompt: PROMPT });
  session.screen("idle");
  expect(session.status).toBe("paused");
});

test("a turn that fails is an error, and the next one is not", () => {
  const session = claude();
  session.hook("UserPromptSubmit");
  session.log();
  session.hook("StopFailure", { last_assistant_message: "API Error: 400" });
  expect(session.log()).toEqual([
    "hooks: ask:api_req_failed run-1-end-2 API Error: 400",
    "streaming -> error",
    "= error",
  ]);
  session.hook("UserPromptSubmit");
  expect(session.status).toBe("streaming");
});

test("after a minute of waiting it is known to wait", () => {
  const session = claude();
  session.hook("UserPromptSubmit");
  session.hook("Notification", { notification_type: "permission_prompt" });
  expect(session.status).toBe("streaming");
  session.hook("Notification", { notification_type: "idle_prompt" });
  expect(session.status).toBe("completed");
});

test("one that is resumed keeps its own id, and is given its message when it waits", () => {
  const session = claude();
  session.hook("SessionEnd", { reason: "prompt_input_exit" });
  expect(session.log()).toEqual(["= completed"]);
  session.tell({ type: "process_exit", code: 0 });
  session.tell({ type: "send_message", messageId: "more" });
  session.print();
  session.hook("SessionStart", { session_id: "s2" });
  expect(session.log()).toEqual(["completed -> streaming", "seat: claude", "= streaming"]);
  session.screen("idle");
  expect(session.log()).toEqual([
    "screen: session_created s2",
    'type {"type":"message","text":"more"}',
    "= streaming",
  ]);
});

test("what no hook of ours wrote is counted, and harms nothing", () => {
  const session = claude();
  session.hook("Sneeze");
  const decoded = terminalHarness.decodeHook?.(null, '{"half":', 0);
  expect([session.log(), decoded?.outputs]).toEqual([
    ['{"type":"unknown","kind":"hook:Sneeze"}', "= completed"],
    [{ type: "unknown", kind: "hook" }],
  ]);
});
