/** What the API says of how a session's files changed. */
import { z } from "zod";

/** `base`: the start; `turn:3`: the end of that turn; `start:3`: what was there before it; `head`: the last commit; `now`. */
const point = z
  .string()
  .regex(/^(base|head|now|(turn|start):\d{1,9})$/, "expected base, turn:N, start:N, head or now");
const span = { from: point.optional(), to: point.optional() } as const;

export const changesQuery = z.strictObject({
  ...span,
  cursor: z.string().max(20).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
});

/** `path`: a file or a folder, as the list names it; absent: all. */
export const patchQuery = z.strictObject({
  ...span,
  path: z.string().min(1).max(4_096).optional(),
  cursor: z.string().max(20).optional(),
  limit: z.coerce.number().int().min(1).max(20_000).optional(),
});

const lines = z.number().int().nonnegative();

export const fileChangeSchema = z.object({
  path: z.string(),
  /** Where it was, if it was renamed. */
  oldPath: z.string().nullable(),
  status: z.enum(["added", "deleted", "modified", "renamed", "type_changed"]),
  /** Lines; null: it is no text, or too large to be compared. */
  added: lines.nullable(),
  removed: lines.nullable(),
  /** Git's names of the contents; null: there are none on this side. */
  oldBlob: z.string().nullable(),
  newBlob: z.string().nullable(),
  isSubmodule: z.boolean(),
});
export type FileChangeItem = z.infer<typeof fileChangeSchema>;

export const changesSchema = z.object({
  /** Null: HEAD is at no branch. */
  branch: z.string().nullable(),
  /** Those whose files were kept; 0 is the start. */
  turns: z.array(lines),
  total: z.object({ files: lines, added: lines, removed: lines }),
  items: z.array(fileChangeSchema),
  /** Named, and not kept. */
  skipped: z.array(
    z.object({ path: z.string(), why: z.enum(["large", "repository"]), bytes: z.number().optional() }),
  ),
  nextCursor: z.string().optional(),
});
export type ChangesReport = z.infer<typeof changesSchema>;

/** Lines of a unified diff. */
export const patchSchema = z.object({ lines: z.array(z.string()), nextCursor: z.string().optional() });

export const rewindBody = z.strictObject({
  turn: z.number().int().nonnegative(),
  /** Also what somebody else has changed since; it is kept before. */
  confirm: z.boolean().optional(),
  clientId: z.string().min(1).max(200).optional(),
});

export const rewoundSchema = z.object({
  turn: lines,
  restored: z.array(z.string()),
  removed: z.array(z.string()),
  /** As they were; `not_kept`: nothing holds what is there, so that it is never taken away. */
  left: z.array(
    z.object({ path: z.string(), because: z.enum(["changed_since", "changed_between", "not_kept"]) }),
  ),
  /** All files as they were before, in git: `refs/signalbox/<session>/<keptAs>`. */
  keptAs: z.string(),
});
export type RewoundReport = z.infer<typeof rewoundSchema>;
