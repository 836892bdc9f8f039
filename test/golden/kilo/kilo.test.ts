/** The legacy Kilo CLI: lines as 000 has them, through the codec and the session machine; and a program that speaks so. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, SessionFact } from "../../../src/core/index.js";
import { kiloHarness } from "../../../src/harness/kilo/kilo-harness.js";
import type { HarnessEffect, RunStart } from "../../../src/runtime/harness.js";
import { goldenFile, matchGolden } from "../golden.js";
import { play, type Move } from "../play.js";

const SETTINGS = { harness: "kilo", title: "", cwd: "/proj", model: null, args: ["--json-io"], env: {} };
const PROMPT = { messageId: "m1", text: "fix the tests" };

function startOf(more: Partial<RunStart> = {}): RunStart {
  return { run: 1, settings: SETTINGS, resume: null, prompt: null, continues: false, ...more };
}

function lines(): readonly Move[] {
  const all = goldenFile("kilo/legacy.jsonl").split("\n");
  return all.filter((line) => line !== "").map((line) => ({ type: "line", line }));
}

function approve(askId: string): Move {
  return { type: "effect", effect: { type: "answer_ask", run: 1, askId, decision: "approve", by: "user" } };
}

describe("lines as 000 has them", () => {
  test("a session", () => {
    const [before, after] = [lines().slice(0, 14), lines().slice(14)];
    const moves = [...before, approve("run-1-at-1008"), ...after];
    matchGolden("kilo/legacy.txt", play(kiloHarness, startOf({ prompt: PROMPT }), moves));
  });

  test("a resumed session repeats its history, and is ready when it waits", () => {
    const pause = JSON.stringify({ timestamp: 2000, source: "extension", type: "ask", ask: "resume_task" });
    const late = JSON.stringify({
      timestamp: 1003,
      source: "extension",
      type: "say",
      say: "api_req_started",
    });
    const work = JSON.stringify({
      timestamp: 2001,
      source: "extension",
      type: "say",
      say: "api_req_started",
    });
    const deliver: Move = {
      type: "effect",
      effect: { type: "deliver_message", run: 2, messageId: "m2" },
      text: "and now?",
    };
    const told = [{ type: "line", line: pause } as const, deliver];
    const after = [late, work].map((line) => ({ type: "line", line }) as const);
    const start = startOf({ run: 2, resume: "5f7c", continues: true });
    matchGolden("kilo/resumed.txt", play(kiloHarness, start, [...lines().slice(0, 10), ...told, ...after]));
  });
});

/** As it was built. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PEER = join(
  ROOT,
  "dist",
  relative(ROOT, fileURLToPath(new URL("./kilocode-peer.js", import.meta.url))),
);

/** The program, and the codec that speaks with it. */
class Conversation {
  readonly facts: SessionFact[] = [];
  private state: Json;
  private readonly child;
  private readonly seen: (() => void)[] = [];

  constructor(start: RunStart, args: readonly string[]) {
    this.state = kiloHarness.start(start).state;
    this.child = spawn(process.execPath, [PEER, "--json-io", ...args], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const { state, outputs } = kiloHarness.decode(this.state, line, 0);
      this.state = state;
      for (const output of outputs) if (output.type === "fact") this.facts.push(output.fact);
      for (const wake of this.seen.splice(0)) wake();
    });
  }

  /** Waits for the next fact of this type, and takes all up to it. */
  async until(type: SessionFact["type"], partial = false): Promise<SessionFact> {
    for (;;) {
      const index = this.facts.findIndex(
        (fact) => fact.type === type && ("partial" in fact && fact.partial === true) === partial,
      );
      const fact = this.facts[index];
      if (fact) {
        this.facts.splice(0, index + 1);
        return fact;
      }
      await new Promise<void>((resolve) => {
        this.seen.push(resolve);
      });
    }
  }

  tell(effect: HarnessEffect, text: string | null = null): void {
    const { state, writes } = kiloHarness.encode(this.state, effect, text);
    this.state = state;
    for (const write of writes) this.child.stdin.write(write);
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    await once(this.child, "exit");
  }
}

