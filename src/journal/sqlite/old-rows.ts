/**
 * Deletes much in small steps, each a transaction of its own, so that commits go in between. Whatever is left undone at
 * the end of the process is done after the next start.
 */
import type { Database, Statement } from "./database.js";

/** A few milliseconds of work. */
const ENTRIES_PER_STEP = 500;
const PAGES_PER_STEP = 500;
/** Free pages up to this share of the file are kept for new entries. */
const FREE_SHARE_MAX = 0.25;

export class OldRows {
  private readonly keepLastPosition: Statement;

  constructor(private readonly database: Database) {
    // A position is given out once, also when its entry is gone.
    this.keepLastPosition = database.prepare(`
      INSERT INTO meta (name, value) SELECT 'last_position', max(position) FROM entries WHERE true
      HAVING max(position) IS NOT NULL
      ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`);
  }

  /** The entries of removed sessions. Whether there were any. */
  *deleteRemoved(): Generator<void, boolean> {
    const remove = this.database.prepare(`
      DELETE FROM entries WHERE position IN
      (SELECT position FROM entries WHERE session_key = ? LIMIT ${ENTRIES_PER_STEP})`);
    const forget = this.database.prepare("DELETE FROM removed_sessions WHERE session_key = ?");
    let isErased = false;
    for (;;) {
      const [removed] = this.database.rows("SELECT session_key FROM removed_sessions LIMIT 1") as readonly {
        session_key: number;
      }[];
      if (!removed) break;
      isErased = true;
      this.database.transaction(() => {
        this.keepLastPosition.run([]);
        if (remove.run([removed.session_key]) < ENTRIES_PER_STEP) forget.run([removed.session_key]);
      });
      yield;
    }
    yield* this.shrink();
    return isErased;
  }

  /** Receipts, and the entries of stopped sessions. */
  *deleteBefore(receiptsBeforeMs: number, entriesBeforeMs: number | null): Generator<void> {
    this.database.prepare("DELETE FROM receipts WHERE at_ms < ?").run([receiptsBeforeMs]);
    yield;
    if (entriesBeforeMs === null) return;
    const remove = this.database.prepare(
      "DELETE FROM entries WHERE session_key = ? AND seq >= ? AND seq < ? AND at_ms < ?",
    );
    for (const { session_key, first, last } of this.stoppedSessions()) {
      for (let seq = first; seq <= last; seq += ENTRIES_PER_STEP) {
        this.database.transaction(() => {
          this.keepLastPosition.run([]);
          remove.run([session_key, seq, seq + ENTRIES_PER_STEP, entriesBeforeMs]);
        });
        yield;
      }
    }
    yield* this.shrink();
  }

  private stoppedSessions() {
    return this.database.rows(`
      SELECT session_key, first, last FROM (
        SELECT session_key,
          (SELECT min(seq) FROM entries WHERE entries.session_key = sessions.session_key) AS first,
          (SELECT max(seq) FROM entries WHERE entries.session_key = sessions.session_key) AS last
        FROM sessions WHERE status = 'stopped'
      ) WHERE first IS NOT NULL`) as readonly { session_key: number; first: number; last: number }[];
  }

  /** Gives pages back to the file system when many are free. */
  private *shrink(): Generator<void> {
    let freeBefore = Infinity;
    for (;;) {
      const [pages] = this.database.rows(
        "SELECT freelist_count AS free, page_count AS total FROM pragma_freelist_count, pragma_page_count",
      ) as readonly { free: number; total: number }[];
      if (!pages || pages.free <= pages.total * FREE_SHARE_MAX || pages.free >= freeBefore) return;
      freeBefore = pages.free;
      this.database.exec(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`);
      yield;
    }
  }
}
