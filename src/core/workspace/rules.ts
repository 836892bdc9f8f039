/** The rules that the cells of the workspace's table name. */
import { ignored, unchanged } from "../step.js";
import type { Rule } from "../table.js";
import type { WorkspaceEffect, WorkspaceRefusalCode } from "./effects.js";
import type { WorkspaceEvent, WorkspaceRows } from "./events.js";
import {
  CONFLICTS_MAX,
  holdsWork,
  isLost,
  type Finish,
  type Observation,
  type WorkspaceState,
  type WorkspaceStatus,
} from "./state.js";
import {
  asked,
  completed,
  firstStep,
  hindrance,
  moved,
  nextStep,
  rejected,
  returned,
  type WorkspaceStep,
} from "./steps.js";

type WorkspaceRule<E> = Rule<WorkspaceState, E, WorkspaceEffect, WorkspaceRefusalCode, WorkspaceStatus>;

const OBSERVE = { type: "observe" } as const;

const IN_WORDS = {
  base_dirty: "the base has uncommitted changes",
  nothing_to_finish: "there is nothing that the original does not have",
} as const;

// Requests

const create: WorkspaceRule<WorkspaceRows["create"]> = {
  to: ["preparing"],
  note: "pins the base and clones it with borrowed objects",
  apply(state, event) {
    const { path, branch, base } = event;
    const after: WorkspaceState = {
      ...state,
      status: "preparing",
      origin: "made",
      path,
      branch,
      base,
      setup: event.setup ? "wanted" : "none",
      op: state.op + 1,
    };
    return moved(state, event, after, [addEffect(after)]);
  },
};

const adopt: WorkspaceRule<WorkspaceRows["adopt"]> = {
  to: ["preparing"],
  note: "checks that it is what it is said to be, and pins its base",
  apply(state, event) {
    const { path, branch, base } = event;
    const op = state.op + 1;
    const after: WorkspaceState = {
      ...state,
      status: "preparing",
      origin: "adopted",
      path,
      branch,
      base,
      op,
    };
    return moved(state, event, after, [addEffect(after)]);
  },
};

const finish: WorkspaceRule<WorkspaceRows["finish"]> = {
  to: ["finishing", "same"],
  note: "the first step, or waits for the agent; rejected when the observation is not the newest, or something is in the way",
  apply(state, event) {
    const observed = state.observed;
    if (observed?.id !== event.observation) return stale(state);
    const inTheWay = hindrance(state, event.how, observed);
    if (inTheWay !== null) return rejected(state, inTheWay, IN_WORDS[inTheWay]);
    if (state.running > 0 && event.when === "now") return agentBusy(state);
    return asked(state, event, newFinish(state, event.how, event.message, observed));
  },
};

const update: WorkspaceRule<WorkspaceRows["update"]> = {
  to: ["finishing", "same"],
  note: "brings the base in; rejected when files are changed, or the observation is not the newest",
  apply(state, event) {
    const observed = state.observed;
    if (observed?.id !== event.observation) return stale(state);
    if (observed.dirty) return rejected(state, "workspace_dirty", "there are uncommitted changes");
    if (observed.behind === 0) return rejected(state, "nothing_to_finish", "the base has nothing new");
    if (state.running > 0) return agentBusy(state);
    return asked(state, event, {
      ...newFinish(state, "update", "", observed),
      committed: observed.head,
    });
  },
};

const discard: WorkspaceRule<WorkspaceRows["discard"]> = {
  to: ["finishing", "same"],
  note: "moves it to the trash, as it was observed; work that only it holds needs a confirmation of that very observation",
  apply(state, event) {
    const observed = state.observed;
    if (observed === null || observed.id !== event.observation) return stale(state);
    if (state.running > 0) return agentBusy(state);
    if (holdsWork(state, observed) && !event.confirm)
      return rejected(state, "workspace_dirty", "it holds work that is nowhere else");
    return asked(state, event, newFinish(state, "discard", "", observed));
  },
};

const discardFailed: WorkspaceRule<WorkspaceRows["discard"]> = {
  to: ["finishing", "same"],
  note: "what was never made is cleaned up; a lost one is forgotten, its directory left alone; else as a ready one",
  apply(state, event) {
    if (!state.added) return asked(state, event, newFinish(state, "abandon", "", null));
    if (isLost(state)) return asked(state, event, newFinish(state, "discard", "", null));
    return discard.apply(state, event);
  },
};

const retryFailed: WorkspaceRule<WorkspaceRows["retry"]> = {
  to: ["preparing", "same"],
  note: "makes it again, or runs its setup again; a lost one is looked for",
  apply(state, event) {
    if (isLost(state)) return { state, effects: [OBSERVE], result: "ok" };
    const op = state.op + 1;
    const again: WorkspaceState = { ...state, status: "preparing", op, error: null };
    if (!state.added) return moved(state, event, again, [addEffect(again)]);
    return moved(state, event, { ...again, setup: "running" }, [{ type: "run_setup", op }]);
  },
};

