import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { FailedStart } from "../protocol/daemon-program.js";
import { DEFAULT_PORT } from "../protocol/default-port.js";
import { openFilesIn } from "../protocol/open-files.js";
import { CommandFailure, UsageError } from "./command.js";
import { setVariable, unusableFolder } from "./data-folder.js";
import { readDaemonFiles } from "./daemon-files.js";
import { findDaemon, type RunningDaemon } from "./daemon-process.js";
import { EXIT } from "./exit-codes.js";
import { clipped, plainText } from "./plain-text.js";

/** Garbage is collected early: most of what a thousand idle sessions cost is garbage. */
export const NODE_FLAGS = ["--max-semi-space-size=4"];

export const DAEMON_PROGRAM = fileURLToPath(new URL("../daemon/main.js", import.meta.url));

const READY_TIMEOUT_MS = 30_000;
/** How long to wait for the daemon that another command is just starting. */
const OTHER_TIMEOUT_MS = 10_000;
const POLL_DELAY_MS = 100;
/** What a daemon says when another one holds its journal. */
const OTHER_DAEMON = "is open in another process";
const READY_LINE_LENGTH_MAX = 64 * 1024;
const LOG_SIZE_BYTES_MAX = 8 * 1024 * 1024;
const LOG_TAIL_BYTES = 4 * 1024;
const LOG_TAIL_LINES = 10;

/** The options that `up` hands on. */
export interface DaemonOptions {
  readonly port?: string;
  readonly host?: string;
  readonly "allowed-host"?: readonly string[];
  readonly "tls-cert"?: string;
  readonly "tls-key"?: string;
  readonly "behind-proxy"?: boolean;
  readonly "retention-days"?: string;
  readonly "log-level"?: string;
  readonly "log-payloads"?: boolean;
  readonly "log-to-file"?: boolean;
}

type NamedOption = "host" | "tls-cert" | "tls-key" | "retention-days" | "log-level";

/** The daemon's command line, but for its data folder. */
export function daemonArguments(options: DaemonOptions): readonly string[] {
  const named = options.port ?? setVariable(process.env, "SIGNALBOX_PORT");
  const port = named ?? String(DEFAULT_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`not a port: ${port}`, "A port is a number up to 65535; 0 picks a free one.");
  }
  const given = (name: NamedOption, value = options[name]) =>
    value === undefined ? [] : [`--${name}`, value];
  const path = (name: "tls-cert" | "tls-key") =>
    given(name, options[name] === undefined ? undefined : resolve(options[name]));
  const flag = (name: "behind-proxy" | "log-payloads" | "log-to-file") =>
    options[name] === true ? [`--${name}`] : [];
  return [
    ...["--port", port],
    // Whoever did not choose it is served at any other as well, as with a second data folder.
    ...(named === undefined ? ["--or-free-port"] : []),
    ...given("host"),
    ...(options["allowed-host"] ?? []).flatMap((name) => ["--allowed-host", name]),
    ...path("tls-cert"),
    ...path("tls-key"),
    ...flag("behind-proxy"),
    ...given("retention-days"),
    ...given("log-level"),
    ...flag("log-payloads"),
    ...flag("log-to-file"),
  ];
}

/**
 * The whole command line. With the limit of open files that the person set: Node has raised ours, but it is still in force
 * in the shell that started us.
 */
export function completeArguments(dataDir: string, args: readonly string[]): readonly string[] {
  const limit = limitOf(process.ppid);
  const openFiles = limit === null ? [] : ["--open-files", String(limit)];
  return ["--data-dir", dataDir, ...args, ...openFiles];
}

/** Null: the system does not say. */
export function limitOf(pid: number | "self"): number | null {
  try {
    return openFilesIn(readFileSync(`/proc/${pid}/limits`, "utf8"));
  } catch {
    // Not Linux, or that process is gone: agents get the limit that Node has.
    return null;
  }
}

/** Starts a daemon that outlives this process, and waits until it is ready. */
export async function startDaemon(
  dataDir: string,
  args: readonly string[],
  program = DAEMON_PROGRAM,
): Promise<RunningDaemon> {
  const log = openLog(dataDir);
  try {
    const child = spawn(process.execPath, [...NODE_FLAGS, program, ...completeArguments(dataDir, args)], {
      detached: true,
      cwd: dataDir,
      stdio: ["ignore", "pipe", log.fd],
    });
    const line = await lastLine(child);
    child.unref();
    child.stdout?.destroy();
    const daemon = line === null ? null : parseReady(line, dataDir);
    if (daemon) {
      if (args.includes("--or-free-port")) tellOtherPort(daemon);
      return daemon;
    }
    // It may hang, or be something else: nobody could end it later.
    child.kill("SIGTERM");
    const failed = line === null ? null : parseFailed(line);
    if (line !== null && failed === null) throw strangeLine(line, dataDir);
    return await afterFailure(dataDir, failed, readTail(log));
  } finally {
    closeSync(log.fd);
  }
}

/** Two data folders have a daemon each, and only one of them has the usual port. */
function tellOtherPort({ url }: RunningDaemon): void {
  const { port } = new URL(url);
  if (port === String(DEFAULT_PORT)) return;
  process.stderr.write(
    `signalbox: port ${DEFAULT_PORT} is another program's; this daemon has ${port}, and --port of signalbox up sets one\n`,
  );
}

