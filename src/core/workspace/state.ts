/** A workspace: a checkout of its own for the sessions that change something, and what becomes of that change. */
import { count, flag, id, list, nullable, object, oneOf, text, type Infer } from "../schema.js";

/**
 * `none`: not made yet. `preparing`: cloned, then set up. `ready`: agents work in it. `failed`: it could not be made, its
 * setup failed, or its directory is lost. `finishing`: something is done with the change, one step at a time. `conflicted`:
 * the base could not be brought in without a person or an agent. `merged`: all that was made is part of the original
 * repository. `gone`: it is over.
 */
export const WORKSPACE_STATUSES = [
  "none",
  "preparing",
  "ready",
  "failed",
  "finishing",
  "conflicted",
  "merged",
  "gone",
] as const;

export type WorkspaceStatus = (typeof WORKSPACE_STATUSES)[number];

/** A look at the workspace and its base. The id is a digest of all of it, files included: equal only while nothing changed. */
export const observationShape = object({
  id,
  head: id,
  /** Uncommitted changes and untracked files: what a commit would take. */
  dirty: flag,
  /** What no commit would take: ignored files that neither copy nor setup made, and commits of other branches. */
  loose: flag,
  /** Commits that the base does not have, and that the workspace does not have. */
  ahead: count,
  behind: count,
  baseHead: id,
  /** Tracked files of the person's own checkout of the base are changed. */
  baseDirty: flag,
});

export type Observation = Infer<typeof observationShape>;

/** How a change becomes part of the original. */
export const FINISH_WAYS = ["merge", "squash", "rebase", "branch", "pr"] as const;

export type FinishWay = (typeof FINISH_WAYS)[number];

/** Beside those: the base is brought in, the workspace is thrown away, one that was half made is cleaned up. */
export const WAYS = [...FINISH_WAYS, "update", "discard", "abandon"] as const;

export const STEPS = [
  "look",
  "commit",
  "integrate",
  "import",
  "advance",
  "publish",
  "open",
  "undo",
  "remove",
] as const;

export type FinishStep = (typeof STEPS)[number];

export const finishShape = object({
  how: oneOf(...WAYS),
  step: oneOf(...STEPS),
  message: text,
  /** The step changes files, and waits until no agent works in them. */
  held: flag,
  /** Where it goes back to when it fails. */
  before: oneOf("ready", "failed", "conflicted", "merged"),
  /** What the workspace's branch was before the base was brought in; null: not known yet. */
  committed: nullable(id),
  /** What comes out of it; null: not known yet. */
  head: nullable(id),
  /** The commit of the base that it is made for: the base moves on only from there. */
  onto: nullable(id),
});

export type Finish = Infer<typeof finishShape>;

/** How far it was set up; `skipped`: a person went on without. */
export const SETUPS = ["none", "wanted", "running", "done", "failed", "skipped"] as const;

export const ERROR_CODES = [
  "add_failed",
  "setup_failed",
  "lost",
  "base_dirty",
  "base_moved",
  "nothing_to_finish",
  "observation_stale",
  "disk_full",
  "git_failed",
] as const;

export const workspaceStateShape = object({
  status: oneOf(...WORKSPACE_STATUSES),
  /** `adopted`: somebody else made it, and it is never removed from the disk. */
  origin: oneOf("made", "adopted"),
  path: nullable(id),
  branch: nullable(id),
  base: nullable(object({ branch: id, commit: id })),
  /** Its directory was made. */
  added: flag,
  setup: oneOf(...SETUPS),
  /** The newest look; null: it is known to be out of date. */
  observed: nullable(observationShape),
  /** How many agents work on a turn in it. */
  running: count,
  /** Counts the steps that were asked for: a report of any but the newest is stale. */
  op: count,
  finish: nullable(finishShape),
  /** The last one that succeeded. */
  finished: nullable(object({ how: oneOf(...FINISH_WAYS), head: id, url: nullable(text) })),
  conflicts: list(id),
  error: nullable(object({ code: oneOf(...ERROR_CODES), message: text })),
});

export type WorkspaceState = Infer<typeof workspaceStateShape>;

export const INITIAL_WORKSPACE: WorkspaceState = {
  status: "none",
  origin: "made",
  path: null,
  branch: null,
  base: null,
  added: false,
  setup: "none",
  observed: null,
  running: 0,
  op: 0,
  finish: null,
  finished: null,
  conflicts: [],
  error: null,
};

/** More files than a person reads; the others are in the workspace. */
export const CONFLICTS_MAX = 100;

/** The directory is there no more, as far as anybody knows. */
export function isLost(state: WorkspaceState): boolean {
  return state.error?.code === "lost";
}

/** Whether something would be in nobody's hands if the workspace were removed. */
export function holdsWork(state: WorkspaceState, { dirty, loose, ahead, head }: Observation): boolean {
  return dirty || loose || (ahead > 0 && state.finished?.head !== head);
}
