/**
 * Comments and reviews on the disk.
 *
 * A file of its own, as workspaces have one: it is written when a person says something, and by nobody else. Rows carry a
 * CRC-32; one that is damaged is told and left out, never guessed.
 */
import { z } from "zod";
import { Database } from "../../journal/sqlite/database.js";
import { createPrivateFile } from "../../journal/sqlite/private-file.js";
import {
  checksumOf,
  isIntact,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "../../journal/sqlite/stored-row.js";
import { principalSchema } from "../../protocol/principal.js";
import { commentSchema } from "../../protocol/review.js";

const BUSY_TIMEOUT_MS = 5_000;
/** Of a session: those that a repeated request may still ask about. */
const REVIEWS_MAX = 100;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS comments (
  id TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL,
  body TEXT NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS comments_of ON comments (session_id);
CREATE TABLE IF NOT EXISTS reviews (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  body TEXT NOT NULL,
  crc INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS reviews_of ON reviews (session_id, n);
PRAGMA user_version = 1;
`;

const keptCommentSchema = commentSchema.omit({ outdated: true }).extend({
  sessionId: z.string(),
  /** Whose request made it, and what that was called by its client. */
  requestKey: z.string().nullable(),
});
export type KeptComment = z.infer<typeof keptCommentSchema>;

const keptReviewSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  requestKey: z.string().nullable(),
  /** Of the whole request: the same name with other words is another one. */
  fingerprint: z.string(),
  by: principalSchema,
  commentIds: z.array(z.string()),
  /** Null: it is not known yet whether the message was accepted. */
  messageId: z.string().nullable(),
});
export type KeptReview = z.infer<typeof keptReviewSchema>;

type Table = "comments" | "reviews";

export class ReviewStore {
  private readonly database: Database;

  constructor(
    path: string,
    private readonly onDamage: (what: string) => void,
  ) {
    createPrivateFile(path);
    this.database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    this.database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
    this.database.exec(SCHEMA);
  }

  /** In the order in which they were made. */
  comments(sessionId: string): readonly KeptComment[] {
    return this.rows("comments", keptCommentSchema, sessionId).toSorted(
      (one, other) => one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1),
    );
  }

  /** Of one session, or of all. */
  reviews(sessionId: string | null): readonly KeptReview[] {
    return this.rows("reviews", keptReviewSchema, sessionId);
  }

  sessionIds(): readonly string[] {
    const rows = this.database.rows(
      `SELECT ${textColumn("session_id")} FROM comments UNION SELECT ${textColumn("session_id")} FROM reviews`,
    ) as readonly { session_id: StoredText }[];
    return rows.map(({ session_id }) => textOf(session_id));
  }

  saveComment(comment: KeptComment): void {
    this.put("comments", comment);
  }

  removeComment(id: string): void {
    this.database.prepare("DELETE FROM comments WHERE id = ?").run([id]);
  }

  /** With the comments that it changes, all or nothing. */
  saveReview(review: KeptReview, comments: readonly KeptComment[]): void {
    this.database.transaction(() => {
      this.put("reviews", review);
      for (const comment of comments) this.put("comments", comment);
      this.database
        .prepare(
          `DELETE FROM reviews WHERE session_id = ? AND n <=
             (SELECT n FROM reviews WHERE session_id = ? ORDER BY n DESC LIMIT 1 OFFSET ${REVIEWS_MAX})`,
        )
        .run([review.sessionId, review.sessionId]);
    });
  }

  removeReview(id: string): void {
    this.database.prepare("DELETE FROM reviews WHERE id = ?").run([id]);
  }

  removeSession(sessionId: string): void {
    this.database.transaction(() => {
      for (const table of ["comments", "reviews"])
        this.database.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run([sessionId]);
    });
  }

  close(): void {
    this.database.close();
  }

  private put(table: Table, value: KeptComment | KeptReview): void {
    const { id, sessionId } = value;
    const body = JSON.stringify(value);
    this.database
      .prepare(
        `INSERT INTO ${table} (id, session_id, body, crc) VALUES (?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET body = excluded.body, crc = excluded.crc`,
      )
      .run([id, sessionId, body, checksumOf([], [id, sessionId, body])]);
  }

  private rows<T>(table: Table, schema: z.ZodType<T>, sessionId: string | null): readonly T[] {
    const columns = `${textColumn("id")}, ${textColumn("session_id")}, ${textColumn("body")}, ${numberColumn("crc")}`;
    const where = sessionId === null ? "" : " WHERE session_id = ?";
    const rows = this.database
      .prepare(`SELECT ${columns} FROM ${table}${where}`)
      .all(sessionId === null ? [] : [sessionId]) as readonly {
      id: StoredText;
      session_id: StoredText;
      body: StoredText;
      crc: StoredChecksum;
    }[];
    return rows.flatMap(({ id, session_id, body, crc }) => {
      const value = isIntact(crc, [], [id, session_id, body])
        ? schema.safeParse(JSON.parse(textOf(body)))
        : null;
      if (value?.success === true) return [value.data];
      this.onDamage(`a row of ${table} is not as it was written`);
      return [];
    });
  }
}
