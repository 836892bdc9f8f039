import { close, constants, open, unlink, write } from "node:fs";
import { join } from "node:path";
import { SPOOL_SEGMENT_BYTES, spoolSegmentName } from "../protocol/keeper-format.js";

const RETRY_AFTER_MS = 200;

/** When it is read from with pauses, and how long they are. */
export interface Pace {
  readonly aheadBytes: number;
  readonly pauseMs: number;
}

/** More than a daemon that keeps up leaves unsynced; and then some megabytes a second, which cost others nothing. */
const PACE: Pace = { aheadBytes: 16 * 1024 * 1024, pauseMs: 20 };

export interface SpoolOwner {
  /** More is on disk than before. */
  spoolGrew(): void;
  /** All that was pushed is on disk: the next piece may be read. */
  spoolTook(): void;
}

/**
 * Writes what an agent prints to segment files, one write at a time.
 *
 * It takes a piece and asks for no more until that is on disk. While the daemon is behind by `bytesMax`, or the disk
 * takes nothing, the piece stays here and the agent waits: nothing is lost, and nothing is written twice. An agent that is
 * far ahead of the daemon is slowed down before that: it would only keep this process from the others, and fill the disk.
 */
export class SpoolWriter {
  /** How far the spool reaches: every byte before it is in a file. */
  end = 0;
  private consumed = 0;
  private oldestStart = 0;
  /** Of the segment at `end`; opened when it is first needed. */
  private fd: number | null = null;
  private readonly pending: Buffer[] = [];
  private writing = false;
  /** The last try failed. */
  private failing = false;
  private retryTimer: NodeJS.Timeout | null = null;
  private paceTimer: NodeJS.Timeout | null = null;
  private phase: "open" | "finished" | "abandoned" = "open";

  constructor(
    private readonly folder: string,
    private readonly bytesMax: number,
    private readonly owner: SpoolOwner,
    private readonly pace = PACE,
  ) {}

  /** Something is not on disk yet. */
  get busy(): boolean {
    return this.pending.length > 0;
  }

  /** It waits for the daemon or for the disk, and is not just trying again. */
  get stalled(): boolean {
    return this.failing || (this.busy && !this.writing && this.paceTimer === null);
  }

  push(chunk: Buffer): void {
    this.pending.push(chunk);
    if (this.end - this.consumed < this.pace.aheadBytes) this.step();
    else this.paceTimer ??= setTimeout(() => this.stepNow(), this.pace.pauseMs);
  }

  /** The daemon needs nothing before this offset any more. False: it cannot have read so far. */
  consume(offset: number): boolean {
    if (offset > this.end) return false;
    this.consumed = Math.max(this.consumed, offset);
    this.deleteConsumed();
    if (this.end - this.consumed < this.pace.aheadBytes) this.stepNow();
    return true;
  }

  /** Nothing will be pushed any more, and all that was pushed is on disk. */
  finish(): void {
    this.phase = "finished";
    this.closeSegment();
    this.deleteConsumed();
  }

  /** Nobody wants the spool any more. */
  abandon(): void {
    this.phase = "abandoned";
    this.pending.length = 0;
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.retryTimer = null;
    this.endPause();
    if (!this.writing) this.closeSegment();
  }

  private stepNow(): void {
    this.endPause();
    this.step();
  }

  private endPause(): void {
    if (this.paceTimer !== null) clearTimeout(this.paceTimer);
    this.paceTimer = null;
  }

  private step(): void {
    if (this.paceTimer !== null) return;
    if (this.writing || this.retryTimer !== null || this.phase !== "open") return;
    const chunk = this.pending[0];
    if (chunk === undefined) return;
    if (this.end - this.consumed >= this.bytesMax) return;
    this.writing = true;
    if (this.fd === null) this.openSegment();
    else this.writePiece(this.fd, chunk);
  }

  private openSegment(): void {
    const path = this.segmentPath(startOfSegment(this.end));
    open(path, constants.O_WRONLY | constants.O_CREAT, 0o600, (error, fd) => {
      this.writing = false;
      if (error === null) this.fd = fd;
      this.goOn(error === null);
    });
  }

  private writePiece(fd: number, chunk: Buffer): void {
    const position = this.end - startOfSegment(this.end);
    const room = this.bytesMax - (this.end - this.consumed);
    const lengthMax = Math.min(chunk.length, SPOOL_SEGMENT_BYTES - position, room);
    // At a position: a write that fails half-way is done again in the same place.
    write(fd, chunk, 0, lengthMax, position, (error, written) => {
      this.writing = false;
      if (error === null && written > 0 && this.phase === "open") this.count(chunk, written);
      this.goOn(error === null && written > 0);
    });
  }

  private count(chunk: Buffer, written: number): void {
    this.end += written;
    if (written < chunk.length) this.pending[0] = chunk.subarray(written);
    else this.pending.shift();
    if (this.end === startOfSegment(this.end)) this.closeSegment();
    this.owner.spoolGrew();
    if (!this.busy) this.owner.spoolTook();
  }

  private goOn(succeeded: boolean): void {
    this.failing = !succeeded;
    if (this.phase !== "open") {
      this.closeSegment();
      return;
    }
    if (succeeded) {
      this.step();
      return;
    }
    this.retryTimer = setTimeout(() => {
      this.retryTimer = null;
      this.step();
    }, RETRY_AFTER_MS);
  }

  private closeSegment(): void {
    if (this.fd === null) return;
    const fd = this.fd;
    this.fd = null;
    // Every write has been answered: closing can tell us nothing new.
    close(fd, () => undefined);
  }

  /** The newest segment stays while the run lives: it says how far the spool reaches, should the keeper die. */
  private deleteConsumed(): void {
    while (this.oldestStart < this.end && this.mayDelete(this.oldestStart + SPOOL_SEGMENT_BYTES)) {
      // What cannot be deleted now goes with the folder.
      unlink(this.segmentPath(this.oldestStart), () => undefined);
      this.oldestStart += SPOOL_SEGMENT_BYTES;
    }
  }

  private mayDelete(segmentEnd: number): boolean {
    if (this.phase === "finished" && this.consumed === this.end) return true;
    return segmentEnd <= this.consumed && segmentEnd < this.end;
  }

  private segmentPath(start: number): string {
    return join(this.folder, spoolSegmentName(start));
  }
}

function startOfSegment(offset: number): number {
  return offset - (offset % SPOOL_SEGMENT_BYTES);
}
