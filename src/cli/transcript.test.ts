import { expect, test } from "vitest";
import { stateChanged, stateEvent, streamEvent } from "../../test/cli/wire-values.js";
import type { EventItem } from "../client/event-item.js";
import type { Json } from "../core/index.js";
import type { StatePayload } from "../protocol/state-event.js";
import type { StreamEventType } from "../protocol/stream-event.js";
import { Transcript, type TranscriptOptions } from "./transcript.js";

function stream(
  type: StreamEventType,
  payload: Readonly<Record<string, Json>>,
  messageId?: string,
): EventItem {
  const fields = messageId === undefined ? {} : { messageId };
  return { type: "event", channel: "stream", position: 1, event: streamEvent(type, payload, fields) };
}

function state(payload: StatePayload): EventItem {
  return { type: "event", channel: "state", position: 1, event: stateEvent(payload) };
}

const changed = (item: ReturnType<typeof stateChanged>): EventItem => ({
  type: "event",
  channel: "state",
  position: 1,
  event: item,
});

function printed(
  items: readonly EventItem[],
  full = false,
  options: Partial<TranscriptOptions> = {},
): string {
  const transcript = new Transcript({ paint: (_colour, text) => text, full, ...options });
  return items.map((item) => transcript.take(item)).join("") + transcript.end();
}

const running = (callId: string, toolName: string): EventItem =>
  state({ type: "tool_lifecycle", callId, toolName, status: "running", startedAtMs: 0 });

test("text comes as it is written, and other lines begin on lines of their own", () => {
  expect(
    printed([
      stream("text_delta", { text: "Hel" }, "m1"),
      stream("text_delta", { text: "lo\u001b[31m" }, "m1"),
      stream("thinking_delta", { text: "hmm" }, "m1"),
      stream("tool_call_delta", { callId: "c1", name: "Bash", argsDelta: '{"comm' }),
      stream("tool_call_delta", { callId: "c1", argsDelta: 'and":"npm test"}' }),
      running("c1", "Bash"),
      stream("tool_call_completed", { callId: "c1", output: "ok" }),
      stream("text_delta", { text: "Done.\n" }, "m2"),
      stream("text_delta", { text: "Bye" }, "m3"),
    ]),
  ).toBe("Hello\n[thinking] hmm\n[tool] Run a command: npm test\n  ok\nDone.\nBye\n");
});

test("thoughts stand on lines of their own, once; what goes wrong on the way is told", () => {
  expect(
    printed([
      stream("thinking_delta", { text: "Let " }, "m1"),
      stream("thinking_delta", { text: "me see.\u001b[2J" }, "m1"),
      stream("text_delta", { text: "Yes." }, "m1"),
      stream("thinking_delta", { text: "Let me see.", replace: true }, "m1"),
      stream("thinking_delta", { text: "Of an older answer.", replace: true }, "m0"),
      stream("metadata", { problem: "too busy (asked again in 1 s)" }),
      stream("metadata", { anything: "else" }),
      stream("metadata", { note: "The model is demo." }),
    ]),
  ).toBe(
    "[thinking] Let me see.\nYes.\n[thinking] Of an older answer.\n[problem] too busy (asked again in 1 s)\n" +
      "The model is demo.\n",
  );
});

test("the plan of a run's wall is one line, for who reads back", () => {
  const entry = { path: "/a", type: "folder", why: "it is needed" };
  const plan = {
    cwd: "/srv/project\u001b[2J",
    writable: [entry, entry],
    readOnly: [entry],
    hidden: [],
    network: { mode: "closed", hosts: [], services: [] },
    gaps: [{ rule: "Shell(git push *)", why: "it is asked" }],
  };
  const items = [stream("metadata", { wall: { run: 2, plan } }), stream("metadata", { wall: { run: 3 } })];
  expect(printed(items, true)).toBe(
    "[wall] run 2 is kept in /srv/project; 2 places can be written, 1 only read, 0 are hidden; no network; 1 gap\n",
  );
  expect(printed(items)).toBe("");
});

