/** One block of a stream of server-sent events: what stands between two blank lines. */
export interface SseBlock {
  /** Empty when the block names none. */
  readonly event: string;
  /** Null when the block has no data at all. */
  readonly data: string | null;
  readonly id: string | null;
}

const LENGTH_MAX = 64 * 1024 * 1024;
const LINE_END = /\r\n?|\n/g;

/**
 * Cuts bytes, in whatever pieces they come, into blocks. Lines end with LF, CR or CRLF. A block counts when it has data,
 * an event's name or an id; comments are skipped, and fields that mean nothing here too.
 */
export class SseParser {
  private readonly decoder = new TextDecoder();
  /** The beginning of a line whose end has not come yet. */
  private line = "";
  /** A line feed that comes first now belongs to the line before. */
  private afterReturn = false;
  private event = "";
  private data: string | null = null;
  private id: string | null = null;

  /** No line and no block's data may be longer than `lengthMax` characters. */
  constructor(private readonly lengthMax = LENGTH_MAX) {}

  /** The blocks that end in this chunk. Throws a `RangeError` when something is too long. */
  push(chunk: Uint8Array): readonly SseBlock[] {
    const decoded = this.decoder.decode(chunk, { stream: true });
    if (decoded === "") return [];
    const text = this.afterReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    this.afterReturn = decoded.endsWith("\r");
    const blocks: SseBlock[] = [];
    let start = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      const block = this.takeLine(this.line + text.slice(start, index));
      if (block) blocks.push(block);
      this.line = "";
      start = index + end.length;
    }
    this.line += text.slice(start);
    this.check(this.line.length);
    return blocks;
  }

  private takeLine(line: string): SseBlock | null {
    this.check(line.length);
    if (line === "") return this.takeBlock();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const name = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (name === "data") {
      this.data = this.data === null ? value : `${this.data}\n${value}`;
      this.check(this.data.length);
    } else if (name === "event") this.event = value;
    else if (name === "id" && !value.includes("\0")) this.id = value;
    return null;
  }

  private takeBlock(): SseBlock | null {
    const block = { event: this.event, data: this.data, id: this.id };
    this.event = "";
    this.data = null;
    this.id = null;
    return block.event === "" && block.data === null && block.id === null ? null : block;
  }

  private check(length: number): void {
    if (length > this.lengthMax) throw new RangeError(`longer than ${this.lengthMax} characters`);
  }
}
