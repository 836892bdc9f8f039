/** A daemon may be replaced while agents run: what the codec of version 0.1 wrote is gone on with. */
import { expect, test } from "vitest";
import { initialTerminal, type Json } from "../../core/index.js";
import { fromJson } from "./codec-state.js";
import { terminalHarness } from "./terminal-harness.js";

const OLD = {
  run: 3,
  launched: { type: "agent", agent: "claude" },
  front: { pid: 7, program: { type: "agent", agent: "claude" } },
  seated: "claude",
  isReady: true,
  continues: false,
  prompt: null,
  ends: 4,
  doing: "working",
  sawWork: true,
  endMark: null,
  sawWait: false,
  typings: 0,
  isContinuing: false,
  hasHooks: true,
  isHookTurn: true,
  queuedPrompts: 0,
  sawStop: false,
  background: 0,
  calls: [],
  sessionId: null,
  ask: null,
  requests: [],
  lastFingerprint: null,
  askCount: 2,
  wasRejected: false,
};
const TURN = { by: "hooks", queued: 0, isRejected: false };
const KNOWN = {
  ...initialTerminal,
  run: 3,
  launched: OLD.launched,
  front: { pid: 7, start: "", program: OLD.front.program, isOwn: true, isNamed: false },
  seated: "claude",
  isReady: true,
  ends: 4,
  askCount: 2,
};

test.each([
  ["at work", {}, { type: "working", turn: TURN }],
  ["given something", { sawWork: false }, { type: "given", turn: TURN }],
  ["at its end", { sawStop: true }, { type: "ending", turn: TURN }],
  ["after the hooks told its end", { doing: "waiting" }, { type: "settling" }],
  ["waiting", { doing: "waiting", sawWait: true }, { type: "waiting" }],
  ["starting", { doing: "starting" }, { type: "starting", first: null }],
  ["to go on", { doing: "starting", continues: true }, { type: "starting", first: { type: "handover" } }],
])("an agent %s", (_name, more, activity) => {
  const { machine } = fromJson({ ...OLD, ...more });
  expect(machine).toEqual({ ...KNOWN, activity });
});

test("an ask that is open can be answered, and its process is the same one when its start is known", () => {
  const ask = { askId: "run-3-ask-2", fingerprint: "f", request: null, shown: null, answer: null };
  const old: Json = { ...OLD, ask };
  const front = { pid: 7, start: "t7", command: "claude", agent: "claude", isShell: false, isOwn: true };
  const seen = terminalHarness.observe?.(old, { type: "foreground", ...front }, 0);
  expect(seen?.outputs).toEqual([]);
  const effect = {
    type: "answer_ask",
    run: 3,
    askId: "run-3-ask-2",
    decision: "approve",
    by: "user",
  } as const;
  expect(terminalHarness.encode(seen?.state ?? null, effect, null).typing).toEqual({
    type: "choice",
    fingerprint: "f",
    choice: { type: "meaning", meaning: "approve" },
    addressee: null,
  });
});

test("a first prompt is not lost", () => {
  const prompt = { messageId: "m", text: "hello" };
  const old: Json = { ...OLD, doing: "starting", prompt };
  const reading = {
    activity: "idle",
    basis: "rule",
    confidence: 1,
    evidence: [],
    prompt: null,
    input: null,
  } as const;
  const seen = { type: "screen", reading, stability: "fresh", atMs: 0, retry: null } as const;
  expect(terminalHarness.observe?.(old, seen, 0).outputs).toEqual([
    {
      type: "typing",
      typing: { type: "message", text: "hello", force: false, addressee: null },
      messageId: "m",
    },
  ]);
});

test("in a shell who is in front is found anew, and an ask of before is closed", () => {
  const ask = { askId: "run-3-ask-2", fingerprint: "f", request: null, shown: null, answer: null };
  const old: Json = { ...OLD, launched: { type: "shell" }, ask };
  const front = { pid: 7, start: "t7", command: "claude", agent: "claude", isShell: false, isOwn: false };
  const because = "in the foreground: claude";
  const seen = terminalHarness.observe?.(old, { type: "foreground", ...front }, 5);
  const fact = (told: object) => ({ type: "fact", fact: { ...told, because }, source: "process" });
  expect(seen?.outputs).toEqual([
    fact({ type: "ask_closed", askId: "run-3-ask-2" }),
    fact({ type: "agent_started", name: "claude", start: "t7", sinceMs: 5 }),
  ]);
});
