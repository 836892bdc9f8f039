/** Notices that nobody reads stdout any more (`| head -1`) also while nothing is written to it. */
import { closeSync, constants, fstatSync, openSync, readlinkSync, writeSync } from "node:fs";
import { Socket } from "node:net";

const STDOUT = 1;
const STDOUT_PATH = "/dev/fd/1";
const CHECK_DELAY_MS = 1_000;

/**
 * Calls once, when the reader of the pipe is gone; it keeps no process alive. Of other outputs than a pipe without a name
 * nothing is told: a named one may get another reader, and of a socket one direction may be closed from the beginning.
 * What is not noticed here is noticed by the next write.
 */
export function watchReader(onGone: () => void): void {
  try {
    if (process.platform === "linux") pollPipe(onGone);
    else if (fstatSync(STDOUT).isFIFO()) checkPipe(onGone);
  } catch {
    // No /proc, or another Node: the next write tells.
  }
}

/** Linux tells whoever polls the writing end; libuv polls what it takes for a socket, and reading that fails then. */
function pollPipe(onGone: () => void): void {
  if (!readlinkSync(STDOUT_PATH).startsWith("pipe:")) return;
  // Opened anew: libuv has room for one owner of each descriptor, and that of stdout is `process.stdout`.
  const fd = openSync(STDOUT_PATH, constants.O_WRONLY | constants.O_NONBLOCK);
  const handle = streamHandle();
  if (handle?.open(fd) !== 0) {
    closeSync(fd);
    return;
  }
  const socket = new Socket({ handle, readable: true, writable: false } as object);
  socket.on("error", onGone).resume().unref();
}

interface StreamHandle {
  /** Zero, or the number of an error. */
  open(fd: number): number;
}

/** Nothing that is documented polls a descriptor that is open for writing only. */
function streamHandle(): StreamHandle | null {
  const { binding } = process as { binding?: (name: "tcp_wrap") => TcpWrap };
  if (binding === undefined) return null;
  const { TCP, constants: kinds } = binding("tcp_wrap");
  return new TCP(kinds.SOCKET);
}

interface TcpWrap {
  readonly TCP: new (kind: number) => StreamHandle;
  readonly constants: { readonly SOCKET: number };
}

/** Elsewhere even an empty write fails when nobody could read it. On Linux it does not. */
function checkPipe(onGone: () => void): void {
  const timer = setInterval(() => {
    try {
      writeSync(STDOUT, "");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) return;
      clearInterval(timer);
      onGone();
    }
  }, CHECK_DELAY_MS);
  timer.unref();
}
