import { expect, test } from "vitest";
import type { Json } from "../schema.js";
import type { StreamEvent, StreamEventType } from "../stream-event.js";
import { noteIn } from "./notes.js";
import { reduceThread, threadFrom } from "./reduce-thread.js";

type Fields = Readonly<Record<string, Json>>;

function event(seq: number, type: StreamEventType, payload: Fields, streamId = "st"): StreamEvent {
  const envelope = { schemaVersion: "1.0", sessionId: "s", harness: "builtin" } as const;
  return { ...envelope, eventId: `${streamId}:${seq}`, streamId, seq, timestampMs: seq, type, payload };
}

function note(seq: number, fields: Fields, streamId = "st") {
  const place = { id: `${streamId}:${seq}`, streamId, seq, atMs: seq, lastStreamId: streamId };
  return { type: "note", ...place, kind: "said", times: 1, cut: [], ...fields };
}

test.each<[Fields, string, string]>([
  [{ note: "/help  what there is" }, "said", "/help  what there is"],
  [{ note: "A new session begins here.", boundary: true }, "boundary", "A new session begins here."],
  [{ problem: "overloaded (asked again in 2 s)" }, "problem", "overloaded (asked again in 2 s)"],
  [{ refused: { command: "/x", message: "not now" } }, "problem", "/x: not now"],
  [{ compaction: { status: "completed" } }, "compaction", "The conversation was compacted."],
  [{ item: { type: "contextCompaction" } }, "compaction", "The conversation was compacted."],
  [{ notice: { message: "Half is used", level: "warning" } }, "problem", "Half is used"],
  [{ notice: "A checkpoint was made", say: "info" }, "said", "A checkpoint was made"],
  [{ notice: "error", params: { error: { message: "503" } } }, "problem", "503"],
  [{ notice: "configWarning", params: { summary: "an old key" } }, "problem", "an old key"],
  [
    { rateLimits: { primary: { usedPercent: 100 }, secondary: null } },
    "limit",
    "The limit of the plan is reached.",
  ],
  [
    { grant: { scope: "project", rules: ["Read(src/a)"], file: "f", problem: null } },
    "granted",
    "Allowed in this project: Read(src/a)",
  ],
  [
    { permission: { tool: "Read", verdict: "deny", because: "Read(a) denies it" } },
    "problem",
    "A rule denied “Read a file”: Read(a) denies it",
  ],
  [{ plan: [{ content: "Look", status: "completed" }, { content: "Mend" }] }, "plan", "[x] Look\n[ ] Mend"],
])("metadata %j is a note", (payload, kind, text) => {
  expect(noteIn("metadata", payload)).toMatchObject({ kind, text });
});

test.each<[Fields, string]>([
  [{ text: "The conversation was compacted." }, "compaction"],
  [{ text: "The limit of the plan is reached.", resetsAtMs: 5 }, "limit"],
  [{ text: "The model could not be asked; attempt 2 in 3 s.", attempt: 1 }, "problem"],
  [{ text: "Half of the week is used" }, "said"],
])("status %j is a note", (payload, kind) => {
  expect(noteIn("status", payload)).toEqual({ kind, text: payload["text"] });
});

test.each<Fields>([
  {},
  { unknown: "{…}" },
  { title: "Fix it" },
  { commands: ["help"] },
  { exit: { type: "cancel" } },
  { confirm: { command: "rm", withinMs: 1 } },
  { notice: "thread/closed" },
  { notice: "hook/completed", params: {} },
  { rateLimits: { primary: { usedPercent: 99 }, secondary: null } },
  { permission: { tool: "Read", verdict: "allow", because: "" } },
  { note: 5 },
  { note: " " },
  { compaction: { status: "in_progress" } },
  { somethingOfTomorrow: { text: "x" } },
])("%j shows nothing, and changes nothing", (payload) => {
  const thread = threadFrom([event(1, "text_delta", { text: "Hello" })]);
  expect(reduceThread(thread, event(2, "metadata", payload))).toBe(thread);
});

test("a note stands where it was told, also after the end of its stream, and once", () => {
  const events = [
    event(1, "text_delta", { text: "Hello" }),
    event(2, "completed", {}),
    event(3, "metadata", { note: "A new session begins here.", boundary: true }),
  ];
  const thread = threadFrom(events);
  const boundary = note(3, { kind: "boundary", text: "A new session begins here." });
  expect(thread.items.at(-1)).toEqual(boundary);
  expect(thread.streams).toEqual([{ streamId: "st", seq: 3, closed: true }]);
  expect(reduceThread(thread, events[2] as StreamEvent)).toBe(thread);
  expect(reduceThread(thread, event(4, "text_delta", { text: "late" }))).toBe(thread);
});

test("a new conversation is one line, also when its command answers", () => {
  const thread = threadFrom([
    event(1, "metadata", { note: "A new session begins here.", boundary: true }),
    event(2, "metadata", { note: "A new conversation." }),
    event(1, "metadata", { note: "/help" }, "next"),
  ]);
  expect(thread.items).toEqual([
    note(1, { kind: "boundary", text: "A new conversation.", times: 2 }),
    note(1, { text: "/help" }, "next"),
  ]);
});

test("one attempt after the other is one line that counts", () => {
  const thread = threadFrom([
    event(1, "metadata", { problem: "overloaded (attempt 1)" }),
    event(2, "metadata", { problem: "overloaded (attempt 2)" }),
    event(3, "text_delta", { text: "Hello" }),
    event(4, "metadata", { problem: "overloaded" }),
  ]);
  expect(thread.items.filter(({ type }) => type === "note")).toEqual([
    note(1, { kind: "problem", text: "overloaded (attempt 2)", times: 2 }),
    note(4, { kind: "problem", text: "overloaded" }),
  ]);
});

test("a plan takes the place of the one before", () => {
  const thread = threadFrom([
    event(1, "metadata", { plan: [{ content: "Look" }] }),
    event(2, "text_delta", { text: "Hello" }),
    event(3, "metadata", { plan: [{ content: "Look", status: "completed" }] }),
  ]);
  expect(thread.items[0]).toEqual(note(1, { id: "plan:st", kind: "plan", text: "[x] Look" }));
  expect(thread.items).toHaveLength(2);
});

test("a call that somebody said no to is rejected, and stays so", () => {
  const thread = threadFrom([
    event(1, "tool_call_delta", { callId: "c", name: "Bash" }),
    event(2, "tool_call_completed", { callId: "c", isError: true, rejected: true, output: "No." }),
    event(3, "tool_call_delta", { callId: "c", outputDelta: "late" }),
  ]);
  expect(thread.items).toMatchObject([{ type: "tool_call", state: "rejected", output: "No." }]);
});

test("a note is bounded", () => {
  expect(noteIn("metadata", { note: "x".repeat(1_000_000) })?.text).toHaveLength(20_000);
});
