/** The daemon's process: starts it, tells once where it is, and ends it when told. */
import { openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { DaemonProgram, ReadyDaemon, StartListener } from "../protocol/daemon-program.js";
import { startDaemon } from "./daemon.js";
import { ConfigError } from "../permissions/config/harness-configs.js";
import { Log } from "./log/log.js";
import { boundedLog } from "./log/log-file.js";
import { createRedact } from "./log/redact.js";
import { startFailure } from "./start-failure.js";
import { OptionError, parseOptions, type DaemonOptions } from "./options.js";

const EXIT_USAGE = 2;
const EXIT_FAILURE = 70;

/**
 * As the shell or the service manager that started us has it. Agents get it, and it is ours too, because we write files
 * for agents; all that is only ours is created with a mode that needs no umask. A umask that would lock us out of our
 * own files is for agents only.
 */
const PERSON_UMASK = process.umask(0o077);
process.umask(PERSON_UMASK & 0o077);

function version(): string {
  const file = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { readonly version: string }).version;
}

function logStream({ dataDir, logToFile }: DaemonOptions): Writable {
  const path = join(dataDir, "daemon.log");
  const { stderr } = process;
  if (!logToFile) return boundedLog({ path, fd: stderr.fd, stream: stderr });
  const fd = openSync(path, "a", 0o600);
  return boundedLog({ path, fd, stream: fileStream(fd) });
}

/** Written at once, as what is said last is said right before the end. */
function fileStream(fd: number): Writable {
  return new Writable({
    write(line: Buffer, _encoding, done) {
      try {
        writeSync(fd, line);
      } catch {
        // A full disk takes no log either, and that is no reason to end.
      }
      done();
    },
  });
}

/** See `DaemonProgram`. */
export const runDaemon: DaemonProgram["runDaemon"] = async (args, listener) => {
  // Whoever started us may be gone: what cannot be said on stdout is in the data folder too.
  process.stdout.on("error", () => undefined);
  // A full disk takes no log either, and that is no reason to end.
  process.stderr.on("error", () => undefined);
  const options = optionsFrom(args);
  const { logLevel: level, logPayloads: payloads } = options;
  const log = new Log({ level, payloads, redact: createRedact(process.env), stream: logStream(options) });
  process.on("uncaughtException", (error) => fail(log, error));
  const ready = await start(options, log, listener).catch(async (error: unknown) => {
    log.debug("the daemon did not start", { error });
    listener.failed(await startFailure(error, options));
    process.exit(error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILURE);
  });
  await listener.ready(ready);
};

async function start(options: DaemonOptions, log: Log, listener: StartListener): Promise<ReadyDaemon> {
  let end = (_withAgents: boolean): void => undefined;
  const openFiles = options.openFilesMax === null ? {} : { openFilesMax: options.openFilesMax };
  const daemon = await startDaemon({
    options,
    variables: process.env,
    limits: { umask: PERSON_UMASK, ...openFiles },
    version: version(),
    log,
    onWaiting: listener.waiting,
    onShutDown: (withAgents) => end(withAgents),
  });
  let ending = false;
  end = (withAgents) => {
    if (ending) return;
    ending = true;
    daemon
      .close(withAgents)
      .then(() => process.exit())
      .catch((error: unknown) => fail(log, error));
  };
  process.on("SIGTERM", () => end(false));
  process.on("SIGINT", () => end(false));
  const { url, token, dataDir } = daemon;
  return { url, token, pid: process.pid, dataDir };
}

function optionsFrom(args: readonly string[]): DaemonOptions {
  try {
    return parseOptions(args, process.env);
  } catch (error) {
    if (!(error instanceof OptionError || error instanceof TypeError)) throw error;
    process.stderr.write(`signalbox daemon: ${error.message}\n`);
    process.exit(EXIT_USAGE);
  }
}

function fail(log: Log, error: unknown): never {
  log.error("the daemon ends", { error });
  process.exit(EXIT_FAILURE);
}
