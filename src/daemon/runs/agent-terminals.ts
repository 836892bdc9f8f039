import { rm } from "node:fs/promises";
import { SESSION_VARIABLE } from "../../protocol/session-variable.js";
import type { KeeperRequest, RunExit, RunReport } from "../../protocol/keeper.js";
import type { OutboxItem } from "../../runtime/ports.js";
import type { QueryAnswer, TerminalQuery } from "../../runtime/query.js";
import type { SessionRecord, SessionSettings } from "../../runtime/session-record.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import type { ConfiguredLaunch } from "../config/harness-setup.js";
import { KeeperRefusal, type KeeperClient, type RunNotice } from "../keeper/keeper-client.js";
import type { SessionWalls } from "../wall/session-walls.js";
import { agentEnvironment } from "./agent-environment.js";
import { failed } from "./answer-query.js";
import { effectPart } from "./effect-part.js";
import { newestOutput } from "./newest-output.js";
import type { PersonLimits } from "./person-limits.js";
import { parseTerminalRunId, runIdOf, terminalRunId } from "./run-id.js";
import { LAST_EFFECT_ID } from "./stop.js";
import { folderWithin } from "./within-folder.js";

/** What it prints, in order; and nothing to read. A wall stands around the session's folder, and so it begins there. */
const RUN_LINE = 'cd -- "$1" && exec bash -c -- "$0" 2>&1 </dev/null';
const END = { interrupt: false, termAfterMs: 0, killAfterMs: 2_000 } as const;

/** At least so much of the output can be read; the keeper may delete what was before it. */
const KEPT_BYTES = 1024 * 1024;
const CONSUMED_STEP_BYTES = 256 * 1024;
/** Of the output, for people. */
const SHOWN_BYTES = 16 * 1024;
/** That it goes on is told after so long, and then after twice as long, and so on. */
const FIRST_NEWS_MS = 250;
const NEWS_EVERY_MS_MAX = 30_000;

export interface AgentTerminalsOptions {
  readonly keeper: () => Promise<KeeperClient>;
  /** The keeper if it is there: for what can be done again later. */
  readonly keeperNow: () => KeeperClient | null;
  readonly configured: (settings: SessionSettings) => ConfiguredLaunch;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: PersonLimits;
  readonly walls: Pick<SessionWalls, "raiseBeside" | "ended">;
  readonly runFolder: (runId: string) => string;
  /** Whether an agent's run has not ended. */
  readonly isThere: (runId: string) => boolean;
  readonly observe: (sessionId: string, run: number, observation: TerminalObservation) => void;
  readonly onProblem: (what: string, error: unknown) => void;
}

type SpawnFields = Extract<KeeperRequest, { readonly type: "spawn" }>;

interface AgentTerminal {
  readonly runId: string;
  readonly sessionId: string;
  readonly run: number;
  readonly terminal: number;
  exit: RunExit | null;
  /** Nobody needs it: when it has ended, all of it is deleted. */
  isReleased: boolean;
  consumed: number;
  newsTimer: NodeJS.Timeout | null;
  newsAfterMs: number;
}

/**
 * The commands that we run for agents: each is a run of the keeper's, so that it outlives the daemon, and ends with the
 * run of its agent.
 */
export class AgentTerminals {
  private readonly terminals = new Map<string, AgentTerminal>();
  private closed = false;

  constructor(private readonly options: AgentTerminalsOptions) {}

  async perform(
    { sessionId, effectId }: Pick<OutboxItem, "sessionId" | "effectId">,
    { run, query }: { readonly run: number; readonly query: TerminalQuery },
    record: SessionRecord,
  ): Promise<QueryAnswer> {
    const target = {
      runId: terminalRunId(sessionId, run, query.terminal),
      effectId: effectPart(effectId, 0),
    };
    switch (query.type) {
      case "terminal_start":
        return this.start(target, runIdOf(sessionId, run), query, record);
      case "terminal_output":
        return this.read(target.runId, query.limitBytes);
      case "terminal_kill":
        await this.end(target);
        return { type: "terminal_done" };
      case "terminal_release":
        await this.release(target);
        return { type: "terminal_done" };
    }
  }

  /** False: it is about the run of an agent. */
  notice(notice: RunNotice): boolean {
    const known = this.known(notice.runId);
    if (!known) return false;
    if (notice.type === "output") this.grew(known, notice.end);
    if (notice.type === "exit") this.ended(known, notice.exit);
    return true;
  }

  /** What a keeper has of them. Those whose agent is gone are ended. */
  adopt(reports: readonly RunReport[], agentRunIds: ReadonlySet<string>): void {
    for (const { runId, outEnd, exit } of reports) {
      const known = this.known(runId);
      if (!known) continue;
      if (!agentRunIds.has(runIdOf(known.sessionId, known.run))) this.abandon(known);
      // It may wait for room in its spool.
      this.grew(known, outEnd);
      if (exit) this.ended(known, exit);
    }
  }

  /** What is left of one whose keeper died, when its process is dead. */
  async clear(runId: string): Promise<void> {
    this.drop(runId);
    await rm(this.options.runFolder(runId), { recursive: true, force: true });
  }

  hasRunning(sessionId: string, run: number): boolean {
    const isRunning = (each: AgentTerminal) => each.sessionId === sessionId && each.run === run && !each.exit;
    return [...this.terminals.values()].some(isRunning);
  }

  /** The run of their agent is over, and with it its wall. */
  endOf(sessionId: string, run: number): void {
    void this.options.walls.ended(runIdOf(sessionId, run));
    for (const known of this.terminals.values())
      if (known.sessionId === sessionId && known.run === run) this.abandon(known);
  }

  /** They go on. */
  close(): void {
    this.closed = true;
    for (const { newsTimer } of this.terminals.values()) if (newsTimer) clearTimeout(newsTimer);
  }

