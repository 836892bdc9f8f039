/**
 * Many clients that follow everything, in one process (B2). The first that gets a byte keeps it, and all others must get
 * the same: so every client's stream is checked, at the price of a comparison. What was kept is read when it has all come.
 */
import { createHash } from "node:crypto";
import { Database } from "../../../src/journal/sqlite/database.js";
import { SSE_EVENTS } from "../../../src/protocol/sse.js";
import type { LagSample } from "../lag-growth.js";
import { answerOrders } from "../side-process.js";
import { eventsOf, lastPositionOf, openEventStream, type DaemonAddress } from "./event-stream.js";

const SAMPLE_EVERY_MS = 50;

export type ReadersOrder =
  | {
      readonly type: "connect";
      readonly daemon: DaemonAddress;
      readonly clients: number;
      readonly journalPath: string;
    }
  /** Answered when every client has got so many bytes as the first, and those hold so many pieces of text. */
  | { readonly type: "read"; readonly lines: number };

export interface ReadersReport {
  /** `process.hrtime` of the moment when the last client had got everything. */
  readonly endedAtNs: string;
  /** SHA-256 of each session's text. */
  readonly textHashes: Readonly<Record<string, string>>;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly samples: readonly LagSample[];
  /** How often a client was cut off, because it was too far behind. */
  readonly cuts: number;
}

export interface ReadersAnswers {
  readonly connect: null;
  readonly read: ReadersReport;
}

interface Reader {
  offset: number;
  position: number;
}

const TEXT_MARK = '"type":"text_delta"';
const CUT_MARK = `event: ${SSE_EVENTS.lagged}\n`;

class Readers {
  private readonly readers: Reader[] = [];
  private kept = Buffer.alloc(64 * 1024 * 1024);
  private keptLength = 0;
  private lines = 0;
  private cuts = 0;
  private firstPosition = Infinity;
  private fault: string | null = null;
  private onProgress: () => void = () => undefined;
  private journal: Database | null = null;

  async connect({ daemon, clients, journalPath }: Extract<ReadersOrder, { type: "connect" }>): Promise<null> {
    this.journal = new Database(journalPath, { busyTimeoutMs: 1_000 });
    const position = this.committed();
    for (let client = 0; client < clients; client += 1) this.readers.push({ offset: 0, position });
    await Promise.all(this.readers.map((reader) => this.follow(daemon, reader)));
    return null;
  }

  /** One that is cut off comes back for the rest, as every client must. */
  private async follow(daemon: DaemonAddress, reader: Reader): Promise<void> {
    await openEventStream(daemon, `?after=${reader.position}`, (frames) => {
      const cutAt = frames.lastIndexOf(CUT_MARK);
      if (cutAt < 0) {
        this.take(reader, frames);
        return;
      }
      this.cuts += 1;
      const end = frames.lastIndexOf("id: ", cutAt);
      if (end > 0) this.take(reader, frames.subarray(0, end));
      this.follow(daemon, reader).catch((error: unknown) => {
        this.fault ??= String(error);
      });
    });
  }

  async read(lines: number): Promise<ReadersReport> {
    const samples: LagSample[] = [];
    const sampler = setInterval(() => samples.push(this.sample()), SAMPLE_EVERY_MS);
    await new Promise<void>((resolve) => {
      this.onProgress = () => {
        const isBehind = this.lines < lines || this.readers.some(({ offset }) => offset < this.keptLength);
        if (this.fault !== null || !isBehind) resolve();
      };
      this.onProgress();
    });
    const endedAtNs = String(process.hrtime.bigint());
    clearInterval(sampler);
    this.onProgress = () => undefined;
    if (this.fault !== null) throw new Error(this.fault);
    const report = { endedAtNs, samples, cuts: this.cuts, ...this.check() };
    this.forget();
    return report;
  }

  private take(reader: Reader, frames: Buffer): void {
    const known = Math.min(frames.length, this.keptLength - reader.offset);
    const expected = this.kept.subarray(reader.offset, reader.offset + known);
    if (frames.compare(expected, 0, known, 0, known) !== 0) this.fault ??= "two clients got different bytes";
    if (known < frames.length) this.keep(frames.subarray(known));
    reader.offset += frames.length;
    reader.position = lastPositionOf(frames);
    this.onProgress();
  }

  private keep(bytes: Buffer): void {
    if (this.keptLength + bytes.length > this.kept.length) {
      const larger = Buffer.alloc(2 * (this.keptLength + bytes.length));
      this.kept.copy(larger, 0, 0, this.keptLength);
      this.kept = larger;
    }
    bytes.copy(this.kept, this.keptLength);
    this.keptLength += bytes.length;
    for (let at = bytes.indexOf(TEXT_MARK); at >= 0; at = bytes.indexOf(TEXT_MARK, at + TEXT_MARK.length))
      this.lines += 1;
  }

  private sample(): LagSample {
    const told = Math.min(...this.readers.map(({ position }) => position));
    return { committed: this.committed(), told };
  }

  /** The newest position of the journal. */
  private committed(): number {
    const rows = this.journal?.rows("SELECT max(position) AS position FROM entries") ?? [];
    return (rows as readonly { position: number }[])[0]?.position ?? 0;
  }

  /** Reads what all have got: in order, without a gap within a session. */
  private check(): Omit<ReadersReport, "endedAtNs" | "samples" | "cuts"> {
    const hashes = new Map<string, ReturnType<typeof createHash>>();
    let position = 0;
    for (const event of eventsOf(this.kept.subarray(0, this.keptLength))) {
      if (event.position <= position) throw new Error(`${event.position} came after ${position}`);
      position = event.position;
      const { sessionId, type, payload } = JSON.parse(event.body) as {
        readonly sessionId: string;
        readonly type?: string;
        readonly payload: { readonly text?: string };
      };
      if (type !== "text_delta") continue;
      this.firstPosition = Math.min(this.firstPosition, position);
      const hash = hashes.get(sessionId) ?? createHash("sha256");
      hashes.set(sessionId, hash.update(payload.text ?? ""));
    }
    const textHashes = Object.fromEntries([...hashes].map(([id, hash]) => [id, hash.digest("hex")]));
    return { textHashes, firstPosition: this.firstPosition, lastPosition: position };
  }

  private forget(): void {
    this.keptLength = 0;
    this.lines = 0;
    this.cuts = 0;
    this.firstPosition = Infinity;
    for (const reader of this.readers) reader.offset = 0;
  }
}

const readers = new Readers();

answerOrders<ReadersOrder, ReadersAnswers>((order) => {
  switch (order.type) {
    case "connect":
      return readers.connect(order);
    case "read":
      return readers.read(order.lines);
  }
});
