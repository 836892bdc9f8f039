/** The runtime with everything that it works on: the journal, the keeper, the pump of its output, and the driver. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { harnessNamed } from "../harness/registry.js";
import { SqliteJournal } from "../journal/sqlite/sqlite-journal.js";
import { HOOKS_FILE, runFolder } from "../keeper/paths.js";
import { listProcesses } from "../keeper/process-table.js";
import type { PassCrashPoint } from "../runtime/crash-point.js";
import type { Permissions } from "../permissions/permissions.js";
import type { Principal } from "../protocol/principal.js";
import type { WallMode } from "../protocol/wall-state.js";
import type { Observer } from "../runtime/ports.js";
import { Runtime } from "../runtime/runtime.js";
import { systemClock } from "../runtime/system-clock.js";
import type { HarnessSetup } from "./config/harness-setup.js";
import { careOf, type Care } from "./health/care.js";
import { DamageReport } from "./health/damage-report.js";
import { Fanout } from "./fanout.js";
import type { Log } from "./log/log.js";
import type { SessionRedact } from "./log/session-redact.js";
import type { Changes } from "../changes/changes.js";
import { endWithSession, openChanges, sweepChanges } from "./changes/open-changes.js";
import { sessionPermissions } from "./permissions/session-permissions.js";
import { newId } from "./new-id.js";
import { adoptRuns } from "./runs/adopt-runs.js";
import { AgentTerminals } from "./runs/agent-terminals.js";
import { hasCompany } from "./runs/has-company.js";
import { KeeperDriver } from "./runs/keeper-driver.js";
import { lastWords } from "./runs/last-words.js";
import { endKeeper } from "./keeper/end-keeper.js";
import { KeeperLink } from "./runs/keeper-link.js";
import type { PersonLimits } from "./runs/person-limits.js";
import { OutputPump } from "./runs/output-pump.js";
import { parseRunId, runIdOf } from "./runs/run-id.js";
import { TripWire } from "./tripwire/trip-wire.js";
import { TerminalBoard } from "./terminal/terminal-board.js";
import { AgentSockets } from "./wall/agent-sockets.js";
import { noticeThroughWall, reportThroughWall } from "./runs/through-wall.js";
import { openWalls } from "./wall/open-walls.js";
import type { SessionNetwork } from "./wall/session-network.js";
import type { SessionWalls } from "./wall/session-walls.js";
import { wallCheck } from "./wall/wall-check.js";
import { openReviews } from "./reviews/open-reviews.js";
import type { Reviews } from "./reviews/reviews.js";
import { openWorkspaces } from "./workspaces/open-workspaces.js";
import type { Workspaces } from "./workspaces/workspaces.js";

const KEEPER = fileURLToPath(new URL("../keeper/main.js", import.meta.url));

/** A repeated request is answered from its receipt for so long. */
const RECEIPT_LIFE_MS = 24 * 3_600_000;
const FAILURE_LIFE_MS = 10_000;
const PRUNE_INTERVAL_MS = 3_600_000;

export interface EngineOptions {
  readonly dataDir: string;
  /** The Signalbox that this daemon is part of. */
  readonly release: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Over what the files say of walls. */
  readonly wallMode: WallMode | null;
  /** For agents. */
  readonly limits: PersonLimits;
  readonly log: Log;
  /** Called while the start takes longer than usual. */
  readonly onWaiting: (why: string) => void;
  /** It may be another one now with the keeper. */
  readonly onKeeperState: () => void;
  /** Somebody tried to talk to the keeper without its secret. */
  readonly onStranger: () => void;
  readonly redactFor: SessionRedact;
  readonly permissions: Permissions;
  readonly setup: HarnessSetup;
  readonly observer: Observer;
  readonly pass: PassCrashPoint;
  /** How long the log of a stopped session is kept; null: for ever. */
  readonly retentionMs: number | null;
}

