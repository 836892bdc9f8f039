import { expect, test } from "vitest";
import { sessionSummary } from "../../../test/cli/wire-values.js";
import { sessionFrom, uiOf, type AgentSession } from "../../react/agent-session.js";
import { arrange, harnessesOf, NO_FILTER } from "./arrange.js";

function session(id: string, fields: Partial<AgentSession> = {}): AgentSession {
  const made = { ...sessionFrom(sessionSummary({ id })), ...fields };
  return { ...made, ui: uiOf({ ...made, alive: false }) };
}

const ask = { askId: "a", ask: "tool", title: "", detail: "", needsHuman: true, openedAtMs: 0 };
const SESSIONS = [
  session("done", { status: "completed", title: "Write the notes" }),
  session("busy", { status: "streaming", harness: "codex" }),
  session("asking", { status: "waiting_approval", asks: [{ ...ask, tool: null, suggestions: [] }] }),
  session("ruled", { status: "waiting_approval", cwd: "/tmp/Other" }),
  session("broken", { status: "error" }),
];

test("who needs a person comes first, then who works; the order given decides the rest", () => {
  const { rows, counts } = arrange(SESSIONS, NO_FILTER);
  expect(rows.map(({ id }) => id)).toEqual(["asking", "broken", "busy", "ruled", "done"]);
  expect(counts).toEqual({ all: 5, attention: 2, working: 2, resting: 1 });
});

test("what is not known is neither work nor rest; once it is still it needs a person", () => {
  const unknown = session("strange", { certainty: "unknown" });
  const still = session("still", { certainty: "unknown", unknownNotified: true });
  const { rows, counts } = arrange([...SESSIONS, unknown, still], NO_FILTER);
  expect(rows.map(({ id }) => id)).toEqual([
    ...["asking", "broken", "still"],
    ...["strange", "busy", "ruled", "done"],
  ]);
  expect(counts).toEqual({ all: 7, attention: 3, working: 2, resting: 1 });
});

test.each([
  [{ group: "attention" } as const, ["asking", "broken"]],
  [{ group: "resting" } as const, ["done"]],
  [{ harness: "codex" }, ["busy"]],
  [{ search: "  NOTES write " }, ["done"]],
  [{ search: "other" }, ["ruled"]],
  [{ search: "waiting approval" }, ["asking", "ruled"]],
  [{ search: "nothing" }, []],
])("with %j it shows %j", (filter, ids) => {
  expect(arrange(SESSIONS, { ...NO_FILTER, ...filter }).rows.map(({ id }) => id)).toEqual(ids);
});

test("harnesses are named once each", () => {
  expect(harnessesOf(SESSIONS)).toEqual(["claude", "codex"]);
});
