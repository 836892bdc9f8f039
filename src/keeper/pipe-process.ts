import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import type { RunExit } from "../protocol/keeper.js";
import {
  type AgentProcess,
  type AgentProcessOwner,
  checkCommand,
  checkFolder,
  commandMissing,
  SpawnFailure,
  type SpawnSpec,
} from "./agent-process.js";
import { commandLine, withUmask } from "./agent-start.js";

/** Rejects with `SpawnFailure`. */
export async function startPipeProcess(spec: SpawnSpec, owner: AgentProcessOwner): Promise<AgentProcess> {
  checkFolder(spec.cwd);
  if (spec.openFilesMax !== undefined) checkCommand(spec);
  const child = spawnChild(spec);
  if (child.pid !== undefined) return new PipeProcess(child, child.pid, owner);
  return await new Promise((_resolve, reject) => {
    child.once("error", (error) => reject(explain(error, spec)));
  });
}

function spawnChild(spec: SpawnSpec): ChildProcessWithoutNullStreams {
  const { cwd, env } = spec;
  const { command, args } = commandLine(spec);
  try {
    // Detached: a session and a process group of its own.
    return withUmask(spec, () => spawn(command, args, { cwd, env, detached: true, stdio: "pipe" }));
  } catch (error) {
    throw error instanceof Error ? explain(error, spec) : error;
  }
}

function explain(error: Error, { command }: Pick<SpawnSpec, "command">): SpawnFailure {
  const code = "code" in error ? error.code : undefined;
  if (code === "ENOENT") return commandMissing(command);
  if (code === "EACCES") return new SpawnFailure(`The command ${command} may not be run.`);
  return new SpawnFailure(`The command ${command} could not be started: ${error.message}`);
}

class PipeProcess implements AgentProcess {
  readonly terminal = null;
  private exit: RunExit = { code: null, signal: null };

  constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    readonly pid: number,
    owner: AgentProcessOwner,
  ) {
    child.stdout.on("readable", () => owner.outputReadable());
    child.stderr.on("readable", () => owner.stderrReadable());
    // A broken pipe is the other side's end, which is also told by `exit` and `close`.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", ignore);
    child.on("exit", (code, signal) => {
      this.exit = { code, signal };
      owner.leaderExited();
    });
    child.on("close", () => owner.outputEnded(this.exit));
  }

  get queuedInputBytes(): number {
    return this.child.stdin.writableLength;
  }

  write(data: Buffer): boolean {
    if (!this.child.stdin.writable) return false;
    this.child.stdin.write(data);
    return true;
  }

  closeInput(): void {
    this.child.stdin.end();
  }

  discardInput(): Buffer {
    // What a pipe was given is on its way.
    return Buffer.alloc(0);
  }

  resize(): void {
    // Pipes have no size.
  }

  readOutput(): Buffer | null {
    return this.child.stdout.read() as Buffer | null;
  }

  readStderr(): Buffer | null {
    return this.child.stderr.read() as Buffer | null;
  }

  abandonOutput(): void {
    this.child.stdin.destroy();
    this.child.stdout.destroy();
    this.child.stderr.destroy();
  }
}

function ignore(): void {
  // Shared by all runs; see where it is used.
}
