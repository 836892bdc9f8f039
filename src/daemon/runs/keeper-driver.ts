import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NotifyReason, SessionFact } from "../../core/index.js";
import type { Changes } from "../../changes/changes.js";
import { SESSION_VARIABLE } from "../../protocol/session-variable.js";
import type { WallPlan } from "../../protocol/wall.js";
import type { Call, FailureNote } from "../../runtime/call.js";
import { failureFact } from "../../runtime/effect-words.js";
import type { Harness, LaunchSpec } from "../../runtime/harness.js";
import type { AppliedWall, Driver, DriverFact, OutboxItem, Performed } from "../../runtime/ports.js";
import { isTerminalQuery, type QueryAnswer } from "../../runtime/query.js";
import type { SessionRecord, SessionSettings } from "../../runtime/session-record.js";
import type { ConfiguredLaunch } from "../config/harness-setup.js";
import { KeeperRefusal, type KeeperClient } from "../keeper/keeper-client.js";
import type { TerminalBoard } from "../terminal/terminal-board.js";
import type { OwnFile } from "../../wall/wall-input.js";
import { STARTED_BEFORE_WALLS } from "../wall/session-wall.js";
import type { SessionNetwork } from "../wall/session-network.js";
import { WallError, type SessionWalls } from "../wall/session-walls.js";
import { agentEnvironment } from "./agent-environment.js";
import type { AgentTerminals } from "./agent-terminals.js";
import { Gate } from "./gate.js";
import type { KeeperLink } from "./keeper-link.js";
import type { OutputPump } from "./output-pump.js";
import { answerQuery, failed } from "./answer-query.js";
import { effectPart } from "./effect-part.js";
import { askedTool, resolvePermission, type PermissionPort } from "./permission-port.js";
import type { PersonLimits } from "./person-limits.js";
import { runIdOf } from "./run-id.js";
import { STOP } from "./stop.js";
import { typedFacts } from "./typed-facts.js";

/** Tells an agent's hooks which file to append to. */
const HOOKS_VARIABLE = "SIGNALBOX_HOOKS_FILE";
/** So many processes are being started at once; the others wait for their turn, */
const STARTS_MAX = 32;
/** which one gives up that has printed something, or after so long. */
const SIGN_PATIENCE_MS = 1_000;
const TRIES_MAX = 3;
/** Agents of ours, whose conversations lie in the data folder; others keep their own. */
const KEEPS_CONVERSATIONS: ReadonlySet<string> = new Set(["builtin", "demo"]);
const TRY_DELAY_MS = 200;

export interface KeeperDriverOptions {
  readonly link: KeeperLink;
  readonly pump: OutputPump;
  readonly terminals: Pick<TerminalBoard, "terminalOf">;
  readonly agentTerminals: Pick<AgentTerminals, "perform">;
  readonly harness: (name: string) => Harness;
  /** A session's settings, with what is configured for its agent. Throws when the configuration is broken. */
  readonly configured: (settings: SessionSettings) => ConfiguredLaunch;
  readonly permissions: PermissionPort;
  /** Resolves when the directory that it works in is made; rejects when it never will be. Absent: nobody makes any. */
  readonly untilPlace?: (settings: SessionSettings, overtaken: AbortSignal) => Promise<void>;
  /** Absent in the simulation, which has no processes. */
  readonly walls?: Pick<SessionWalls, "choose" | "raise" | "planOf" | "ended" | "starts">;
  /** Of runs behind walls. Absent in the simulation. */
  readonly network?: Pick<SessionNetwork, "answer">;
  /** Absent in the simulation, which has no files. */
  readonly changes?: Pick<Changes, "keepStart" | "keepTurn">;
  readonly onProblem?: (what: string, error: unknown) => void;
  /** Whether anything but its agent lives in a run, or nobody can tell. */
  readonly hasCompany: (sessionId: string, run: number) => boolean;
  readonly notify: (record: SessionRecord, reason: NotifyReason) => void;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: PersonLimits;
  /** Where a run's hooks write. */
  readonly hooksFile: (runId: string) => string;
  /** A run that was started by a keeper that died: it must not be started again. */
  readonly isLost: (runId: string) => boolean;
  /** For the simulation: turns are given up after a time that is real, and its own is not. */
  readonly startsMax?: number;
}

interface Prepared {
  readonly settings: SessionSettings;
  readonly spec: LaunchSpec;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Null: there are no walls at all. */
  readonly wall: AppliedWall | null;
}

type CallOf<T extends Call["type"]> = Extract<Call, { readonly type: T }>;

