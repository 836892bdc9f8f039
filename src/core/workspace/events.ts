/** What can happen to a workspace. Each event is described once; its type and its parser come from that. */
import {
  count,
  flag,
  id,
  integer,
  list,
  object,
  oneOf,
  optional,
  text,
  union,
  type Infer,
} from "../schema.js";
import { FINISH_WAYS, observationShape } from "./state.js";

const base = object({ branch: id, commit: id });

export const WORKSPACE_REQUESTS = {
  create: { path: id, branch: id, base, setup: flag },
  /** An existing worktree, clone or branch. */
  adopt: { path: id, branch: id, base },
  /** `observation`: what the person saw. `when`: while an agent works, refuse, or wait until it is idle. */
  finish: {
    how: oneOf(...FINISH_WAYS),
    message: text,
    observation: id,
    when: oneOf("now", "idle"),
  },
  /** `confirm`: what this very observation shows may go. Without one, only what was never there can be discarded. */
  discard: { observation: optional(id), confirm: flag },
  /** Brings the base in. */
  update: { observation: id },
  retry: {},
  abort: {},
} as const;

/** A fact with `op` reports on the step that was asked for with that number. */
export const WORKSPACE_FACTS = {
  added: { op: count },
  setup_ended: { op: count, code: integer },
  observed: { observation: observationShape },
  step_done: { op: count, head: optional(id), url: optional(text) },
  step_failed: {
    op: count,
    code: oneOf("base_dirty", "base_moved", "observation_stale", "disk_full", "git_failed"),
    message: text,
  },
  conflict: { op: count, files: list(id) },
  removed: { op: count },
  /** Its directory is not there. */
  lost: {},
  /** How many agents work on a turn in it. */
  activity: { running: count },
} as const;

export const workspaceEventShape = union({ ...WORKSPACE_REQUESTS, ...WORKSPACE_FACTS });

export type WorkspaceEvent = Infer<typeof workspaceEventShape>;

/** The table's rows: each kind of event by its name. */
export type WorkspaceRows = {
  readonly [T in WorkspaceEvent["type"]]: Extract<WorkspaceEvent, { type: T }>;
};
