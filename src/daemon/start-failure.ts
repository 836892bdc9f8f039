/** Why a daemon did not start, in words, with what to do about it. */
import { join } from "node:path";
import { JOURNAL_REMEDIES, journalCause } from "../journal/damage-words.js";
import { JournalError } from "../journal/journal-error.js";
import { ConfigError } from "../permissions/config/harness-configs.js";
import { tooFewFiles, type FailedStart } from "../protocol/daemon-program.js";
import { FULL_DISK } from "./health/checks.js";
import { KeeperTooNew, KeeperUnavailable } from "./keeper/keeper-client.js";
import type { DaemonOptions } from "./options.js";
import { WorkspacesFileError } from "./workspaces/open-workspaces.js";
import { daemonAt } from "./port-owner.js";

/** These may stand anywhere among the causes of an error. */
const READ_ONLY = /\bEROFS\b|readonly database/i;
const IN_USE = /address already in use ([\w.:[\]]+)/;
const NOT_ALLOWED = /\bEACCES\b.*?(?:address )?([\w.:[\]]+:\d+)/;

export async function startFailure(error: unknown, options: DaemonOptions): Promise<FailedStart> {
  const { dataDir, tls } = options;
  const message = messagesOf(error).join(": ");
  if (error instanceof ConfigError) return { message, hint: "Mend the file, and start it again." };
  if (FULL_DISK.test(message))
    return {
      message: `there is no room left on the disk of ${dataDir}`,
      hint: "Make room there and start it again, or name a folder on another disk with --data-dir. Nothing was changed.",
    };
  if (READ_ONLY.test(message))
    return {
      message: `${dataDir} is on a disk that cannot be written to`,
      hint: "Name a folder on another disk with --data-dir or SIGNALBOX_DATA_DIR.",
    };
  if (error instanceof WorkspacesFileError)
    return {
      message: error.message,
      hint: "signalbox repair writes it anew from what can be read, and keeps the old file.",
    };
  if (error instanceof JournalError)
    return { message: journalCause(join(dataDir, "journal.db"), error), hint: JOURNAL_REMEDIES[error.code] };
  const fewFiles = tooFewFiles(message);
  if (fewFiles) return fewFiles;
  const [, address] = IN_USE.exec(message) ?? [];
  if (address !== undefined) return portTaken(address, options);
  const [, forbidden] = NOT_ALLOWED.exec(message) ?? [];
  if (forbidden !== undefined && /\blisten\b/.test(message))
    return {
      message: `you may not listen at ${forbidden}`,
      hint: "Ports below 1024 belong to the system: choose another with --port.",
    };
  if (tls && [tls.certFile, tls.keyFile].some((file) => message.includes(file)))
    return {
      message,
      hint: "Name a certificate and its key, files that you can read, with --tls-cert and --tls-key.",
    };
  if (error instanceof KeeperTooNew)
    return {
      message,
      hint: `Its agents go on. Start the daemon with the newer Signalbox; or end the keeper and its agents with kill ${error.pid}.`,
    };
  if (error instanceof KeeperUnavailable)
    return {
      message,
      hint: "The keeper owns the agents; they go on. Start the daemon again when it answers.",
    };
  return { message, hint: `See ${dataDir}/daemon.log; --log-level debug tells more.` };
}

async function portTaken(address: string, { host, port }: DaemonOptions): Promise<FailedStart> {
  const other = await daemonAt(host, port);
  const who =
    other === null
      ? "another program"
      : `the Signalbox daemon of another data folder (process ${other.pid}, version ${other.version})`;
  return {
    message: `${who} listens at ${address}`,
    hint: "Choose another port with --port of signalbox up, or SIGNALBOX_PORT; 0 picks a free one.",
  };
}

/** Its own, then those of its causes. */
function messagesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  const code = "code" in error && typeof error.code === "string" ? [error.code] : [];
  const own = code.some((name) => error.message.includes(name)) ? [error.message] : [...code, error.message];
  return error.cause === undefined ? own : [...own, ...messagesOf(error.cause)];
}
