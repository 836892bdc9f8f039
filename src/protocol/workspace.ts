/** Projects and workspaces, as clients see them and ask for them. */
import { z } from "zod";
import { APPROVALS, WORKSPACE_STATUSES } from "../core/index.js";

const clientId = z.string().min(1).max(200).optional();
const command = z.string().min(1).max(10_000);
const pattern = z.string().min(1).max(1_000);
const refName = z.string().min(1).max(250);

const projectSettingsShape = {
  /** For `/bin/sh`, in a new workspace. */
  setup: command.nullable(),
  /** For `/bin/sh`, in a workspace: whether what was made there is good. */
  check: command.nullable(),
  /** For `/bin/sh`, in a workspace: starts what was made there, in a terminal. */
  run: command.nullable(),
  /** Untracked files to bring along, as patterns of gitignore. */
  copy: z.array(pattern).max(100),
  /** The branch that changes are for; null: the one that is checked out. */
  base: refName.nullable(),
  /** Before the name of a workspace's branch. */
  branchPrefix: z.string().max(100),
  /** Of new sessions that leave it open; null: as configured. */
  harness: z.string().min(1).max(100).nullable(),
  model: z.string().min(1).max(200).nullable(),
  approve: z.enum(APPROVALS).nullable(),
  /** What all its workspaces may take of the disk; null: 20 GiB. */
  diskBytesMax: z.number().int().positive().nullable(),
};

export const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** A checkout of it; null: it is bare. */
  directory: z.string().nullable(),
  /** The git directory that all its worktrees share. */
  gitDirectory: z.string(),
  settings: z.object(projectSettingsShape),
  /** What its workspaces take, as far as it was measured. */
  diskBytes: z.number().exactOptional(),
  createdAtMs: z.number(),
});
export type Project = z.infer<typeof projectSchema>;
export type ProjectSettings = Project["settings"];

export const addProjectBody = z.strictObject({ directory: z.string().min(1).max(4_096), clientId });
export const patchProjectBody = z.strictObject({
  setup: projectSettingsShape.setup.optional(),
  check: projectSettingsShape.check.optional(),
  copy: projectSettingsShape.copy.optional(),
  base: projectSettingsShape.base.optional(),
  branchPrefix: projectSettingsShape.branchPrefix.optional(),
  run: projectSettingsShape.run.optional(),
  harness: projectSettingsShape.harness.optional(),
  model: projectSettingsShape.model.optional(),
  approve: projectSettingsShape.approve.optional(),
  diskBytesMax: projectSettingsShape.diskBytesMax.optional(),
  clientId,
});

export const workspaceCheckSchema = z.object({
  status: z.enum(["running", "passed", "failed"]),
  command: z.string(),
  /** Null: it runs, or it could not be run, or it was cut off. */
  exitCode: z.number().int().nullable(),
  /** The end of what it said. */
  output: z.string(),
  /** The commit that the workspace was at. */
  head: z.string().nullable(),
  /** The look at the workspace before it, with what was uncommitted: another now means that something changed since. */
  observation: z.string().nullable(),
  /** When it ended; while it runs, when it began. */
  atMs: z.number(),
});
export type WorkspaceCheck = z.infer<typeof workspaceCheckSchema>;

const observationSchema = z.object({
  id: z.string(),
  head: z.string(),
  dirty: z.boolean(),
  loose: z.boolean(),
  ahead: z.number().int(),
  behind: z.number().int(),
  baseHead: z.string(),
  baseDirty: z.boolean(),
});

/** Another workspace of the project that changes the same files, and is not finished either. */
const overlapSchema = z.object({
  workspaceId: z.string(),
  /** The first of them. */
  files: z.array(z.string()),
  count: z.number().int(),
});
export type Overlap = z.infer<typeof overlapSchema>;

/** That something of a workspace has changed: ask for it. */
export const workspaceChangeSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  status: z.enum(WORKSPACE_STATUSES),
});
export type WorkspaceChange = z.infer<typeof workspaceChangeSchema>;

