import { describe, expect, test } from "vitest";
import { playVector, readVectors } from "../../../test/vectors/vector.js";
import { INITIAL_WORKSPACE, type WorkspaceState } from "./state.js";
import { transition, workspaceMachine } from "./workspace-machine.js";

/** Takes any value as the machine's command line does: parsed first. */
function take(state: unknown, event: unknown) {
  const known = workspaceMachine.parseState(state);
  const parsed = workspaceMachine.parseEvent(event);
  if (!known.ok || !parsed.ok) throw new Error(`not a state or not an event: ${JSON.stringify(event)}`);
  return transition(known.value, parsed.value);
}

describe("workspace-more.json", () => {
  const vectors = readVectors("workspace-more.json");
  test.each(vectors.map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    expect(vector.machine).toBe("workspace");
    expect(playVector(vector, { ...workspaceMachine.initial, ...vector.initial }, take)).toBeNull();
  });
});

const READY: WorkspaceState = {
  ...INITIAL_WORKSPACE,
  status: "ready",
  path: "/w/1",
  branch: "agent/1",
  base: { branch: "main", commit: "b0" },
  added: true,
  op: 3,
  observed: {
    id: "o",
    head: "w",
    dirty: true,
    loose: false,
    ahead: 0,
    behind: 0,
    baseHead: "b0",
    baseDirty: false,
  },
};

test("a whole step: the first of a squash", () => {
  const event = { type: "finish", how: "squash", message: "m", observation: "o", when: "now" } as const;
  expect(transition(READY, event)).toEqual({
    state: {
      ...READY,
      status: "finishing",
      op: 4,
      finish: {
        how: "squash",
        step: "commit",
        message: "m",
        held: false,
        before: "ready",
        committed: null,
        head: null,
        onto: "b0",
      },
    },
    effects: [
      { type: "emit_workspace_changed", from: "ready", to: "finishing", reason: "finish" },
      { type: "commit", op: 4, message: "m" },
    ],
    result: "ok",
  });
});

test("conflicts beyond the bound are left in the workspace", () => {
  const integrating = transition(
    transition(READY, { type: "finish", how: "merge", message: "m", observation: "o", when: "now" }).state,
    { type: "step_done", op: 4, head: "w2" },
  ).state;
  const files = Array.from({ length: 150 }, (_, index) => `${index}.txt`);
  expect(transition(integrating, { type: "conflict", op: 5, files }).state.conflicts).toEqual(
    files.slice(0, 100),
  );
});

test.each([
  [{ ...READY, status: "finishing" }, "finish"],
  [{ ...READY, status: "conflicted" }, "finish"],
  [{ ...READY, path: null }, "path"],
])("a state that cannot be is refused: %#", (state, path) => {
  expect(workspaceMachine.parseState(state)).toMatchObject({ ok: false, flaw: { path } });
});
