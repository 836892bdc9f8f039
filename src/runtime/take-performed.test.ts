import { expect, test } from "vitest";
import { AT_MS, loopBench, written } from "../../test/sim/loop-fixture.js";
import { SCRIPT } from "../../test/sim/runtime-fixture.js";
import type { GrantOutcome } from "./ports.js";
import type { Query, QueryAnswer } from "./query.js";
import { takePerformed } from "./take-performed.js";

const DENIED = { verdict: "deny", rule: "Read(a)", file: "/f", because: "No." } as const;
const READ: Query = { type: "read_file", path: "a", line: null, limit: null };

function taking(granted: GrantOutcome) {
  const bench = loopBench();
  bench.started();
  const call = { type: "grant", scope: granted.scope, tool: null } as const;
  const item = { sessionId: "s", effectId: "1.0", call };
  const batch = bench.during((writing) => takePerformed(item, { facts: [], granted }, bench.loop, writing));
  return { batch, grants: bench.loop.snapshot().grants };
}

test.each<GrantOutcome>([
  { scope: "session", rules: ["Shell(ls)"], file: null, problem: null },
  { scope: "always", rules: ["Shell(ls)"], file: "/c/permissions.toml", problem: null },
])("what was granted is written down; a session keeps what is its own: %j", (granted) => {
  const { batch, grants } = taking(granted);
  expect(grants).toEqual(granted.scope === "session" ? ["Shell(ls)"] : []);
  expect(batch.acked).toEqual([{ sessionId: "s", effectId: "1.0" }]);
  expect(written(batch)).toMatchObject([["stream", 1, { type: "metadata", payload: { grant: granted } }]]);
  // Its record holds the newest seq.
  expect([...batch.touchedSessionIds]).toEqual(["s"]);
});

test("an answer that did not arrive is told in the thread and as an error, and its session is kept with both", () => {
  const bench = loopBench();
  bench.started();
  const item = { sessionId: "s", effectId: "1.0", call: { type: "notify", reason: "approval" } } as const;
  const performed = { facts: [], undelivered: "the approval of “npm test”" };
  const batch = bench.during((writing) => takePerformed(item, performed, bench.loop, writing));
  const message =
    "Not delivered: the approval of “npm test”. The agent ended with its keeper before it was known to have it.";
  expect(written(batch)).toMatchObject([
    ["stream", 1, { type: "metadata", payload: { note: message } }],
    ["state", 1, { payload: { type: "session_error", code: "delivery_failed", message, retryable: true } }],
  ]);
  expect([...batch.touchedSessionIds]).toEqual(["s"]);
});

test("what could not be kept is told, and holds for nothing", () => {
  const granted: GrantOutcome = { scope: "session", rules: ["Shell(ls)"], file: null, problem: "No." };
  const { batch, grants } = taking(granted);
  expect(grants).toEqual([]);
  expect(written(batch)).toMatchObject([
    ["stream", 1, { type: "metadata", payload: { grant: granted } }],
    [
      "state",
      1,
      {
        timestampMs: AT_MS,
        payload: {
          type: "session_error",
          code: "conflict",
          message: "No.",
          retryable: false,
          source: "orchestrator",
        },
      },
    ],
  ]);
});

test.each<[Query, QueryAnswer, string | null]>([
  [{ type: "permission", tool: { name: "Bash", input: {} } }, { type: "decided", decision: DENIED }, "Bash"],
  [READ, { type: "failed", message: "No.", decision: DENIED }, "read_file"],
  [READ, { type: "failed", message: "It is not there." }, null],
  [READ, { type: "file", content: "" }, null],
])("a decision about a query is written down: %j %j", (query, answer, tool) => {
  const bench = loopBench();
  bench.started();
  const item = {
    sessionId: "s",
    effectId: "1.0",
    call: { type: "query", run: 1, queryId: "q", query },
  } as const;
  const batch = bench.during((writing) => takePerformed(item, { facts: [], answer }, bench.loop, writing));
  const payload = { permission: { tool, ...DENIED } };
  expect(written(batch)).toMatchObject(tool === null ? [] : [["stream", 1, { type: "metadata", payload }]]);
});

test.each([
  [{ run: 1, forgot: true }, ["again\n"]],
  [{ run: 1, forgot: false }, []],
  // Of a run that another one has replaced.
  [{ run: 0, forgot: true }, []],
])("a codec whose agent forgot the conversation says what is to be said: %j", ({ run, forgot }, words) => {
  const bench = loopBench({
    ...SCRIPT,
    forgot: (state) => ({ state, outputs: [{ type: "write", data: "again\n" }] }),
  });
  bench.started();
  const call = { type: "spawn", run, resume: "S", prompt: null } as const;
  const item = { sessionId: "s", effectId: "1.0", call };
  const batch = bench.during((writing) => takePerformed(item, { facts: [], forgot }, bench.loop, writing));
  expect(batch.outbox.map((one) => one.call)).toEqual(
    words.map((data) => ({ type: "write", run: 1, data, onFailure: { type: "none" } })),
  );
});
