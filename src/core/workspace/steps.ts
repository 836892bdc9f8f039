/** The steps of what is done with a workspace: which comes next, what it asks for, and what its end means. */
import type { Step } from "../step.js";
import type { WorkspaceEffect, WorkspaceRefusalCode } from "./effects.js";
import type { WorkspaceEvent } from "./events.js";
import type { Finish, FinishStep, FinishWay, Observation, WorkspaceState } from "./state.js";

export type WorkspaceStep = Step<WorkspaceState, WorkspaceEffect, WorkspaceRefusalCode>;

type WorkspaceError = NonNullable<WorkspaceState["error"]>;

const STEPS_OF: Readonly<Record<Finish["how"], readonly FinishStep[]>> = {
  merge: ["commit", "integrate", "import", "advance"],
  squash: ["commit", "integrate", "import", "advance"],
  rebase: ["commit", "integrate", "import", "advance"],
  branch: ["commit", "import", "publish"],
  pr: ["commit", "import", "publish", "open"],
  update: ["integrate"],
  discard: ["remove"],
  abandon: ["remove"],
};

/** They read or change the files that an agent writes. */
const ON_FILES: readonly FinishStep[] = ["look", "commit", "integrate", "undo"];

export function firstStep(how: Finish["how"]): FinishStep {
  return STEPS_OF[how][0] ?? "remove";
}

/** Null: that was the last. */
export function nextStep({ how, step }: Finish): FinishStep | null {
  const steps = STEPS_OF[how];
  return steps[steps.indexOf(step) + 1] ?? null;
}

export function movesBase(how: Finish["how"]): boolean {
  return STEPS_OF[how].includes("advance");
}

/** What is in the way of moving the change into the original, by what was seen of both; null: nothing. */
export function hindrance(
  state: WorkspaceState,
  how: FinishWay,
  observed: Observation,
): "base_dirty" | "nothing_to_finish" | null {
  if (
    !observed.dirty &&
    (observed.ahead === 0 || (state.finished?.head === observed.head && state.finished.how === how))
  )
    return "nothing_to_finish";
  return movesBase(how) && observed.baseDirty ? "base_dirty" : null;
}

/** The step to `after`; a change of the status is told first. */
export function moved(
  before: WorkspaceState,
  event: WorkspaceEvent,
  after: WorkspaceState,
  effects: readonly WorkspaceEffect[] = [],
): WorkspaceStep {
  const { status: from } = before;
  const { status: to } = after;
  const told = from === to ? [] : [{ type: "emit_workspace_changed", from, to, reason: event.type } as const];
  return { state: after, effects: [...told, ...effects], result: "ok" };
}

export function rejected(state: WorkspaceState, code: WorkspaceRefusalCode, message: string): WorkspaceStep {
  return { state, effects: [], result: "rejected", error: { code, message } };
}

/** Asks for the step that `finish` names, or holds it while an agent works on the files. */
export function asked(state: WorkspaceState, event: WorkspaceEvent, finish: Finish): WorkspaceStep {
  if (state.running > 0 && ON_FILES.includes(finish.step)) return held(state, event, finish);
  const op = state.op + 1;
  const after: WorkspaceState = {
    ...state,
    status: "finishing",
    op,
    finish: { ...finish, held: false },
    conflicts: [],
    error: null,
  };
  return moved(state, event, after, [effectOf(after, finish, op)]);
}

/** What an agent changes meanwhile is not what was seen: a finish looks again then. */
function held(state: WorkspaceState, event: WorkspaceEvent, finish: Finish): WorkspaceStep {
  const step =
    finish.step === "commit" || (finish.step === "integrate" && finish.how !== "update")
      ? "look"
      : finish.step;
  // Whoever still reports on a step before that is not heard.
  const after: WorkspaceState = {
    ...state,
    status: "finishing",
    op: state.op + 1,
    finish: { ...finish, step, held: true },
    error: null,
  };
  return moved(state, event, after);
}

function effectOf(state: WorkspaceState, finish: Finish, op: number): WorkspaceEffect {
  const { how, message } = finish;
  const path = state.path ?? "";
  const branch = state.branch ?? "";
  const head = finish.head ?? finish.committed ?? "";
  switch (finish.step) {
    case "look":
      return { type: "observe" };
    case "commit":
      return { type: "commit", op, message };
    case "integrate":
      return { type: "integrate", op, how: how as FinishWay | "update", onto: finish.onto ?? "", message };
    case "import":
      return { type: "import", op, head };
    case "advance":
      return { type: "advance", op, branch: state.base?.branch ?? "", from: finish.onto ?? "", to: head };
    case "publish":
      return { type: "publish", op, branch, to: head };
    case "open":
      return { type: "open", op, branch, message };
    case "undo":
      return { type: "undo", op, to: finish.committed ?? "" };
    case "remove":
      return removal(state, how, op, path);
  }
}

/** Only what we made is taken away, and only as it was seen. */
function removal(state: WorkspaceState, how: Finish["how"], op: number, path: string): WorkspaceEffect {
  if (how === "abandon") return { type: "remove_partial", op, path };
  if (state.origin === "adopted" || state.observed === null) return { type: "release_workspace", op };
  return { type: "remove_workspace", op, path, observation: state.observed.id };
}

/** Back to where it was; what was seen before is out of date. */
export function returned(
  state: WorkspaceState,
  event: WorkspaceEvent,
  error: WorkspaceError | null,
): WorkspaceStep {
  const before = state.finish?.before ?? "ready";
  const keepsFinish = before === "conflicted";
  const after: WorkspaceState = {
    ...state,
    status: before,
    op: state.op + 1,
    observed: null,
    finish: keepsFinish && state.finish ? { ...state.finish, step: "integrate", held: false } : null,
    error,
  };
  return moved(state, event, after, after.added ? [{ type: "observe" }] : []);
}

/** The last step is done. */
export function completed(state: WorkspaceState, event: WorkspaceEvent, url: string | null): WorkspaceStep {
  const { finish } = state;
  const head = finish?.head ?? finish?.committed ?? "";
  const common = { ...state, op: state.op + 1, observed: null, finish: null, conflicts: [], error: null };
  const observe = [{ type: "observe" }] as const;
  if (finish === null || finish.how === "discard" || finish.how === "abandon")
    return moved(state, event, { ...common, status: "gone" });
  const base = state.base && { ...state.base, commit: finish.onto ?? state.base.commit };
  if (finish.how === "update") return moved(state, event, { ...common, status: "ready", base }, observe);
  const after: WorkspaceState = {
    ...common,
    status: "merged",
    base: movesBase(finish.how) && base ? { ...base, commit: head } : state.base,
    finished: { how: finish.how, head, url },
  };
  return moved(state, event, after, observe);
}
