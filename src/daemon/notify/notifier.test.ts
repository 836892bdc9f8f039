import { expect, test } from "vitest";
import { notifyConfigSchema, type Notification } from "../../protocol/notify-config.js";
import type { Cause, StatePayload } from "../../protocol/state-event.js";
import type { Entry } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { createRedact } from "../log/redact.js";
import { desktopCall } from "./channels.js";
import { Notifier, type Channel } from "./notifier.js";

const record = {
  settings: { title: "Fix it", harness: "claude", cwd: "/project" },
  state: { status: "waiting_approval" },
} as unknown as SessionRecord;

const ask = (askId: string, needsHuman = true, title = "rm -rf build"): StatePayload => ({
  type: "ask_opened",
  askId,
  ask: "command",
  needsHuman,
  title,
  detail: "",
  openedAtMs: 0,
});
const changed = (from: "streaming" | "completed", to: "streaming" | "completed"): StatePayload => ({
  type: "state_changed",
  from,
  to,
  fromPhase: null,
  toPhase: null,
  reason: "test",
});

class Harness {
  readonly told: Notification[] = [];
  readonly problems: string[] = [];
  nowMs = 0;
  readonly notifier: Notifier;

  constructor(config: object, channel?: Channel) {
    const tell: Channel = (notification) => Promise.resolve(void this.told.push(notification));
    this.notifier = new Notifier({
      config: notifyConfigSchema.parse(config),
      channels: [channel ?? tell],
      session: (id) => (id === "gone" ? null : record),
      redactFor: () => createRedact({ MY_API_TOKEN: "very-secret-value" }),
      onProblem: (what) => this.problems.push(what),
      nowMs: () => this.nowMs,
    });
  }

  say(payload: StatePayload, sessionId = "s1", cause?: Cause): void {
    const body = JSON.stringify({ eventId: "e", timestampMs: 7, sessionId, payload, cause });
    const entry = { kind: "state", sessionId, body } as unknown as Entry;
    this.notifier.publish({ sync: false, entries: [entry], sessionIds: [], removedSessionIds: [] } as never);
  }

  get types(): readonly string[] {
    return this.told.map(({ type, askId }) => (askId === null ? type : `${type} ${askId}`));
  }
}

test("an ask is told once, when it comes to need a person", async () => {
  const harness = new Harness({ cooldown_s: 0 });
  harness.say(ask("k1", false));
  harness.say(ask("k1"));
  harness.say(ask("k1"));
  harness.say(ask("k2"), "gone");
  await harness.notifier.close();
  expect(harness.told).toEqual([
    {
      type: "ask",
      sessionId: "s1",
      title: "Fix it",
      harness: "claude",
      cwd: "/project",
      status: "waiting_approval",
      text: "command: rm -rf build",
      askId: "k1",
      atMs: 7,
    },
  ]);
});

test("a screen that nobody understands calls a person, and so does what came back; an agent's end alone does not", async () => {
  const harness = new Harness({ cooldown_s: 10 });
  const certainty = {
    type: "certainty_changed",
    certainty: "unknown",
    unknownSinceMs: 1,
    agent: null,
  } as const;
  harness.say({ ...certainty, needsAttention: false });
  harness.say({ ...certainty, certainty: "known", unknownSinceMs: null, needsAttention: false });
  harness.say({ type: "message_status", messageId: "m1", status: "sent" });
  expect(harness.types).toEqual([]);
  harness.say({ ...certainty, needsAttention: true });
  for (const messageId of ["m1", "m2"])
    harness.say({ type: "message_status", messageId, status: "returned" });
  await harness.notifier.close();
  expect(harness.told.map(({ type, text }) => [type, text])).toEqual([
    ["ask", "what its terminal shows is not understood: look at it"],
    ["error", "its agent ended before it took a message"],
  ]);
});

test("only what was chosen is told", async () => {
  const harness = new Harness({ on: ["completed"], cooldown_s: 0 });
  harness.say(ask("k1"));
  harness.say(changed("streaming", "completed"));
  harness.say(changed("completed", "completed"));
  harness.say(changed("completed", "streaming"));
  await harness.notifier.close();
  expect(harness.types).toEqual(["completed"]);
});

test("the same of the same session is not told again too soon", async () => {
  const harness = new Harness({ cooldown_s: 10 });
  harness.say(ask("k1"));
  harness.nowMs = 9_999;
  harness.say(ask("k2"));
  harness.say(ask("k3"), "s2");
  harness.nowMs = 10_000;
  harness.say(ask("k4"));
  await Promise.resolve();
  await harness.notifier.close();
  expect(harness.types).toEqual(["ask k1", "ask k3", "ask k4"]);
});

test("secrets are taken out, and long texts are cut", async () => {
  const harness = new Harness({ cooldown_s: 0 });
  harness.say(ask("k1", true, `curl -H very-secret-value sk-abcdefghijklmnop1234 ${"x".repeat(1_000)}`));
  await harness.notifier.close();
  const text = harness.told[0]?.text ?? "";
  expect(text.startsWith("command: curl -H [redacted] [redacted] xxx")).toBe(true);
  expect(text.length).toBe(500);
});

test("few are under way at a time, a bounded number waits, and a failure is said", async () => {
  let underWay = 0;
  let most = 0;
  const release: (() => void)[] = [];
  const harness = new Harness({ cooldown_s: 0 }, async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise<void>((resolve) => void release.push(resolve));
    underWay -= 1;
    throw new Error("nobody listens");
  });
  for (let index = 0; index < 200; index += 1) harness.say(ask(`k${index}`));
  expect(most).toBe(4);
  // 4 under way, 100 waiting.
  expect(harness.problems).toEqual(Array<string>(96).fill("a notification was dropped"));
  const closing = harness.notifier.close();
  for (const go of release) go();
  await closing;
  expect(harness.problems.slice(96)).toEqual(Array<string>(4).fill("a notification was not told"));
});

test("a text is never an option or a part of a script", () => {
  const told = { type: "ask", title: "--icon=x", text: '" & (do shell script "id") & "' } as Notification;
  expect(desktopCall(told, "linux")).toEqual([
    "notify-send",
    ["--app-name=signalbox", "--", "--icon=x waits for you", told.text],
  ]);
  const [program, args] = desktopCall(told, "darwin");
  expect([program, args.slice(-2)]).toEqual(["osascript", ["--icon=x waits for you", told.text]]);
  expect(args.slice(0, -2).join(" ")).not.toContain("shell");
});

test("a request that was refused is no error of its session", async () => {
  const harness = new Harness({ cooldown_s: 0 });
  const error = (code: "ask_stale" | "harness_failed"): StatePayload => ({
    type: "session_error",
    code,
    message: code,
    retryable: false,
    source: "harness",
  });
  harness.say(error("ask_stale"), "s1", { seq: 1, type: "request", source: "request" });
  harness.say(error("harness_failed"), "s1", { seq: 2, type: "fact", source: "process" });
  await harness.notifier.close();
  expect(harness.told.map(({ type, text }) => [type, text])).toEqual([
    ["error", "harness_failed: harness_failed"],
  ]);
});
