/**
 * What a workspace wants done, and why it refuses.
 *
 * Effects are git commands as data. They are done one after the other, at least once: each may be done again after a crash
 * and then acts as if once. `op` names a step; its report names it too.
 */
import type { FinishWay, WorkspaceStatus } from "./state.js";
import type { WorkspaceEvent } from "./events.js";

interface Base {
  readonly branch: string;
  readonly commit: string;
}

export type WorkspaceEffect =
  /** Pins the base by a ref in the original, and clones it with borrowed objects. Never over something that is there. */
  | {
      readonly type: "add_workspace";
      readonly op: number;
      readonly path: string;
      readonly branch: string;
      readonly base: Base;
    }
  /** Checks that it is what it is said to be, and pins its base. */
  | {
      readonly type: "adopt_workspace";
      readonly op: number;
      readonly path: string;
      readonly branch: string;
      readonly base: Base;
    }
  | { readonly type: "run_setup"; readonly op: number }
  | { readonly type: "stop_setup" }
  | { readonly type: "observe" }
  /** All that is dirty, on the workspace's branch; nothing dirty is no failure, an unmerged file is. Reports the head. */
  | { readonly type: "commit"; readonly op: number; readonly message: string }
  /** Brings `onto` and the branch together, in the workspace. Goes on with one that had conflicts. Reports the head. */
  | {
      readonly type: "integrate";
      readonly op: number;
      readonly how: FinishWay | "update";
      readonly onto: string;
      readonly message: string;
    }
  /** Brings the commits into the original, under a ref of ours. */
  | { readonly type: "import"; readonly op: number; readonly head: string }
  /** Moves the base, only from `from`, and only where no tracked file is changed. */
  | {
      readonly type: "advance";
      readonly op: number;
      readonly branch: string;
      readonly from: string;
      readonly to: string;
    }
  /** Makes the branch in the original. */
  | { readonly type: "publish"; readonly op: number; readonly branch: string; readonly to: string }
  /** Pushes the branch and opens a pull request. Reports its URL. */
  | { readonly type: "open"; readonly op: number; readonly branch: string; readonly message: string }
  /** The branch and its files as they were before the base was brought in; what is there is kept as a checkpoint first. */
  | { readonly type: "undo"; readonly op: number; readonly to: string }
  /** Moves the directory to the trash, only while it is as it was observed. */
  | {
      readonly type: "remove_workspace";
      readonly op: number;
      readonly path: string;
      readonly observation: string;
    }
  /** Deletes a clone that was never complete, and nothing else. */
  | { readonly type: "remove_partial"; readonly op: number; readonly path: string }
  /** Lets go of the base; the directory, if there is one, stays. */
  | { readonly type: "release_workspace"; readonly op: number }
  | {
      readonly type: "emit_workspace_changed";
      readonly from: WorkspaceStatus;
      readonly to: WorkspaceStatus;
      /** The type of the event that did it. */
      readonly reason: WorkspaceEvent["type"];
    };

export type WorkspaceRefusalCode =
  | "workspace_exists"
  | "workspace_unknown"
  | "workspace_gone"
  | "workspace_busy"
  | "workspace_failed"
  | "workspace_dirty"
  | "base_dirty"
  | "conflict_files"
  | "agent_busy"
  | "observation_stale"
  | "nothing_to_finish"
  | "nothing_to_retry"
  | "nothing_to_abort"
  | "too_late";