  private async start(
    target: { readonly runId: string; readonly effectId: string },
    agentRunId: string,
    { command, cwd }: Extract<TerminalQuery, { readonly type: "terminal_start" }>,
    record: SessionRecord,
  ): Promise<QueryAnswer> {
    const { configured, environment, keeper, isThere, walls } = this.options;
    if (!isThere(agentRunId)) return { type: "failed", message: "The agent has ended." };
    let spec: Pick<SpawnFields, "cwd" | "command" | "args" | "env" | "walled">;
    try {
      const { settings } = configured(record.settings);
      const env = agentEnvironment(environment, settings.env, { [SESSION_VARIABLE]: record.id });
      const folder = await folderWithin(record.settings.cwd, cwd);
      const inner = { command: "/bin/sh", args: ["-c", RUN_LINE, command, folder], env };
      const walled = await walls.raiseBeside(target.runId, record, { settings, inner, ownFiles: [] });
      const started = walled ?? inner;
      spec = {
        cwd: folder,
        command: started.command,
        args: [...started.args],
        env: { ...started.env },
        ...(walled === null ? {} : { walled: true }),
      };
    } catch (error) {
      return failed(error);
    }
    const client = await keeper();
    try {
      await client.spawn({
        ...target,
        hooks: false,
        ...this.options.limits,
        ...spec,
      });
    } catch (error) {
      // Anything else is the keeper's trouble, and is tried again.
      if (error instanceof KeeperRefusal && error.code !== "disk_full") return failed(error);
      throw error;
    }
    this.known(target.runId);
    return { type: "terminal_done" };
  }

  private async read(runId: string, limitBytes: number): Promise<QueryAnswer> {
    const known = this.terminals.get(runId);
    if (!known || known.isReleased) return { type: "failed", message: "There is no such terminal." };
    const { exit } = known;
    try {
      const output = await newestOutput(this.options.runFolder(runId), limitBytes, exit !== null);
      return { type: "terminal_output", ...output, exit };
    } catch (error) {
      return failed(error);
    }
  }

  private async end(target: { readonly runId: string; readonly effectId: string }): Promise<void> {
    const client = await this.options.keeper();
    try {
      await client.stop({ ...target, ...END });
    } catch (error) {
      // One that has ended, or never began, is as ended as can be.
      if (!(error instanceof KeeperRefusal)) throw error;
    }
  }

  private async release(target: { readonly runId: string; readonly effectId: string }): Promise<void> {
    const known = this.terminals.get(target.runId);
    if (!known) return;
    known.isReleased = true;
    if (known.exit) this.forget(known);
    else await this.end(target);
  }

  /** Should the keeper be away, it lists it again when it is back. */
  private abandon(known: AgentTerminal): void {
    known.isReleased = true;
    if (known.exit) this.forget(known);
    else
      this.options
        .keeperNow()
        ?.stop({ runId: known.runId, effectId: LAST_EFFECT_ID, ...END })
        .catch((error: unknown) => {
          if (error instanceof KeeperRefusal) this.drop(known.runId);
          else this.options.onProblem(`ending ${known.runId}`, error);
        });
  }

  private grew(known: AgentTerminal, end: number): void {
    if (end - KEPT_BYTES - known.consumed >= CONSUMED_STEP_BYTES) {
      known.consumed = end - KEPT_BYTES;
      this.options.keeperNow()?.consumed(known.runId, "out", known.consumed);
    }
    if (known.newsTimer || this.closed) return;
    known.newsTimer = setTimeout(() => {
      known.newsTimer = null;
      known.newsAfterMs = Math.min(known.newsAfterMs * 2, NEWS_EVERY_MS_MAX);
      void this.tell(known);
    }, known.newsAfterMs);
    known.newsTimer.unref();
  }

  private ended(known: AgentTerminal, exit: RunExit): void {
    known.exit = exit;
    void this.options.walls.ended(known.runId);
    if (known.newsTimer) clearTimeout(known.newsTimer);
    known.newsTimer = null;
    if (known.isReleased) this.forget(known);
    else void this.tell(known);
  }

  /** Never rejects. */
  private async tell(known: AgentTerminal): Promise<void> {
    const { runId, sessionId, run, terminal, exit } = known;
    const output = await newestOutput(this.options.runFolder(runId), SHOWN_BYTES, exit !== null).then(
      ({ text }) => text,
      (error: unknown) => {
        // It may just have been deleted.
        if (this.terminals.has(runId)) this.options.onProblem(`the output of ${runId}`, error);
        return null;
      },
    );
    // Of one that has ended meanwhile, the end is told.
    if (this.closed || known.isReleased || (exit === null && known.exit !== null)) return;
    this.options.observe(sessionId, run, { type: "command", terminal, output, exit });
  }

  private forget({ runId }: AgentTerminal): void {
    this.drop(runId);
    this.options
      .keeperNow()
      ?.forget(runId)
      .catch((error: unknown) => this.options.onProblem(`forgetting ${runId}`, error));
  }

  private drop(runId: string): void {
    const timer = this.terminals.get(runId)?.newsTimer;
    if (timer) clearTimeout(timer);
    this.terminals.delete(runId);
  }

  /** Null: it is no such run. One may speak before its start was answered. */
  private known(runId: string): AgentTerminal | null {
    const known = this.terminals.get(runId);
    if (known) return known;
    const ids = parseTerminalRunId(runId);
    if (!ids) return null;
    const added: AgentTerminal = {
      runId,
      ...ids,
      exit: null,
      isReleased: false,
      consumed: 0,
      newsTimer: null,
      newsAfterMs: FIRST_NEWS_MS,
    };
    this.terminals.set(runId, added);
    return added;
  }
}