test("a text that comes whole is printed only as far as it is new", () => {
  expect(
    printed([
      stream("text_delta", { text: "One" }, "m1"),
      stream("text_delta", { text: "One, two", replace: true }, "m1"),
      stream("text_delta", { text: "One, two", replace: true }, "m1"),
      stream("text_delta", { text: ", three" }, "m1"),
      stream("text_delta", { text: "Uno, dos", replace: true }, "m1"),
      stream("text_delta", { text: "Uno", replace: true }, "m1"),
    ]),
  ).toBe("One, two, three\nUno, dos\nUno\n");
});

test("a long text is known again when it comes whole", () => {
  const text = "0123456789".repeat(100);
  expect(
    printed([
      stream("text_delta", { text }, "m1"),
      stream("text_delta", { text: `${text}!`, replace: true }, "m1"),
    ]),
  ).toBe(`${text}!\n`);
});

test("tools whose start was not seen, and tools that failed", () => {
  expect(
    printed([
      stream("tool_call_completed", { callId: "c1", name: "Read", input: { file_path: "a\nb.ts" } }),
      running("c2", "Think"),
      running("c2", "Think"),
      stream("tool_call_completed", { callId: "c2", isError: true, error: "too hard" }),
      stream("tool_call_completed", { callId: "c3", name: "Odd", input: { x: [1] }, error: { code: 1 } }),
      stream("tool_call_completed", { name: "nobody" }),
    ]),
  ).toBe(
    '[tool] Read a file: a b.ts\n[tool] Think\n[tool] failed: Think (too hard)\n[tool] Odd: {"x":[1]}\n[tool] failed: {"x":[1]} ({"code":1})\n',
  );
});

test("what a tool printed is told, and how it ended: the last lines, or all", () => {
  const lines = Array.from({ length: 25 }, (_, index) => `line ${index + 1}`);
  const items = [
    running("c1", "Bash"),
    stream("tool_call_completed", { callId: "c1", output: `\n10%\r100%\n\tred\u001b[31m\n[exit code 0]\n` }),
    running("c2", "Bash"),
    stream("tool_call_completed", {
      callId: "c2",
      output: lines.join("\n"),
      isError: true,
      error: "exit code 3",
    }),
    running("c3", "Bash"),
    running("c4", "Read"),
    stream("tool_call_completed", { callId: "c3", input: { command: "ls" }, output: "a b" }),
    stream("tool_call_completed", { callId: "c4", isError: true, output: "no such file" }),
    stream("tool_call_completed", { callId: "c5", name: "Look", output: { width: 3 } }),
    stream("tool_call_completed", { callId: "c7", name: "make", isError: true, output: "a\n[exit code 2]" }),
    running("c6", "Sleep"),
    stream("tool_call_completed", { callId: "c6", isError: true, canceled: true }),
  ];
  const told = (output: readonly string[]) =>
    [
      "[tool] Run a command",
      "  100%",
      "      red",
      "  [exit code 0]",
      "[tool] Run a command",
      "[tool] failed: Run a command (exit code 3)",
      ...output,
      "[tool] Run a command",
      "[tool] Read a file",
      "[tool] Run a command: ls",
      "  a b",
      "[tool] failed: Read a file (no such file)",
      "[tool] Look",
      "  {",
      '    "width": 3',
      "  }",
      "[tool] make",
      "[tool] failed: make (exit code 2)",
      "  a",
      "  [exit code 2]",
      "[tool] Sleep",
      "[tool] canceled: Sleep",
      "",
    ].join("\n");
  const all = lines.map((line) => `  ${line}`);
  const last = ["  … 5 more lines above; signalbox logs --full shows all", ...all.slice(5)];
  expect(printed(items)).toBe(told(last));
  expect(printed(items, false, { wholeOutput: true })).toBe(told(all));
});

