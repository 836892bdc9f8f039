/** Whatever an agent says, in whatever order: nothing throws, every fact is one, and the state stays small. */
import { readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../../src/core/index.js";
import { parse } from "../../../src/core/schema.js";
import { parseSessionEvent } from "../../../src/core/session/events.js";
import { streamEventShape } from "../../../src/core/stream-event.js";
import { ACP_AGENTS } from "../../../src/harness/acp/acp-agents.js";
import {
  answeredAcp,
  decodeAcp,
  encodeAcp,
  observeAcp,
  startAcp,
} from "../../../src/harness/acp/acp-codec.js";
import type { Decoded, HarnessEffect, Output } from "../../../src/runtime/harness.js";
import type { QueryAnswer } from "../../../src/runtime/query.js";
import { goldenFile } from "../golden.js";
import { SETTINGS } from "./acp-peer.js";

const FOLDER = new URL("./recordings/", import.meta.url);
const LINES = readdirSync(FOLDER)
  .flatMap((name) => goldenFile(`acp/recordings/${name}`).split("\n"))
  .filter((line) => line.includes('"dir":"out"'))
  .map((line) => JSON.stringify((JSON.parse(line) as { readonly msg: Json }).msg));

/** No recorded agent asks for a terminal. */
const TERMINAL_USES: readonly (readonly [string, object])[] = [
  [
    "create",
    { command: "npm", args: ["test"], env: [{ name: "A", value: "b" }], cwd: "/proj/a", outputByteLimit: 9 },
  ],
  ["create", { command: "a && b" }],
  ["output", { terminalId: "terminal-1" }],
  ["wait_for_exit", { terminalId: "terminal-1" }],
  ["kill", { terminalId: "terminal-2" }],
  ["release", { terminalId: "terminal-1" }],
];
const TERMINAL_LINES = TERMINAL_USES.map(([use, params], id) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: `terminal/${use}`, params }),
);
const SHOWN = {
  sessionUpdate: "tool_call",
  toolCallId: "c",
  content: [{ type: "terminal", terminalId: "terminal-1" }],
};
TERMINAL_LINES.push(
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: SHOWN } }),
);

/** Without the file that an agent writes, and what a person said: both have bounds of their own. */
const STATE_LENGTH_MAX = 200_000;

type Act =
  | { readonly type: "hear"; readonly line: string }
  | { readonly type: "do"; readonly effect: HarnessEffect }
  | { readonly type: "see"; readonly terminal: number; readonly isOver: boolean }
  | { readonly type: "answer"; readonly queryId: string; readonly answer: QueryAnswer };

/** A recorded message, or one with a part of it replaced by anything. */
const line: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...TERMINAL_LINES) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...TERMINAL_LINES), fc.nat(), fc.jsonValue()).map(mangled),
  },
  { weight: 4, arbitrary: fc.constantFrom(...LINES) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...LINES), fc.nat(), fc.jsonValue()).map(mangled) },
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.json()) },
);

function mangled([text, place, value]: readonly [string, number, unknown]): string {
  const keys = [...text.matchAll(/"(\w+)":/g)].map(([, key]) => key);
  const key = keys[place % Math.max(1, keys.length)];
  return JSON.stringify(JSON.parse(text, (name, old: unknown) => (name === key ? value : old)));
}

const askId = fc.nat(12).map((id) => `request-${id}`);
const effect: fc.Arbitrary<HarnessEffect> = fc.oneof(
  fc.constant<HarnessEffect>({ type: "interrupt_run", run: 1 }),
  fc.constant<HarnessEffect>({ type: "continue_run", run: 1, why: "resume" }),
  fc.constant<HarnessEffect>({ type: "deliver_message", run: 1, messageId: "m" }),
  askId.map((id): HarnessEffect => ({ type: "void_asks", askIds: [id], reason: "x" })),
  fc.tuple(askId, fc.constantFrom("approve", "reject", "reply")).map(([id, decision]): HarnessEffect => ({
    type: "answer_ask",
    run: 1,
    askId: id,
    decision,
    by: "user",
  })),
);

