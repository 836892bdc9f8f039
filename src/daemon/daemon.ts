/** The daemon, put together: every part is made here, and ended here in the opposite order. */
import { realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { daemonSocketPath, keeperSocketPath } from "../keeper/paths.js";
import { ensurePrivateFolder } from "../keeper/private-folder.js";
import type { Permissions } from "../permissions/permissions.js";
import type { HealthReport } from "../protocol/api-schemas.js";
import type { Runtime } from "../runtime/runtime.js";
import { boardOf } from "./board-of.js";
import { HarnessSetup } from "./config/harness-setup.js";
import { crashProbe } from "./crash-probe.js";
import { DaemonObserver } from "./daemon-observer.js";
import { openEngine, type Engine } from "./engine.js";
import { HealthWatch } from "./health/health-watch.js";
import type { Board } from "./http/board.js";
import { Auth, loadOrCreateToken } from "./http/auth.js";
import { openCommand } from "./http/link-page.js";
import { writePrivateFile } from "./http/private-file.js";
import { createHttpServer, type HttpServer } from "./http/server.js";
import { EventLog } from "./log/event-log.js";
import type { Log } from "./log/log.js";
import { sessionRedact, type SessionRedact } from "./log/session-redact.js";
import { MetricsFeed, sessionsByStatus } from "./metrics/feed.js";
import { Metrics } from "./metrics/metrics.js";
import { channelsOf } from "./notify/channels.js";
import { Notifier } from "./notify/notifier.js";
import { isPlainLoopback, parseOptions, type DaemonOptions } from "./options.js";
import { openPermissions } from "./permissions/open-permissions.js";
import { suggestOnce } from "./permissions/session-permissions.js";
import { openRaces } from "./race/open-races.js";
import type { Races } from "./race/races.js";
import type { PersonLimits } from "./runs/person-limits.js";
import { Attempts } from "./tripwire/attempts.js";
import { SseHub } from "./sse/sse-hub.js";
import { openTraces } from "./telemetry/open-traces.js";
import { readTls, type TlsFiles } from "./tls-files.js";

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
  const { options, variables, limits, version, log, onWaiting } = environment;
  ensurePrivateFolder(options.dataDir);
  const dataDir = await realpath(options.dataDir);
  const tls = options.tls ? { tls: await readTls(options.tls) } : {};
  const pass = crashProbe(options.crash);
  const traces = await openTraces(variables, version);
  const metrics = new Metrics();
  const metricsFeed = new MetricsFeed(metrics);
  const observer = new DaemonObserver(log, metricsFeed, traces?.traces ?? null);
  const permissions = openPermissions(dataDir, variables, log);
  const setup = new HarnessSetup(permissions.configs, variables, log);
  // A broken configuration stops the start.
  setup.harnesses();
  const redactFor = sessionRedact(variables, setup);
  const world = { setup, dataDir, variables, limits, log, redactFor, permissions, observer, pass };
  const onProblem = (what: string, error: unknown) => log.warn(what, { error });
  const health = new HealthWatch({ onChange: (report) => tellHealth(report, hub, log), onProblem });
  const onKeeperState = (): void => health.look();
  const { retentionMs, wallMode } = options;
  const onStranger = (): void => attempts.tellStranger(engine.tripWire.traceAt(keeperSocketPath(dataDir)));
  const told = { onWaiting, onKeeperState, onStranger };
  const engine = await openEngine({ ...world, ...told, release: version, retentionMs, wallMode });
  const { runtime, bus, terminals, care } = engine;
  const attempts = new Attempts(runtime, log);
  const hub = openHub(engine, health, log);
  const notifier = openNotifier(permissions, variables, runtime, redactFor, onProblem);
  bus.add(hub, metricsFeed, new EventLog(log), notifier);
  watchGauges(metrics, runtime, hub);
  await engine.start();
  health.start(care);

  const startedAtMs = Date.now();
  const token = await loadOrCreateToken(dataDir, log);
  const board = boardOf(engine, suggestOnce(permissions), setup);
  const races = openRaces({ dataDir, board, engine, log });
  bus.add(races);
  const parts = { engine, board, races, attempts, permissions, metrics, hub, token, startedAtMs, dataDir };
  const http = await openServer(environment, { ...parts, ...tls });
  const { port, ...address } = await listen(http, options, dataDir, log);
  const { agentSockets, network } = engine;
  network.setDaemonPorts([port]);
  await agentSockets.answerWith((sessionId) => http.agentServer(sessionId, address.url));
  const daemonFile = join(dataDir, "daemon.json");
  const where = JSON.stringify({ ...address, pid: process.pid, version, startedAtMs });
  await writePrivateFile(daemonFile, `${where}\n`);
  log.info("listening", { url: address.url, data_dir: dataDir });

  return {
    ...{ url: address.url, token, dataDir },
    async close(withAgents) {
      await terminals.close();
      await health.close();
      await agentSockets.close();
      await http.close();
      pass("during_shutdown");
      await races.close();
      await engine.close(withAgents);
      await notifier.close();
      await traces?.close();
      await rm(daemonFile, { force: true });
    },
  };
}

