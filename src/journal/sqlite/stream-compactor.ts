import { readWriting, StreamCompaction } from "../stream-compaction.js";
import type { Database, Statement } from "./database.js";
import {
  checksumOf,
  isIntactJson,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "./stored-row.js";

/** A few milliseconds of reading. */
const PAGE_LENGTH = 250;

interface Start {
  /** The stream's first event, if it is one of those that were noted. */
  readonly started_at: number | null;
  /** Streams that began before this were noted. */
  readonly scanned_until: number;
}

interface StreamRow {
  readonly position: number;
  readonly seq: number;
  readonly at_ms: number;
  readonly run: number;
  readonly body: StoredText;
  readonly crc: StoredChecksum;
}

const COLUMNS = [
  "position",
  ...["seq", "at_ms", "run"].map((column) => numberColumn(column)),
  textColumn("body"),
  numberColumn("crc"),
].join(", ");

/** Writes the deltas of finished streams together. Reads an entry about twice, however many streams its session has. */
export class StreamCompactor {
  private readonly start: Statement;
  private readonly page: Statement;
  private readonly row: Statement;
  private readonly addStart: Statement;
  private readonly setScanned: Statement;
  private readonly rewrite: Statement;
  private readonly remove: Statement;
  private readonly settle: Statement;

  constructor(private readonly database: Database) {
    this.start = database.prepare(`
      SELECT ifnull((SELECT until_seq FROM stream_scans WHERE session_key = ?1), 0) AS scanned_until,
        (SELECT seq FROM stream_starts WHERE session_key = ?1 AND stream_id = ?2) AS started_at
      FROM session_keys WHERE session_key = ?1`);
    this.page = database.prepare(`
      SELECT ${COLUMNS} FROM entries WHERE session_key = ? AND seq >= ? AND kind = 0
      ORDER BY seq LIMIT ${PAGE_LENGTH}`);
    this.row = database.prepare(`SELECT ${COLUMNS} FROM entries WHERE position = ?`);
    this.addStart = database.prepare(
      "INSERT OR IGNORE INTO stream_starts (session_key, seq, stream_id) VALUES (?, ?, ?)",
    );
    this.setScanned = database.prepare(
      "INSERT OR REPLACE INTO stream_scans (session_key, until_seq) VALUES (?, ?)",
    );
    this.rewrite = database.prepare("UPDATE entries SET body = ?, crc = ? WHERE position = ?");
    this.remove = database.prepare("DELETE FROM entries WHERE position IN (SELECT value FROM json_each(?))");
    this.settle = database.prepare("DELETE FROM finished_streams WHERE session_key = ? AND stream_id = ?");
  }

  /** Reads in steps, so that commits go in between, and then writes in one transaction. */
  *compact(sessionKey: number, streamId: string): Generator<void> {
    const scan = new Scan(this.startOf(sessionKey, streamId), sessionKey, streamId);
    while (!scan.isDone) {
      scan.take(this.page.all([sessionKey, scan.nextSeq]) as readonly StreamRow[]);
      yield;
    }
    // What is damaged stays as it is: written anew, it would look whole.
    const { rewritten, removedPositions } = scan.isDamaged
      ? { rewritten: [], removedPositions: [] }
      : scan.compaction.finish();
    this.database.transaction(() => {
      if (!this.startOf(sessionKey, streamId)) return;
      for (const { position, body } of rewritten) this.rewriteBody(sessionKey, position, body);
      if (removedPositions.length > 0) this.remove.run([JSON.stringify(removedPositions)]);
      for (const [otherId, seq] of scan.starts) this.addStart.run([sessionKey, seq, otherId]);
      this.setScanned.run([sessionKey, scan.scannedUntil]);
      this.settle.run([sessionKey, streamId]);
    });
  }

  private rewriteBody(sessionKey: number, position: number, body: string): void {
    const [row] = this.row.all([position]) as readonly StreamRow[];
    if (row) this.rewrite.run([body, checksumOf(numbersOf(sessionKey, row), [body]), position]);
  }

  /** Null when the session was removed. */
  private startOf(sessionKey: number, streamId: string): Start | null {
    const rows = this.start.all([sessionKey, streamId]) as readonly Start[];
    return rows[0] ?? null;
  }
}

/** As `addEntry` has them. */
function numbersOf(sessionKey: number, { position, seq, at_ms, run }: StreamRow): readonly number[] {
  return [position, sessionKey, seq, at_ms, 0, run];
}

/** From a stream's first event to its last. Notes on the way where other streams begin, so that nobody searches for that. */
class Scan {
  readonly compaction = new StreamCompaction();
  readonly starts = new Map<string, number>();
  nextSeq: number;
  scannedUntil: number;
  isDone: boolean;
  isDamaged = false;

  constructor(
    start: Start | null,
    private readonly sessionKey: number,
    private readonly streamId: string,
  ) {
    this.scannedUntil = start?.scanned_until ?? 0;
    this.nextSeq = start?.started_at ?? this.scannedUntil;
    this.isDone = start === null;
  }

  take(rows: readonly StreamRow[]): void {
    for (const row of rows) {
      const { position, seq, body } = row;
      this.nextSeq = seq + 1;
      if (!isIntactJson(row.crc, numbersOf(this.sessionKey, row), [body])) {
        // It may have been of any stream.
        this.isDamaged = true;
        continue;
      }
      const event = readWriting(textOf(body));
      if (!event) continue;
      if (seq >= this.scannedUntil && !this.starts.has(event.streamId)) this.starts.set(event.streamId, seq);
      if (event.streamId === this.streamId) this.compaction.take(position, event);
      if (this.compaction.hasEnded) break;
    }
    this.isDone = this.compaction.hasEnded || rows.length < PAGE_LENGTH;
    if (this.isDone) this.scannedUntil = Math.max(this.scannedUntil, this.nextSeq);
  }
}
