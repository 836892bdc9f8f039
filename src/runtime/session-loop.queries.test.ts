import { expect, test } from "vitest";
import { agentLines, SCRIPT } from "../../test/sim/runtime-fixture.js";
import { loopBench, written } from "../../test/sim/loop-fixture.js";
import type { RosterEvent } from "../core/index.js";
import type { Harness } from "./harness.js";
import type { Query } from "./query.js";

const QUERY: Query = { type: "permission", tool: { name: "Read", input: { file_path: "a" } } };
const DENIED = { verdict: "deny", rule: "Read(a)", file: "p.toml", because: "Read(a) denies it" } as const;

/** Asks what the rules say of every line, and tells its agent. */
const CURIOUS: Harness = {
  ...SCRIPT,
  decode: (state, line, nowMs) => {
    const { outputs, state: next } = SCRIPT.decode(state, line, nowMs);
    return { state: next, outputs: [...outputs, { type: "query", queryId: "q1", query: QUERY }] };
  },
  answered: (state, queryId, answer) => ({
    state,
    outputs: [{ type: "write", data: `${queryId} ${answer.type}\n` }],
  }),
};

test("a query goes out as a call, and its answer comes back to the codec, written down with its reason", () => {
  const { loop, started, fed, during } = loopBench(CURIOUS);
  started();
  const asked = fed(agentLines(1, { type: "ready", sessionId: "S" }));
  expect(asked.outbox.map(({ call }) => call)).toEqual([
    { type: "query", run: 1, queryId: "q1", query: QUERY },
  ]);
  const batch = during((writing) => loop.answer("q1", QUERY, { type: "decided", decision: DENIED }, writing));
  expect(written(batch).map(([kind, , body]) => [kind, (body as { payload: unknown }).payload])).toEqual([
    ["stream", { permission: { tool: "Read", ...DENIED } }],
  ]);
  expect(batch.outbox.map(({ call }) => call)).toEqual([
    { type: "write", run: 1, data: "q1 decided\n", onFailure: { type: "none" } },
  ]);
});

test("an approval that holds for longer is a grant of what was shown, before the answer", () => {
  const { loop, started, fed, during } = loopBench();
  started();
  fed(
    agentLines(
      1,
      { type: "ready", sessionId: "S" },
      { type: "request" },
      { type: "ask", askId: "a", ask: "command", detail: "npm test" },
      { type: "ask", askId: "b", ask: "command", detail: "npm run x" },
    ),
  );
  const approve = (askId: string, scope: "once" | "always"): readonly unknown[] =>
    during((writing) => loop.request({ type: "approve_action", askId, scope }, writing)).outbox.map(
      ({ call }) => (call.type === "write" ? "write" : call),
    );
  expect(approve("a", "always")).toEqual([
    { type: "grant", scope: "always", tool: { name: "command", input: "npm test" } },
    "write",
  ]);
  expect(approve("b", "once")).toEqual(["write"]);
});

test("what is granted is kept, once each, until a new conversation begins", () => {
  const { loop, started, during } = loopBench();
  started();
  during((writing) => loop.addGrants(["Shell(a)", "Shell(b)"], writing));
  during((writing) => loop.addGrants(["Shell(b)", "Shell(c)"], writing));
  expect(loop.snapshot().grants).toEqual(["Shell(a)", "Shell(b)", "Shell(c)"]);
  during((writing) => loop.request({ type: "cancel_session" }, writing));
  during((writing) => loop.fact({ type: "process_exit", run: 1, code: 0 }, "process", writing));
  during((writing) => loop.request({ type: "start_session" }, writing));
  expect(loop.snapshot().grants).toEqual([]);
});

test("a codec that watches a terminal seats its agent, and types with care", () => {
  const watching: Harness = {
    ...SCRIPT,
    observe: (state, observation) => ({
      state,
      outputs:
        observation.type === "foreground"
          ? [{ type: "agent", agent: observation.agent, evidence: "process_exit" }]
          : [],
    }),
    encode: (state) => ({ state, writes: [], typing: { type: "keys", keys: ["\x1b"] } }),
  };
  const { loop, started, fed, during } = loopBench(watching);
  started();
  const seen: RosterEvent[] = [];
  const look = (agent: string | null): void => {
    const foreground = {
      type: "foreground",
      pid: 7,
      start: "7@boot",
      command: "c",
      agent,
      isShell: agent === null,
      isOwn: false,
    } as const;
    during((writing) => loop.observe(foreground, { ...writing, seat: (event) => void seen.push(event) }));
  };
  look("claude");
  expect(loop.seatedRun).toBe(1);
  look(null);
  expect(loop.seatedRun).toBe(0);
  expect(seen).toEqual([
    { type: "agent_started", seat: "s", agent: "claude" },
    { type: "agent_terminated", seat: "s", evidence: "process_exit" },
  ]);
  fed(agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" }));
  const { outbox } = during((writing) => loop.request({ type: "interrupt" }, writing));
  expect(outbox.map(({ call }) => call)).toEqual([
    { type: "typing", run: 1, typing: { type: "keys", keys: ["\x1b"] }, onFailure: { type: "none" } },
  ]);
});
