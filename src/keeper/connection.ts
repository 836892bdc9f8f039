import type { Socket } from "node:net";
import { KEEPER_LINE_BYTES_MAX } from "../protocol/keeper-format.js";
import type { KeeperNotice, KeeperRequest } from "../protocol/keeper.js";
import { checkRequest } from "./check-request.js";
import type { Run, RunChange } from "./run.js";

/** A reader that is behind by so much is not asked for more before it has caught up. */
const UNREAD_BYTES_MAX = 1024 * 1024;
const NEWLINE = 0x0a;

export interface ConnectionOwner {
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
    const answer = this.owner.handle(checked.request);
    if (answer instanceof Promise) void answer.then((notice) => this.send(notice));
    else this.send(answer);
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
