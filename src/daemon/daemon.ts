/** The daemon, put together: every part is made here, and ended here in the opposite order. */
import { readFile, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { daemonSocketPath } from "../keeper/paths.js";
import { ensurePrivateFolder } from "../keeper/private-folder.js";
import type { Runtime } from "../runtime/runtime.js";
import { boardOf } from "./board-of.js";
import { HarnessSetup } from "./config/harness-setup.js";
import { crashProbe } from "./crash-probe.js";
import { DaemonObserver } from "./daemon-observer.js";
import { openEngine } from "./engine.js";
import { Auth, loadOrCreateToken } from "./http/auth.js";
import { openCommand } from "./http/link-page.js";
import { writePrivateFile } from "./http/private-file.js";
import { createHttpServer, type HttpServer } from "./http/server.js";
import { EventLog } from "./log/event-log.js";
import type { Log } from "./log/log.js";
import { sessionRedact } from "./log/session-redact.js";
import { MetricsFeed, sessionsByStatus } from "./metrics/feed.js";
import { Metrics } from "./metrics/metrics.js";
import { channelsOf } from "./notify/channels.js";
import { Notifier } from "./notify/notifier.js";
import { isPlainLoopback, parseOptions, type DaemonOptions } from "./options.js";
import { openPermissions } from "./permissions/open-permissions.js";
import { suggestOnce } from "./permissions/session-permissions.js";
import type { PersonLimits } from "./runs/person-limits.js";
import { SseHub } from "./sse/sse-hub.js";
import { openTraces } from "./telemetry/open-traces.js";

/** Beside the built program. */
const PAGE_URL = new URL("../../web/", import.meta.url);

export interface DaemonEnvironment {
  readonly options: DaemonOptions;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly limits: PersonLimits;
  readonly version: string;
  readonly log: Log;
  /** Called while the start takes longer than usual. */
  readonly onWaiting: (why: string) => void;
  /** Called when a client asked for the end. */
  readonly onShutDown: (withAgents: boolean) => void;
}

export interface Daemon {
  readonly url: string;
  readonly token: string;
  readonly dataDir: string;
  /** Leaves agents running, unless they are to end too. */
  close(withAgents: boolean): Promise<void>;
}

export async function startDaemon(environment: DaemonEnvironment): Promise<Daemon> {
  const { options, variables, limits, version, log, onShutDown, onWaiting } = environment;
  ensurePrivateFolder(options.dataDir);
  const dataDir = await realpath(options.dataDir);
  const pass = crashProbe(options.crash);
  const traces = await openTraces(variables, version);
  const metrics = new Metrics();
  const metricsFeed = new MetricsFeed(metrics);
  const observer = new DaemonObserver(log, metricsFeed, traces?.traces ?? null);
  const permissions = openPermissions(dataDir, variables, log);
  const setup = new HarnessSetup(permissions.configs, variables, log);
  // A broken configuration stops the start.
  setup.harnesses();
  const notify = permissions.configs.notify();
  const redactFor = sessionRedact(variables, setup);
  const world = { setup, dataDir, variables, limits, log, redactFor, permissions, observer, pass };
  const engine = await openEngine({ ...world, onWaiting, retentionMs: options.retentionMs });
  const { runtime, bus, terminals } = engine;
  const hub = new SseHub({ journal: runtime.journal, lastPosition: () => runtime.lastPosition(), log });
  const channels = channelsOf(notify, variables);
  const onProblem = (what: string, error: unknown) => log.warn(what, { error });
  const session = (id: string) => runtime.session(id);
  const notifier = new Notifier({ config: notify, channels, session, redactFor, onProblem });
  bus.add(hub, metricsFeed, new EventLog(log), notifier);
  watchGauges(metrics, runtime, hub);
  await engine.start();

  const startedAtMs = Date.now();
  const token = await loadOrCreateToken(dataDir, log);
  const http = createHttpServer({
    board: boardOf(engine, suggestOnce(permissions), setup),
    permissions,
    auth: await Auth.load(dataDir, token, log),
    hosts: options.hosts,
    version,
    startedAtMs,
    log,
    metrics,
    sseHub: hub,
    pageDir: fileURLToPath(PAGE_URL),
    care: engine.care,
    shutDown: onShutDown,
    ...openCommandFor(options, dataDir, variables),
    takeTerminal: (upgrade) => terminals.take(upgrade),
    terminals,
    ...(options.tls ? { tls: await readTls(options.tls) } : {}),
  });
  const address = await listen(http, options, dataDir, log);
  const { url } = address;
  const daemonFile = join(dataDir, "daemon.json");
  const told = JSON.stringify({ ...address, pid: process.pid, version, startedAtMs });
  await writePrivateFile(daemonFile, `${told}\n`);
  log.info("listening", { url, data_dir: dataDir });

  return {
    url,
    token,
    dataDir,
    async close(withAgents) {
      await terminals.close();
      await http.close();
      pass("during_shutdown");
      await engine.close(withAgents);
      await notifier.close();
      await traces?.close();
      await rm(daemonFile, { force: true });
    },
  };
}

/** Where it can be reached; by a socket in the data folder too, where that is not plain loopback. */
async function listen(
  http: HttpServer,
  options: DaemonOptions,
  dataDir: string,
  log: Log,
): Promise<{ readonly url: string; readonly socket?: string }> {
  const { port } = await http.listen(options.port, options.host).catch((error: unknown) => {
    if (!options.orFreePort || !(error instanceof Error && "code" in error && error.code === "EADDRINUSE"))
      throw error;
    log.warn("the usual port is another program's: a free one is taken", { port: options.port });
    return http.listen(0, options.host);
  });
  const url = `${options.tls ? "https" : "http"}://${hostInUrl(options.host)}:${port}`;
  if (isPlainLoopback(options)) return { url };
  const socket = daemonSocketPath(dataDir);
  ensurePrivateFolder(dirname(socket));
  await http.listenAt(socket, browserUrl(options, port));
  return { url, socket };
}

/** It names a folder of the person: not where others can read it. */
function openCommandFor(
  options: DaemonOptions,
  dataDir: string,
  variables: DaemonEnvironment["variables"],
): { readonly openCommand?: string } {
  if (!isPlainLoopback(options) || options.behindProxy) return {};
  return { openCommand: linkCommand(dataDir, variables) };
}

/** The data folder is named where the command would not find it by itself. */
function linkCommand(dataDir: string, variables: DaemonEnvironment["variables"]): string {
  const isUsual = parseOptions([], variables).dataDir === dataDir;
  return openCommand(isUsual && variables["SIGNALBOX_DATA_DIR"] === undefined ? null : dataDir, variables);
}

async function readTls({
  certFile,
  keyFile,
}: NonNullable<DaemonOptions["tls"]>): Promise<{ cert: string; key: string }> {
  return { cert: await readFile(certFile, "utf8"), key: await readFile(keyFile, "utf8") };
}

/** By which of its names a browser is sent to us: one that was given for that, else where we listen. */
function browserUrl({ tls, host, hosts }: DaemonOptions, port: number): string {
  const [name] = hosts.filter((given) => given !== host);
  const here = isWildcard(host) ? "localhost" : hostInUrl(host);
  const chosen = name ?? `${here}:${port}`;
  return `${tls ? "https" : "http"}://${/:\d+$/.test(chosen) ? chosen : `${chosen}:${port}`}`;
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function watchGauges(metrics: Metrics, runtime: Runtime, hub: SseHub): void {
  metrics.gauge("sessions", "Sessions by status.", () => sessionsByStatus(runtime.sessions()), "status");
  metrics.gauge("outbox_depth", "Calls that drivers have not done yet.", () => runtime.outboxDepth);
  metrics.gauge("journal_position", "The newest position of the journal.", () => runtime.lastPosition());
  metrics.gauge("journal_size_bytes", "Bytes of the journal on disk.", () => runtime.journal.sizeBytes());
  metrics.gauge("sse_clients", "Clients that follow events.", () => hub.clientCount);
}
