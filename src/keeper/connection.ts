import type { Socket } from "node:net";
import {
  KEEPER_LINE_BYTES_MAX,
  KEEPER_PROTOCOL_VERSION,
  SECRET_SINCE_VERSION,
} from "../protocol/keeper-format.js";
import type { KeeperNotice, KeeperRequest } from "../protocol/keeper.js";
import { checkRequest } from "./check-request.js";
import type { Run, RunChange } from "./run.js";

/** A reader that is behind by so much is not asked for more before it has caught up. */
const UNREAD_BYTES_MAX = 1024 * 1024;
const NEWLINE = 0x0a;

/** So long a stranger is kept, so that a daemon can look who it is. */
const STRANGER_MS = 1_000;

export interface ConnectionOwner {
  /** Whether it is the secret of the data folder. */
  isSecret(given: string): boolean;
  /** Somebody has tried without it. */
  refused(connection: Connection): void;
  handle(request: KeeperRequest): KeeperNotice | Promise<KeeperNotice>;
  closed(connection: Connection): void;
}

/**
 * One daemon. It may be slow or dead: of a run only what changed is remembered, not each change, so that what waits for a
 * reader has a bound.
 */
export class Connection {
  private pieces: Buffer[] = [];
  private pieceBytes = 0;
  /** It has said hello. */
  private listening = false;
  /** It has shown the secret. */
  private trusted = false;
  private refused = false;
  private readonly changes = new Map<Run, Set<RunChange>>();
  private flushing = false;

  constructor(
    private readonly socket: Socket,
    private readonly owner: ConnectionOwner,
  ) {
    socket.on("data", (chunk: Buffer) => this.take(chunk));
    socket.on("drain", () => this.caughtUp());
    // Its end is told by `close`.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.changes.clear();
      owner.closed(this);
    });
  }

  /** Tells of a change soon, together with others, unless this connection never said hello. */
  noteChange(run: Run, change: RunChange): void {
    if (!this.listening || this.socket.destroyed) return;
    const known = this.changes.get(run);
    if (known === undefined) this.changes.set(run, new Set([change]));
    else known.add(change);
    this.flushSoon();
  }

  /** Closes it, once what was answered is out. */
  end(): void {
    this.socket.end();
  }

  private take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.hold(chunk.subarray(start, end));
      const line = this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces);
      this.pieces = [];
      this.pieceBytes = 0;
      start = end + 1;
      if (this.socket.destroyed) return;
      if (line !== undefined) this.takeLine(line.toString("utf8"));
    }
    if (start < chunk.length) this.hold(chunk.subarray(start));
  }

  private hold(piece: Buffer): void {
    this.pieces.push(piece);
    this.pieceBytes += piece.length;
    if (this.pieceBytes <= KEEPER_LINE_BYTES_MAX) return;
    this.pieces = [];
    this.socket.destroy();
  }

  private takeLine(line: string): void {
    const checked = checkRequest(line);
    if (checked.type === "invalid") {
      this.send({ type: "failed", id: checked.id, code: "invalid", message: checked.message });
      return;
    }
    if (!this.trusted && !this.admit(checked.request)) return;
    const answer = this.owner.handle(checked.request);
    if (answer instanceof Promise) void answer.then((notice) => this.send(notice));
    else this.send(answer);
  }

  /** A connection begins with the secret; nothing else is heard before it. */
  private admit(request: KeeperRequest): boolean {
    if (this.refused) return false;
    const given = request.type === "hello" ? request.secret : undefined;
    this.trusted = given !== undefined && this.owner.isSecret(given);
    if (this.trusted) return true;
    this.refused = true;
    const { id } = request;
    if (request.type === "hello" && request.version < SECRET_SINCE_VERSION) {
      // A daemon of before learns that this keeper is newer than it, and nothing else.
      this.socket.write(
        `${JSON.stringify({ type: "welcome", id, version: KEEPER_PROTOCOL_VERSION, pid: process.pid })}\n`,
      );
    } else {
      const message = "the keeper talks only to whoever has the secret of its data folder";
      this.send({ type: "failed", id, code: "invalid", message });
    }
    this.owner.refused(this);
    setTimeout(() => this.socket.destroy(), STRANGER_MS).unref();
    return false;
  }

  /** That somebody else was refused. */
  noteStranger(): void {
    if (this.listening) this.send({ type: "stranger" });
  }

  private send(notice: KeeperNotice): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    if (notice.type === "welcome") {
      // It holds all that has changed so far.
      this.listening = true;
      this.changes.clear();
    }
    this.socket.write(`${JSON.stringify(notice)}\n`);
    if (this.isBehind()) this.socket.pause();
  }

  private isBehind(): boolean {
    return this.socket.writableLength > UNREAD_BYTES_MAX;
  }

  private caughtUp(): void {
    this.socket.resume();
    if (this.changes.size > 0) this.flushSoon();
  }

  private flushSoon(): void {
    if (this.flushing || this.socket.writableNeedDrain) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flush(): void {
    const lines = [...this.changes].flatMap(([run, changes]) => noticesOf(run, changes));
    this.changes.clear();
    if (lines.length === 0 || this.socket.destroyed || this.socket.writableEnded) return;
    this.socket.write(lines.map((notice) => `${JSON.stringify(notice)}\n`).join(""));
  }
}

/** The newest of each kind; the end last, because nothing may follow it. */
function noticesOf(run: Run, changes: ReadonlySet<RunChange>): readonly KeeperNotice[] {
  const { runId, spool, hooksEnd, foreground, exit } = run;
  const notices: KeeperNotice[] = [];
  if (changes.has("output")) notices.push({ type: "output", runId, end: spool.end });
  if (changes.has("hooks")) notices.push({ type: "hooks", runId, end: hooksEnd });
  if (changes.has("foreground") && foreground !== null)
    notices.push({ type: "foreground", runId, foreground });
  if (changes.has("exit") && exit !== null) notices.push({ type: "exit", runId, end: spool.end, exit });
  return notices;
}
