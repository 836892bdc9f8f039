import type { RosterState } from "../../core/index.js";
import type { FinishedStream, Loaded, MessageRecord, OutboxItem, TimerRecord } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { JournalError } from "../journal-error.js";
import { ordered } from "../ordered.js";
import type { Database } from "./database.js";
import { recordFrom, type SessionRow } from "./session-rows.js";

/** Everything but the log, as of one moment. */
export function loadJournal(database: Database): Loaded {
  database.exec("BEGIN");
  try {
    return ordered({
      lastPosition: lastPosition(database),
      sessions: sessions(database),
      outbox: outbox(database),
      timers: timers(database),
      unsettledMessages: unsettledMessages(database),
      roster: roster(database),
      finishedStreams: finishedStreams(database),
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new JournalError("corrupt", `The journal holds something else than JSON: ${error.message}`, {
      cause: error,
    });
  } finally {
    database.exec("COMMIT");
  }
}

function lastPosition(database: Database): number {
  const rows = database.rows(`
    SELECT max(ifnull((SELECT max(position) FROM entries), 0),
      ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_position'), 0)) AS position`);
  return (rows as readonly { position: number }[])[0]?.position ?? 0;
}

function sessions(database: Database): readonly SessionRecord[] {
  const rows = database.rows(`
    SELECT session_id, created_at_ms, updated_at_ms, seq, record, details, run, out_offset, hooks_offset, progress
    FROM sessions JOIN session_keys USING (session_key)
      JOIN session_details USING (session_key) JOIN spool_cursors USING (session_key)`);
  return (rows as readonly SessionRow[]).map(recordFrom);
}

function outbox(database: Database): readonly OutboxItem[] {
  const rows = database.rows(`
    SELECT session_id AS sessionId, effect_id AS effectId, call
    FROM outbox JOIN session_keys USING (session_key)`);
  return (rows as readonly (Omit<OutboxItem, "call"> & { call: string })[]).map((row) => ({
    ...row,
    call: JSON.parse(row.call) as OutboxItem["call"],
  }));
}

function timers(database: Database): readonly TimerRecord[] {
  const rows = database.rows(`
    SELECT session_id AS sessionId, timer_id AS timerId, due_at_ms AS dueAtMs
    FROM timers JOIN session_keys USING (session_key)`);
  return rows as readonly TimerRecord[];
}

function unsettledMessages(database: Database): readonly MessageRecord[] {
  const rows = database.rows(`
    SELECT message_id AS messageId, session_id AS sessionId, at_ms AS atMs, text, status
    FROM messages INDEXED BY messages_unsettled JOIN session_keys USING (session_key)
    WHERE status IN ('queued', 'sending')`);
  return (rows as readonly MessageRecord[]).map((row) => ({ ...row, text: JSON.parse(row.text) as string }));
}

function roster(database: Database): RosterState | null {
  const rows = database.rows("SELECT value FROM meta WHERE name = 'roster'") as readonly { value: string }[];
  return rows[0] ? (JSON.parse(rows[0].value) as RosterState) : null;
}

function finishedStreams(database: Database): readonly FinishedStream[] {
  const rows = database.rows(`
    SELECT session_id AS sessionId, stream_id AS streamId
    FROM finished_streams JOIN session_keys USING (session_key)`);
  return rows as readonly FinishedStream[];
}