describe("a program that speaks so", () => {
  test("is asked, asks, is interrupted and goes on", async () => {
    const prompt = { messageId: "m1", text: "ask first" };
    const conversation = new Conversation(startOf({ prompt }), ["--", prompt.text]);
    await conversation.until("session_created");
    const first = await conversation.until("ask:command");
    const askId = "askId" in first ? first.askId : "";
    conversation.tell({ type: "answer_ask", run: 1, askId, decision: "approve", by: "user" });
    await conversation.until("ask:completion_result");
    conversation.tell({ type: "deliver_message", run: 1, messageId: "m2" }, "a question");
    const question = await conversation.until("ask:followup");
    const answer = { type: "answer_ask", run: 1, decision: "reply", by: "user", messageId: "m3" } as const;
    conversation.tell({ ...answer, askId: "askId" in question ? question.askId : "" }, "blue");
    await conversation.until("ask:completion_result");
    conversation.tell({ type: "deliver_message", run: 1, messageId: "m4" }, "ask again");
    await conversation.until("ask:command");
    conversation.tell({ type: "interrupt_run", run: 1 });
    await conversation.until("turn_interrupted");
    conversation.tell({ type: "continue_run", run: 1, why: "resume" });
    await conversation.until("ask:completion_result");
    conversation.tell({ type: "deliver_message", run: 1, messageId: "m5" }, "now fail");
    expect(await conversation.until("ask:api_req_failed")).toMatchObject({ text: "429 too many requests" });
    await conversation.end();
  });

  test("is resumed", async () => {
    const start = startOf({ run: 2, resume: "kilo-1", continues: true });
    const conversation = new Conversation(start, ["--session=kilo-1"]);
    expect(await conversation.until("session_created")).toEqual({
      type: "session_created",
      sessionId: "kilo-1",
    });
    expect(conversation.facts).toEqual([]);
    conversation.tell({ type: "deliver_message", run: 2, messageId: "m2" }, "go on");
    await conversation.until("api_req_started");
    await conversation.until("ask:completion_result");
    await conversation.end();
  });
});

test("started without anything to do, it is ready and idle", () => {
  const greeting = { timestamp: 1, source: "cli", type: "welcome" };
  const { state } = kiloHarness.start(startOf());
  const { state: next, outputs } = kiloHarness.decode(state, JSON.stringify(greeting), 0);
  expect(outputs).toEqual([
    { type: "fact", fact: { type: "session_created" } },
    { type: "fact", fact: { type: "ask:completion_result", askId: "run-1-turn-0:end" } },
  ]);
  expect(kiloHarness.encode(next, { type: "deliver_message", run: 1, messageId: "m" }, "go").writes).toEqual([
    '{"type":"newTask","text":"go"}\n',
  ]);
});

test("no line makes it throw, and no state grows", () => {
  const known = lines().map((move) => (move.type === "line" ? move.line : ""));
  const line = fc.oneof(
    fc.constantFrom(...known),
    fc.string(),
    fc.json(),
    fc
      .record({
        type: fc.constantFrom("say", "ask"),
        say: fc.oneof(fc.constantFrom("text", "api_req_started", "command_output"), fc.string()),
        ask: fc.oneof(fc.constantFrom("tool", "followup", "resume_task", "completion_result"), fc.string()),
        timestamp: fc.oneof(fc.integer(), fc.string()),
        metadata: fc.jsonValue(),
        content: fc.jsonValue(),
        partial: fc.boolean(),
        isAnswered: fc.boolean(),
      })
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 100 }), fc.boolean(), (all, resumed) => {
      let { state } = kiloHarness.start(
        startOf(resumed ? { resume: "s", continues: true } : { prompt: PROMPT }),
      );
      for (const one of all) ({ state } = kiloHarness.decode(state, one, 1));
      expect(JSON.stringify(state).length).toBeLessThan(20_000);
      expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    }),
  );
});
