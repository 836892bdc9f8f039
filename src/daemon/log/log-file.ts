import { copyFileSync, fstatSync, ftruncateSync, statSync } from "node:fs";
import { Writable } from "node:stream";

/** A daemon may run for months. */
const LOG_SIZE_BYTES_MAX = 8 * 1024 * 1024;

export interface LogFileOptions {
  /** Where the log is, if whoever started us has put it there. */
  readonly path: string;
  /** What `stream` writes to. */
  readonly fd: number;
  readonly stream: Writable;
  readonly sizeBytesMax?: number;
}

/** The stream, but for one that goes to the log file: that is kept from growing beyond its bound, and one older beside it. */
export function boundedLog(options: LogFileOptions): Writable {
  const { path, fd, stream, sizeBytesMax = LOG_SIZE_BYTES_MAX } = options;
  if (!isSame(fd, path)) return stream;
  let sizeBytes = fstatSync(fd).size;
  return new Writable({
    write(line: Buffer, _encoding, done) {
      if (sizeBytes + line.length > sizeBytesMax) {
        beginAnew(path, fd);
        sizeBytes = 0;
      }
      sizeBytes += line.length;
      stream.write(line);
      // A file is written to at once. Nothing may wait here: what is said last is said right before the end.
      done();
    },
  });
}

/** The file stays the same, because others have it open too. */
function beginAnew(path: string, fd: number): void {
  try {
    copyFileSync(path, `${path}.old`);
  } catch {
    // The disk may be full. A log that takes no more room is worth more than its older lines.
  }
  ftruncateSync(fd, 0);
}

function isSame(fd: number, path: string): boolean {
  const [open, named] = [fstatSync(fd), statSync(path, { throwIfNoEntry: false })];
  return open.isFile() && open.dev === named?.dev && open.ino === named.ino;
}
