/** Wrong types and sizes on every field of every call: whatever comes, the answer is one of ours and never a 500. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { z } from "zod";
import { API, type Call } from "../../protocol/api.js";
import { problemSchema } from "../../protocol/problem.js";
import { call, CWD, openServer, type TestAnswer, type TestServer } from "./test-server.test.js";

const VALID: Readonly<Record<string, unknown>> = {
  harness: "demo",
  cwd: CWD,
  text: "Go on",
  decision: "approve",
  command: "new",
  call: "Shell(ls)",
  rule: "Shell(ls)",
  effect: "allow",
  scope: "project",
  dir: CWD,
  sessionId: "a",
  answers: [{ sessionId: "a", askId: "x", decision: "reject" }],
};

const nasty = fc.oneof(
  fc.json().map((text) => JSON.parse(text) as unknown),
  fc.constantFrom<unknown>(
    "",
    " ",
    "\0",
    "a\nb",
    "\ud800",
    "../..",
    "/",
    "__proto__",
    -1,
    0,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER + 1,
    [],
    {},
    [null],
    null,
    true,
    "x".repeat(100_001),
    "x".repeat(500_001),
    Array.from({ length: 1_001 }, () => "x"),
  ),
);

function checkAnswer(answer: TestAnswer, call: Call): void {
  if (answer.status < 400) {
    expect(answer.status).toBe(call.status);
    if (call.response) expect(call.response.safeParse(JSON.parse(answer.text)).error).toBeUndefined();
    return;
  }
  const problem = problemSchema.parse(JSON.parse(answer.text));
  expect(problem.status).toBe(answer.status);
  expect(answer.status).toBeLessThan(500);
  if (problem.code === "event_invalid") expect(problem.errors?.length).toBeGreaterThan(0);
}

async function openFuzzed(): Promise<TestServer> {
  const server = await openServer();
  server.board.addSession("a");
  return server;
}

function pathFor(call: Call, param: string): string {
  return call.path.replaceAll(/:\w+/g, encodeURIComponent(param));
}

const withBody = Object.entries<Call>(API).filter(([, each]) => each.body !== undefined);

test.each(withBody)("%s: every field of the body", async (_name, described) => {
  const server = await openFuzzed();
  const fields = Object.keys((described.body as z.ZodObject).shape);
  const valid = Object.fromEntries(
    fields.filter((field) => field in VALID).map((field) => [field, VALID[field]]),
  );
  for (const field of fields) {
    await fc.assert(
      fc.asyncProperty(nasty, async (value) => {
        const body = JSON.stringify({ ...valid, [field]: value });
        checkAnswer(await call(server, described.method, pathFor(described, "a"), { body }), described);
      }),
      { numRuns: 25 },
    );
  }
});

test("nested fields of answers, files and environments", async () => {
  const server = await openFuzzed();
  const cases = [
    [API.answerAsks, (value: unknown) => ({ answers: [{ sessionId: "a", askId: "x", decision: value }] })],
    [
      API.answerAsks,
      (value: unknown) => ({ answers: [{ sessionId: value, askId: value, decision: "approve" }] }),
    ],
    [API.routeMessage, (value: unknown) => ({ text: "x", files: [{ path: value }] })],
    [
      API.routeMessage,
      (value: unknown) => ({ text: "x", files: [{ path: "p", startLine: value, endLine: value }] }),
    ],
    [API.createSession, (value: unknown) => ({ harness: "demo", cwd: CWD, env: { A: value } })],
    [API.createSession, (value: unknown) => ({ harness: "demo", cwd: CWD, args: [value] })],
  ] as const;
  for (const [described, bodyOf] of cases) {
    await fc.assert(
      fc.asyncProperty(nasty, async (value) => {
        const body = JSON.stringify(bodyOf(value));
        checkAnswer(await call(server, described.method, described.path, { body }), described);
      }),
      { numRuns: 25 },
    );
  }
});

test("bodies that are bytes and nothing else", async () => {
  const server = await openFuzzed();
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(...withBody),
      async (bytes, [, described]) => {
        const body = Buffer.from(bytes);
        checkAnswer(await call(server, described.method, pathFor(described, "a"), { body }), described);
      },
    ),
    { numRuns: 200 },
  );
});

test("parameters and queries of every call", async () => {
  const server = await openFuzzed();
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("a", "..", ".", "%00", "1e999"),
  );
  const names = fc.constantFrom("after", "limit", "cursor", "status", "harness", "session", "x", "__proto__");
  const everyCall = fc.constantFrom(...Object.values<Call>(API));
  await fc.assert(
    fc.asyncProperty(
      everyCall,
      text,
      fc.array(fc.tuple(names, text), { maxLength: 3 }),
      async (described, param, query) => {
        fc.pre(!/^\.{0,2}$/.test(param));
        const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
        const path = `${pathFor(described, param)}?${search}`;
        checkAnswer(await call(server, described.method, path), described);
      },
    ),
    { numRuns: 400 },
  );
});
