/**
 * A repository and a workspace of it, as they really are: what an agent has made, what a person does in between, and a
 * driver that does effects one after the other, crashes between a deed and its report, and does them again.
 *
 * A commit is named by what is in it: `c2p1` holds two units of an agent's work and one of a person's on the base.
 */
import type { WorkspaceEffect } from "../../src/core/workspace/effects.js";
import type { WorkspaceEvent } from "../../src/core/workspace/events.js";
import type { Observation } from "../../src/core/workspace/state.js";

export interface Files {
  /** Units of work that are committed, and that are not. */
  readonly committed: number;
  readonly edits: number;
  /** Commits of the base that are in it. */
  readonly person: number;
  readonly merging: boolean;
  /** Something is there that no commit would take. */
  readonly loose: boolean;
}

export interface WorkspaceGhost {
  readonly directory: Files | "partial" | null;
  readonly base: { readonly work: number; readonly person: number; readonly dirty: boolean };
  /** Commits that are in the original under a ref of ours, and as a branch. */
  readonly imported: readonly string[];
  readonly published: string | null;
  /** Units that were moved to the trash with their directory. */
  readonly trash: number;
  readonly queue: readonly WorkspaceEffect[];
  /** The first of the queue is done, and this is not told yet. */
  readonly report: WorkspaceEvent | null;
  /** Of an agent: it edits a file once, or not at all. */
  readonly turn: "none" | "begun" | "edited";
  /** What the finish that is under way was accepted for. */
  readonly accepted: Observation | null;
  /** A person has taken the directory away. */
  readonly taken: boolean;
  readonly left: {
    readonly finishes: number;
    readonly turns: number;
    readonly commits: number;
    readonly dirties: number;
    readonly takes: number;
    readonly failures: number;
    readonly crashes: number;
    readonly retries: number;
  };
  /** What no driver may be asked to do. */
  readonly flaw: string | null;
}

export function headOf({ committed, person }: Files): string {
  return `c${committed}p${person}`;
}

export function baseHead({ base }: WorkspaceGhost): string {
  return `c${base.work}p${base.person}`;
}

function parsed(head: string): { readonly work: number; readonly person: number } {
  const [, work = "", person = ""] = /^c(\d+)p(\d+)$/.exec(head) ?? [];
  return { work: Number(work), person: Number(person) };
}

/** Null: there is nothing to look at. */
export function observe(ghost: WorkspaceGhost): Observation | null {
  const { directory, base } = ghost;
  if (directory === null || directory === "partial") return null;
  const { committed, edits, person, merging, loose } = directory;
  return {
    id: `${committed}.${edits}.${person}.${merging}.${loose}|${baseHead(ghost)}.${base.dirty}`,
    head: headOf(directory),
    dirty: edits > 0 || merging,
    loose,
    ahead: Math.max(0, committed - base.work),
    behind: Math.max(0, base.person - person),
    baseHead: baseHead(ghost),
    baseDirty: base.dirty,
  };
}

/** Whether the original, or a branch in it, has all that was committed. */
export function original(ghost: WorkspaceGhost, head: string): boolean {
  const { work } = parsed(head);
  return ghost.base.work >= work || ghost.published === head;
}

/** Every way in which the first effect of the queue can end: the world then, and what is reported; null: nothing is. */
export function outcomes(ghost: WorkspaceGhost): readonly WorkspaceGhost[] {
  const [effect] = ghost.queue;
  if (!effect || ghost.report !== null) return [];
  const done = carryOut(ghost, effect);
  const canFail = ghost.left.failures > 0 && "op" in effect;
  if (!canFail) return [done];
  const after = { ...ghost, left: { ...ghost.left, failures: ghost.left.failures - 1 } };
  return [done, { ...after, ...failure(after, effect) }];
}

function failure(
  ghost: WorkspaceGhost,
  effect: WorkspaceEffect & { readonly op: number },
): Partial<WorkspaceGhost> {
  const { op } = effect;
  if (effect.type === "run_setup") return { report: { type: "setup_ended", op, code: 1 } };
  const isPartial = effect.type === "add_workspace" && ghost.directory === null;
  const failed = { type: "step_failed", op, code: "disk_full", message: "no room" } as const;
  return { report: failed, ...(isPartial ? { directory: "partial" as const } : {}) };
}

function carryOut(ghost: WorkspaceGhost, effect: WorkspaceEffect): WorkspaceGhost {
  switch (effect.type) {
    case "add_workspace":
    case "adopt_workspace":
      return add(ghost, effect);
    case "run_setup":
      return { ...ghost, report: { type: "setup_ended", op: effect.op, code: 0 } };
    case "observe": {
      const observation = observe(ghost);
      return { ...ghost, report: observation ? { type: "observed", observation } : { type: "lost" } };
    }
    case "commit":
    case "integrate":
    case "import":
    case "undo":
      return inFiles(ghost, effect);
    case "advance":
      return advance(ghost, effect);
    case "publish":
      return ghost.imported.includes(effect.to)
        ? { ...ghost, published: effect.to, report: { type: "step_done", op: effect.op } }
        : { ...ghost, flaw: `${effect.to} is published and was never imported` };
    case "open":
      return ghost.published === null
        ? { ...ghost, flaw: "a pull request for a branch that is not there" }
        : { ...ghost, report: { type: "step_done", op: effect.op, url: "https://example.test/1" } };
    case "remove_workspace":
      return remove(ghost, effect);
    case "remove_partial":
      return removePartial(ghost, effect.op);
    case "release_workspace":
      return { ...ghost, report: { type: "removed", op: effect.op } };
    case "stop_setup":
    case "emit_workspace_changed":
      return { ...ghost, queue: ghost.queue.slice(1) };
  }
}