test("what is printed while a tool runs is written over, and nothing else is", () => {
  const output = (text: string) => stream("tool_call_delta", { callId: "c1", outputDelta: text });
  const ask = {
    ...({ type: "ask_opened", askId: "k1", ask: "command", openedAtMs: 0 } as const),
    ...{ title: "ls", detail: "", needsHuman: true },
  };
  const live = { liveSize: () => ({ cols: 8, rows: 24 }) };
  expect(
    printed(
      [
        running("c1", "Bash"),
        output("one\n"),
        output("two is long\n"),
        stream("text_delta", { text: "Meanwhile" }, "m1"),
        output("three\n"),
        stream("tool_call_completed", { callId: "c1", output: "one\ntwo is long\nthree" }),
      ],
      false,
      live,
    ),
  ).toBe(
    "[tool] Run a command\n  one\n\u001b[1A\r\u001b[J  one\n  two i\nMeanwhile\n[tool] Run a command\n  one\n  two is long\n  three\n",
  );
  expect(
    printed(
      [
        running("c1", "Bash"),
        output("one\n"),
        stream("tool_call_completed", { callId: "c1", output: "one" }),
        running("c2", "Bash"),
        state(ask),
        stream("tool_call_delta", { callId: "c2", outputDelta: "not over the question" }),
      ],
      false,
      live,
    ),
  ).toBe("[tool] Run a command\n  one\n\u001b[1A\r\u001b[J  one\n[tool] Run a command\n[approval] ls\n");
});

test("a call that was rejected has not failed", () => {
  const ask = (askId: string, title: string, needsHuman = true): EventItem =>
    state({ type: "ask_opened", askId, ask: "command", title, detail: "", needsHuman, openedAtMs: 0 });
  const close = (askId: string, reason: string) => state({ type: "ask_closed", askId, reason });
  const call = (callId: string, command: string) =>
    stream("tool_call_delta", { callId, name: "Bash", argsDelta: JSON.stringify({ command }) });
  const failed = (callId: string) => stream("tool_call_completed", { callId, isError: true, output: "no" });
  expect(
    printed([
      call("c1", "rm x"),
      ask("c1", "rm x"),
      close("c1", "reject_action"),
      failed("c1"),
      // Named otherwise than its call; beside it another call fails.
      call("c2", "rm y"),
      call("c3", "ls z"),
      ask("req-1", "rm y"),
      close("req-1", "reject_action"),
      failed("c3"),
      failed("c2"),
      call("c4", "curl"),
      ask("c4", "curl", false),
      close("c4", "permission_resolved"),
      failed("c4"),
      // Permitted by a rule, it ran.
      call("c5", "make"),
      ask("c5", "make", false),
      close("c5", "permission_resolved"),
      running("c5", "Bash"),
      failed("c5"),
    ]),
  ).toBe(
    [
      "[approval] rm x",
      "[tool] rejected: rm x",
      "[approval] rm y",
      "[tool] Run a command: ls z",
      "[tool] failed: ls z (no)",
      "[tool] rejected: rm y",
      "[tool] rejected by a rule: curl",
      "[tool] Run a command: make",
      "[tool] failed: make (no)",
      "",
    ].join("\n"),
  );
});

test("asks are told when a person is needed, to the last character", () => {
  const ask = { type: "ask_opened", askId: "k1", ask: "command", openedAtMs: 0 } as const;
  const texts = { title: "ls \u001b]; rm -rf ~ #\u0007", detail: "ls\u200b\n; rm -rf ~\nin /tmp\r" };
  expect(
    printed([
      state({ ...ask, ...texts, needsHuman: false }),
      state({ ...ask, ...texts, needsHuman: true }),
      state({ type: "ask_closed", askId: "k1", reason: "approve_action" }),
    ]),
  ).toBe("[approval] ls \\u{1b}]; rm -rf ~ #\\u{7}\n  ls\\u{200b}\n  ; rm -rf ~\n  in /tmp\\u{d}\n");
});

test("an error is told once, whoever tells it", () => {
  expect(
    printed([
      stream("error", { code: "busy", message: "overloaded", recoverable: true }),
      state({
        type: "session_error",
        code: "streaming_failed",
        message: "overloaded",
        retryable: true,
        source: "harness",
      }),
      state({ type: "session_error", code: "internal", message: "x", retryable: false, source: "tool" }),
    ]),
  ).toBe("[error] overloaded (busy)\n[error] x (internal)\n");
});

