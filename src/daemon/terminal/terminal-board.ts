import { WebSocketServer } from "ws";
import { launchedProgram } from "../../core/index.js";
import { FIRST_TERMINAL_SIZE } from "../../harness/terminal/terminal-harness.js";
import type { Foreground, RunExit, RunReport } from "../../protocol/keeper.js";
import type { Principal } from "../../protocol/principal.js";
import { CLOSINGS, TERMINAL_INPUT_BYTES_MAX } from "../../protocol/terminal-frames.js";
import type { Bus, Committed } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import type { TerminalHands } from "../http/call-handler.js";
import { answerProblemRaw, busy, failure, sessionNotFound, type Failure } from "../http/problem.js";
import type { TerminalUpgrade } from "../http/upgrade.js";
import { KeeperClosed, type KeeperClient } from "../keeper/keeper-client.js";
import type { OutputTap } from "../runs/output-pump.js";
import { runIdOf } from "../runs/run-id.js";
import { REPLAY_BYTES } from "./replay-start.js";
import { RunTerminal } from "./run-terminal.js";
import { TerminalClient } from "./terminal-client.js";

/** For each terminal. */
const CLIENTS_MAX = 64;
const PING_EVERY_MS = 30_000;

export interface TerminalBoardOptions {
  readonly session: (sessionId: string) => SessionRecord | null;
  /** Whether sessions of this harness have a terminal. */
  readonly isTerminal: (harness: string) => boolean;
  readonly runFolder: (runId: string) => string;
  readonly keeper: () => KeeperClient | null;
  /** The process of a run that is there, whose output is being read: its end is told after its last byte. */
  readonly pidOf: (runId: string) => number | null;
  readonly observe: (sessionId: string, run: number, observation: TerminalObservation) => void;
  /** Somebody types at a session's terminal. Must not throw. */
  readonly onTyped: (by: Principal, sessionId: string) => void;
  readonly onProblem: (what: string, error: unknown) => void;
  readonly pingEveryMs?: number;
}

/** What is known of a run when its terminal is opened. */
type Opening = Pick<RunReport, "pid" | "outEnd" | "lastEffectId" | "size" | "foreground">;