export const workspaceSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  path: z.string(),
  branch: z.string(),
  base: z.object({ branch: z.string(), commit: z.string() }),
  status: z.enum(WORKSPACE_STATUSES),
  setup: z.enum(["none", "wanted", "running", "done", "failed", "skipped"]),
  /** The end of what the setup said; null: there was none. */
  setupOutput: z.string().nullable(),
  /** The project's; null: it has none. */
  checkCommand: z.string().nullable(),
  runCommand: z.string().nullable(),
  /** The last one; null: none was run. */
  check: workspaceCheckSchema.nullable(),
  /** The newest look; null: it is known to be out of date. */
  observed: observationSchema.nullable(),
  /** How many agents work on a turn in it. */
  running: z.number().int(),
  finish: z.object({ how: z.string(), step: z.string(), held: z.boolean() }).nullable(),
  finished: z.object({ how: z.string(), head: z.string(), url: z.string().nullable() }).nullable(),
  conflicts: z.array(z.string()),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** By the files that checkpoints found changed at the ends of turns. */
  overlaps: z.array(overlapSchema),
  /** Those that work in it. */
  sessionIds: z.array(z.string()),
  /** Bytes on the disk when they were counted last; null: they were not. */
  sizeBytes: z.number().nullable(),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
});
export type Workspace = z.infer<typeof workspaceSchema>;

export const workspacesQuery = z.strictObject({
  /** Of a session, or of the workspace itself. */
  id: z.string().max(200).optional(),
  /** `1`: look at them before. */
  look: z.enum(["0", "1"]).optional(),
  /** `1`: count their bytes. */
  sizes: z.enum(["0", "1"]).optional(),
});

export const finishBody = z.strictObject({
  how: z.enum(["merge", "squash", "rebase", "branch", "pr"]),
  message: z.string().max(100_000).optional(),
  /** What the person saw; absent: as it is now. */
  observation: z.string().min(1).max(200).optional(),
  /** While an agent works in it: refuse, or wait. */
  when: z.enum(["now", "idle"]).optional(),
  clientId,
});

export const discardBody = z.strictObject({
  /** What the person saw. Work that is nowhere else goes only with it and `confirm`. */
  observation: z.string().min(1).max(200).optional(),
  confirm: z.boolean().optional(),
  clientId,
});

export const pullRequestSchema = z.object({
  url: z.string(),
  /** `open`, `closed`, `merged`, as the forge says it. */
  state: z.string(),
  title: z.string().nullable(),
  checks: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["passed", "failed", "pending"]),
      url: z.string().nullable(),
    }),
  ),
  /** Reviews, and remarks on lines; of others, so nothing in them is to be trusted. */
  reviews: z.array(
    z.object({
      author: z.string().nullable(),
      state: z.string(),
      body: z.string(),
      path: z.string().nullable(),
      line: z.number().nullable(),
    }),
  ),
});
export type PullRequest = z.infer<typeof pullRequestSchema>;

/** A message to the agent, by Signalbox for the person. */
export const tellAgentBody = z.strictObject({
  /** Which of those that work in it; the newest, when absent. */
  sessionId: z.string().min(1).max(200).optional(),
  clientId,
});

export const checkBody = z.strictObject({
  /** Instead of the project's. */
  command: command.optional(),
  clientId,
});

export const plainWorkspaceBody = z.strictObject({ clientId });

export const cleanBody = z.strictObject({
  /** Also what is in the trash for less than 14 days. */
  all: z.boolean().optional(),
  /** Only say what would go. */
  dryRun: z.boolean().optional(),
  clientId,
});
export const cleanedSchema = z.object({
  /** Workspaces that were finished, held nothing else, and went to the trash. */
  discarded: z.array(z.string()),
  /** Entries of the trash that are deleted for good. */
  deleted: z.array(z.object({ path: z.string(), sizeBytes: z.number() })),
  /** What stays in the trash. */
  kept: z.array(z.object({ path: z.string(), sizeBytes: z.number(), trashedAtMs: z.number() })),
});
export type Cleaned = z.infer<typeof cleanedSchema>;

/** With a session. */
export const sessionWorkspaceSchema = z.union([
  z.enum(["none", "new", "auto"]),
  z.strictObject({ id: z.string().min(1).max(200) }),
]);