const DONE: Performed = { facts: [] };

/** Does what effects ask, through the keeper. What is done twice acts once: the keeper knows every effect's id. */
export class KeeperDriver implements Driver {
  /** Who starts a process: many at once would each be too slow to be ready in time. */
  private readonly turns: Gate;

  constructor(private readonly options: KeeperDriverOptions) {
    this.turns = new Gate(options.startsMax ?? STARTS_MAX);
  }

  async perform(item: OutboxItem, record: SessionRecord, overtaken: AbortSignal): Promise<Performed> {
    const { call } = item;
    switch (call.type) {
      case "spawn":
        return this.spawn(item, call, record, overtaken);
      case "write":
        return this.write(item, call);
      case "stop":
        return this.ignoringEnded(item, (client, target) => client.stop({ ...target, ...STOP }));
      case "signal":
        return this.ignoringEnded(item, (client, target) =>
          client.signal({ ...target, signal: call.signal }),
        );
      case "check_rest": {
        const { run, timerId } = call;
        const mayRest = !this.options.hasCompany(item.sessionId, run);
        return { facts: [{ fact: { type: "rest_checked", run, timerId, mayRest }, source: "process" }] };
      }
      case "checkpoint":
        return this.keepFiles(call, record, overtaken);
      case "check_permission": {
        const plan = await this.knownPlan(record);
        const fact = await resolvePermission(this.options.permissions, record, call, plan);
        return { facts: [{ fact, source: "rule" }] };
      }
      case "grant": {
        const { scope, tool, source } = call;
        const granted = await this.options.permissions.grant(record, scope, askedTool(tool), source);
        return { facts: [], granted };
      }
      case "answer_wall":
        await this.options.network?.answer(call);
        return DONE;
      case "query":
        return { facts: [], answer: await this.answer(item, call, record) };
      case "typing":
        return this.type(item, call, overtaken);
      case "notify":
        this.options.notify(record, call.reason);
        return DONE;
    }
  }

  /** What was there before a turn is noted as far as it can be; what a turn left is told to be kept, or not. */
  private async keepFiles(
    { turn, at }: CallOf<"checkpoint">,
    record: SessionRecord,
    overtaken: AbortSignal,
  ): Promise<Performed> {
    const { changes, onProblem, untilPlace } = this.options;
    const { cwd } = record.settings;
    try {
      if (at === "start") await untilPlace?.(record.settings, overtaken);
      if (at === "start") await changes?.keepStart(record.id, cwd, turn);
      else await changes?.keepTurn(record.id, cwd, turn);
      return at === "start"
        ? DONE
        : { facts: [{ fact: { type: "say:checkpoint_saved", turn }, source: "process" }] };
    } catch (error) {
      if (at === "start") {
        onProblem?.(`the files of ${record.id} before turn ${turn} were not kept`, error);
        return DONE;
      }
      const message = error instanceof Error ? error.message : String(error);
      return { facts: [{ fact: { type: "checkpoint_failed", turn, error: message }, source: "process" }] };
    }
  }

  private answer(item: OutboxItem, call: CallOf<"query">, record: SessionRecord): Promise<QueryAnswer> {
    const { run, query } = call;
    const { agentTerminals, permissions } = this.options;
    return isTerminalQuery(query)
      ? agentTerminals.perform(item, { run, query }, record)
      : this.planFor(record).then(
          (plan) => answerQuery(query, record, permissions, plan),
          // Nothing is done in the place of an agent whose wall is not known.
          failed,
        );
  }

  /** A plan that is not there holds nothing. */
  private async knownPlan(record: SessionRecord): Promise<WallPlan | null> {
    try {
      return await this.planFor(record);
    } catch (error) {
      if (!(error instanceof WallError)) throw error;
      return null;
    }
  }

  private async planFor(record: SessionRecord): Promise<WallPlan | null> {
    return (await this.options.walls?.planOf(record)) ?? null;
  }