interface ServerParts {
  readonly engine: Engine;
  readonly board: Board;
  readonly races: Races;
  readonly attempts: Attempts;
  readonly permissions: Permissions;
  readonly metrics: Metrics;
  readonly hub: SseHub;
  readonly token: string;
  readonly startedAtMs: number;
  readonly dataDir: string;
  readonly tls?: TlsFiles;
}

async function openServer(environment: DaemonEnvironment, parts: ServerParts): Promise<HttpServer> {
  const { options, variables, version, log, onShutDown } = environment;
  const { engine, board, races, attempts, permissions, metrics, hub, token, startedAtMs, dataDir, tls } =
    parts;
  return createHttpServer({
    board,
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
    walls: engine.walls,
    changes: engine.changes,
    reviews: engine.reviews,
    workspaces: engine.workspaces,
    races,
    shutDown: onShutDown,
    ...openCommandFor(options, dataDir, variables),
    trace: (socket) => engine.tripWire.trace(socket),
    onAttempt: (attempt) => attempts.tell(attempt),
    takeTerminal: (upgrade) => engine.terminals.take(upgrade),
    terminals: engine.terminals,
    ...(tls && { tls }),
  });
}

function openNotifier(
  { configs }: Permissions,
  variables: DaemonEnvironment["variables"],
  runtime: Runtime,
  redactFor: SessionRedact,
  onProblem: (what: string, error: unknown) => void,
): Notifier {
  const config = configs.notify();
  const channels = channelsOf(config, variables);
  return new Notifier({ config, channels, session: (id) => runtime.session(id), redactFor, onProblem });
}

function openHub({ runtime, workspaces }: Engine, health: HealthWatch, log: Log): SseHub {
  const hub = new SseHub({
    journal: runtime.journal,
    lastPosition: () => runtime.lastPosition(),
    log,
    health: () => health.report,
  });
  workspaces.listen(({ id, projectId, state: { status } }) => {
    const sessionIds = workspaces.sessionsOf(id).map((session) => session.id);
    hub.tellWorkspace({ id, projectId, status }, sessionIds);
  });
  return hub;
}

/** What is wrong is said wherever somebody looks; the log has it too. */
function tellHealth(report: HealthReport, hub: SseHub, log: Log): void {
  hub.tellHealth(report);
  if (report.ok) log.info("all is well again");
  for (const { name, detail, remedy } of report.checks) log.warn(`not well: ${name}`, { detail, remedy });
}

/** Where it can be reached; by a socket in the data folder too, where that is not plain loopback. */
async function listen(
  http: HttpServer,
  options: DaemonOptions,
  dataDir: string,
  log: Log,
): Promise<{ readonly url: string; readonly port: number; readonly socket?: string }> {
  const { port } = await http.listen(options.port, options.host).catch((error: unknown) => {
    if (!options.orFreePort || !(error instanceof Error && "code" in error && error.code === "EADDRINUSE"))
      throw error;
    log.warn("the usual port is another program's: a free one is taken", { port: options.port });
    return http.listen(0, options.host);
  });
  const url = `${options.tls ? "https" : "http"}://${hostInUrl(options.host)}:${port}`;
  if (isPlainLoopback(options)) return { url, port };
  const socket = daemonSocketPath(dataDir);
  ensurePrivateFolder(dirname(socket));
  await http.listenAt(socket, browserUrl(options, port));
  return { url, port, socket };
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
