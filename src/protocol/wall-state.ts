/** What stands around a session's newest run, in short. The plan itself is in the journal, in the entry that `seq` names. */
import { z } from "zod";
import { WALL_NETWORKS, wallLabelSchema, wallPlanSchema, wallProbeSchema } from "./wall.js";

export const WALL_MODES = ["auto", "require", "off"] as const;
export type WallMode = (typeof WALL_MODES)[number];

/** What a person reads of it. */
export const sessionWallSchema = z.object({
  label: z.enum(["walled", "none"]),
  network: z.enum(WALL_NETWORKS).nullable(),
  /** What holds and what does not. */
  sentence: z.string(),
});
export type SessionWall = z.infer<typeof sessionWallSchema>;

export const wallStateSchema = z.object({
  run: z.number().int(),
  /** Of the entry that has the plan; 0: there is none. */
  seq: z.number().int(),
  isWalled: z.boolean(),
  network: z.enum(WALL_NETWORKS).nullable(),
  /** Why there is none. */
  because: z.string().nullable(),
});
export type WallState = z.infer<typeof wallStateSchema>;

export const wallQuery = z.strictObject({
  cwd: z.string().min(1).max(4_096),
  harness: z.string().min(1).max(100).optional(),
});

export const wallReportSchema = z.object({
  mode: z.enum(WALL_MODES),
  probe: wallProbeSchema,
  /** A run that starts there now has a wall. */
  isOn: z.boolean(),
  /** Null: none can be made, and why is in `problem`. */
  plan: wallPlanSchema.nullable(),
  problem: z.string().nullable(),
  /** What would hold, by category. */
  labels: z.array(wallLabelSchema),
});
export type WallReport = z.infer<typeof wallReportSchema>;

/** A port on which a program of a run listens inside its wall. */
export const publishedPortSchema = z.object({
  port: z.number().int(),
  /** Where it is reached, on this machine only. */
  url: z.string(),
});
export type PortLink = z.infer<typeof publishedPortSchema>;
