/** A commit as the rows that it writes. */
import type { AuditEntry } from "../../protocol/audit.js";
import type { Commit, Entry, MessageRecord } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { KINDS } from "./schema.js";
import { detailsText, hasSameDetails, mainText, progressText } from "./session-rows.js";
import { STATEMENTS, type StatementName, type Write, type WriteRows } from "./writes.js";
import type { WrittenSessions } from "./written-sessions.js";

export interface PlannedCommit {
  readonly writes: readonly Write[];
  /** Their keys were given out now, and go back if the commit fails. */
  readonly newSessionIds: readonly string[];
}

export function planCommit(commit: Commit, written: WrittenSessions): PlannedCommit {
  const plan = new Plan(written);
  for (const entry of commit.entries) plan.addEntry(entry);
  // Of several records of a session the last one counts.
  const records = new Map(commit.sessions.map((record) => [record.id, record]));
  for (const record of records.values()) plan.putSession(record);
  for (const { sessionId, effectId, call } of commit.outbox)
    plan.add("putEffect", [plan.keyOf(sessionId)], [effectId, JSON.stringify(call)]);
  for (const { sessionId, effectId } of commit.acked) plan.addKnown("removeEffect", sessionId, [effectId]);
  for (const { sessionId, timerId, dueAtMs } of commit.startedTimers)
    plan.add("putTimer", [plan.keyOf(sessionId), dueAtMs], [timerId]);
  for (const { sessionId, timerId } of commit.endedTimers) plan.addKnown("removeTimer", sessionId, [timerId]);
  for (const message of commit.messages) plan.putMessage(message);
  for (const { messageId, status } of commit.messageStatuses)
    plan.add("setMessageStatus", [], [status, messageId]);
  for (const { principal, clientId, fingerprint, atMs, result } of commit.receipts)
    plan.add("putReceipt", [atMs], [principal, clientId, fingerprint, result]);
  for (const entry of commit.audit) plan.addAudit(entry);
  if (commit.roster) plan.add("putRoster", [], [JSON.stringify(commit.roster)]);
  for (const { sessionId, streamId } of commit.finishedStreams)
    plan.add("addFinishedStream", [plan.keyOf(sessionId)], [streamId]);
  for (const sessionId of commit.removedSessionIds) plan.addKnown("removeSession", sessionId, []);
  return plan.finish();
}

class Plan {
  private readonly rows = new Map<StatementName, WriteRows>();
  private readonly newSessionIds: string[] = [];

  constructor(private readonly written: WrittenSessions) {}

  addEntry({ position, sessionId, seq, atMs, kind, run, body }: Entry): void {
    const { numbers, texts } = this.rowsOf("addEntry");
    numbers.push(position, this.keyOf(sessionId), seq, atMs, KINDS.indexOf(kind), run);
    texts.push(body);
  }

  /** Writes what has changed. */
  putSession(record: SessionRecord): void {
    const { id, createdAtMs, updatedAtMs, settings, state, seq, progress } = record;
    const before = this.written.recordOf(id);
    if (before === record) return;
    const key = this.keyOf(id);
    this.add(
      "putSession",
      [key, createdAtMs, updatedAtMs, seq],
      [settings.harness, state.status, mainText(record)],
    );
    if (!hasSameDetails(before, record))
      this.add("putDetails", [key], [detailsText(record, this.written.missingNamesOf(id))]);
    if (before?.progress === progress) return;
    const { run, outOffset, hooksOffset } = progress;
    this.add("putCursor", [key, run, outOffset, hooksOffset], [progressText(progress)]);
  }

  putMessage({ messageId, sessionId, atMs, text, status }: MessageRecord): void {
    this.add("putMessage", [this.keyOf(sessionId), atMs], [messageId, status, JSON.stringify(text)]);
  }

  /** No session has an empty id. */
  addAudit({ n, atMs, principal, operation, sessionId, digest, previous }: AuditEntry): void {
    const texts = [JSON.stringify(principal), operation, sessionId ?? "", digest, previous];
    this.add("addAudit", [n, atMs], texts);
  }

  add(name: StatementName, numbers: readonly number[], texts: readonly string[]): void {
    const rows = this.rowsOf(name);
    rows.numbers.push(...numbers);
    rows.texts.push(...texts);
  }

  /** What concerns a session that is not there has nothing to change. */
  addKnown(name: StatementName, sessionId: string, texts: readonly string[]): void {
    const key = this.written.keyOf(sessionId);
    if (key !== undefined) this.add(name, [key], texts);
  }

  keyOf(sessionId: string): number {
    const known = this.written.keyOf(sessionId);
    if (known !== undefined) return known;
    const key = this.written.addKey(sessionId);
    this.newSessionIds.push(sessionId);
    this.add("addSessionKey", [key], [sessionId]);
    return key;
  }

  finish(): PlannedCommit {
    const writes = STATEMENT_NAMES.flatMap((statement): Write[] => {
      const rows = this.rows.get(statement);
      return rows ? [{ statement, numbers: Float64Array.from(rows.numbers), texts: rows.texts }] : [];
    });
    return { writes, newSessionIds: this.newSessionIds };
  }

  private rowsOf(name: StatementName): WriteRows {
    const known = this.rows.get(name);
    if (known) return known;
    const rows = { numbers: [], texts: [] };
    this.rows.set(name, rows);
    return rows;
  }
}

// The keys of `STATEMENTS`, in the order in which they are written there.
const STATEMENT_NAMES = Object.keys(STATEMENTS) as readonly StatementName[];
