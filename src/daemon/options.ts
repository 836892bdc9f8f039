/** How the daemon was told to run: flags, then environment. */
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_PORT } from "../protocol/default-port.js";
import { baseFolder } from "../protocol/folder-variables.js";
import { OPEN_FILES_MAX } from "../protocol/keeper-format.js";
import { WALL_MODES, type WallMode } from "../protocol/wall-state.js";
import { CRASH_POINTS, type CrashPoint } from "../runtime/crash-point.js";
import type { LogLevel } from "./log/log.js";

export interface DaemonOptions {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Where that port is another program's, a free one will do. */
  readonly orFreePort: boolean;
  /** Further names by which clients reach us, for the check of the Host header. */
  readonly hosts: readonly string[];
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly behindProxy: boolean;
  /** How long the log of a stopped session is kept; null: for ever. */
  readonly retentionMs: number | null;
  /** The soft limit of open files that agents get; null: that of our own. */
  readonly openFilesMax: number | null;
  /** Over what the files say of walls; null: as they say. */
  readonly wallMode: WallMode | null;
  readonly logLevel: LogLevel;
  readonly logPayloads: boolean;
  /** Into the data folder, and not to stderr: that is for a person. */
  readonly logToFile: boolean;
  /** For the reliability tests: die at the n-th passing of a point. */
  readonly crash: { readonly point: CrashPoint; readonly passing: number } | null;
}

/** The command line or the environment is wrong; nothing was started. */
export class OptionError extends Error {
  override readonly name = "OptionError";
}

type Environment = Readonly<Record<string, string | undefined>>;

const LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

export function parseOptions(args: readonly string[], environment: Environment): DaemonOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "data-dir": { type: "string" },
      host: { type: "string" },
      port: { type: "string" },
      "or-free-port": { type: "boolean" },
      "allowed-host": { type: "string", multiple: true },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
      "behind-proxy": { type: "boolean" },
      "retention-days": { type: "string" },
      "open-files": { type: "string" },
      "log-level": { type: "string" },
      "log-payloads": { type: "boolean" },
      "log-to-file": { type: "boolean" },
    },
  });
  const host = values.host ?? "127.0.0.1";
  const tls = tlsFiles(values["tls-cert"], values["tls-key"]);
  const behindProxy = values["behind-proxy"] ?? false;
  if (!LOOPBACK.has(host) && !tls && !behindProxy) {
    throw new OptionError(
      `--host ${host} is reachable by others: give --tls-cert and --tls-key, or --behind-proxy if something in front of it does TLS`,
    );
  }
  return {
    dataDir: resolve(values["data-dir"] ?? dataFolder(environment)),
    host,
    hosts: [...(values["allowed-host"] ?? []), ...(LOOPBACK.has(host) ? [] : [host])],
    port: portFrom(values.port ?? environment["SIGNALBOX_PORT"]),
    orFreePort: values["or-free-port"] ?? false,
    tls,
    behindProxy,
    retentionMs: retentionFrom(values["retention-days"] ?? environment["SIGNALBOX_RETENTION_DAYS"]),
    openFilesMax: openFilesFrom(values["open-files"]),
    wallMode: wallModeFrom(environment["SIGNALBOX_WALL"]),
    logLevel: levelFrom(values["log-level"] ?? environment["SIGNALBOX_LOG_LEVEL"]),
    logPayloads: values["log-payloads"] ?? false,
    logToFile: values["log-to-file"] ?? false,
    crash: crashFrom(environment["SIGNALBOX_CRASH_AT"]),
  };
}

/** Whether every program of this machine can simply call us. */
export function isPlainLoopback({ host, tls }: DaemonOptions): boolean {
  return LOOPBACK.has(host) && tls === null;
}

function dataFolder(environment: Environment): string {
  const given = environment["SIGNALBOX_DATA_DIR"];
  if (given !== undefined && given !== "") return given;
  return join(
    baseFolder(environment, "XDG_STATE_HOME", () => userInfo().homedir),
    "signalbox",
  );
}

function tlsFiles(certFile: string | undefined, keyFile: string | undefined): DaemonOptions["tls"] {
  if (certFile === undefined && keyFile === undefined) return null;
  if (certFile === undefined || keyFile === undefined)
    throw new OptionError("--tls-cert and --tls-key go together");
  return { certFile, keyFile };
}

function portFrom(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new OptionError(`--port ${text}: a number from 0 to 65535`);
  return port;
}

const DAY_MS = 24 * 3_600_000;

function retentionFrom(text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || days === 0)
    throw new OptionError(`--retention-days ${text}: a number of days, more than 0`);
  return days * DAY_MS;
}

function openFilesFrom(text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (!/^\d{1,10}$/.test(text) || count < 1 || count > OPEN_FILES_MAX)
    throw new OptionError(`--open-files ${text}: a number from 1 to ${OPEN_FILES_MAX}`);
  return count;
}

function wallModeFrom(text: string | undefined): WallMode | null {
  if (text === undefined || text === "") return null;
  const mode = WALL_MODES.find((known) => known === text);
  if (!mode) throw new OptionError(`SIGNALBOX_WALL=${text}: one of ${WALL_MODES.join(", ")}`);
  return mode;
}

function levelFrom(text: string | undefined): LogLevel {
  if (text === undefined) return "info";
  const level = LEVELS.find((known) => known === text);
  if (!level) throw new OptionError(`--log-level ${text}: one of ${LEVELS.join(", ")}`);
  return level;
}

/** `point:n`, as in `before_commit:3`. */
function crashFrom(text: string | undefined): DaemonOptions["crash"] {
  if (text === undefined || text === "") return null;
  const [name, passing = "1"] = text.split(":");
  const point = CRASH_POINTS.find((known) => known === name);
  if (!point) throw new OptionError(`SIGNALBOX_CRASH_AT=${text}: one of ${CRASH_POINTS.join(", ")}`);
  return { point, passing: Number(passing) };
}
