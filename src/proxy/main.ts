/**
 * The proxy: a small process through which runs reach the network, those behind a wall that lists hosts. Daemons come and
 * go; what is being streamed is not cut.
 */
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileIdAt, listen, stopListening } from "../keeper/listen.js";
import { secretAt } from "../keeper/keeper-secret.js";
import { checkPrivateFolder, ensurePrivateFolder } from "../keeper/private-folder.js";
import { PROXY_FOLDER_VARIABLE } from "../protocol/proxy-format.js";
import { proxyPidPath, proxySecretPath, proxySocketPath } from "./paths.js";
import { PROXY_LIMITS } from "./proxied-run.js";
import { Proxy } from "./proxy.js";
import { codeOf, systemResolve } from "./reach.js";

const CHECK_EVERY_MS = 3_000;
/** Without runs and daemons it ends after so long. */
const IDLE_EXIT_MS = 60_000;

function log(message: string): void {
  process.stderr.write(`${new Date().toISOString()} proxy ${process.pid} ${message}\n`);
}

/** Read at the start: an upgrade puts other files in the place of ours while we run. */
function readRelease(): string {
  const file = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { readonly version: string }).version;
}

process.umask(0o077);
const given = process.env[PROXY_FOLDER_VARIABLE];
if (given === undefined) throw new Error(`${PROXY_FOLDER_VARIABLE} is missing`);
const dataDir = realpathSync(given);
checkPrivateFolder(dataDir);
const path = proxySocketPath(dataDir);
ensurePrivateFolder(dirname(path));
secretAt(proxySecretPath(dataDir));

// A full disk takes no log, and that is no reason to end. Nor is a terminal that closes.
process.stderr.on("error", () => undefined);
process.on("SIGHUP", () => undefined);
process.on("SIGINT", () => undefined);

const proxy = new Proxy({
  ...{ dataDir, log, limits: PROXY_LIMITS, resolve: systemResolve },
  release: readRelease(),
  onShutDown: () => end("asked to"),
});
const waiting: Parameters<Proxy["take"]>[0][] = [];
let isReady = false;
const listening = await listen(path, (socket) => {
  if (isReady) proxy.take(socket);
  else waiting.push(socket);
});
// Another one is there.
if (listening === null) process.exit(0);

function end(reason: string): void {
  log(`ends: ${reason}`);
  proxy.stop();
  if (listening !== null) stopListening(listening, path);
  process.exit(0);
}

process.on("SIGTERM", () => end("SIGTERM"));
process.on("uncaughtException", (error) => {
  log(`breaks: ${error.stack ?? error.message}`);
  process.exit(1);
});
await proxy.start();
writeFileSync(proxyPidPath(dataDir), `${process.pid}\n`, { mode: 0o600 });
isReady = true;
for (const socket of waiting.splice(0)) proxy.take(socket);
log("listens");

let busyAtMs = performance.now();
setInterval(() => {
  try {
    if (!proxy.isIdle) busyAtMs = performance.now();
    if (performance.now() - busyAtMs >= IDLE_EXIT_MS) end("nobody needs it");
    // Another proxy has taken the place, or the data folder is gone.
    if (fileIdAt(path) !== listening.fileId) end("its socket is gone");
  } catch (error) {
    log(`cannot look: ${codeOf(error)}`);
  }
}, CHECK_EVERY_MS);