export interface Engine {
  /** The journal is damaged: nothing goes on before it is repaired. */
  readonly isHeld: boolean;
  readonly runtime: Runtime;
  readonly care: Care;
  readonly bus: Fanout;
  /** To be closed before the server that its clients came by. */
  readonly terminals: TerminalBoard;
  readonly walls: SessionWalls;
  readonly changes: Changes;
  readonly reviews: Reviews;
  readonly workspaces: Workspaces;
  /** Of agents behind walls; nobody answers there before they are told who does. */
  readonly agentSockets: AgentSockets;
  readonly network: Pick<SessionNetwork, "setDaemonPorts">;
  /** Notices agents that call as if they were a person. */
  readonly tripWire: TripWire;
  /** Of a session's process, if it is there. */
  readonly pidOf: (sessionId: string, run: number) => number | null;
  /** Takes up the work of the last daemon: its agents, its calls, its timers. */
  start(): Promise<void>;
  /** Leaves agents running, unless they are to end too. */
  close(withAgents: boolean): Promise<void>;
}

export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { dataDir, log, observer, pass, retentionMs } = options;
  const onProblem = problemsTo(log);

  const damage = new DamageReport(log);
  const journal = await SqliteJournal.open(join(dataDir, "journal.db"), damage);
  for (const note of journal.notes) log.warn(note);
  const bus = new Fanout();
  const runtime = await Runtime.open({
    journal,
    clock: systemClock,
    bus,
    // The driver is made below: it needs the pump, and the pump needs the runtime.
    driver: { perform: (...call) => runs.driver.perform(...call) },
    observer,
    harness: harnessNamed,
    newId,
    pass,
    isReachable: (sessionId, run) => runs.isReachable(runIdOf(sessionId, run)),
  });
  // Nothing that happens now could be written down: agents go on, and wait with what they say.
  const isHeld = journal.problems.length > 0;
  const runs = connectRuns(options, runtime, isHeld, onProblem);
  const { terminals, agentTerminals, pump, link, walls, workspaces, network, agentSockets, changes } = runs;
  const reviews = openReviews(dataDir, runtime, changes, onProblem);
  bus.add(pump, terminals, workspaces, reviews, endWithSession(changes, onProblem));
  const pruning = setInterval(() => pruneIfWell(journal, retentionMs, onProblem), PRUNE_INTERVAL_MS);

  return {
    ...{ isHeld, runtime, bus, terminals, walls, workspaces, network, agentSockets, changes, reviews },
    pidOf: (sessionId, run) => pump.pidOf(runIdOf(sessionId, run)),
    tripWire: tripWireOf(runtime, runs, onProblem),
    care: careOf({
      dataDir,
      journal,
      damage,
      keeper: () => link.state,
      writeFailure: () => recentFailure(runtime),
      wall: () => wallCheck(walls, runtime.sessions()),
      sessions: () => runtime.committedSessions(),
      workspaces,
    }),
    async start() {
      pass("during_start");
      if (isHeld) return;
      await journal.takeUp();
      await link.ready;
      pass("during_start");
      runtime.start((sessionId) => pump.caughtUp(sessionId));
      await takeUp({ workspaces, reviews, changes }, runtime, options, onProblem);
      prune(journal, retentionMs, onProblem);
    },
    async close(withAgents) {
      clearInterval(pruning);
      runtime.rest();
      await workspaces.close();
      agentTerminals.close();
      await pump.close();
      await runtime.close();
      reviews.close();
      if (withAgents) await endAgents(runs, dataDir, isHeld);
      await network.end(withAgents);
      link.close();
      pass("during_shutdown");
      await journal.close();
    },
  };
}

/** The end of agents that we end ourselves is not their own doing: at the next start they are found interrupted. */
async function endAgents(
  { link, walls }: Pick<ReturnType<typeof connectRuns>, "link" | "walls">,
  dataDir: string,
  isHeld: boolean,
): Promise<void> {
  if (isHeld) await endKeeper(dataDir, true);
  else await link.now?.shutdown();
  await walls.allEnded();
}

/** What the last daemon has left beside the journal. Before receipts are pruned, which say what was sent. */
async function takeUp(
  { workspaces, reviews, changes }: Pick<Engine, "workspaces" | "reviews" | "changes">,
  runtime: Runtime,
  { dataDir }: EngineOptions,
  onProblem: OnProblem,
): Promise<void> {
  const isSession = (id: string): boolean => runtime.session(id) !== null;
  workspaces.start();
  await reviews.start(isSession);
  sweepChanges(changes, dataDir, isSession, onProblem);
}

function problemsTo(log: Log): OnProblem {
  return (what, error) =>
    log.warn(`trouble: ${what}`, { error: error instanceof Error ? error.message : String(error) });
}

