/** Whatever Codex says, in whatever order: nothing throws, every fact is one, and the state stays small. */
import { readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { parseSessionEvent } from "../../../src/core/session/events.js";
import { streamEventShape } from "../../../src/core/stream-event.js";
import { parse } from "../../../src/core/schema.js";
import { codexHarness } from "../../../src/harness/codex/codex-harness.js";
import { fieldsOf } from "../../../src/harness/kit/json.js";
import type { HarnessEffect, Output } from "../../../src/runtime/harness.js";
import { goldenFile } from "../golden.js";
import { SETTINGS, working } from "./codex-peer.js";
import { recordedRuns } from "./codex-recording.js";

const FOLDER = new URL("./recordings/", import.meta.url);
const LINES = readdirSync(FOLDER)
  .flatMap((name) => recordedRuns(goldenFile(`codex/recordings/${name}`)))
  .flatMap(({ moves }) => moves)
  .flatMap((move) => (move.type === "line" ? [move.line] : []));

/** Bounds of the state as JSON: conversations, items, asks and a few diffs, all full. */
const STATE_LENGTH_MAX = 1_000_000;

function checkOutput(output: Output): void {
  if (output.type === "fact")
    expect({ fact: output.fact, parsed: parseSessionEvent(output.fact) }).toMatchObject({
      parsed: { ok: true },
    });
  if (output.type !== "stream") return;
  const { streamId, event: type, payload, messageId, parentMessageId } = output;
  const ids = {
    ...(messageId === undefined ? {} : { messageId }),
    ...(parentMessageId === undefined ? {} : { parentMessageId }),
  };
  const envelope = { schemaVersion: "1.0", eventId: "e", sessionId: "s", harness: "codex", seq: 1 };
  const event = { ...envelope, timestampMs: 1, streamId, type, payload, ...ids };
  expect({ event, parsed: parse(streamEventShape, event) }).toMatchObject({ parsed: { ok: true } });
}

class Fuzzed {
  state = codexHarness.start({ run: 1, settings: SETTINGS, resume: null, prompt: null, continues: false })
    .state;

  hear(line: string): void {
    const { state, outputs } = codexHarness.decode(this.state, line, 0);
    outputs.forEach(checkOutput);
    this.keep(state);
  }

  tell(effect: HarnessEffect): void {
    const { state, writes } = codexHarness.encode(this.state, effect, "text");
    for (const line of writes) expect(line.indexOf("\n")).toBe(line.length - 1);
    this.keep(state);
  }

  private keep(state: Json): void {
    const json = JSON.stringify(state);
    expect(json.length).toBeLessThan(STATE_LENGTH_MAX);
    this.state = JSON.parse(json) as Json;
  }
}

const effect: fc.Arbitrary<HarnessEffect> = fc.oneof(
  fc.constant<HarnessEffect>({ type: "interrupt_run", run: 1 }),
  fc.constant<HarnessEffect>({ type: "continue_run", run: 1, why: "retry" }),
  fc.constant<HarnessEffect>({ type: "deliver_message", run: 1, messageId: "m" }),
  fc
    .record({
      id: fc.nat(9),
      decision: fc.constantFrom("approve" as const, "reject" as const, "reply" as const),
    })
    .map(({ id, decision }): HarnessEffect => {
      return { type: "answer_ask", run: 1, askId: `ask-1-${id}`, decision, by: "user" };
    }),
  fc.nat(9).map((id): HarnessEffect => ({ type: "void_asks", askIds: [`ask-1-${id}`], reason: "x" })),
);

/** A recorded line, as it is or with one of its values replaced. */
const line = fc
  .record({ line: fc.constantFrom(...LINES), at: fc.nat(60), value: fc.option(fc.jsonValue()) })
  .map(({ line: recorded, at, value }) =>
    value === null ? recorded : replaced(recorded, at, value as Json),
  );

function replaced(recorded: string, at: number, value: Json): string {
  let count = -1;
  return JSON.stringify(JSON.parse(recorded), (_key, old: unknown) => {
    count += 1;
    return count === at + 1 ? value : old;
  });
}

describe("fuzz", () => {
  test("there is something to start from", () => {
    expect(LINES.length).toBeGreaterThan(1_000);
  });

  test("recorded lines in any order, with any value in them, and anything told in between", () => {
    const move = fc.oneof({ weight: 5, arbitrary: line }, { weight: 1, arbitrary: effect });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const fuzzed = new Fuzzed();
        for (const each of moves) {
          if (typeof each === "string") fuzzed.hear(each);
          else fuzzed.tell(each);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("a whole recording, with every line disturbed", () => {
    const start = fc.nat(LINES.length - 1);
    const rest = fc.record({ start, at: fc.nat(60), value: fc.jsonValue() });
    fc.assert(
      fc.property(rest, ({ start: from, at, value }) => {
        const fuzzed = new Fuzzed();
        for (const recorded of LINES.slice(from, from + 150))
          fuzzed.hear(replaced(recorded, at, value as Json));
      }),
      { numRuns: 100 },
    );
  });

  test("known methods with any parameters, and junk", () => {
    const methods = [...new Set(LINES.map((each) => /"method":"([^"]+)"/.exec(each)?.[1] ?? "x"))];
    const message = fc.record({
      id: fc.oneof(fc.nat(20), fc.string()),
      method: fc.constantFrom(...methods),
      params: fc.jsonValue(),
    });
    const any = fc.oneof(
      fc.string(),
      fc.json(),
      message.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), (lines) => {
        const fuzzed = new Fuzzed();
        fuzzed.state = working().state;
        lines.forEach((each) => fuzzed.hear(each));
      }),
      { numRuns: 300 },
    );
  });
});

describe("bounds", () => {
  const many = (make: (n: number) => Json, count: number): Fuzzed => {
    const fuzzed = new Fuzzed();
    fuzzed.state = working().state;
    for (let n = 0; n < count; n += 1) fuzzed.hear(JSON.stringify(make(n)));
    return fuzzed;
  };

  test("items without end, each a long diff", () => {
    const changes = [{ path: "/proj/a", kind: { type: "add" }, diff: "x\n".repeat(50_000) }];
    const fuzzed = many((n) => {
      const item = { type: "fileChange", id: `c${n}`, changes };
      return { method: "item/started", params: { threadId: "T", turnId: "U", item } };
    }, 150);
    // Four of them, with an escaped end after every character.
    expect(JSON.stringify(fuzzed.state).length).toBeLessThan(4 * 60_000 * 1.5 + 20_000);
  });

  test("asks without end: those that find no room are refused", () => {
    const fuzzed = many((id) => {
      const params = { threadId: "T", turnId: "U", itemId: "c", command: "x".repeat(10_000), cwd: "/proj" };
      return { id, method: "item/commandExecution/requestApproval", params };
    }, 200);
    expect(JSON.stringify(fuzzed.state).length).toBeLessThan(50_000);
    const { outputs } = codexHarness.decode(
      fuzzed.state,
      JSON.stringify({ id: 999, method: "item/commandExecution/requestApproval", params: {} }),
      0,
    );
    const error = { code: -32_000, message: "too many questions are open" };
    expect(outputs).toEqual([
      { type: "write", data: `${JSON.stringify({ jsonrpc: "2.0", id: 999, error })}\n` },
    ]);
  });

  test("subagents without end: the session's own conversation stays known", () => {
    const fuzzed = many(
      (n) => ({ method: "turn/started", params: { threadId: `S${n}`, turn: { id: `V${n}` } } }),
      500,
    );
    expect(JSON.stringify(fuzzed.state).length).toBeLessThan(20_000);
    const { writes } = codexHarness.encode(fuzzed.state, { type: "interrupt_run", run: 1 }, null);
    const params = { threadId: "T", turnId: "U" };
    expect(writes.map((each) => fieldsOf(JSON.parse(each) as Json)["params"])).toContainEqual(params);
  });
});
