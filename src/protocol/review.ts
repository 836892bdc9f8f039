/** What the API says of comments on a session's changes, and of the reviews that send them to its agent. */
import { z } from "zod";
import { principalSchema } from "./principal.js";

export const COMMENT_LENGTH_MAX = 10_000;
/** Of a session. */
export const COMMENTS_MAX = 500;
const LINE_MAX = 10_000_000;

const line = z.number().int().min(1).max(LINE_MAX);
const commentText = z.string().trim().min(1).max(COMMENT_LENGTH_MAX);
const clientId = z.string().min(1).max(200).optional();

export const COMMENT_STATES = ["open", "sent", "resolved"] as const;

export const commentSchema = z.object({
  id: z.string(),
  path: z.string(),
  /** Of the file before the change, or after it. */
  side: z.enum(["old", "new"]),
  startLine: line,
  /** The last one that it is about. */
  endLine: line,
  /** Git's name of the content that it was made on. It never changes. */
  blob: z.string(),
  /** Those lines of that content; of a long range the first. */
  quoted: z.array(z.string()),
  text: z.string(),
  /** Open ones go with the next review. */
  state: z.enum(COMMENT_STATES),
  by: principalSchema,
  createdAtMs: z.number(),
  sentAtMs: z.number().nullable(),
  /** The file has other content now, so that its lines may be others; null: nobody can tell now. */
  outdated: z.boolean().nullable(),
});
export type Comment = z.infer<typeof commentSchema>;

export const addCommentBody = z.strictObject({
  path: z.string().min(1).max(4_096),
  side: z.enum(["old", "new"]),
  startLine: line,
  endLine: line.optional(),
  blob: z
    .string()
    .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, "expected the name of a blob, as the list of changes has it"),
  text: commentText,
  clientId,
});
export type AddComment = z.infer<typeof addCommentBody>;

/** The words of one that was sent are what the agent was told: they stay. */
export const patchCommentBody = z.strictObject({
  text: commentText.optional(),
  state: z.enum(["open", "resolved"]).optional(),
});

/** `text`: what is said of the whole change. */
export const sendReviewBody = z.strictObject({ text: commentText.optional(), clientId });

export const sentReviewSchema = z.object({
  messageId: z.string(),
  comments: z.number().int().nonnegative(),
});
