const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const CHARACTER_BYTES_MAX = 4;
/** A longer sequence is left out: whoever joins in the middle of it sees a part of it as text, once. */
const TAIL_BYTES_MAX = 64 * 1024;
const NONE = Buffer.alloc(0);

/** `osc` ends with a bell too; `string` is any other that ends only with ESC \. */
type Place = "text" | "escape" | "escape_more" | "csi" | "osc" | "string" | "character";

/**
 * Knows the bytes at the end of a terminal's output that begin an escape sequence, or a character of several bytes, and
 * do not end it. An emulator has not acted on them, so they are not on its screen: whoever gets that screen needs them
 * before the bytes that follow.
 *
 * Follows the state machine of DEC's terminals, as xterm.js does; control codes of eight bits are not known here.
 */
export class UnfinishedTail {
  bytes: Buffer = NONE;
  private place: Place = "text";
  /** Of the character, while in one. */
  private bytesLeft = 0;

  push(chunk: Buffer): void {
    let start: number | null = null;
    // Whatever was unfinished before it, an escape code breaks it off: only what follows the last one matters.
    for (let index = Math.max(0, chunk.lastIndexOf(ESC)); index < chunk.length; index += 1) {
      if (this.place === "text") index = skipText(chunk, index);
      const byte = chunk[index] ?? 0;
      const next = this.after(byte);
      if (next !== "text" && this.begins(byte, next)) start = index;
      this.place = next;
    }
    this.bytes = this.place === "text" ? NONE : this.longer(chunk, start);
  }

  private longer(chunk: Buffer, start: number | null): Buffer {
    if (start !== null) return Buffer.from(chunk.subarray(start));
    const isWhole = this.bytes.length > 0 && this.bytes.length + chunk.length <= TAIL_BYTES_MAX;
    return isWhole ? Buffer.concat([this.bytes, chunk]) : NONE;
  }

  private begins(byte: number, next: Place): boolean {
    return this.place === "text" || byte === ESC || (next === "character" && isLead(byte));
  }

  private after(byte: number): Place {
    if (byte === ESC) return "escape";
    if (byte === CAN || byte === SUB) return "text";
    switch (this.place) {
      case "text":
        return this.inText(byte);
      case "character":
        return this.inCharacter(byte);
      case "escape":
        return afterEscape(byte);
      case "escape_more":
        return byte >= 0x30 && byte !== 0x7f ? "text" : "escape_more";
      case "csi":
        return byte >= 0x40 && byte !== 0x7f ? "text" : "csi";
      case "osc":
        return byte === BEL ? "text" : "osc";
      case "string":
        return "string";
    }
  }

  private inText(byte: number): Place {
    this.bytesLeft = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    return isLead(byte) ? "character" : "text";
  }

  private inCharacter(byte: number): Place {
    if (byte < 0x80 || byte > 0xbf) return this.inText(byte);
    this.bytesLeft -= 1;
    return this.bytesLeft === 0 ? "text" : "character";
  }
}

/** Where text ends, or can end in the middle of a character: most output is text, and is not looked at byte by byte. */
function skipText(chunk: Buffer, from: number): number {
  const escape = chunk.indexOf(ESC, from);
  return escape >= 0 ? escape : Math.max(from, chunk.length - CHARACTER_BYTES_MAX);
}

/** The first byte of a character of several. */
function isLead(byte: number): boolean {
  return byte >= 0xc2 && byte <= 0xf4;
}

function afterEscape(byte: number): Place {
  // Control codes in the middle act at once, and the sequence goes on.
  if (byte < 0x20 || byte === 0x7f) return "escape";
  if (byte < 0x30) return "escape_more";
  switch (String.fromCharCode(byte)) {
    case "[":
      return "csi";
    case "]":
      return "osc";
    case "P":
    case "X":
    case "^":
    case "_":
      return "string";
    default:
      return "text";
  }
}
