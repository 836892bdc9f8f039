/**
 * An agent with a terminal. `node-pty` starts it; reading and writing are done here, because its own ways lose or block:
 * it writes in a busy loop until the agent has read, and it closes the terminal 200 ms after the agent's end, whether or
 * not everything was read.
 */
import { writeSync } from "node:fs";
import { constants } from "node:os";
import { ReadStream } from "node:tty";
import type { IPty } from "@lydell/node-pty";
import type { RunExit } from "../protocol/keeper.js";
import {
  type AgentProcess,
  type AgentProcessOwner,
  checkCommand,
  checkFolder,
  SpawnFailure,
  type SpawnSpec,
} from "./agent-process.js";
import { commandLine, withUmask } from "./agent-start.js";

const INPUT_RETRY_AFTER_MS = 10;
/** No more at once, so that a long input does not hold up other runs. */
const INPUT_PIECE_BYTES_MAX = 64 * 1024;
/** The key for the end of input. */
const END_OF_INPUT = Buffer.from([0x04]);

/** Rejects with `SpawnFailure`. */
export async function startPtyProcess(
  spec: SpawnSpec,
  size: { readonly cols: number; readonly rows: number },
  owner: AgentProcessOwner,
): Promise<AgentProcess> {
  checkFolder(spec.cwd);
  checkCommand(spec);
  // Loaded only now: most keepers never need it.
  const { spawn } = await import("@lydell/node-pty");
  const { cwd, env } = spec;
  const { command, args } = commandLine(spec);
  const options = { ...size, cwd, env, name: "xterm-256color", encoding: null };
  try {
    const pty = withUmask(spec, () => spawn(command, args, options));
    return new PtyProcess(pty, owner);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SpawnFailure(`The command ${spec.command} could not be started: ${why}`);
  }
}

class PtyProcess implements AgentProcess {
  readonly pid: number;
  readonly terminal: string;
  queuedInputBytes = 0;
  private readonly queue: Buffer[] = [];
  private inputTimer: NodeJS.Timeout | null = null;
  private readonly socket: ReadStream;
  private readonly fd: number;
  private abandoned = false;

  constructor(
    private readonly pty: IPty,
    owner: AgentProcessOwner,
  ) {
    this.pid = pty.pid;
    ({ fd: this.fd, socket: this.socket, ptsName: this.terminal } = insidesOf(pty));
    this.holdOpen(owner);
    this.socket.on("readable", () => owner.outputReadable());
    // On Linux the end of a terminal is an error, which also closes it.
    this.socket.on("error", () => undefined);
    pty.onExit(({ exitCode, signal }) => {
      this.dropInput();
      owner.leaderExited();
      owner.outputEnded(exitOf(exitCode, signal));
    });
  }

  write(data: Buffer): boolean {
    if (this.socket.destroyed) return false;
    this.queue.push(data);
    this.queuedInputBytes += data.length;
    if (this.inputTimer === null) this.sendInput();
    return true;
  }

  closeInput(): void {
    this.write(END_OF_INPUT);
  }

  discardInput(): Buffer {
    const discarded = Buffer.concat(this.queue);
    this.dropInput();
    return discarded;
  }

  resize(cols: number, rows: number): void {
    if (this.socket.destroyed) return;
    try {
      this.pty.resize(cols, rows);
    } catch {
      // The terminal is going, and its end will be told.
    }
  }

  readOutput(): Buffer | null {
    return this.socket.read() as Buffer | null;
  }

  readStderr(): null {
    return null;
  }

  abandonOutput(): void {
    this.abandoned = true;
    this.socket.destroy();
  }

  /** `node-pty` wants to close what may not be read yet: that only tells us that the agent is dead. */
  private holdOpen(owner: AgentProcessOwner): void {
    const { socket } = this;
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error?: Error) => {
      if (error !== undefined || socket.readableEnded || this.abandoned) return destroy(error);
      owner.leaderExited();
      return socket;
    };
  }

  /** The terminal is in non-blocking mode, and closed only by this same thread: the number is still its own. */
  private sendInput(): void {
    this.inputTimer = null;
    if (this.socket.destroyed) {
      this.dropInput();
      return;
    }
    const first = this.queue[0];
    if (first === undefined) return;
    const written = this.writePiece(first);
    if (written === null) {
      this.dropInput();
      return;
    }
    this.queuedInputBytes -= written;
    if (written < first.length) this.queue[0] = first.subarray(written);
    else this.queue.shift();
    if (this.queue.length === 0) return;
    this.inputTimer = setTimeout(() => this.sendInput(), written > 0 ? 0 : INPUT_RETRY_AFTER_MS);
  }

  /** How many bytes the terminal took; null when it takes none any more. */
  private writePiece(data: Buffer): number | null {
    try {
      return writeSync(this.fd, data, 0, Math.min(data.length, INPUT_PIECE_BYTES_MAX));
    } catch (error) {
      return error instanceof Error && "code" in error && error.code === "EAGAIN" ? 0 : null;
    }
  }

  private dropInput(): void {
    this.queue.length = 0;
    this.queuedInputBytes = 0;
    if (this.inputTimer !== null) clearTimeout(this.inputTimer);
    this.inputTimer = null;
  }
}

/** What `node-pty` has but does not declare. Its version is fixed by the lock file, and this says so if it changes. */
function insidesOf(pty: IPty): {
  readonly fd: number;
  readonly socket: ReadStream;
  readonly ptsName: string;
} {
  const insides = pty as { readonly fd?: unknown; readonly _socket?: unknown; readonly ptsName?: unknown };
  const { fd, _socket: socket, ptsName } = insides;
  if (typeof fd !== "number" || !(socket instanceof ReadStream) || typeof ptsName !== "string") {
    throw new Error("this version of node-pty has other insides");
  }
  return { fd, socket, ptsName };
}

function exitOf(exitCode: number, signal: number | undefined): RunExit {
  if (signal === undefined || signal === 0) return { code: exitCode, signal: null };
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return { code: null, signal: name ?? String(signal) };
}