  private async spawn(
    item: OutboxItem,
    call: CallOf<"spawn">,
    record: SessionRecord,
    overtaken: AbortSignal,
  ): Promise<Performed> {
    const { link, pump, isLost } = this.options;
    const runId = runIdOf(record.id, call.run);
    if (isLost(runId)) return DONE;
    await pump.earlierEnded(record.id, call.run);
    const before = await this.startedBefore(runId);
    if (before) return before;
    let prepared: Prepared;
    try {
      await this.options.untilPlace?.(record.settings, overtaken);
      prepared = await this.prepare(runId, call, record);
    } catch (error) {
      await this.options.walls?.ended(runId);
      return neverStarted(call.run, error);
    }
    const { settings, spec, command, args, env, wall } = prepared;
    const { hooks, pty } = spec;
    if (wall) await this.options.walls?.starts.write(runId, { wall, forgot: spec.forgot === true });
    await this.turns.enter(1);
    let pid: number | null = null;
    try {
      const client = await link.ready;
      pid = await client.spawn({
        runId,
        effectId: effectPart(item.effectId, 0),
        command,
        args: [...args],
        cwd: settings.cwd,
        env: { ...env },
        hooks,
        ...(wall?.plan ? { walled: true } : {}),
        ...this.options.limits,
        ...(pty ? { pty } : {}),
      });
    } catch (error) {
      // Anything else is the keeper's trouble, not the agent's: it is tried again.
      if (!(error instanceof KeeperRefusal) || error.code === "disk_full") throw error;
      await this.options.walls?.ended(runId);
      return neverStarted(call.run, error);
    } finally {
      if (pid === null) this.turns.leave(1);
    }
    const size = pty ? { size: { cols: pty.cols, rows: pty.rows } } : {};
    pump.follow({ runId, pid, outEnd: 0, hooksEnd: 0, lastEffectId: null, exit: null, ...size });
    this.giveUpTurn(runId);
    return { facts: [], started: true, ...(wall ? { wall } : {}), ...(spec.forgot ? { forgot: true } : {}) };
  }

  /** A run that the keeper has, though the journal does not say so: what it was started with is what counts. */
  private async startedBefore(runId: string): Promise<Performed | null> {
    const { walls, link, pump } = this.options;
    if (!walls) return null;
    // Then all runs that the keeper has are followed.
    await link.ready;
    if (pump.pidOf(runId) === null) return null;
    const record = await walls.starts.read(runId);
    const wall: AppliedWall = record?.wall ?? { plan: null, because: STARTED_BEFORE_WALLS };
    return { facts: [], started: true, wall, ...(record?.forgot ? { forgot: true } : {}) };
  }

  /** What the keeper is to start: the agent's command, inside its wall. Rejects rather than to leave the wall away. */
  private async prepare(runId: string, call: CallOf<"spawn">, record: SessionRecord): Promise<Prepared> {
    const { dataDir, permissions, walls, harness, environment, hooksFile } = this.options;
    const { settings, program } = this.options.configured(record.settings);
    const choice = (await walls?.choose(settings)) ?? null;
    const own = KEEPS_CONVERSATIONS.has(settings.harness)
      ? ownConversations(dataDir, record.id, call.resume, choice?.isOn === true)
      : null;
    const trusted = permissions.isTrusted(record);
    const start = { ...call, dataDir, program, trusted, ...(own === null ? {} : { conversationsDir: own }) };
    const spec = await harness(settings.harness).launch(settings, start);
    const env = agentEnvironment(
      environment,
      spec.env,
      settings.env,
      { [SESSION_VARIABLE]: record.id },
      spec.hooks ? { [HOOKS_VARIABLE]: hooksFile(runId) } : {},
    );
    const { command, args } = spec;
    if (!walls || !choice) return { settings, spec, command, args, env, wall: null };
    if (!choice.isOn)
      return { settings, spec, command, args, env, wall: { plan: null, because: choice.because } };
    const ownFiles = ownFilesOf(spec.hooks ? hooksFile(runId) : null, own);
    const inner = { command, args, env };
    const { plan, ...walled } = await walls.raise(runId, { settings, inner, ownFiles }, choice.backend);
    return { settings, spec, ...walled, wall: { plan, because: null } };
  }

  /** Once the process has printed something, and does not load any more; and soon, for one that prints nothing. */
  private giveUpTurn(runId: string): void {
    const patience = sleep(SIGN_PATIENCE_MS, undefined, { ref: false });
    void Promise.race([this.options.pump.spoke(runId), patience]).then(() => this.turns.leave(1));
  }

