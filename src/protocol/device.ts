/** A browser that was signed in with a one-time link, and holds a cookie since. */
import { z } from "zod";
import { ROLES } from "./access.js";

export const roleSchema = z.enum(ROLES);

export const deviceSchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAtMs: z.number(),
  lastUsedAtMs: z.number(),
  /** What it may do. */
  role: roleSchema,
  /** It is the one that asks. */
  current: z.boolean(),
});
export type Device = z.infer<typeof deviceSchema>;

/** `role`: what the browser may do that signs in with it; `answer` when absent. */
export const loginLinkBody = z.strictObject({ role: roleSchema.optional() });

export const patchDeviceBody = z.strictObject({ role: roleSchema });
