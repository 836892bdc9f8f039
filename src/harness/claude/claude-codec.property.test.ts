/** Whatever Claude writes, the codec goes on, and what it makes of it is sound. */
import fc from "fast-check";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { claudeRecording } from "../../../test/golden/claude/claude-recording.js";
import { goldenFile } from "../../../test/golden/golden.js";
import { type Json, sessionMachine } from "../../core/index.js";
import type { HarnessEffect, Output, RunStart } from "../../runtime/harness.js";
import { parseObject } from "../kit/json.js";
import { decodeClaude, encodeClaude, startClaude } from "./claude-codec.js";
import { fromJson, REQUESTS_MAX, SPEAKERS_MAX } from "./claude-state.js";

const START: RunStart = {
  run: 1,
  settings: { harness: "claude", title: "", cwd: "/proj", model: null, args: [], env: {} },
  resume: null,
  prompt: { messageId: "m1", text: "go" },
  continues: false,
};

const RECORDINGS = fileURLToPath(new URL("../../../test/golden/claude/recordings/", import.meta.url));
/** Everything that Claude was ever heard to say. */
const HEARD = readdirSync(RECORDINGS).flatMap((name) =>
  claudeRecording(goldenFile(`claude/recordings/${name}`)).moves.flatMap((move) =>
    move.type === "line" ? [move.line] : [],
  ),
);

const STATE_LENGTH_MAX = 1024 * 1024;

function checkState(state: Json): void {
  const text = JSON.stringify(state);
  expect(JSON.parse(text)).toEqual(state);
  expect(text.length).toBeLessThan(STATE_LENGTH_MAX);
  const { requests, speakers } = fromJson(state);
  expect(requests.length).toBeLessThanOrEqual(REQUESTS_MAX);
  expect(speakers.length).toBeLessThanOrEqual(SPEAKERS_MAX);
}

function checkOutput(output: Output): void {
  if (output.type === "fact") expect(sessionMachine.parseEvent(output.fact)).toMatchObject({ ok: true });
  if (output.type === "write") checkLine(output.data);
  if (output.type !== "stream") return;
  expect([output.streamId, output.messageId, output.parentMessageId]).not.toContain("");
  expect(JSON.parse(JSON.stringify(output.payload))).toEqual(output.payload);
}

function checkLine(data: string): void {
  expect(data.endsWith("\n")).toBe(true);
  expect(data.slice(0, -1)).not.toContain("\n");
  expect(parseObject(data)).not.toBeNull();
}

function hear(state: Json, line: string): Json {
  const decoded = decodeClaude(state, line, 1_000);
  for (const output of decoded.outputs) checkOutput(output);
  checkState(decoded.state);
  return decoded.state;
}

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "a",
    "__proto__",
    "x".repeat(5_000),
    0,
    -1,
    1.5,
    1e300,
    1e308,
    true,
    null,
    {},
    [],
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A recorded line with something replaced somewhere in it. */
const mutated = fc
  .record({ line: fc.constantFrom(...HEARD), at: fc.nat(), value: scalar })
  .map(({ line, at, value }) => {
    const places: string[][] = [];
    collect(JSON.parse(line), [], places);
    const place = places[at % places.length] ?? [];
    return JSON.stringify(replaced(JSON.parse(line), place, value));
  });

function collect(value: unknown, path: string[], places: string[][]): void {
  if (path.length > 0) places.push(path);
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) collect(item, [...path, key], places);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === key ? replaced(item, rest, by) : item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === key ? replaced(item, rest, by) : item]),
  );
}

const truncated = fc
  .record({ line: fc.constantFrom(...HEARD), length: fc.nat(2_000) })
  .map(({ line, length }) => line.slice(0, length));

const anyLine = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HEARD) },
  { weight: 4, arbitrary: mutated },
  truncated,
  fc.string(),
  fc.json(),
);

test("no line, whole or broken, stops it", () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 30 }), (lines) => {
      lines.reduce(hear, startClaude(START).state);
    }),
    { numRuns: 400 },
  );
});

const effect: fc.Arbitrary<HarnessEffect> = fc.oneof(
  fc.record({
    type: fc.constant("deliver_message" as const),
    run: fc.constant(1),
    messageId: fc.string({ minLength: 1 }),
  }),
  fc.record({ type: fc.constant("interrupt_run" as const), run: fc.constant(1) }),
  fc.record({
    type: fc.constant("continue_run" as const),
    run: fc.constant(1),
    why: fc.constantFrom("resume" as const, "retry" as const),
  }),
);

test("whatever it heard, every ask can be answered once, and every effect is a line", () => {
  const talk = fc.array(fc.oneof(anyLine, effect), { maxLength: 30 });
  const decision = fc.constantFrom("approve" as const, "reject" as const, "reply" as const);
  fc.assert(
    fc.property(talk, decision, fc.option(fc.string()), (moves, chosen, text) => {
      let state = startClaude(START).state;
      for (const move of moves) {
        if (typeof move === "string") state = hear(state, move);
        else {
          const encoded = encodeClaude(state, move, "text");
          encoded.writes.forEach(checkLine);
          ({ state } = encoded);
        }
      }
      for (const { askId } of fromJson(state).requests) {
        const answer: HarnessEffect = { type: "answer_ask", run: 1, askId, decision: chosen, by: "user" };
        const encoded = encodeClaude(state, answer, text);
        expect(encoded.failure).toBeUndefined();
        expect(encoded.writes).toHaveLength(1);
        encoded.writes.forEach(checkLine);
        ({ state } = encoded);
      }
      expect(fromJson(state).requests).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

test("more requests than anybody can answer are refused, and what is kept stays small", () => {
  const request = (number: number) =>
    JSON.stringify({
      type: "control_request",
      request_id: `r${number}`,
      request: { subtype: "can_use_tool", tool_name: "Write", input: { content: "x".repeat(50_000) } },
    });
  let state = startClaude(START).state;
  for (let number = 0; number < REQUESTS_MAX; number += 1) state = hear(state, request(number));
  const { outputs } = decodeClaude(state, request(REQUESTS_MAX));
  const message = "Too many requests wait for an answer.";
  const denied = { behavior: "deny", message, interrupt: false };
  const response = { subtype: "success", request_id: `r${REQUESTS_MAX}`, response: denied };
  expect(outputs).toEqual([
    { type: "write", data: `${JSON.stringify({ type: "control_response", response })}\n` },
  ]);
});
