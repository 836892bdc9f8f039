import { expect, test } from "vitest";
import { sessionSummary } from "../../../test/cli/wire-values.js";
import { sessionFrom, uiOf, type AgentSession } from "../../react/agent-session.js";
import { placesFrom } from "../places/place-of.js";
import { groupSessions, neighbour, nextNeeding, rowsOf } from "./groups.js";

const ask = { askId: "a", ask: "tool", title: "", detail: "", needsHuman: true, openedAtMs: 0 };
const ASKS = [{ ...ask, tool: null, suggestions: [] }];

function session(id: string, fields: Partial<AgentSession> = {}, alive = false): AgentSession {
  const made = { ...sessionFrom(sessionSummary({ id, cwd: "/code/shop/web" })), ...fields };
  return { ...made, ui: uiOf({ ...made, alive }) };
}

const SESSIONS = [
  session("late", { status: "waiting_approval", asks: ASKS, statusSinceMs: 20 }),
  session("busy", { status: "streaming" }),
  session("early", { status: "waiting_input", asks: ASKS, statusSinceMs: 10, cwd: "/code/api" }),
  session("broken", { status: "error", cwd: "/code/api" }),
  session("made", { status: "completed", cwd: "/else/where", workspaceId: "w1" }),
  session("shell", { status: "idle" }, true),
];
const placeOf = placesFrom({
  projects: [{ id: "p1", name: "The shop", directory: "/code/shop" }],
  workspaces: [{ id: "w1", projectId: "p1", branch: "sb/x", base: { branch: "main", commit: "c" } }],
});

test("who needs a person stands above, longest first, and counts in its project; a failure stays", () => {
  const groups = groupSessions(SESSIONS, placeOf).map(({ name, sessions, needing }) => [
    name,
    sessions.map(({ id }) => id),
    needing,
  ]);
  expect(groups).toEqual([
    ["Needs you", ["early", "late"], 0],
    ["The shop", ["busy", "made"], 1],
    ["api", ["broken"], 1],
    ["Shells", ["shell"], 0],
  ]);
});

test("a session of a workspace has its branch", () => {
  expect(placeOf({ cwd: "/else/where", workspaceId: "w1" })).toEqual({
    ...{ key: "p1", name: "The shop", branch: "sb/x", base: "main" },
  });
  expect(placeOf({ cwd: "/code/shopping" })).toMatchObject({ name: "shopping", branch: null });
});

test("keys go through what is not folded away", () => {
  const groups = groupSessions(SESSIONS, placeOf);
  const rows = rowsOf(groups, new Set(["project p1"]));
  expect(rows.map((row) => (row.type === "group" ? row.group.name : row.session.id))).toEqual([
    ...["Needs you", "early", "late", "The shop", "api", "broken", "Shells", "shell"],
  ]);
  expect(neighbour(rows, "late", 1)).toBe("broken");
  expect(neighbour(rows, "early", -1)).toBe(null);
  expect(neighbour(rows, null, -1)).toBe("shell");
  expect(neighbour(rows, "busy", 1)).toBe("early");
});

test("the next that needs a person goes round, and is no other when there is only one", () => {
  expect([null, "busy", "early", "late"].map((from) => nextNeeding(SESSIONS, from))).toEqual([
    ...["early", "early", "late", "early"],
  ]);
  expect(nextNeeding(SESSIONS.slice(0, 2), "late")).toBe(null);
});