/** The terminal of every session that has one and whose process lives. */
export class TerminalBoard implements OutputTap, Bus, TerminalHands {
  /** By session; of its newest run. */
  private readonly terminals = new Map<string, RunTerminal>();
  /** By session; those who came before its process was there. */
  private readonly waiting = new Map<string, Set<TerminalUpgrade>>();
  private readonly server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: TERMINAL_INPUT_BYTES_MAX,
    perMessageDeflate: false,
  });
  private readonly pings: NodeJS.Timeout;
  private closed = false;

  constructor(private readonly options: TerminalBoardOptions) {
    this.pings = setInterval(() => this.ping(), options.pingEveryMs ?? PING_EVERY_MS);
    this.pings.unref();
  }

  /** A WebSocket that wants to look at a session's terminal. It has passed the checks of every request. */
  take(upgrade: TerminalUpgrade): void {
    const refused = this.admit(upgrade);
    if (refused) answerProblemRaw(upgrade.socket, refused);
  }

  async typeKeys(sessionId: string, text: string): Promise<Failure | null> {
    const terminal = this.living(sessionId);
    if ("ok" in terminal) return terminal;
    if (!this.options.keeper()) return keeperAway();
    let isTaken: boolean;
    try {
      isTaken = await terminal.pressed(text);
    } catch (error) {
      // Whether they arrived nobody knows.
      if (error instanceof KeeperClosed) return keeperAway();
      throw error;
    }
    return isTaken ? null : failure("conflict", "The program in this terminal does not take input now.");
  }

  nameAgent(sessionId: string, name: string): Failure | null {
    const terminal = this.living(sessionId);
    if ("ok" in terminal) return terminal;
    if (terminal.program.type === "shell")
      return failure(
        "no_agent",
        `Only a shell is in front of this terminal. Start ${name} in it first, then say that it is there.`,
      );
    this.options.observe(sessionId, terminal.run, { type: "named", name });
    return null;
  }

  /** Of a run that is there; null: it has no terminal, or none that can be read. */
  terminalOf(sessionId: string, run: number): RunTerminal | null {
    const known = this.terminals.get(sessionId);
    return known?.run === run ? known : null;
  }

  keptBytes(sessionId: string): number {
    return this.hasTerminal(sessionId) ? REPLAY_BYTES : 0;
  }

  followed(sessionId: string, run: number, report: Opening): void {
    if (this.closed || !this.hasTerminal(sessionId)) return;
    const terminal = this.terminalOf(sessionId, run) ?? this.open(sessionId, run, report);
    terminal?.follow(report);
  }

  foreground(sessionId: string, run: number, foreground: Foreground): void {
    this.terminalOf(sessionId, run)?.foreground(foreground);
  }

  grew(sessionId: string, run: number, end: number): void {
    this.terminalOf(sessionId, run)?.grew(end);
  }

  async ended(sessionId: string, run: number, exit: RunExit): Promise<void> {
    const terminal = this.terminalOf(sessionId, run);
    if (!terminal) return;
    this.terminals.delete(sessionId);
    await terminal.finish(exit);
  }

  /** A process has come to be, or will never: whoever waits for it is let in or turned away. */
  publish(committed: Committed): void {
    for (const sessionId of [...committed.sessionIds, ...committed.removedSessionIds]) {
      this.wake(sessionId);
      this.endUnpumped(sessionId);
    }
  }

  /** Takes leave of every client. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.pings);
    for (const waiting of this.waiting.values()) for (const upgrade of waiting) this.take(upgrade);
    this.waiting.clear();
    const terminals = [...this.terminals.values()];
    this.terminals.clear();
    await Promise.all(terminals.map((terminal) => terminal.close(CLOSINGS.goingAway)));
  }

  private hasTerminal(sessionId: string): boolean {
    const record = this.options.session(sessionId);
    return record !== null && this.options.isTerminal(record.settings.harness);
  }

  private admit(upgrade: TerminalUpgrade): Failure | null {
    const { sessionId } = upgrade;
    if (this.closed) return busy("The daemon is going away.");
    const record = this.options.session(sessionId);
    if (!record) return sessionNotFound(sessionId);
    const unfit = this.unfit(record);
    if (unfit) return unfit;
    if (this.clientCount(sessionId) >= CLIENTS_MAX)
      return busy(`${CLIENTS_MAX} clients look at this terminal already.`);
    if (this.isStarting(record)) this.wait(upgrade);
    else this.attach(upgrade, record);
    return null;
  }

  private unfit({ settings, state }: SessionRecord): Failure | null {
    if (!this.options.isTerminal(settings.harness))
      return failure("conflict", "This session has no terminal.");
    return state.alive ? null : nothingRuns();
  }

  /** The terminal of what runs in the session now. */
  private living(sessionId: string): RunTerminal | Failure {
    if (this.closed) return busy("The daemon is going away.");
    const record = this.options.session(sessionId);
    if (!record) return sessionNotFound(sessionId);
    return this.unfit(record) ?? this.terminalOf(sessionId, record.state.run) ?? nothingRuns();
  }

  /** Its process is yet to come. */
  private isStarting({ id, state }: SessionRecord): boolean {
    return state.alive && this.options.pidOf(runIdOf(id, state.run)) === null;
  }

  private clientCount(sessionId: string): number {
    const watching = this.terminals.get(sessionId)?.audience.clients.size ?? 0;
    return watching + (this.waiting.get(sessionId)?.size ?? 0);
  }

  private wait(upgrade: TerminalUpgrade): void {
    const { sessionId, socket } = upgrade;
    const waiting = this.waiting.get(sessionId) ?? new Set();
    this.waiting.set(sessionId, waiting.add(upgrade));
    socket.once("close", () => waiting.delete(upgrade));
  }

  private wake(sessionId: string): void {
    const waiting = this.waiting.get(sessionId);
    const record = waiting && this.options.session(sessionId);
    if (!waiting || (record && this.isStarting(record))) return;
    this.waiting.delete(sessionId);
    for (const upgrade of waiting) this.take(upgrade);
  }

  private attach({ request, socket, head, typist }: TerminalUpgrade, record: SessionRecord): void {
    if (socket.destroyed) return;
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      const terminal = this.terminalOf(record.id, record.state.run);
      if (!terminal) {
        webSocket.close(CLOSINGS.ended.code, CLOSINGS.ended.reason);
        return;
      }
      const onError = (error: Error): void => this.options.onProblem(`a client of ${terminal.runId}`, error);
      const onTyped = (by: Principal): void => this.options.onTyped(by, record.id);
      const typing = typist === null ? null : { principal: typist, onTyped };
      terminal.attach(new TerminalClient(webSocket, terminal, typing, onError));
    });
  }

  private open(sessionId: string, run: number, { pid, outEnd, size }: Opening): RunTerminal | null {
    const record = this.options.session(sessionId);
    if (!record) return null;
    const { runFolder, keeper, observe, onProblem } = this.options;
    const runId = runIdOf(sessionId, run);
    const terminal = new RunTerminal({
      runId,
      run,
      pid,
      launched: launchedProgram(record.settings.args),
      size: size ?? FIRST_TERMINAL_SIZE,
      runFolder: runFolder(runId),
      end: outEnd,
      keeper,
      observe: (observation) => observe(sessionId, run, observation),
      onProblem,
    });
    const older = this.terminals.get(sessionId);
    if (older) void older.close(CLOSINGS.ended);
    this.terminals.set(sessionId, terminal);
    return terminal;
  }

  /** A run that is gone, and whose output nobody reads: nobody else will tell its end. */
  private endUnpumped(sessionId: string): void {
    const terminal = this.terminals.get(sessionId);
    if (!terminal || this.options.pidOf(terminal.runId) !== null) return;
    const record = this.options.session(sessionId);
    if (record?.state.alive && record.state.run === terminal.run) return;
    void this.ended(sessionId, terminal.run, { code: null, signal: null });
  }

  private ping(): void {
    for (const { audience } of this.terminals.values()) for (const client of audience.clients) client.ping();
  }
}

function keeperAway(): Failure {
  return failure("keeper_away", "The keeper, which owns the terminals, has ended or does not answer.");
}

function nothingRuns(): Failure {
  return failure("conflict", "Nothing runs in this session's terminal now.");
}