test("in full, people's messages, changes of status and closed asks too", () => {
  const items = [
    stream("user_message", { text: "do\nit" }),
    changed(stateChanged("creating", "streaming")),
    changed(stateChanged("streaming", "streaming")),
    state({ type: "ask_closed", askId: "k1", reason: "ask_closed" }),
    state({ type: "message_status", messageId: "m1", status: "sent" }),
    { type: "reset" } as const,
  ];
  expect(printed(items, true)).toBe(
    "[you] do\n  it\n[status] Starting → Working (test)\n[approval] withdrawn, or answered elsewhere: k1\n" +
      "[reset] the journal lost its end; what follows is read anew\n",
  );
  expect(printed(items.slice(0, -1))).toBe("");
});

test("what is remembered of calls is bounded", () => {
  const calls = Array.from({ length: 300 }, (_, index) =>
    stream("tool_call_delta", { callId: `c${index}`, name: `T${index}` }),
  );
  const results = ["c0", "c299"].map((callId) => stream("tool_call_completed", { callId }));
  expect(printed([...calls, ...results])).toBe("[tool] Use a tool\n[tool] T299\n");
});

test("what the agent says beside the conversation has lines of its own", () => {
  expect(
    printed([
      stream("text_delta", { text: "Hello" }, "m1"),
      stream("metadata", { note: "The model is\u001b[2K demo.\n" }),
      stream("metadata", { note: "" }),
      stream("metadata", { unheard: "not for people" }),
      stream("status", { text: "You have reached your limit", resetsAtMs: 9 }),
      stream("metadata", { compaction: { status: "completed" } }),
      stream("metadata", { refused: { command: "execute", message: "not now" } }),
      stream("metadata", { plan: [{ content: "Look" }] }),
    ]),
  ).toBe(
    "Hello\nThe model is demo.\n[problem] You have reached your limit\n[note] The conversation was compacted.\n",
  );
});

test("how a turn ended is told where that is more than done", () => {
  const ended = (fields: Partial<Extract<StatePayload, { type: "state_changed" }>>) =>
    state({
      type: "state_changed",
      from: "streaming",
      to: "completed",
      fromPhase: "calling_llm",
      toPhase: null,
      reason: "ask:completion_result",
      ...fields,
    });
  const items = [
    ended({}),
    ended({ ending: "max_tokens" }),
    ended({ ending: "refusal", background: 1 }),
    ended({ ending: "context_full" }),
    ended({ background: 2 }),
  ];
  expect(printed(items)).toBe(
    "[end] stopped at the output limit\n[end] the model declined, 1 in background\n" +
      "[end] the context is full\n[end] 2 in background\n",
  );
  expect(printed(items.slice(0, 2), true)).toBe(
    "[status] Working → Done (ask:completion_result)\n" +
      "[status] Working → Done (ask:completion_result): stopped at the output limit\n",
  );
});

test("who is in front, what is not understood and what came back is told", () => {
  const certainty = (fields: Partial<Extract<StatePayload, { type: "certainty_changed" }>>) =>
    state({
      ...{ type: "certainty_changed", certainty: "unknown", unknownSinceMs: 1, needsAttention: false },
      agent: { name: "claude", start: "7" },
      ...fields,
    });
  const items = [
    certainty({}),
    certainty({ needsAttention: true }),
    certainty({ certainty: "known", unknownSinceMs: null }),
    certainty({ certainty: "known", unknownSinceMs: null, agent: null }),
    state({ type: "message_status", messageId: "m1", status: "queued" }),
    state({ type: "message_status", messageId: "m1", status: "returned" }),
  ];
  const told = [
    "[problem] claude is in front; what the terminal shows is not understood: look at it",
    "[problem] m1 was not delivered: its agent ended first",
    "",
  ];
  expect(printed(items)).toBe(told.join("\n"));
  expect(printed(items, true)).toBe(
    [
      "[status] claude is in front; what it shows is not understood",
      told[0],
      "[status] claude is in front; what it shows is understood",
      "[status] what it shows is understood",
      told[1],
      "",
    ].join("\n"),
  );
});

test("a dialog that no rule knows is shown as it is, with the way to answer it", () => {
  const ask = state({
    ...{ type: "ask_opened", askId: "k1", ask: "followup", needsHuman: true, openedAtMs: 0 },
    ...{ title: "Log in?", detail: "> Yes\n  No", atTerminal: true },
  });
  expect(printed([ask])).toBe(
    "[question] Log in?\n  > Yes\n    No\n[question] answer it in the terminal: signalbox attach\n",
  );
});
