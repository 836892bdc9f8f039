/** One line of the audit: who asked for what, and when. Never what was said. */
import { z } from "zod";
import { principalSchema } from "./principal.js";

export const auditEntrySchema = z.object({
  /** Rises by one. */
  n: z.number().int().positive(),
  atMs: z.number(),
  principal: principalSchema,
  /** What was asked for; `refused:` before what was not granted. */
  operation: z.string(),
  sessionId: z.string().nullable(),
  /** Of this entry and the digest before it, so that none can be changed or left out alone. */
  digest: z.string(),
  /** The digest of the entry before; empty for the first. */
  previous: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditQuery = z.strictObject({
  /** Milliseconds since 1970. */
  since: z.coerce.number().nonnegative().optional(),
  /** Only entries after this one. */
  after: z.coerce.number().int().nonnegative().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
});
