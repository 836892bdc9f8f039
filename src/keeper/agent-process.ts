import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { KeeperRequest, RunExit } from "../protocol/keeper.js";

export type SpawnSpec = Extract<KeeperRequest, { readonly type: "spawn" }>;

/** An agent with pipes or a terminal, as its run sees it. */
export interface AgentProcess {
  /** It leads a process group of that number. */
  readonly pid: number;
  /** Input that the agent has not read yet. */
  readonly queuedInputBytes: number;
  /** False: the agent no longer reads input. */
  write(data: Buffer): boolean;
  closeInput(): void;
  /** Takes back what the agent was not given yet. */
  discardInput(): Buffer;
  /** Where its terminal is; null: it has pipes. */
  readonly terminal: string | null;
  /** Does nothing without a terminal. */
  resize(cols: number, rows: number): void;
  /** What it printed since; null: nothing yet. While nobody reads, the agent waits. */
  readOutput(): Buffer | null;
  readStderr(): Buffer | null;
  /** Waits no longer for others who hold the agent's pipes or terminal. */
  abandonOutput(): void;
}

export interface AgentProcessOwner {
  outputReadable(): void;
  stderrReadable(): void;
  /** The agent is dead; others may still hold its pipes. */
  leaderExited(): void;
  /** All that it printed was read, and nothing more can come. */
  outputEnded(exit: RunExit): void;
}

/** Why a run could not be started, for a person. */
export class SpawnFailure extends Error {
  override readonly name = "SpawnFailure";
  constructor(
    message: string,
    readonly code: "spawn_failed" | "disk_full" = "spawn_failed",
  ) {
    super(message);
  }
}

export function checkFolder(cwd: string): void {
  const found = isAbsolute(cwd) ? statSync(cwd, { throwIfNoEntry: false }) : undefined;
  if (found === undefined) throw new SpawnFailure(`The folder ${cwd} does not exist.`);
  if (!found.isDirectory()) throw new SpawnFailure(`${cwd} is not a folder.`);
}

/** A terminal's process is forked before its program is looked for: only looking first gives a clear answer. */
export function checkCommand({ command, cwd, env }: SpawnSpec): void {
  const folders = command.includes("/") ? [cwd] : (env["PATH"] ?? "/usr/bin:/bin").split(":");
  const found = folders
    .map((folder) => (isAbsolute(command) ? command : join(folder === "" ? cwd : folder, command)))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  if (found.length === 0) throw commandMissing(command);
  if (!found.some(isExecutable)) throw new SpawnFailure(`The command ${command} may not be run.`);
}

export function commandMissing(command: string): SpawnFailure {
  return new SpawnFailure(`The command ${command} was not found.`);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
