/** A browser that was signed in with a one-time link, and holds a cookie since. */
import { z } from "zod";

export const deviceSchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAtMs: z.number(),
  lastUsedAtMs: z.number(),
  /** It is the one that asks. */
  current: z.boolean(),
});
export type Device = z.infer<typeof deviceSchema>;
