import { expect, test } from "vitest";
import { AT_MS, loopBench, written } from "../../test/sim/loop-fixture.js";
import type { GrantOutcome } from "./ports.js";
import { takePerformed } from "./take-performed.js";

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
