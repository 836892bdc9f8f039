/** What is done to a journal while no daemon has it: by a program of the daemon's, never by this one. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CommandFailure } from "./command.js";
import { EXIT } from "./exit-codes.js";
import { clipped } from "./plain-text.js";

const PROGRAM = fileURLToPath(new URL("../daemon/maintain.js", import.meta.url));
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Rejects with what it refuses, and what to do about it. */
export async function maintain<T>(
  action: "restore" | "repair" | "check",
  dataDir: string,
  args: readonly string[] = [],
): Promise<T> {
  const { stdout, stderr } = await output([PROGRAM, action, "--data-dir", dataDir, ...args]);
  const said = parse(stdout);
  if (said === null)
    throw new CommandFailure(
      `${action} ended without an answer: ${clipped(stderr, 500)}`,
      "Nothing was changed.",
      EXIT.failure,
    );
  if ("error" in said && typeof said.error === "string")
    throw new CommandFailure(
      clipped(said.error, 1_000),
      "remedy" in said && typeof said.remedy === "string" ? said.remedy : "Nothing was changed.",
      EXIT.refused,
    );
  return said as T;
}

function output(args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { maxBuffer: OUTPUT_BYTES_MAX }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

export interface Rebuilt {
  readonly sessions: number;
  readonly entries: number;
  readonly messages: number;
  readonly lostEntries: number;
  readonly isMoreLost: boolean;
  readonly problems: readonly string[];
  readonly kept: string;
  readonly workspaces: {
    readonly workspaces: number;
    readonly added: number;
    readonly problems: readonly string[];
    readonly kept: string | null;
  };
}

export function describeRebuilt({
  sessions,
  entries,
  messages,
  lostEntries,
  isMoreLost,
  problems,
  kept,
  workspaces,
}: Rebuilt): string {
  const lines = [
    `${sessions} sessions, ${entries} entries, ${messages} messages; sessions that ran are paused`,
    ...(isMoreLost ? ["entries could not be read; how many is not known"] : []),
    ...(lostEntries === 0 || isMoreLost ? [] : [`${lostEntries} entries could not be read`]),
    ...problems.map((problem) => `damaged: ${clipped(problem, 300)}`),
    `the journal that was there is kept as ${kept}`,
    ...(workspaces.added === 0
      ? []
      : [`${workspaces.added} workspaces came from it, beside those that were known`]),
    ...workspaces.problems.map((problem) => `damaged: ${clipped(problem, 300)}`),
    ...(workspaces.kept === null ? [] : [`what was kept of workspaces is kept as ${workspaces.kept}`]),
  ];
  return `${lines.join("\n")}\n`;
}