/** The line by which the daemon says how its start went; null when it ended before, or said nothing for too long. */
async function lastLine(child: ChildProcess): Promise<string | null> {
  const abort = new AbortController();
  const { signal } = abort;
  const exited = once(child, "exit", { signal }).then(() => null);
  const lines = linesOf(child);
  try {
    for (;;) {
      const line = await Promise.race([lines(), exited, delay(READY_TIMEOUT_MS, null, { signal })]);
      const why = line === null ? undefined : parseObject(line).waiting;
      if (typeof why !== "string") return line ?? lines.left();
      process.stderr.write(`signalbox: ${plainText(why)}\n`);
    }
  } finally {
    abort.abort();
  }
}

/** One after the other. Never resolves when there is none; `left` is one that nobody waited for. */
function linesOf(child: ChildProcess): (() => Promise<string>) & { readonly left: () => string | null } {
  let text = "";
  let wake = (): void => undefined;
  child.stdout?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(0, READY_LINE_LENGTH_MAX);
    wake();
  });
  const left = (): string | null => {
    const end = text.indexOf("\n");
    if (end < 0) return null;
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    return line;
  };
  const next = async (): Promise<string> => {
    for (let line = left(); ; line = left()) {
      if (line !== null) return line;
      await new Promise<void>((resolveLine) => {
        wake = resolveLine;
      });
    }
  };
  return Object.assign(next, { left });
}

/** What the daemon says when it is ready; null when that is something else. */
function parseReady(line: string, dataDir: string): RunningDaemon | null {
  const { url, token, pid } = parseObject(line);
  if (typeof url === "string" && typeof token === "string" && typeof pid === "number") {
    return { url, token, pid, dataDir };
  }
  return null;
}

function strangeLine(line: string, dataDir: string): CommandFailure {
  return new CommandFailure(
    `the daemon said something strange: ${clipped(line, 200)}`,
    `Its log is ${logPath(dataDir)}.`,
    EXIT.unavailable,
  );
}

function parseFailed(line: string): FailedStart | null {
  const { failed } = parseObject(line);
  if (typeof failed !== "object" || failed === null || !("message" in failed) || !("hint" in failed))
    return null;
  const { message, hint } = failed;
  return typeof message === "string" && typeof hint === "string" ? { message, hint } : null;
}

function parseObject(line: string): Partial<Record<"url" | "token" | "pid" | "failed" | "waiting", unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Another command may have started a daemon at the same time: then that one holds the journal's lock, and serves. */
async function afterFailure(
  dataDir: string,
  failed: FailedStart | null,
  tail: string,
): Promise<RunningDaemon> {
  const isOther = (failed?.message ?? tail).includes(OTHER_DAEMON);
  const untilMs = Date.now() + (isOther ? OTHER_TIMEOUT_MS : 0);
  for (;;) {
    const found = await findDaemon(dataDir);
    if (found) return found;
    if (Date.now() >= untilMs) break;
    await delay(POLL_DELAY_MS);
  }
  if (isOther) throw otherDaemon(dataDir);
  if (failed) {
    const message = `the daemon did not start: ${plainText(failed.message)}`;
    throw new CommandFailure(message, plainText(failed.hint), EXIT.unavailable);
  }
  const said = tail === "" ? "" : `; it said:\n${tail}`;
  throw new CommandFailure(
    `the daemon did not start${said}`,
    `Its log is ${logPath(dataDir)}.`,
    EXIT.unavailable,
  );
}

/** It holds the journal, and nobody gets through to it. */
function otherDaemon(dataDir: string): CommandFailure {
  const pid = readDaemonFiles(dataDir)?.pid;
  return new CommandFailure(
    `another daemon${pid === undefined ? "" : ` (process ${pid})`} has this data folder, and does not answer`,
    `Wait until it does, or end it${pid === undefined ? "" : ` with kill ${pid}`}; its agents go on. Its log is ${logPath(dataDir)}.`,
    EXIT.unavailable,
  );
}

interface Log {
  readonly fd: number;
  /** Where this start's lines begin. */
  readonly start: number;
}

export function logPath(dataDir: string): string {
  return join(dataDir, "daemon.log");
}

function openLog(dataDir: string): Log {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const path = logPath(dataDir);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LOG_SIZE_BYTES_MAX) renameSync(path, `${path}.old`);
    const fd = openSync(path, "a+", 0o600);
    return { fd, start: fstatSync(fd).size };
  } catch (error) {
    throw unusableFolder(dataDir, error);
  }
}

/** The last lines since the start. */
function readTail({ fd, start }: Log): string {
  const end = fstatSync(fd).size;
  const from = Math.max(start, end - LOG_TAIL_BYTES);
  const bytes = Buffer.alloc(Math.max(0, end - from));
  const length = readSync(fd, bytes, 0, bytes.length, from);
  const lines = plainText(bytes.toString("utf8", 0, length))
    .trimEnd()
    .split("\n");
  return lines.slice(-LOG_TAIL_LINES).join("\n");
}
