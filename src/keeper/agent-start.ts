/** How an agent is started in the place of the person who started the daemon: with their umask, and with their limits. */
import { readFileSync } from "node:fs";
import { openFilesIn } from "../protocol/open-files.js";
import { isExecutable, type SpawnSpec } from "./agent-process.js";

/** Sets a limit and then becomes the program; part of util-linux. Other systems have no such program, and keep ours. */
const LIMITER = "/usr/bin/prlimit";

/** That of the keeper when it was started: for daemons that do not say. */
let inheritedUmask = 0o022;

/** From now on only we can read what the keeper creates, whoever started it. */
export function makeFilesPrivate(): void {
  inheritedUmask = process.umask(0o077);
}

/**
 * Starts a process with the umask of its request. A umask is the whole process's: `start` must fork before it returns.
 * What other threads create meanwhile has a mode of its own, which no umask widens.
 */
export function withUmask<T>({ umask = inheritedUmask }: Pick<SpawnSpec, "umask">, start: () => T): T {
  const ours = process.umask(umask);
  try {
    return start();
  } finally {
    process.umask(ours);
  }
}

/** Node has raised the soft limit of open files in itself; children inherit that, unless it is lowered for them. */
export function commandLine({ command, args, openFilesMax }: SpawnSpec): {
  readonly command: string;
  readonly args: string[];
} {
  if (openFilesMax === undefined || !isExecutable(LIMITER) || openFilesMax >= ownLimit())
    return { command, args };
  return { command: LIMITER, args: [`--nofile=${openFilesMax}:`, "--", command, ...args] };
}

/** A limit cannot be raised beyond ours, which is as high as it may be. */
function ownLimit(): number {
  return openFilesIn(readFileSync("/proc/self/limits", "utf8")) ?? Infinity;
}
