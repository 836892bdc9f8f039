import type { RosterState } from "../../core/index.js";
import type { FinishedStream, Loaded, MessageRecord, OutboxItem, TimerRecord } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { JournalError } from "../journal-error.js";
import { ordered } from "../ordered.js";
import { auditHead } from "./audit-rows.js";
import type { Database } from "./database.js";
import { MESSAGE_COLUMNS, messageFrom, type MessageRow } from "./entry-reader.js";
import { salvagedRows, sessionIdsOf } from "./salvage.js";
import type { Variables } from "./secrets-file.js";
import { recordFrom, SESSION_COLUMNS, type SessionRow } from "./session-rows.js";
import {
  isIntactJson,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "./stored-row.js";

export interface LoadedJournal {
  readonly loaded: Loaded;
  /** What of it is damaged and was left out, each in a sentence. */
  readonly problems: readonly string[];
  readonly missingSecrets: readonly MissingSecrets[];
}

/** Variables that a session was given, and whose values are not there: they are in no backup. */
export interface MissingSecrets {
  readonly sessionId: string;
  readonly names: readonly string[];
}

/** Everything but the log, as of one moment. */
export function loadJournal(
  database: Database,
  envOf: (sessionId: string) => Variables = () => ({}),
): LoadedJournal {
  database.exec("BEGIN");
  try {
    return new Loading(database, envOf).load();
  } finally {
    // It only read; and what could not be read lets nothing be committed.
    database.exec("ROLLBACK");
  }
}

class Loading {
  private readonly problems: string[] = [];

  private readonly missingSecrets: MissingSecrets[] = [];

  constructor(
    private readonly database: Database,
    private readonly envOf: (sessionId: string) => Variables,
  ) {}

  load(): LoadedJournal {
    const loaded = ordered({
      lastPosition: this.part("the last position", 0, () => lastPosition(this.database)),
      sessions: this.sessions(),
      outbox: this.part("what agents are still to be told", [], () => this.outbox()),
      timers: this.part("timers", [], () => this.timers()),
      unsettledMessages: this.part("messages that wait", [], () => this.unsettledMessages()),
      roster: this.part("who is connected", null, () => this.roster()),
      ...this.part("the audit", {}, () => auditHead(this.database)),
      finishedStreams: this.part("finished streams", [], () => this.finishedStreams()),
      ...(this.part("what it is", false, () => isRestored(this.database)) ? { isRestored: true } : {}),
    });
    return { loaded, problems: this.problems, missingSecrets: this.missingSecrets };
  }

  /** What cannot be read is left out, and said. */
  private part<T>(what: string, nothing: T, read: () => T): T {
    try {
      return read();
    } catch (error) {
      const isDamage =
        error instanceof SyntaxError || (error instanceof JournalError && error.code === "corrupt");
      if (!isDamage) throw error;
      this.problems.push(`${what} cannot be read (${error.message})`);
      return nothing;
    }
  }

  private sessions(): readonly SessionRecord[] {
    const rows = this.part("some sessions", null, () => joinedRows(this.database)) ?? this.salvagedSessions();
    return rows.flatMap((row) => {
      const read = recordFrom(row, this.envOf);
      if (read) {
        const { record, missing } = read;
        if (missing.length > 0) this.missingSecrets.push({ sessionId: record.id, names: missing });
        return [record];
      }
      this.problems.push(`the record of session ${textOf(row.session_id)} is damaged`);
      return [];
    });
  }

  /** Table by table, whatever of each can be read. */
  private salvagedSessions(): readonly SessionRow[] {
    const parts = new Map<number, Partial<SessionRow>>();
    for (const [table, columns] of Object.entries(SESSION_COLUMNS))
      for (const row of salvagedRows(this.database, { table, key: "session_key", columns })) {
        const part = row as Partial<SessionRow> & Pick<SessionRow, "session_key">;
        parts.set(part.session_key, { ...parts.get(part.session_key), ...part });
      }
    return [...parts.values()].filter(
      (row): row is SessionRow =>
        row.session_id !== undefined &&
        row.record !== undefined &&
        row.details !== undefined &&
        row.progress !== undefined,
    );
  }

  private outbox(): readonly OutboxItem[] {
    const columns = [
      numberColumn("outbox.session_key", "session_key"),
      ...["session_id", "effect_id", "call"].map((column) => textColumn(column)),
      numberColumn("outbox.crc", "crc"),
    ].join(", ");
    const rows = this.database.rows(`SELECT ${columns} FROM outbox JOIN session_keys USING (session_key)`);
    return (rows as readonly OutboxRow[]).flatMap(({ session_key, session_id, effect_id, call, crc }) => {
      const [sessionId, effectId] = [textOf(session_id), textOf(effect_id)];
      if (isIntactJson(crc, [session_key], [effect_id, call]))
        return [{ sessionId, effectId, call: JSON.parse(textOf(call)) as OutboxItem["call"] }];
      this.problems.push(
        `what the agent of session ${sessionId} is still to be told (${effectId}) is damaged`,
      );
      return [];
    });
  }

  private timers(): readonly TimerRecord[] {
    const columns = [textColumn("session_id"), textColumn("timer_id"), numberColumn("due_at_ms")].join(", ");
    const rows = this.database.rows(`SELECT ${columns} FROM timers JOIN session_keys USING (session_key)`);
    return (rows as readonly { session_id: StoredText; timer_id: StoredText; due_at_ms: number }[]).map(
      ({ session_id, timer_id, due_at_ms }) => ({
        sessionId: textOf(session_id),
        timerId: textOf(timer_id),
        dueAtMs: due_at_ms,
      }),
    );
  }

  private unsettledMessages(): readonly MessageRecord[] {
    const rows = this.database.rows(`
      SELECT ${MESSAGE_COLUMNS.join(", ")} FROM messages INDEXED BY messages_unsettled
      WHERE status IN ('queued', 'sending', 'returned')`);
    const sessionIds = rows.length === 0 ? new Map<number, string>() : sessionIdsOf(this.database);
    return (rows as readonly MessageRow[]).flatMap((row) => {
      try {
        return [messageFrom(row, sessionIds.get(row.session_key))];
      } catch (error) {
        if (!(error instanceof JournalError)) throw error;
        this.problems.push(error.message);
        return [];
      }
    });
  }

  private roster(): RosterState | null {
    const [row] = this.database.rows(
      `SELECT ${textColumn("value")} FROM meta WHERE name = 'roster'`,
    ) as readonly { value: StoredText }[];
    return row ? (JSON.parse(textOf(row.value)) as RosterState) : null;
  }

  private finishedStreams(): readonly FinishedStream[] {
    const rows = this.database.rows(`
      SELECT ${textColumn("session_id")}, ${textColumn("stream_id")}
      FROM finished_streams JOIN session_keys USING (session_key)`);
    return (rows as readonly { session_id: StoredText; stream_id: StoredText }[]).map(
      ({ session_id, stream_id }) => ({ sessionId: textOf(session_id), streamId: textOf(stream_id) }),
    );
  }
}

interface OutboxRow {
  readonly session_key: number;
  readonly session_id: StoredText;
  readonly effect_id: StoredText;
  readonly call: StoredText;
  readonly crc: StoredChecksum;
}

function lastPosition(database: Database): number {
  const rows = database.rows(`
    SELECT max(ifnull((SELECT max(position) FROM entries), 0),
      ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_position'), 0)) AS position`);
  return (rows as readonly { position: number }[])[0]?.position ?? 0;
}

function isRestored(database: Database): boolean {
  return database.rows("SELECT 1 FROM meta WHERE name = 'restored'").length > 0;
}

function joinedRows(database: Database): readonly SessionRow[] {
  const columns = Object.entries(SESSION_COLUMNS).flatMap(([table, parts]) =>
    parts
      .filter((part) => table === "session_keys" || !part.endsWith("AS session_key"))
      // `crc` and `session_key` are columns of several tables.
      .map((part) => part.replace(/^CAST\((\w+)/, `CAST(${table}.$1`)),
  );
  return database.rows(`
    SELECT ${columns.join(", ")} FROM sessions JOIN session_keys USING (session_key)
      JOIN session_details USING (session_key) JOIN spool_cursors USING (session_key)`) as readonly SessionRow[];
}
