/** Races: several sessions from one commit and one prompt, as clients see them and ask for them. */
import { z } from "zod";
import { RACE_STATUSES } from "../core/race/race-steps.js";
import { usageSchema } from "./session.js";
import { statusSchema } from "./state-event.js";
import { workspaceSchema } from "./workspace.js";

const clientId = z.string().min(1).max(200).optional();

export const RACE_ENTRIES_MAX = 16;

export const createRaceBody = z.strictObject({
  prompt: z.string().min(1).max(1_000_000),
  /** In the repository; or its project. */
  directory: z.string().min(1).max(4_096).optional(),
  projectId: z.string().min(1).max(100).optional(),
  /** Where all begin: a branch, a tag, a commit. */
  from: z.string().min(1).max(250).optional(),
  entries: z
    .array(
      z.strictObject({
        harness: z.string().min(1).max(100),
        model: z.string().min(1).max(200).optional(),
        args: z.array(z.string().max(100_000)).max(1_000).optional(),
      }),
    )
    .min(1)
    .max(RACE_ENTRIES_MAX),
  /** How many of each; 1 when absent. */
  n: z.number().int().min(1).max(RACE_ENTRIES_MAX).optional(),
  /** For `/bin/sh`, in each workspace when its agent is done; the project's when absent. */
  check: z.string().min(1).max(10_000).optional(),
  clientId,
});
export type CreateRace = z.infer<typeof createRaceBody>;

export const raceCheckSchema = z.object({
  status: z.enum(["running", "passed", "failed"]),
  exitCode: z.number().int().nullable(),
  /** The end of what it said. */
  output: z.string(),
  atMs: z.number(),
});

/** One line of the table. What is not known is null. */
export const raceRowSchema = z.object({
  harness: z.string(),
  model: z.string().nullable(),
  sessionId: z.string().nullable(),
  workspaceId: z.string(),
  branch: z.string().nullable(),
  path: z.string().nullable(),
  /** Of the session; null: it is not there yet, or not any more. */
  status: statusSchema.nullable(),
  workspaceStatus: workspaceSchema.shape.status.nullable(),
  /** It waits for a person. */
  needsPerson: z.boolean(),
  check: raceCheckSchema.nullable(),
  files: z.number().int().nullable(),
  added: z.number().int().nullable(),
  removed: z.number().int().nullable(),
  /** From its start until it was done, or until now. */
  timeMs: z.number().nullable(),
  usage: usageSchema.nullable(),
  /** By a person. */
  asksAnswered: z.number().int().nullable(),
  isChosen: z.boolean(),
  isParked: z.boolean(),
  /** Why it was not started, or its branch not kept. */
  problem: z.string().nullable(),
});
export type RaceRow = z.infer<typeof raceRowSchema>;

export const raceSchema = z.object({
  id: z.string(),
  title: z.string(),
  prompt: z.string(),
  directory: z.string(),
  projectId: z.string(),
  base: z.object({ branch: z.string(), commit: z.string() }),
  check: z.string().nullable(),
  status: z.enum(RACE_STATUSES),
  /** The session that a person chose. */
  chosen: z.object({ sessionId: z.string(), how: z.string() }).nullable(),
  /** Why what was chosen is not finished. */
  problem: z.string().nullable(),
  entries: z.array(raceRowSchema),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
});
export type Race = z.infer<typeof raceSchema>;

export const racesQuery = z.strictObject({
  /** The newest of them. */
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const chooseBody = z.strictObject({
  sessionId: z.string().min(1).max(200),
  finish: z.strictObject({
    how: z.enum(["merge", "squash", "rebase", "branch"]),
    message: z.string().max(100_000).optional(),
    /** What the person saw; absent: as it is now. */
    observation: z.string().min(1).max(200).optional(),
  }),
  clientId,
});
export type ChooseRace = z.infer<typeof chooseBody>;

export const plainRaceBody = z.strictObject({ clientId });
