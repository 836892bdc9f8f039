/** The workspace machine times a small world around it. */
import type { Step } from "../../src/core/step.js";
import type { WorkspaceEffect, WorkspaceRefusalCode } from "../../src/core/workspace/effects.js";
import type { WorkspaceEvent } from "../../src/core/workspace/events.js";
import {
  FINISH_WAYS,
  holdsWork,
  INITIAL_WORKSPACE,
  isLost,
  type Observation,
  type WorkspaceState,
} from "../../src/core/workspace/state.js";
import { workspaceMachine } from "../../src/core/workspace/workspace-machine.js";
import type { Answered, Check, Goal, Model, Move, Node, Taken } from "./search.js";
import {
  conflicted,
  observe,
  original,
  outcomes,
  type Files,
  type WorkspaceGhost,
} from "./workspace-ghost.js";

type WorkspaceNode = Node<WorkspaceState, WorkspaceGhost>;
type WorkspaceTaken = Taken<WorkspaceState, WorkspaceEvent, WorkspaceEffect, WorkspaceGhost>;
type WorkspaceAnswered = Answered<WorkspaceState, WorkspaceEvent, WorkspaceEffect>;
type WorkspaceMove = Move<WorkspaceState, WorkspaceEvent, WorkspaceEffect, WorkspaceGhost>;
type WorkspaceModel = Model<WorkspaceState, WorkspaceEvent, WorkspaceEffect, WorkspaceGhost>;

/** What happens in each world, so that each stays small: how often, at most. */
export const WORKSPACE_WORLDS = {
  making: {
    ways: ["branch"],
    finishes: 0,
    turns: 0,
    commits: 0,
    dirties: 0,
    takes: 1,
    failures: 2,
    crashes: 1,
    retries: 2,
  },
  merging: {
    ways: ["merge"],
    finishes: 2,
    turns: 0,
    commits: 1,
    dirties: 1,
    takes: 0,
    failures: 0,
    crashes: 1,
    retries: 1,
  },
  failing: {
    ways: ["squash"],
    finishes: 1,
    turns: 0,
    commits: 1,
    dirties: 0,
    takes: 1,
    failures: 1,
    crashes: 0,
    retries: 1,
  },
  publishing: {
    ways: FINISH_WAYS,
    finishes: 2,
    turns: 0,
    commits: 0,
    dirties: 0,
    takes: 0,
    failures: 1,
    crashes: 0,
    retries: 1,
  },
  working: {
    ways: ["rebase"],
    finishes: 1,
    turns: 1,
    commits: 1,
    dirties: 0,
    takes: 0,
    failures: 0,
    crashes: 0,
    retries: 0,
  },
} as const;

export type WorkspaceWorld = keyof typeof WORKSPACE_WORLDS;

const PLACE = { path: "/w/1", branch: "agent/1", base: { branch: "main", commit: "c0p0" } } as const;
const NOTHING: Files = { committed: 0, edits: 0, person: 0, merging: false, loose: false };

export function workspaceModel(
  world: WorkspaceWorld,
  transition: typeof workspaceMachine.transition = workspaceMachine.transition,
): WorkspaceModel {
  const { ways, ...left } = WORKSPACE_WORLDS[world];
  const ghost: WorkspaceGhost = {
    directory: null,
    base: { work: 0, person: 0, dirty: false },
    imported: [],
    published: null,
    trash: 0,
    queue: [],
    report: null,
    turn: "none",
    accepted: null,
    taken: false,
    left,
    flaw: null,
  };
  const adoptable = { ...ghost, directory: { ...NOTHING, committed: 1 } };
  return {
    name: `workspace (${world})`,
    initial: [
      { state: INITIAL_WORKSPACE, ghost },
      { state: INITIAL_WORKSPACE, ghost: adoptable },
    ],
    transition,
    cell: cellOf,
    moves: (node, isProbing) => [
      ...driverMoves(node),
      ...personMoves(node),
      ...agentMoves(node),
      ...requests(node, ways),
      ...(isProbing ? probes(node, ways) : []),
    ],
    stateChecks: STATE_CHECKS,
    answerChecks: ANSWER_CHECKS,
    nodeChecks: NODE_CHECKS,
    stepChecks: STEP_CHECKS,
    goals: [canEnd],
  };
}

function cellOf(state: WorkspaceState, event: WorkspaceEvent): string | null {
  const cell = workspaceMachine.locate(state, event);
  return cell && `${cell.row} / ${cell.column}`;
}