const retryConflicted: WorkspaceRule<WorkspaceRows["retry"]> = {
  to: ["finishing", "same"],
  note: "goes on with what was resolved",
  apply(state, event) {
    if (state.running > 0) return agentBusy(state);
    return asked(state, event, { ...standing(state), step: "integrate", before: "conflicted" });
  },
};

const abortPreparing: WorkspaceRule<WorkspaceRows["abort"]> = {
  to: ["finishing", "ready"],
  note: "ends the setup and goes on without; a clone under way is cleaned up",
  apply(state, event) {
    if (!state.added) return asked(state, event, newFinish(state, "abandon", "", null));
    const after: WorkspaceState = { ...state, status: "ready", setup: "skipped", op: state.op + 1 };
    return moved(state, event, after, [{ type: "stop_setup" }, OBSERVE]);
  },
};

const abortFailed: WorkspaceRule<WorkspaceRows["abort"]> = {
  to: ["finishing", "ready", "same"],
  note: "goes on without a setup; what was never made is cleaned up",
  apply(state, event) {
    if (isLost(state)) return rejected(state, "nothing_to_abort", "its directory is lost");
    if (!state.added) return asked(state, event, newFinish(state, "abandon", "", null));
    const after: WorkspaceState = { ...state, status: "ready", setup: "skipped", error: null };
    return moved(state, event, after, [OBSERVE]);
  },
};

const abortFinishing: WorkspaceRule<WorkspaceRows["abort"]> = {
  to: ["finishing", "ready", "conflicted", "merged", "same"],
  note: "goes back, and undoes what was brought in; rejected `too_late` once the original is being changed",
  apply(state, event) {
    const under = standing(state);
    switch (under.step) {
      case "look":
      case "commit":
        return returned(state, event, null);
      case "integrate":
        // A held one was not begun.
        return under.held ? returned(state, event, null) : asked(state, event, { ...under, step: "undo" });
      case "import":
        // A branch of its own has nothing of the base brought in.
        if (under.head === null) return returned(state, event, null);
        return asked(state, event, { ...under, step: "undo" });
      case "advance":
      case "publish":
      case "open":
      case "undo":
      case "remove":
        return rejected(state, "too_late", "it cannot be stopped any more");
    }
  },
};

const abortConflicted: WorkspaceRule<WorkspaceRows["abort"]> = {
  to: ["finishing", "same"],
  note: "puts the files back as they were before the base was brought in",
  apply(state, event) {
    if (state.running > 0) return agentBusy(state);
    return asked(state, event, { ...standing(state), step: "undo", before: "conflicted" });
  },
};

// Facts

const added: WorkspaceRule<WorkspaceRows["added"]> = {
  to: ["preparing", "ready", "same"],
  note: "its setup is run, or it is ready",
  apply(state, event) {
    if (state.added) return ignored(state, "added_already");
    const op = state.op + 1;
    if (state.setup === "none" || state.setup === "skipped")
      return moved(state, event, { ...state, status: "ready", added: true, op }, [OBSERVE]);
    return moved(state, event, { ...state, added: true, setup: "running", op }, [{ type: "run_setup", op }]);
  },
};

const setupEnded: WorkspaceRule<WorkspaceRows["setup_ended"]> = {
  to: ["ready", "failed", "same"],
  note: "ready with code 0; else failed, with its output",
  apply(state, event) {
    if (state.setup !== "running") return ignored(state, "no_setup");
    const op = state.op + 1;
    if (event.code === 0)
      return moved(state, event, { ...state, status: "ready", setup: "done", op }, [OBSERVE]);
    const error = { code: "setup_failed", message: `the setup ended with ${event.code}` } as const;
    return moved(state, event, { ...state, status: "failed", setup: "failed", op, error }, [OBSERVE]);
  },
};

const preparingFailed: WorkspaceRule<WorkspaceRows["step_failed"]> = {
  to: ["failed"],
  note: "failed, with the reason; nothing of it is used",
  apply(state, event) {
    const code = state.added ? "setup_failed" : "add_failed";
    const setup = state.added ? "failed" : state.setup;
    const after: WorkspaceState = {
      ...state,
      status: "failed",
      setup,
      op: state.op + 1,
      error: { code, message: event.message },
    };
    return moved(state, event, after);
  },
};

const note: WorkspaceRule<WorkspaceRows["observed"]> = {
  to: ["same"],
  note: "kept as the newest",
  apply: (state, { observation }) => noted(state, observation),
};

