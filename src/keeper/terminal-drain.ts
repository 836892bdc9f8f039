/**
 * Takes back what was written to a terminal and nobody has read. Node has no `tcflush`; but whoever opens a terminal may
 * read from it, as long as it is not their own controlling terminal, which job control would keep them from.
 */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { ReadStream } from "node:tty";

const PIECE_BYTES = 64 * 1024;
/** The system hands on what was written in pieces, each after the one before was read. */
const ROUNDS = 2;
/** A terminal that was hung up gives nothing for ever; one in line mode gives nothing for each Ctrl-D. */
const EMPTY_READS_MAX = 64;

export class TerminalDrain {
  /** Opened before anything is written, so that nothing can fail when it must not. Throws when it cannot be opened. */
  static open(path: string): TerminalDrain {
    const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    try {
      return new TerminalDrain(fd, new ReadStream(fd));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** The stream is never read from: it only knows how to change the terminal's mode. */
  private constructor(
    private readonly fd: number,
    private readonly stream: ReadStream,
  ) {
    // Only a terminal that was hung up has no mode to change, and nothing to be read.
    stream.on("error", () => undefined);
  }

  /** Everything, also the beginning of a line that a terminal in line mode would keep back until its end. */
  takeAll(): Buffer {
    this.stream.setRawMode(true);
    try {
      return this.takeReadable();
    } finally {
      this.stream.setRawMode(false);
    }
  }

  /** What a program could read now, without a moment in which the terminal is in another mode. */
  takeReadable(): Buffer {
    const pieces: Buffer[] = [];
    for (let round = 0; round < ROUNDS; round += 1) this.readInto(pieces);
    return Buffer.concat(pieces);
  }

  close(): void {
    this.stream.destroy();
    // The stream has a number of its own for the same terminal.
    closeSync(this.fd);
  }

  private readInto(pieces: Buffer[]): void {
    for (let empty = 0; empty < EMPTY_READS_MAX;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const length = this.readPiece(piece);
      if (length === null) return;
      if (length === 0) empty += 1;
      else pieces.push(piece.subarray(0, length));
    }
  }

  /** Null: there is nothing more, or the terminal is gone, and what it held with it. */
  private readPiece(piece: Buffer): number | null {
    try {
      return readSync(this.fd, piece);
    } catch (error) {
      if (error instanceof Error && "code" in error) return null;
      throw error;
    }
  }
}