function tripWireOf(runtime: Runtime, { link, pump }: Runs, onProblem: OnProblem): TripWire {
  return new TripWire({
    keeperPid: () => link.keeperPid,
    isSession: (sessionId) => runtime.session(sessionId) !== null,
    runs: () => processesOf(runtime, pump),
    onProblem,
  });
}

function* processesOf(runtime: Runtime, pump: OutputPump): Iterable<{ sessionId: string; pid: number }> {
  for (const { sessionId, run } of runtime.liveRuns()) {
    const pid = pump.pidOf(runIdOf(sessionId, run));
    if (pid !== null) yield { sessionId, pid };
  }
}

type OnProblem = (what: string, error: unknown) => void;

interface Runs {
  readonly terminals: TerminalBoard;
  readonly agentTerminals: AgentTerminals;
  readonly pump: OutputPump;
  readonly link: KeeperLink;
  readonly driver: KeeperDriver;
  readonly walls: SessionWalls;
  readonly workspaces: Workspaces;
  readonly agentSockets: AgentSockets;
  readonly changes: Changes;
  readonly network: SessionNetwork;
  /** Its keeper is there, and has it as far as we know. */
  readonly isReachable: (runId: string) => boolean;
}

/** What is between the runtime and the agents. */
function connectRuns(options: EngineOptions, runtime: Runtime, isHeld: boolean, onProblem: OnProblem): Runs {
  const { dataDir, variables, limits, log, redactFor, permissions, pass } = options;
  /** Runs that were lost with their keeper. */
  const lost = new Set<string>();
  const folderOf = (runId: string): string => runFolder(dataDir, runId);
  const agentSockets = new AgentSockets({ dataDir, onProblem });
  const { walls, network, workspaces } = openPlaces(options, runtime, agentSockets, () => changes, onProblem);
  const terminals = new TerminalBoard({
    session: (sessionId) => runtime.session(sessionId),
    isTerminal: (harness) => harnessNamed(harness).framing === "bytes",
    runFolder: folderOf,
    keeper: () => link.now,
    pidOf: (runId) => pump.pidOf(runId),
    observe: (sessionId, run, observation) => runtime.observe(sessionId, run, observation),
    onTyped: (by, sessionId) => auditTyping(runtime, by, sessionId, onProblem),
    onProblem,
  });
  const pump: OutputPump = new OutputPump({
    runtime,
    runFolder: folderOf,
    keeper: () => link.now,
    tap: terminals,
    onEnded: (sessionId, run) => agentTerminals.endOf(sessionId, run),
    lastWords: (runId) => lastWords(folderOf(runId), redactFor(runtime.session(parseRunId(runId).sessionId))),
    pass,
    onProblem,
  });
  const agentTerminals = new AgentTerminals({
    keeper: () => link.ready,
    keeperNow: () => link.now,
    configured: (settings) => options.setup.launch(settings),
    ...{ environment: variables, limits, walls },
    runFolder: folderOf,
    isThere: (runId) => pump.has(runId),
    observe: (sessionId, run, observation) => runtime.observe(sessionId, run, observation),
    onProblem,
  });
  const link: KeeperLink = openLink(options, {
    runtime,
    pump,
    agentTerminals,
    agentSockets,
    network,
    walls,
    lost,
    isHeld,
    onProblem,
  });
  const changes = openChanges({ dataDir, ...permissions.folders, walls, workspaces, onProblem });
  const driver = new KeeperDriver({
    ...{ link, pump, terminals, agentTerminals, walls, network, dataDir, limits, changes, onProblem },
    harness: harnessNamed,
    untilPlace: (settings, overtaken) => workspaces.untilPlace(settings, overtaken),
    configured: (settings) => options.setup.launch(settings),
    permissions: sessionPermissions(permissions),
    hasCompany: (sessionId, run) =>
      agentTerminals.hasRunning(sessionId, run) ||
      hasCompany(pump.pidOf(runIdOf(sessionId, run)), listProcesses()),
    notify: (record, reason) => log.info("a person is needed", { session_id: record.id, reason }),
    environment: variables,
    hooksFile: (runId) => join(folderOf(runId), HOOKS_FILE),
    isLost: (runId) => lost.has(runId),
  });
  const isReachable = (runId: string): boolean => link.state.type !== "away" && !lost.has(runId);
  const between = { terminals, agentTerminals, pump, link, driver, isReachable };
  return { ...between, walls, workspaces, network, agentSockets, changes };
}