type EffectOf<T extends WorkspaceEffect["type"]> = Extract<WorkspaceEffect, { readonly type: T }>;

function add(
  ghost: WorkspaceGhost,
  { op, type }: EffectOf<"add_workspace" | "adopt_workspace">,
): WorkspaceGhost {
  const report = { type: "added", op } as const;
  if (ghost.directory !== null && ghost.directory !== "partial") return { ...ghost, report };
  if (type === "adopt_workspace" || ghost.taken) return failedStep(ghost, op, "git_failed");
  const directory = { committed: 0, edits: 0, person: ghost.base.person, merging: false, loose: false };
  return { ...ghost, directory, report };
}

function failedStep(
  ghost: WorkspaceGhost,
  op: number,
  code: "git_failed" | "base_moved" | "base_dirty" | "observation_stale",
): WorkspaceGhost {
  return { ...ghost, report: { type: "step_failed", op, code, message: code } };
}

function inFiles(
  ghost: WorkspaceGhost,
  effect: EffectOf<"commit" | "integrate" | "import" | "undo">,
): WorkspaceGhost {
  const { directory: files } = ghost;
  const { op } = effect;
  if (files === null || files === "partial") return failedStep(ghost, op, "git_failed");
  const done = (after: Files): WorkspaceGhost => ({
    ...ghost,
    directory: after,
    report: { type: "step_done", op, head: headOf(after) },
  });
  switch (effect.type) {
    case "commit":
      if (files.merging) return failedStep(ghost, op, "git_failed");
      return done({ ...files, committed: files.committed + files.edits, edits: 0 });
    case "integrate":
      return done({
        committed: files.committed + (files.merging ? files.edits : 0),
        edits: files.merging ? 0 : files.edits,
        person: Math.max(files.person, parsed(effect.onto).person),
        merging: false,
        loose: files.loose,
      });
    case "import": {
      if (headOf(files) !== effect.head) return failedStep(ghost, op, "git_failed");
      const imported = [...new Set([...ghost.imported, effect.head])].toSorted();
      return { ...ghost, imported, report: { type: "step_done", op } };
    }
    case "undo": {
      const { work, person } = parsed(effect.to);
      return done({ committed: work, edits: 0, person, merging: false, loose: files.loose });
    }
  }
}

/** Whether bringing the base in can conflict: something of the base is new there. */
export function conflicted(ghost: WorkspaceGhost): WorkspaceGhost | null {
  const [effect] = ghost.queue;
  const { directory: files } = ghost;
  if (effect?.type !== "integrate" || ghost.report !== null || files === null || files === "partial")
    return null;
  if (files.merging || parsed(effect.onto).person <= files.person || files.committed === 0) return null;
  const report = { type: "conflict", op: effect.op, files: ["a.txt"] } as const;
  return { ...ghost, directory: { ...files, merging: true }, report };
}

/** With the old value, as `update-ref` and `merge --ff-only` do; once done, it stays done. */
function advance(ghost: WorkspaceGhost, { op, from, to }: EffectOf<"advance">): WorkspaceGhost {
  const { base } = ghost;
  const target = parsed(to);
  if (!ghost.imported.includes(to))
    return { ...ghost, flaw: `the base moves to ${to}, which was never imported` };
  const report = { type: "step_done", op } as const;
  if (base.work >= target.work && base.person >= target.person) return { ...ghost, report };
  if (base.dirty) return failedStep(ghost, op, "base_dirty");
  if (baseHead(ghost) !== from) return failedStep(ghost, op, "base_moved");
  if (target.person < base.person) return { ...ghost, flaw: `the base loses commits of a person at ${to}` };
  return { ...ghost, base: { ...base, ...target }, report };
}

function remove(ghost: WorkspaceGhost, { op, observation }: EffectOf<"remove_workspace">): WorkspaceGhost {
  const { directory: files } = ghost;
  const report = { type: "removed", op } as const;
  if (files === null || files === "partial") return { ...ghost, report };
  if (observe(ghost)?.id !== observation) return failedStep(ghost, op, "observation_stale");
  return { ...ghost, directory: null, trash: files.committed + files.edits, report };
}

function removePartial(ghost: WorkspaceGhost, op: number): WorkspaceGhost {
  const { directory: files } = ghost;
  const holdsWork =
    files !== null && files !== "partial" && (files.committed + files.edits > 0 || files.loose);
  // Of somebody else: it was to be adopted, and is left alone.
  return { ...ghost, directory: holdsWork ? files : null, report: { type: "removed", op } };
}