/** The world after the machine's answer: what it wants done is done in its turn. */
function answered(ghost: WorkspaceGhost, step: Step<WorkspaceState, WorkspaceEffect>): WorkspaceGhost {
  const wanted = step.effects.filter(({ type }) => type !== "emit_workspace_changed");
  const queue = [...ghost.queue];
  // A look that is about to be taken anyway is not taken twice.
  for (const effect of wanted)
    if (effect.type !== "observe" || queue.at(-1)?.type !== "observe") queue.push(effect);
  return { ...ghost, queue };
}

/** Something of the world's own, which the machine hears of later, if at all: told as an activity that did not change. */
function silently({ state }: WorkspaceNode, ghost: WorkspaceGhost): WorkspaceMove {
  return { event: { type: "activity", running: state.running }, ghost: () => ghost };
}

function driverMoves(node: WorkspaceNode): readonly WorkspaceMove[] {
  const { ghost } = node;
  const done = outcomes(ghost).map((after) => silently(node, after));
  const conflict = conflicted(ghost);
  const clash = conflict ? [silently(node, conflict)] : [];
  if (ghost.report === null) return [...done, ...clash];
  const told: WorkspaceGhost = { ...ghost, report: null, queue: ghost.queue.slice(1) };
  const { report } = ghost;
  const tell = watched(node.state, told, report);
  if (ghost.left.crashes === 0) return [tell];
  const left = { ...ghost.left, crashes: ghost.left.crashes - 1 };
  return [tell, silently(node, { ...ghost, report: null, left })];
}

/** A finish that looked again is for what it saw. */
function watched({ finish }: WorkspaceState, ghost: WorkspaceGhost, event: WorkspaceEvent): WorkspaceMove {
  const isLook = event.type === "observed" && finish?.step === "look" && !finish.held;
  const seen = isLook ? { ...ghost, accepted: event.observation } : ghost;
  return { event, ghost: (step) => answered(seen, step) };
}

function personMoves(node: WorkspaceNode): readonly WorkspaceMove[] {
  const { ghost } = node;
  const { left, base, directory } = ghost;
  const moves: WorkspaceMove[] = [];
  const spend = (name: keyof typeof left): WorkspaceGhost["left"] => ({ ...left, [name]: left[name] - 1 });
  if (left.commits > 0 && !base.dirty)
    moves.push(
      silently(node, { ...ghost, base: { ...base, person: base.person + 1 }, left: spend("commits") }),
    );
  if (left.dirties > 0)
    moves.push(silently(node, { ...ghost, base: { ...base, dirty: true }, left: spend("dirties") }));
  if (base.dirty) moves.push(silently(node, { ...ghost, base: { ...base, dirty: false } }));
  if (left.takes > 0 && directory !== null && directory !== "partial")
    moves.push(silently(node, { ...ghost, directory: null, taken: true, left: spend("takes") }));
  return moves;
}

/** Agents work only in a workspace that was made; whoever watches tells what changed, and what is not there. */
function agentMoves({ state, ghost }: WorkspaceNode): readonly WorkspaceMove[] {
  const { directory: files, left, turn } = ghost;
  const isThere = files !== null && files !== "partial";
  const moves: WorkspaceMove[] = [];
  if (turn !== "none")
    moves.push({
      event: { type: "activity", running: 0 },
      ghost: (step) => answered({ ...ghost, turn: "none" }, step),
    });
  else if (isThere && state.added && left.turns > 0)
    moves.push({
      event: { type: "activity", running: 1 },
      ghost: (step) => answered({ ...ghost, turn: "begun", left: { ...left, turns: left.turns - 1 } }, step),
    });
  if (turn === "begun" && isThere)
    moves.push(
      silently(
        { state, ghost },
        { ...ghost, turn: "edited", directory: { ...files, edits: files.edits + 1 } },
      ),
      silently({ state, ghost }, { ...ghost, turn: "edited", directory: { ...files, loose: true } }),
    );
  const observation = observe(ghost);
  if (observation && state.observed !== null && observation.id !== state.observed.id)
    moves.push(watched(state, ghost, { type: "observed", observation }));
  if (ghost.taken && files === null && state.added && !isLost(state))
    moves.push(watched(state, ghost, { type: "lost" }));
  return moves;
}