/** Where agents work: in workspaces, behind walls. Each needs the other, but not before there is a session. */
function openPlaces(
  options: EngineOptions,
  runtime: Runtime,
  agentSockets: AgentSockets,
  changes: () => Changes,
  onProblem: OnProblem,
): Pick<Runs, "walls" | "network" | "workspaces"> {
  const workspaces = openWorkspaces(options, runtime, () => opened.walls, changes, onProblem);
  const opened = openWalls(
    options,
    runtime,
    agentSockets,
    ({ workspaceId }) => (workspaceId === undefined ? [] : workspaces.objects(workspaceId)),
    onProblem,
  );
  return { ...opened, workspaces };
}

function liveRunIds(runtime: Runtime): readonly string[] {
  return [...runtime.liveRuns()].map(({ sessionId, run }) => runIdOf(sessionId, run));
}

/** What is typed is not there; who typed is. */
function auditTyping(runtime: Runtime, by: Principal, sessionId: string, onProblem: OnProblem): void {
  runtime
    .audit(by, "typeKeys", sessionId)
    .catch((error: unknown) => onProblem("who typed is not in the audit", error));
}

interface LinkedRuns extends Pick<Runs, "pump" | "agentTerminals" | "agentSockets" | "network" | "walls"> {
  readonly runtime: Runtime;
  readonly lost: Set<string>;
  readonly isHeld: boolean;
  readonly onProblem: OnProblem;
}

/** The keeper, which may be one from before there were walls: then what it says of them is put in today's words. */
function openLink(options: EngineOptions, given: LinkedRuns): KeeperLink {
  const { walls, isHeld, agentSockets, ...linked } = given;
  const { dataDir, log } = options;
  const isBehindUnknownWall = (runId: string): boolean =>
    link.now?.knowsWalls === false && walls.isWalled(runId);
  const link: KeeperLink = new KeeperLink({
    dataDir,
    keeperEntry: KEEPER,
    release: options.release,
    isHeld,
    onNotice: (notice) => {
      const seen = isBehindUnknownWall(notice.runId) ? noticeThroughWall(notice) : notice;
      if (seen && !linked.agentTerminals.notice(seen)) linked.pump.notice(seen);
    },
    onConnected: async (found) => {
      const known = [...liveRunIds(linked.runtime), ...found.map(({ runId }) => runId)];
      await agentSockets.adopt(new Set(known));
      await adoptRuns(
        found.map((report) => (isBehindUnknownWall(report.runId) ? reportThroughWall(report) : report)),
        { dataDir, walls, ...linked },
      );
    },
    onProblem: linked.onProblem,
    onState: options.onKeeperState,
    onBusy: (waitedMs) => tellBusy(options, waitedMs),
    onStranger: options.onStranger,
    onOther: ({ release, ours }) => log.warn("the keeper is of another version", { release, ours }),
  });
  return link;
}

function tellBusy({ log, onWaiting }: EngineOptions, waitedMs: number): void {
  log.info("the keeper is busy", { waited_ms: waitedMs });
  onWaiting(`the keeper is busy with its agents; waiting for ${Math.round(waitedMs / 1_000)} s`);
}

/** What waits to be written is tried again each second: an older failure says nothing of now. */
function recentFailure({ writeFailure }: Runtime): string | null {
  return writeFailure && systemClock.nowMs() - writeFailure.atMs < FAILURE_LIFE_MS
    ? writeFailure.message
    : null;
}

function pruneIfWell(journal: SqliteJournal, retentionMs: number | null, onProblem: OnProblem): void {
  if (journal.problems.length === 0) prune(journal, retentionMs, onProblem);
}

function prune(journal: SqliteJournal, retentionMs: number | null, onProblem: OnProblem): void {
  const nowMs = Date.now();
  const entriesBeforeMs = retentionMs === null ? null : nowMs - retentionMs;
  journal
    .prune({ receiptsBeforeMs: nowMs - RECEIPT_LIFE_MS, entriesBeforeMs })
    .catch((error: unknown) => onProblem("what is too old", error));
}
