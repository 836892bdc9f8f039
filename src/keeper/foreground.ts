/** Who is in the foreground of a terminal. Node cannot ask the terminal itself; the system lists it for each process. */
import { execFile } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import type { Foreground } from "../protocol/keeper.js";
import { childrenOf, isForbidden, type OwnProcess, readText } from "./own-process.js";
import { isGone, readProcess, readStartMark, startMarkOf } from "./process-table.js";

type Program = Foreground["programs"][number];

/** A launcher that started a launcher that started the program: deeper than this nobody hides. */
const PROGRAMS_MAX = 4;
/** One that has started more children than this is no launcher. */
const CHILDREN_MAX = 8;
const COMMAND_LINE_BYTES_MAX = 4 * 1024;
const ARGS_MAX = 16;
const WORD_LENGTH_MAX = 512;

/**
 * Null: it has no terminal any more, or the system does not say. The agent's own process is told by the pid of the run,
 * whether or not there is a wall between the two.
 */
export async function readForeground(own: OwnProcess): Promise<Foreground | null> {
  const { leaderPid } = own;
  if (process.platform !== "linux") return await askPs(leaderPid);
  const agent = own.read();
  const group = agent?.foregroundGroup ?? 0;
  if (agent === null || group <= 0) return null;
  const isOwn = group === agent.group;
  // Of a wall itself there is nothing to tell.
  if (!isOwn && group === leaderPid) return null;
  const pid = isOwn ? leaderPid : group;
  const programs = programsFrom(isOwn ? agent.pid : memberOf(group, agent.pid), group);
  if (programs.length === 0) return null;
  const first = readProcess(pid);
  return { pid, programs, ...(first === null ? {} : { start: startMarkOf(first) }) };
}

/** The group's leader, or, when that has ended before the others, the first of them that the terminal's shell started. */
function memberOf(group: number, shellPid: number): number {
  if (readProcess(group) !== null) return group;
  return childrenIn(group, shellPid)[0] ?? group;
}

function programsFrom(first: number, group: number): Program[] {
  const programs: Program[] = [];
  for (let pid: number | undefined = first; pid !== undefined && programs.length < PROGRAMS_MAX;) {
    const program = readProgram(pid);
    if (program === null) break;
    programs.push(program);
    const children = childrenIn(group, pid);
    pid = children.length === 1 ? children[0] : undefined;
  }
  return programs;
}

/** Those children of a process that are in the group. */
export function childrenIn(group: number, parent: number): readonly number[] {
  const children = childrenOf(parent);
  if (children.length > CHILDREN_MAX) return [];
  return children.filter((pid) => readProcess(pid)?.group === group);
}

function readProgram(pid: number): Program | null {
  const line = readHead(`/proc/${pid}/cmdline`);
  const [command = "", ...args] = (line ?? "").split("\0");
  if (command !== "") return cut(command, args);
  const name = readText(`/proc/${pid}/comm`)?.trim();
  return name ? cut(name, []) : null;
}

function cut(command: string, args: readonly string[]): Program {
  const last = args.at(-1) === "" ? args.slice(0, -1) : args;
  return { command: short(command), args: last.slice(0, ARGS_MAX).map(short) };
}

function short(word: string): string {
  return word.slice(0, WORD_LENGTH_MAX);
}

/** The beginning of a file of any length. */
function readHead(path: string): string | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    if (isGone(error) || isForbidden(error)) return null;
    throw error;
  }
  try {
    const head = Buffer.allocUnsafe(COMMAND_LINE_BYTES_MAX);
    return head.toString("utf8", 0, readSync(fd, head));
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** macOS: the leader's terminal first, then its foreground's leader. Words cannot be told apart there, but by spaces. */
async function askPs(leaderPid: number): Promise<Foreground | null> {
  const group = Number(await ps(["-o", "tpgid=", "-p", String(leaderPid)]));
  if (!(group > 0)) return null;
  const [command = "", ...args] = (await ps(["-o", "args=", "-p", String(group)])).split(/\s+/);
  if (command === "") return null;
  const start = await readStartMark(group);
  return { pid: group, programs: [cut(command, args)], ...(start === "" ? {} : { start }) };
}

async function ps(args: readonly string[]): Promise<string> {
  return await new Promise((resolve) => {
    // It fails when there is no such process: then it says nothing.
    execFile("ps", args, { maxBuffer: 1024 * 1024 }, (_error, stdout) => resolve(stdout.trim()));
  });
}