function requests(
  node: WorkspaceNode,
  ways: readonly (typeof FINISH_WAYS)[number][],
): readonly WorkspaceMove[] {
  const { state, ghost } = node;
  const plain = (event: WorkspaceEvent): WorkspaceMove => ({ event, ghost: (step) => answered(ghost, step) });
  if (state.status === "none")
    return ghost.directory === null
      ? [plain({ type: "create", ...PLACE, setup: true }), plain({ type: "create", ...PLACE, setup: false })]
      : [plain({ type: "adopt", ...PLACE })];
  const observation = state.observed?.id;
  const moves = [plain({ type: "abort" })];
  if (ghost.left.retries > 0) {
    const left = { ...ghost.left, retries: ghost.left.retries - 1 };
    moves.push({
      event: { type: "retry" },
      ghost: (step) => answered(step.result === "ok" ? { ...ghost, left } : ghost, step),
    });
  }
  moves.push(
    plain({ type: "discard", confirm: true, ...(observation === undefined ? {} : { observation }) }),
  );
  if (observation === undefined || ghost.left.finishes === 0) return moves;
  const left = { ...ghost.left, finishes: ghost.left.finishes - 1 };
  const spent = (event: WorkspaceEvent): WorkspaceMove => ({
    event,
    ghost: (step) =>
      step.result === "ok" ? answered({ ...ghost, left, accepted: state.observed }, step) : ghost,
  });
  for (const how of ways)
    for (const when of ["now", "idle"] as const)
      moves.push(spent({ type: "finish", how, message: "done", observation, when }));
  return [...moves, spent({ type: "update", observation })];
}

/** What is refused or ignored: a person who is late, and a driver that is confused. */
function probes(
  node: WorkspaceNode,
  ways: readonly (typeof FINISH_WAYS)[number][],
): readonly WorkspaceMove[] {
  const { state, ghost } = node;
  const { op } = state;
  const observation = "seen-long-ago";
  const events: readonly WorkspaceEvent[] = [
    { type: "create", ...PLACE, setup: true },
    { type: "adopt", ...PLACE },
    { type: "retry" },
    { type: "abort" },
    { type: "finish", how: ways[0] ?? "merge", message: "", observation, when: "now" },
    { type: "update", observation },
    { type: "discard", observation, confirm: true },
    ...(state.observed ? [{ type: "discard", observation: state.observed.id, confirm: false } as const] : []),
    { type: "discard", confirm: true },
    { type: "added", op },
    { type: "setup_ended", op, code: 0 },
    { type: "observed", observation: FOREIGN },
    { type: "step_done", op },
    { type: "step_failed", op, code: "git_failed", message: "" },
    { type: "conflict", op, files: [] },
    { type: "removed", op },
    { type: "lost" },
    { type: "step_done", op: op + 1 },
  ];
  return events
    .filter((event) => expected(state, event)[0] !== "ok")
    .map((event) => ({ event, ghost: () => ghost, probe: true }));
}

const FOREIGN: Observation = {
  id: "of-nothing",
  head: "c0p0",
  dirty: false,
  loose: false,
  ahead: 0,
  behind: 0,
  baseHead: "c0p0",
  baseDirty: false,
};

type Answer = readonly ["ok" | "ignored" | "rejected", string | null];

/** What must be answered, said a second time: by what is so, not by rows and columns. */
function expected(state: WorkspaceState, event: WorkspaceEvent): Answer {
  if ("op" in event && event.op !== state.op) return ["ignored", "stale_step"];
  switch (event.type) {
    case "activity":
      return ["ok", null];
    case "create":
    case "adopt":
      return answer(
        state.status === "gone" ? "workspace_gone" : state.status === "none" ? null : "workspace_exists",
      );
    case "finish":
    case "update":
    case "discard":
    case "retry":
    case "abort":
      return answer(refusal(state, event));
    case "added":
    case "setup_ended":
    case "observed":
    case "step_done":
    case "step_failed":
    case "conflict":
    case "removed":
    case "lost":
      return factAnswer(state, event);
  }
}

function answer(code: WorkspaceRefusalCode | null): Answer {
  return code === null ? ["ok", null] : ["rejected", code];
}

type PersonsRequest = Extract<WorkspaceEvent, { type: "finish" | "update" | "discard" | "retry" | "abort" }>;

function refusal(state: WorkspaceState, event: PersonsRequest): WorkspaceRefusalCode | null {
  const { status } = state;
  if (status === "none") return "workspace_unknown";
  if (status === "gone") return "workspace_gone";
  if (event.type === "abort") return abortRefusal(state);
  if (status === "preparing" || status === "finishing") return "workspace_busy";
  if (event.type === "retry") {
    if (status === "failed") return null;
    if (status !== "conflicted") return "nothing_to_retry";
    return state.running > 0 ? "agent_busy" : null;
  }
  if (status === "conflicted") return "conflict_files";
  if (status === "failed" && event.type !== "discard") return "workspace_failed";
  if (status === "failed" && (!state.added || isLost(state))) return null;
  return changeRefusal(state, event);
}

