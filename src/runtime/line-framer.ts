/** Lines longer than this are skipped whole: no agent's message is that long, and memory is bounded. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;

export interface FramedLine {
  /** Null: it was longer than the bound. */
  readonly text: string | null;
  /** The spool offset just behind its end. */
  readonly endOffset: number;
}

const NEWLINE = 0x0a;

/**
 * Cuts a run's output into lines. What it holds of an unfinished line is not kept anywhere: after a crash the spool gives
 * it again, because the cursor stands at the end of the last whole line.
 */
export class LineFramer {
  private pieces: Buffer[] = [];
  private piecesBytes = 0;

  constructor(
    private offset: number,
    private skipping: boolean,
    private readonly lineBytesMax = LINE_BYTES_MAX,
  ) {}

  /** Where the next chunk must begin. */
  get nextOffset(): number {
    return this.offset + this.piecesBytes;
  }

  /** The middle of a line that is too long: the cursor may pass what was skipped of it. */
  get skipped(): { readonly offset: number; readonly skipping: boolean } {
    return { offset: this.offset, skipping: this.skipping };
  }

  /** The whole lines that `chunk` ends. */
  push(chunk: Buffer): FramedLine[] {
    const lines: FramedLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(this.take(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.hold(chunk.subarray(start));
    return lines;
  }

  /** What is left when the output has ended without a last newline. */
  finish(): FramedLine[] {
    if (this.piecesBytes === 0 && !this.skipping) return [];
    const line = this.take(Buffer.alloc(0));
    // There was no newline to pass.
    this.offset -= 1;
    return [{ text: line.text, endOffset: this.offset }];
  }

  private take(last: Buffer): FramedLine {
    const bytes = this.pieces.length === 0 ? last : Buffer.concat([...this.pieces, last]);
    this.offset = this.nextOffset + last.length + 1;
    this.pieces = [];
    this.piecesBytes = 0;
    const tooLong = this.skipping || bytes.length > this.lineBytesMax;
    this.skipping = false;
    return { text: tooLong ? null : bytes.toString("utf8"), endOffset: this.offset };
  }

  private hold(rest: Buffer): void {
    if (this.skipping || this.piecesBytes + rest.length > this.lineBytesMax) {
      this.offset = this.nextOffset + rest.length;
      this.skipping = true;
      this.pieces = [];
      this.piecesBytes = 0;
      return;
    }
    // A copy: the chunk it is part of is large and would be kept alive.
    this.pieces.push(Buffer.from(rest));
    this.piecesBytes += rest.length;
  }
}
