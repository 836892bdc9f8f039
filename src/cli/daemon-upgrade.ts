/** A daemon of another version: an older one is replaced, and its agents do not notice. */
import { isNewer } from "../protocol/release-order.js";
import { CommandFailure } from "./command.js";
import { findDaemon, type RunningDaemon } from "./daemon-process.js";
import { EXIT } from "./exit-codes.js";
import { packageVersion } from "./package-version.js";
import { stopDaemon } from "./stop-daemon.js";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

export interface Kept {
  /** The daemon that runs and is not replaced. */
  readonly daemon: RunningDaemon | null;
  /** Of the one that was ended: its successor listens there too. */
  readonly port: string | null;
}

export async function findDaemonToKeep(
  dataDir: string,
  options: { readonly port?: string | undefined; readonly host?: string | undefined },
): Promise<Kept> {
  const found = await findDaemon(dataDir);
  if (found === null) return { daemon: null, port: null };
  const { version } = found.health;
  const ours = packageVersion();
  if (version === ours) return { daemon: found, port: null };
  if (isNewer(version, ours)) {
    process.stderr.write(
      `signalbox: the daemon is newer (${version}) than this program (${ours}); it stays\n`,
    );
    return { daemon: found, port: null };
  }
  const { hostname, port } = new URL(found.url);
  if (!LOOPBACK.includes(hostname) && options.host === undefined) {
    throw new CommandFailure(
      `the daemon is of an older version (${version}), and listens on ${hostname}`,
      "Name its --host and its other options again, and it is replaced; or end it with signalbox down.",
      EXIT.refused,
    );
  }
  await stopDaemon(dataDir);
  process.stderr.write(`signalbox: the daemon was ${version} and is now ${ours}; its agents went on\n`);
  return { daemon: null, port: options.port ?? port };
}