function abortRefusal(state: WorkspaceState): WorkspaceRefusalCode | null {
  switch (state.status) {
    case "preparing":
      return null;
    case "failed":
      return isLost(state) ? "nothing_to_abort" : null;
    case "conflicted":
      return state.running > 0 ? "agent_busy" : null;
    case "finishing":
      return ["look", "commit", "integrate", "import"].includes(state.finish?.step ?? "") ? null : "too_late";
    case "none":
    case "ready":
    case "merged":
    case "gone":
      return "nothing_to_abort";
  }
}

function changeRefusal(
  state: WorkspaceState,
  event: Extract<PersonsRequest, { type: "finish" | "update" | "discard" }>,
): WorkspaceRefusalCode | null {
  const { observed, finished } = state;
  if (observed === null || event.observation !== observed.id) return "observation_stale";
  if (event.type === "finish") {
    const isDone = finished?.head === observed.head && finished.how === event.how;
    if (!observed.dirty && (observed.ahead === 0 || isDone)) return "nothing_to_finish";
    if (["merge", "squash", "rebase"].includes(event.how) && observed.baseDirty) return "base_dirty";
    return state.running > 0 && event.when === "now" ? "agent_busy" : null;
  }
  if (event.type === "update" && observed.dirty) return "workspace_dirty";
  if (event.type === "update" && observed.behind === 0) return "nothing_to_finish";
  if (state.running > 0) return "agent_busy";
  return event.type === "discard" && holdsWork(state, observed) && !event.confirm ? "workspace_dirty" : null;
}

type Fact = Exclude<WorkspaceEvent, PersonsRequest | { type: "create" | "adopt" | "activity" }>;

function factAnswer(state: WorkspaceState, event: Fact): Answer {
  const { status, finish, added, setup } = state;
  if (status === "none") return ["ignored", "workspace_unknown"];
  if (status === "gone") return ["ignored", "workspace_gone"];
  const other: Answer = ["ignored", "not_under_way"];
  const ok: Answer = ["ok", null];
  switch (event.type) {
    case "added":
      return status !== "preparing" ? other : added ? ["ignored", "added_already"] : ok;
    case "setup_ended":
      return status !== "preparing" ? other : setup === "running" ? ok : ["ignored", "no_setup"];
    case "observed":
      return status === "preparing" ? other : status === "failed" && !added ? ["ignored", "never_added"] : ok;
    case "step_done":
      return status === "finishing" ? ok : other;
    case "step_failed":
      return status === "finishing" || status === "preparing" ? ok : other;
    case "conflict":
      return status !== "finishing"
        ? other
        : finish?.step === "integrate"
          ? ok
          : ["ignored", "no_integration"];
    case "removed":
      return status !== "finishing" ? other : finish?.step === "remove" ? ok : ["ignored", "no_removal"];
    case "lost":
      if (status === "finishing")
        return ["advance", "publish", "open", "remove"].includes(finish?.step ?? "")
          ? ["ignored", "directory_not_needed"]
          : ok;
      return added ? ok : ["ignored", "never_added"];
  }
}

const STATE_CHECKS: Readonly<Record<string, Check<{ readonly state: WorkspaceState }>>> = {
  "something is under way exactly while it is finishing or conflicted": ({ state }) =>
    (state.finish !== null) === (state.status === "finishing" || state.status === "conflicted")
      ? null
      : JSON.stringify(state.finish),
  "only a failed one is lost": ({ state }) =>
    isLost(state) && state.status !== "failed" && state.status !== "finishing" ? state.status : null,
  "conflicts are told only while there are some": ({ state }) =>
    state.conflicts.length > 0 && state.status !== "conflicted" && state.status !== "finishing"
      ? state.status
      : null,
  "a state is a valid initial state": ({ state }) =>
    workspaceMachine.parseState(JSON.parse(JSON.stringify(state))).ok ? null : "parseState refuses it",
};

const NODE_CHECKS: Readonly<Record<string, Check<WorkspaceNode>>> = {
  "a driver can do what is asked of it": ({ ghost }) => ghost.flaw,
  "whoever waits is waited for": ({ state, ghost }) => {
    const isAsked = ghost.queue.length > 0 || (state.finish?.held === true && state.running > 0);
    return (state.status === "preparing" || state.status === "finishing") && !isAsked
      ? `${state.status}, and nothing is being done`
      : null;
  },
  "what was made is safe": ({ state, ghost }) => {
    if (state.status === "merged" && state.finished && !original(ghost, state.finished.head))
      return `${state.finished.head} is merged, and the original does not have it`;
    return null;
  },
  "agents are counted": ({ state, ghost }) =>
    state.running > 0 === (ghost.turn !== "none") ? null : `${state.running}`,
};