  /** Tries a few times; then the machine is told, and what it carried goes back to the queue. */
  private async write(item: OutboxItem, call: CallOf<"write">): Promise<Performed> {
    const { effectId, sessionId } = item;
    const input = {
      runId: runIdOf(sessionId, call.run),
      effectId: effectPart(effectId, 0),
      data: call.data,
      encoding: "utf8",
    } as const;
    let reason = "";
    for (let tried = 0; tried < TRIES_MAX; tried += 1) {
      const client = await this.options.link.ready;
      try {
        await client.input(input);
        return DONE;
      } catch (error) {
        if (!(error instanceof KeeperRefusal)) throw error;
        // Nobody knows whether it had taken the message: its end brings back what was not proven taken.
        if (error.code === "unknown_run" && call.onFailure.type === "delivery_failed") return DONE;
        if (this.options.isLost(input.runId) && !carriesAnswer(call.onFailure))
          return undelivered(call.onFailure);
        // Its end, which says more, is about to be told, and does the same; but not for a message that answered an ask.
        const endTells = error.code === "ended" && !carriesAnswer(call.onFailure);
        if (endTells && (await this.options.pump.isEnding(input.runId))) return DONE;
        reason = error.message;
        if (error.code !== "input_full") break;
        await sleep(TRY_DELAY_MS);
      }
    }
    const fact = failureFact(call.onFailure, reason);
    return { facts: fact ? [{ fact, source: "process" }] : [] };
  }

  /** With the screen watched; what could not be typed is told as what its effect needs. */
  private async type(item: OutboxItem, call: CallOf<"typing">, overtaken: AbortSignal): Promise<Performed> {
    await this.options.link.ready;
    const terminal = this.options.terminals.terminalOf(item.sessionId, call.run);
    const typed = terminal
      ? await terminal.type(item.effectId, call.typing, overtaken)
      : ({ isTaken: false, reason: "The terminal is gone." } as const);
    const facts = typedFacts(call, typed).map((fact): DriverFact => ({ fact, source: "screen" }));
    const isLost = !typed.isTaken && this.options.isLost(runIdOf(item.sessionId, call.run));
    return isLost ? { ...undelivered(call.onFailure), facts } : { facts };
  }

  private async ignoringEnded(
    item: OutboxItem,
    act: (
      client: KeeperClient,
      target: { readonly runId: string; readonly effectId: string },
    ) => Promise<unknown>,
  ): Promise<Performed> {
    const run = "run" in item.call ? item.call.run : 0;
    try {
      await act(await this.options.link.ready, {
        runId: runIdOf(item.sessionId, run),
        effectId: effectPart(item.effectId, 0),
      });
    } catch (error) {
      // A run that has ended, or never began, is as stopped as can be.
      if (!(error instanceof KeeperRefusal)) throw error;
    }
    return DONE;
  }
}

/**
 * Behind a wall an agent of ours sees its own conversations only: they lie in a folder of their own. What is there once
 * stays there. Null: with all others.
 */
function ownConversations(
  dataDir: string,
  sessionId: string,
  resume: string | null,
  isWalled: boolean,
): string | null {
  const all = join(dataDir, "conversations");
  const own = join(all, sessionId);
  if (!isWalled && !existsSync(own)) return null;
  mkdirSync(own, { recursive: true, mode: 0o700 });
  // One from before: it is this session's, which alone goes on with it.
  const before = resume !== null && /^[\w-]+$/.test(resume) ? join(all, `${resume}.jsonl`) : null;
  if (before !== null && existsSync(before)) renameSync(before, join(own, `${resume}.jsonl`));
  return own;
}

/** What a run has of the data folder. */
function ownFilesOf(hooksFile: string | null, conversations: string | null): OwnFile[] {
  if (hooksFile !== null) {
    // The keeper makes it anew; a plan names only what is there.
    mkdirSync(dirname(hooksFile), { recursive: true, mode: 0o700 });
    writeFileSync(hooksFile, "", { mode: 0o600 });
  }
  return [
    ...(hooksFile === null
      ? []
      : [{ path: hooksFile, type: "file", isWritable: true, why: "its hooks tell what it does" } as const]),
    ...(conversations === null
      ? []
      : [{ path: conversations, type: "folder", isWritable: true, why: "its conversation" } as const]),
  ];
}

/** A message that was given as the answer to an ask comes back only when it is told to have failed. */
function carriesAnswer(onFailure: FailureNote): boolean {
  return onFailure.type === "effect_failed" && onFailure.effect.messageId !== undefined;
}

/** The run's end, which says more, is about to be told; but not what of an answer. */
function undelivered(onFailure: FailureNote): Performed {
  if (onFailure.type !== "effect_failed" || onFailure.effect.askId === undefined) return DONE;
  return { facts: [], undelivered: onFailure.what ?? "an answer" };
}

/** Exactly one end for every start, even for one that never came to be. */
function neverStarted(run: number, error: unknown): Performed {
  const message = error instanceof Error ? error.message : String(error);
  const facts: readonly SessionFact[] = [
    { type: "process_error", run, error: message },
    { type: "process_exit", run, code: null },
  ];
  return { facts: facts.map((fact): DriverFact => ({ fact, source: "process" })) };
}
