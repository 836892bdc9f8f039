import { isUtf8 } from "node:buffer";

/** `text` may be empty. An unreadable line still counts as a line, so that one answer can be given for it. */
export type Line =
  { readonly type: "text"; readonly text: string } | { readonly type: "unreadable"; readonly why: string };

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Cuts a stream of bytes into lines. Whatever comes in, it holds no more than one line of `lineSizeMaxBytes`: a longer
 * one is given up at once, and its bytes are skipped up to the next newline.
 */
export class LineSplitter {
  /** The beginning of a line whose end has not come yet. */
  private pieces: Buffer[] = [];
  private pieceBytes = 0;
  private skipping = false;

  constructor(private readonly lineSizeMaxBytes: number) {}

  /** The lines that end in this chunk. */
  push(chunk: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.hold(chunk.subarray(start, end));
      lines.push(this.take());
      start = end + 1;
    }
    if (start < chunk.length) this.hold(chunk.subarray(start));
    return lines;
  }

  /** The last line, when the stream ended without a newline. */
  end(): readonly Line[] {
    return this.pieceBytes > 0 || this.skipping ? [this.take()] : [];
  }

  private hold(piece: Buffer): void {
    if (this.skipping) return;
    this.pieces.push(piece);
    this.pieceBytes += piece.length;
    if (this.pieceBytes <= this.lineSizeMaxBytes) return;
    this.skipping = true;
    this.pieces = [];
  }

  private take(): Line {
    const line = this.skipping
      ? unreadable(`longer than ${String(this.lineSizeMaxBytes)} bytes`)
      : decode(this.pieces.length === 1 ? (this.pieces[0] as Buffer) : Buffer.concat(this.pieces));
    this.pieces = [];
    this.pieceBytes = 0;
    this.skipping = false;
    return line;
  }
}

function decode(bytes: Buffer): Line {
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  if (!isUtf8(bytes)) return unreadable("not UTF-8");
  return { type: "text", text: bytes.toString("utf8", 0, end) };
}

function unreadable(why: string): Line {
  return { type: "unreadable", why };
}