const TARGETS: ReadonlyMap<string, readonly string[]> = new Map(
  workspaceMachine.description.rows.flatMap((row) =>
    Object.entries(row.cells).map(([column, cell]) => [`${row.event} / ${column}`, cell.to] as const),
  ),
);

/** What an agent's turn must not meet. */
const CHANGES_FILES: readonly WorkspaceEffect["type"][] = ["commit", "integrate", "undo", "remove_workspace"];

const ANSWER_CHECKS: Readonly<Record<string, Check<WorkspaceAnswered>>> = {
  "the rule leads where the table says": ({ before, event, step }) => {
    const cell = cellOf(before.state, event);
    if (cell === null) return null;
    return TARGETS.get(cell)?.includes(step.state.status) ? null : `${cell} leads to ${step.state.status}`;
  },
  "the answer is what is so": ({ before, event, step }) => {
    const actual = JSON.stringify([step.result, step.error?.code ?? step.because ?? null]);
    const wanted = JSON.stringify(expected(before.state, event));
    return actual === wanted ? null : `answered ${actual}, not ${wanted}`;
  },
  "a change of the status is told once, and first": ({ before, event, step }) => {
    const { status: from } = before.state;
    const { status: to } = step.state;
    const told = step.effects.filter(({ type }) => type === "emit_workspace_changed");
    const wanted = from === to ? [] : [{ type: "emit_workspace_changed", from, to, reason: event.type }];
    if (JSON.stringify(told) !== JSON.stringify(wanted)) return `told ${JSON.stringify(told)}`;
    return told.length > 0 && step.effects[0]?.type !== "emit_workspace_changed" ? "told late" : null;
  },
  "no files are changed under an agent": ({ step }) => {
    const change = step.effects.find(({ type }) => CHANGES_FILES.includes(type));
    return change && step.state.running > 0 ? change.type : null;
  },
  "a workspace is made once": ({ before, step }) =>
    before.state.added && step.effects.some(({ type }) => type === "add_workspace") ? "made again" : null,
  "a step has a number of its own": ({ before, step }) => {
    const numbers = step.effects.flatMap((effect) => ("op" in effect ? [effect.op] : []));
    if (numbers.length > 1) return `${numbers.length} steps at once`;
    const [number] = numbers;
    if (number === undefined) return null;
    return number === step.state.op && number > before.state.op ? null : `${number} after ${before.state.op}`;
  },
  "whoever comes to rest is looked at": ({ before, step }) => {
    const { status, added, observed } = step.state;
    const isNew = status !== before.state.status && (status === "ready" || status === "merged");
    return isNew && added && observed === null && !step.effects.some(({ type }) => type === "observe")
      ? "nobody looks"
      : null;
  },
  "only what was adopted is left on the disk": ({ before, step }) =>
    step.effects.some(({ type }) => type === "release_workspace") &&
    before.state.origin === "made" &&
    !isLost(before.state)
      ? "a workspace of ours is left behind"
      : null,
};

const STEP_CHECKS: Readonly<Record<string, Check<WorkspaceTaken>>> = {
  "only what a person confirmed is removed": ({ before, event, step }) => {
    const removal = step.effects.find(({ type }) => type === "remove_workspace");
    if (removal?.type !== "remove_workspace") return null;
    const { observed } = before.state;
    if (event.type !== "discard" || observed?.id !== removal.observation) return "nobody asked for it";
    const isHeldElsewhere = original(before.ghost, observed.head) && !observed.dirty && !observed.loose;
    return event.confirm || isHeldElsewhere ? null : "it holds work, and nobody confirmed it";
  },
  "the base moves only from what was seen, and was clean then": ({ before, step }) => {
    const advance = step.effects.find(({ type }) => type === "advance");
    if (advance?.type !== "advance") return null;
    const { accepted: seen } = before.ghost;
    return advance.from === seen?.baseHead && !seen.baseDirty ? null : JSON.stringify(seen);
  },
};

/** From everywhere, a person alone can bring it to an end, once agents are done. */
const canEnd: Goal<WorkspaceState, WorkspaceEvent, WorkspaceGhost> = {
  name: "it can always be ended",
  from: ({ state }) => state.status !== "none",
  to: ({ state }) => state.status === "gone",
};