const noteFailed: WorkspaceRule<WorkspaceRows["observed"]> = {
  to: ["ready", "same"],
  note: "a lost one that is there again is ready; what was never made is not observed",
  apply(state, event) {
    if (!state.added) return ignored(state, "never_added");
    if (!isLost(state)) return noted(state, event.observation);
    return moved(state, event, { ...state, status: "ready", observed: event.observation, error: null });
  },
};

const noteFinishing: WorkspaceRule<WorkspaceRows["observed"]> = {
  to: ["finishing", "ready", "merged"],
  note: "a finish that waited goes on with what is there now, unless something is in the way; else kept as the newest",
  apply(state, event) {
    const { observation } = event;
    const under = standing(state);
    if (under.step !== "look" || under.held) return noted(state, observation);
    // Only ways of finishing look.
    const inTheWay = isFinishWay(under.how) ? hindrance(state, under.how, observation) : null;
    if (inTheWay !== null) return returned(state, event, { code: inTheWay, message: IN_WORDS[inTheWay] });
    const seen = { ...state, observed: observation };
    return asked(seen, event, { ...under, step: "commit", onto: observation.baseHead });
  },
};

const noteMerged: WorkspaceRule<WorkspaceRows["observed"]> = {
  to: ["ready", "same"],
  note: "with new work in it, it is ready again",
  apply(state, event) {
    const { observation } = event;
    if (!observation.dirty && observation.head === state.finished?.head) return noted(state, observation);
    return moved(state, event, { ...state, status: "ready", observed: observation });
  },
};

const goOn: WorkspaceRule<WorkspaceRows["step_done"]> = {
  to: ["finishing", "ready", "merged", "conflicted"],
  note: "the next step; after the last one merged, or ready",
  apply(state, event) {
    const under = standing(state);
    if (under.step === "undo") return undone(state, event);
    const head = event.head ?? null;
    const known: Finish = {
      ...under,
      committed: under.step === "commit" ? head : under.committed,
      head: under.step === "integrate" ? head : under.head,
    };
    const step = nextStep(under);
    if (step !== null) return asked(state, event, { ...known, step });
    return completed({ ...state, finish: known }, event, event.url ?? null);
  },
};

const stepFailed: WorkspaceRule<WorkspaceRows["step_failed"]> = {
  to: ["ready", "failed", "conflicted", "merged"],
  note: "back to where it was, with the reason; the base is as it was",
  apply: (state, event) => returned(state, event, { code: event.code, message: event.message }),
};

const conflicting: WorkspaceRule<WorkspaceRows["conflict"]> = {
  to: ["conflicted", "same"],
  note: `its files are told, ${CONFLICTS_MAX} at most`,
  apply(state, event) {
    const under = standing(state);
    if (under.step !== "integrate") return ignored(state, "no_integration");
    const after: WorkspaceState = {
      ...state,
      status: "conflicted",
      op: state.op + 1,
      observed: null,
      finish: { ...under, before: "conflicted" },
      conflicts: event.files.slice(0, CONFLICTS_MAX),
    };
    return moved(state, event, after, [OBSERVE]);
  },
};

const removedFinishing: WorkspaceRule<WorkspaceRows["removed"]> = {
  to: ["gone", "same"],
  note: "it is over",
  apply(state, event) {
    if (standing(state).step !== "remove") return ignored(state, "no_removal");
    return completed(state, event, null);
  },
};

const lose: WorkspaceRule<WorkspaceRows["lost"]> = {
  to: ["failed", "same"],
  note: "failed: it is told, and never made again over something else",
  apply: (state, event) => (state.added ? loseIt(state, event) : ignored(state, "never_added")),
};

const loseFinishing: WorkspaceRule<WorkspaceRows["lost"]> = {
  to: ["failed", "same"],
  note: "failed, unless the step at hand does not need the directory",
  apply(state, event) {
    switch (standing(state).step) {
      case "look":
      case "commit":
      case "integrate":
      case "import":
      case "undo":
        return loseIt(state, event);
      case "advance":
      case "publish":
      case "open":
      case "remove":
        return ignored(state, "directory_not_needed");
    }
  },
};

const count: WorkspaceRule<WorkspaceRows["activity"]> = {
  to: ["same"],
  note: "kept",
  apply: (state, { running }) =>
    running === state.running
      ? unchanged(state)
      : { state: { ...state, running }, effects: [], result: "ok" },
};

const countFinishing: WorkspaceRule<WorkspaceRows["activity"]> = {
  to: ["same"],
  note: "kept; what waited for the agent goes on when none works",
  apply(state, event) {
    const { running } = event;
    if (running === state.running) return unchanged(state);
    const under = standing(state);
    const after = { ...state, running };
    if (running > 0 || !under.held) return { state: after, effects: [], result: "ok" };
    return asked(after, event, under);
  },
};

