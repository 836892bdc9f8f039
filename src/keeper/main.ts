/**
 * The keeper: a small process that owns agent processes and writes what they print to disk. Daemons come and go; agents
 * do not notice.
 */
import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { KEEPER_FOLDER_VARIABLE } from "../protocol/keeper-format.js";
import { makeFilesPrivate } from "./agent-start.js";
import { KeeperHost, type KeeperHostOptions } from "./keeper-host.js";
import { keeperSecret } from "./keeper-secret.js";
import { keeperSocketPath, runsFolder } from "./paths.js";
import { checkPrivateFolder, ensurePrivateFolder } from "./private-folder.js";

const IDLE_EXIT_MS = 10 * 60 * 1000;

function readSettings(): Pick<KeeperHostOptions, "dataDir" | "idleExitMs" | "spoolBytesMax" | "holdMsMax"> {
  const { values } = parseArgs({
    options: {
      "data-dir": { type: "string" },
      "idle-exit-ms": { type: "string" },
      "spool-bytes-max": { type: "string" },
      "hold-ms-max": { type: "string" },
    },
  });
  const given = values["data-dir"] ?? process.env[KEEPER_FOLDER_VARIABLE];
  if (given === undefined) throw new Error(`${KEEPER_FOLDER_VARIABLE} is missing`);
  // Whoever starts a keeper has made it. Should it be deleted by now, nobody waits for this keeper any more.
  const dataDir = realpathSync(given);
  checkPrivateFolder(dataDir);
  const { "spool-bytes-max": spoolBytesMax, "hold-ms-max": holdMsMax } = values;
  return {
    dataDir,
    idleExitMs: Number(values["idle-exit-ms"] ?? IDLE_EXIT_MS),
    ...(spoolBytesMax === undefined ? {} : { spoolBytesMax: Number(spoolBytesMax) }),
    ...(holdMsMax === undefined ? {} : { holdMsMax: Number(holdMsMax) }),
  };
}

/** On a full disk the daemon makes it as soon as there is room; until then nobody is let in. */
function makeSecret(dataDir: string): void {
  try {
    keeperSecret(dataDir);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}

/** Read at the start: an upgrade puts other files in the place of ours while we run. */
function readRelease(): string {
  const file = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { readonly version: string }).version;
}

/** Goes to the keeper's log file, which the next keeper truncates. Only for what is rare. */
function log(message: string): void {
  process.stderr.write(`${new Date().toISOString()} keeper ${process.pid} ${message}\n`);
}

makeFilesPrivate();
const settings = readSettings();
ensurePrivateFolder(dirname(keeperSocketPath(settings.dataDir)));
makeSecret(settings.dataDir);
mkdirSync(runsFolder(settings.dataDir), { recursive: true, mode: 0o700 });

const host = new KeeperHost({ ...settings, release: readRelease(), log, onEnd: () => process.exit(0) });
// A full disk takes no log either, and that is no reason to end.
process.stderr.on("error", () => undefined);
// A terminal that closes, or Ctrl-C in it, is not meant for the agents.
process.on("SIGHUP", () => undefined);
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => void host.endAll("SIGTERM"));
await host.start();