const answer: fc.Arbitrary<QueryAnswer> = fc.oneof(
  fc.constant<QueryAnswer>({ type: "written" }),
  fc.constant<QueryAnswer>({ type: "file", content: "words" }),
  fc.constant<QueryAnswer>({ type: "terminal_done" }),
  fc.constant<QueryAnswer>({ type: "terminal_output", text: "words", truncated: true, exit: null }),
  fc.constant<QueryAnswer>({ type: "failed", message: "ENOENT: no" }),
  fc.constantFrom("allow", "deny", "ask", "none").map((verdict): QueryAnswer => ({
    type: "decided",
    decision: { verdict, rule: null, file: null, because: "" },
  })),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.boolean())
      .map(([terminal, isOver]): Act => ({ type: "see", terminal, isOver })),
  },
  { weight: 8, arbitrary: line.map((one): Act => ({ type: "hear", line: one })) },
  { weight: 2, arbitrary: effect.map((one): Act => ({ type: "do", effect: one })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.oneof(askId, fc.constant("terminal-1")),
        fc.constantFrom("rules", "file", "terminal", "shown"),
        answer,
      )
      .map(([id, about, one]): Act => ({ type: "answer", queryId: `${id}:${about}`, answer: one })),
  },
);

function checkOutput(output: Output): void {
  if (output.type === "write") expect(output.data.indexOf("\n")).toBe(output.data.length - 1);
  if (output.type === "fact") {
    const parsed = parseSessionEvent(output.fact);
    expect({ fact: output.fact, parsed }).toMatchObject({ parsed: { ok: true } });
  }
  if (output.type !== "stream") return;
  const { streamId, event: type, payload, messageId, parentMessageId } = output;
  const ids = {
    ...(messageId === undefined ? {} : { messageId }),
    ...(parentMessageId === undefined ? {} : { parentMessageId }),
  };
  const envelope = { schemaVersion: "1.0", eventId: "e", sessionId: "s", harness: "acp", seq: 1 };
  const event = { ...envelope, timestampMs: 1, streamId, type, payload, ...ids };
  expect({ event, parsed: parse(streamEventShape, event) }).toMatchObject({ parsed: { ok: true } });
}

function perform(state: Json, one: Act): Json {
  if (one.type === "do") {
    const encoded = encodeAcp(state, one.effect, "words");
    for (const write of encoded.writes) expect(write.indexOf("\n")).toBe(write.length - 1);
    return encoded.state;
  }
  const decoded = heard(state, one);
  decoded.outputs.forEach(checkOutput);
  return decoded.state;
}

function heard(state: Json, one: Exclude<Act, { readonly type: "do" }>): Decoded {
  if (one.type === "hear") return decodeAcp(state, one.line, 1);
  if (one.type === "answer") return answeredAcp(state, one.queryId, one.answer);
  const exit = one.isOver ? { code: 0, signal: null } : null;
  return observeAcp(state, { type: "command", terminal: one.terminal, output: "words", exit });
}

const agents = fc.constantFrom(null, ...ACP_AGENTS.map(({ name }) => name));

test("anything, in any order", () => {
  fc.assert(
    fc.property(agents, fc.boolean(), fc.array(act, { maxLength: 60 }), (agent, isResumed, acts) => {
      const start = {
        run: 1,
        settings: SETTINGS,
        resume: isResumed ? "s" : null,
        prompt: null,
        continues: false,
      };
      let { state } = startAcp(start, agent);
      for (const one of acts) {
        const json = JSON.stringify(perform(state, one));
        expect(json.length).toBeLessThan(STATE_LENGTH_MAX);
        state = JSON.parse(json) as Json;
      }
    }),
    { numRuns: 300 },
  );
});

test("a whole conversation, over and over, leaves a state of the same size", () => {
  let { state } = startAcp(
    { run: 1, settings: SETTINGS, resume: null, prompt: { messageId: "m", text: "go" }, continues: false },
    "opencode",
  );
  const sizes: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (const one of LINES) state = decodeAcp(state, one, 1).state;
    state = encodeAcp(state, { type: "interrupt_run", run: 1 }, null).state;
    sizes.push(JSON.stringify(state).length);
  }
  expect(Math.max(...sizes)).toBeLessThan(STATE_LENGTH_MAX);
  expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) * 1.2);
});