// Refused and ignored

const refuseExists = refusing("workspace_exists", "there is a workspace already");
const refuseUnknown = refusing("workspace_unknown", "there is no workspace yet");
const refuseGone = refusing("workspace_gone", "the workspace is gone");
const refuseBusy = refusing("workspace_busy", "another step is under way");
const refuseFailed = refusing("workspace_failed", "the workspace has failed: retry, abort or discard");
const refuseConflict = refusing("conflict_files", "files are in conflict: resolve them and retry, or abort");
const refuseRetry = refusing("nothing_to_retry", "nothing has failed");
const refuseAbort = refusing("nothing_to_abort", "nothing is under way");

const ignoreOther = ignoring("not_under_way", "ignored: nothing of the kind is under way");
const ignoreGone = ignoring("workspace_gone", "ignored: it is over");
const ignoreUnmade = ignoring("workspace_unknown", "ignored: it was never made");

export const WORKSPACE_RULES = {
  create,
  adopt,
  finish,
  update,
  discard,
  discardFailed,
  retryFailed,
  retryConflicted,
  abortPreparing,
  abortFailed,
  abortFinishing,
  abortConflicted,
  added,
  setupEnded,
  preparingFailed,
  note,
  noteFailed,
  noteFinishing,
  noteMerged,
  goOn,
  stepFailed,
  conflicting,
  removedFinishing,
  lose,
  loseFinishing,
  count,
  countFinishing,
  refuseExists,
  refuseUnknown,
  refuseGone,
  refuseBusy,
  refuseFailed,
  refuseConflict,
  refuseRetry,
  refuseAbort,
  ignoreOther,
  ignoreGone,
  ignoreUnmade,
} as const satisfies Readonly<Record<string, WorkspaceRule<never>>>;

function refusing(code: WorkspaceRefusalCode, message: string): WorkspaceRule<WorkspaceEvent> {
  return { to: ["same"], note: `rejected \`${code}\``, apply: (state) => rejected(state, code, message) };
}

function ignoring(because: string, words: string): WorkspaceRule<WorkspaceEvent> {
  return { to: ["same"], note: words, apply: (state) => ignored(state, because) };
}

function stale(state: WorkspaceState): WorkspaceStep {
  return rejected(state, "observation_stale", "it has changed since: look again");
}

function agentBusy(state: WorkspaceState): WorkspaceStep {
  return rejected(state, "agent_busy", "an agent is working in it");
}

function isFinishWay(how: Finish["how"]): how is Exclude<Finish["how"], "update" | "discard" | "abandon"> {
  return how !== "update" && how !== "discard" && how !== "abandon";
}

function noted(state: WorkspaceState, observation: Observation): WorkspaceStep {
  if (state.observed?.id === observation.id) return unchanged(state);
  return { state: { ...state, observed: observation }, effects: [], result: "ok" };
}

function loseIt(state: WorkspaceState, event: WorkspaceEvent): WorkspaceStep {
  if (isLost(state)) return unchanged(state);
  const error = { code: "lost", message: `${state.path ?? "its directory"} is not there` } as const;
  const after: WorkspaceState = {
    ...state,
    status: "failed",
    op: state.op + 1,
    observed: null,
    finish: null,
    conflicts: [],
    error,
  };
  return moved(state, event, after);
}

function undone(state: WorkspaceState, event: WorkspaceEvent): WorkspaceStep {
  const after: WorkspaceState = {
    ...state,
    status: "ready",
    op: state.op + 1,
    observed: null,
    finish: null,
    conflicts: [],
    error: null,
  };
  return moved(state, event, after, [OBSERVE]);
}

function newFinish(
  { status }: WorkspaceState,
  how: Finish["how"],
  message: string,
  observed: Observation | null,
): Finish {
  const before = status === "failed" || status === "conflicted" || status === "merged" ? status : "ready";
  return {
    how,
    step: firstStep(how),
    message,
    held: false,
    before: how === "abandon" ? "failed" : before,
    committed: null,
    head: null,
    onto: observed?.baseHead ?? null,
  };
}

/** There is one while it is finishing or conflicted. */
function standing(state: WorkspaceState): Finish {
  if (state.finish === null) throw new Error(`nothing is under way in a workspace that is ${state.status}`);
  return state.finish;
}

function addEffect({ origin, op, path, branch, base }: WorkspaceState): WorkspaceEffect {
  if (path === null || branch === null || base === null) throw new Error("a workspace without a place");
  return { type: origin === "made" ? "add_workspace" : "adopt_workspace", op, path, branch, base };
}
