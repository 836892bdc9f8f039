/** What becomes of the runs that a daemon finds when it meets a keeper, its old one or a new one. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RunReport } from "../../protocol/keeper.js";
import { NotCommitted } from "../../runtime/not-committed.js";
import type { Runtime } from "../../runtime/runtime.js";
import { endLeftovers, listLeftovers } from "../keeper/leftovers.js";
import type { SessionNetwork } from "../wall/session-network.js";
import type { AgentTerminals } from "./agent-terminals.js";
import type { SessionWalls } from "../wall/session-walls.js";
import type { OutputPump } from "./output-pump.js";
import { STARTED_BEFORE_WALLS } from "../wall/session-wall.js";
import { parseRunId, parseTerminalRunId, runIdOf } from "./run-id.js";

const RETRY_DELAY_MS = 1_000;
/** A disk that is full for longer is found out at the next start. */
const TRIES_MAX = 600;

export interface AdoptOptions {
  readonly dataDir: string;
  readonly runtime: Runtime;
  readonly pump: OutputPump;
  readonly agentTerminals: AgentTerminals;
  readonly network: Pick<SessionNetwork, "adopt">;
  readonly walls: Pick<SessionWalls, "ended">;
  /** Runs that were lost with their keeper, for the driver: they must not be started again. */
  readonly lost: Set<string>;
  readonly onProblem: (what: string, error: unknown) => void;
}

export async function adoptRuns(runs: readonly RunReport[], options: AdoptOptions): Promise<void> {
  const { dataDir, runtime, pump, agentTerminals, network, walls, lost, onProblem } = options;
  // Not waited for: what goes through the proxy goes on without us.
  void network.adopt(runs);
  const kept = new Set(runs.map(({ runId }) => runId));
  const { metas, problems } = await listLeftovers(dataDir);
  for (const problem of problems) onProblem(`the run folder ${problem.folder}`, problem.reason);
  const leftovers = metas.filter(({ runId }) => !kept.has(runId));
  for (const { runId } of leftovers) lost.add(runId);
  await endLeftovers(leftovers);
  for (const report of runs) {
    if (parseTerminalRunId(report.runId)) continue;
    pump.follow(report);
    noteWithoutWall(runtime, report.runId);
  }
  agentTerminals.adopt(runs, kept);
  for (const { runId } of leftovers) {
    const done = parseTerminalRunId(runId) ? agentTerminals.clear(runId) : pump.followLost(runId);
    done.catch((error: unknown) => onProblem(`what is left of ${runId}`, error));
  }
  for (const { sessionId, run } of runtime.liveRuns()) {
    const runId = runIdOf(sessionId, run);
    if (kept.has(runId) || lost.has(runId) || runtime.awaitsSpawn(sessionId, run)) continue;
    // Not waited for: what is still to be said to the run waits for the keeper, and so for us.
    interrupt(runtime, sessionId, run)
      .then(() => walls.ended(runId))
      .catch((error: unknown) => onProblem(`the end of ${runId}`, error));
  }
}

/** Whoever starts a run writes down what stands around it; of one whose start is not committed, that is still to come. */
function noteWithoutWall(runtime: Runtime, runId: string): void {
  const { sessionId, run } = parseRunId(runId);
  const session = runtime.session(sessionId);
  if (!session || session.wall?.run === run || runtime.awaitsSpawn(sessionId, run)) return;
  runtime.foundUnwalled(sessionId, run, STARTED_BEFORE_WALLS);
}

/** Until the journal takes it. */
async function interrupt(runtime: Runtime, sessionId: string, run: number): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await runtime.interrupted(sessionId, run);
      return;
    } catch (error) {
      if (!(error instanceof NotCommitted) || tried === TRIES_MAX) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}
