import { describe, expect, test } from "vitest";
import { transition } from "../../src/core/session/session-machine.js";
import { initialSession, type SessionState, type Status } from "../../src/core/session/state.js";
import { CONTENDERS, ours } from "./contenders/all-contenders.js";
import { firstDifference } from "./contenders/difference.js";
import { readFacts } from "./read-facts.js";

const FACTS = readFacts(new URL("facts/", import.meta.url));

/** Where each recording leaves the session. */
const FINAL: Readonly<Record<string, Status>> = {
  "claude-control.jsonl": "completed",
  "claude-overloaded.jsonl": "completed",
  "claude-session-state-events.jsonl": "completed",
  "claude-sigint.jsonl": "paused",
  "claude-sigkill.jsonl": "error",
  "claude-sigterm.jsonl": "stopped",
  "codex-app-server.jsonl": "completed",
  "gemini-acp.jsonl": "error",
  "kilo-acp.jsonl": "error",
  "opencode-acp.jsonl": "error",
};

test("every recording is there", () => {
  expect(FACTS.map((facts) => facts.name)).toEqual(Object.keys(FINAL));
});

describe.each(FACTS)("$name", (facts) => {
  test.each(CONTENDERS.filter((contender) => contender !== ours))(
    "$name says what the machine says",
    (other) => {
      expect(firstDifference(ours, other, facts)).toBeNull();
    },
  );

  test("nothing is rejected, little is ignored, and it ends as it did", () => {
    let state: SessionState = initialSession;
    const results = { ok: 0, ignored: 0, rejected: 0 };
    for (const event of facts.events) {
      const step = transition(state, event);
      results[step.result] += 1;
      state = step.state;
    }
    expect(results.rejected).toBe(0);
    expect(results.ignored).toBeLessThan(facts.events.length / 8);
    expect(state.status).toBe(FINAL[facts.name]);
  });
});

test("a difference is found", () => {
  const [facts] = FACTS;
  if (!facts) throw new Error("no facts");
  const forgetful = { ...ours, steps: () => ours.steps(facts.events.slice(0, -1)) };
  const quiet = {
    ...ours,
    steps: () => ours.steps(facts.events).map(({ state }) => ({ state, effects: [] })),
  };
  expect(firstDifference(ours, forgetful, facts)).toContain(`line ${facts.events.length}`);
  expect(firstDifference(ours, quiet, facts)).toContain("line 1");
});
