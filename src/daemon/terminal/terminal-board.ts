import { WebSocketServer } from "ws";
import type { RunExit } from "../../protocol/keeper.js";
import type { Bus, Committed } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { answerProblemRaw, busy, failure, sessionNotFound, type Failure } from "../http/problem.js";
import type { TerminalUpgrade } from "../http/upgrade.js";
import type { KeeperClient } from "../keeper/keeper-client.js";
import type { OutputTap } from "../runs/output-pump.js";
import { runIdOf } from "../runs/run-id.js";
import { REPLAY_BYTES } from "./replay-start.js";
import { RunTerminal } from "./run-terminal.js";
import { TerminalClient } from "./terminal-client.js";
import { CLOSINGS } from "./terminal-frames.js";

/** For each terminal. */
const CLIENTS_MAX = 64;
const FRAME_BYTES_MAX = 64 * 1024;
const PING_EVERY_MS = 30_000;
/** How long a screen that nobody looks at is kept. */
const UNWATCHED_MS = 5 * 60_000;

export interface TerminalBoardOptions {
  readonly session: (sessionId: string) => SessionRecord | null;
  /** Whether sessions of this harness have a terminal. */
  readonly isTerminal: (harness: string) => boolean;
  readonly runFolder: (runId: string) => string;
  readonly keeper: () => KeeperClient | null;
  /** Whether the run's output is being read: its end is told after its last byte. */
  readonly isPumped: (runId: string) => boolean;
  readonly onProblem: (what: string, error: unknown) => void;
  readonly pingEveryMs?: number;
  readonly unwatchedMs?: number;
}

/** The terminals that somebody looks at, or has looked at just now. */
export class TerminalBoard implements OutputTap, Bus {
  /** By session; of its newest run. */
  private readonly terminals = new Map<string, RunTerminal>();
  /** By session; those who came before its process was there. */
  private readonly waiting = new Map<string, Set<TerminalUpgrade>>();
  private readonly server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: FRAME_BYTES_MAX,
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

  keptBytes(sessionId: string): number {
    const record = this.options.session(sessionId);
    return record && this.options.isTerminal(record.settings.harness) ? REPLAY_BYTES : 0;
  }

  grew(sessionId: string, run: number, end: number): void {
    const terminal = this.terminals.get(sessionId);
    if (terminal?.run === run) terminal.grew(end);
  }

  async ended(sessionId: string, run: number, exit: RunExit): Promise<void> {
    const terminal = this.terminals.get(sessionId);
    if (terminal?.run !== run) return;
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

  private admit(upgrade: TerminalUpgrade): Failure | null {
    const { sessionId } = upgrade;
    if (this.closed) return busy("The daemon is going away.");
    const record = this.options.session(sessionId);
    if (!record) return sessionNotFound(sessionId);
    if (!this.options.isTerminal(record.settings.harness))
      return failure("conflict", "This session has no terminal.");
    if (!record.state.alive) return failure("conflict", "Nothing runs in this session's terminal now.");
    if (this.clientCount(sessionId) >= CLIENTS_MAX)
      return busy(`${CLIENTS_MAX} clients look at this terminal already.`);
    if (isStarting(record)) this.wait(upgrade);
    else this.attach(upgrade, record);
    return null;
  }

  private clientCount(sessionId: string): number {
    return (this.terminals.get(sessionId)?.clients.size ?? 0) + (this.waiting.get(sessionId)?.size ?? 0);
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
    if (!waiting || (record && isStarting(record))) return;
    this.waiting.delete(sessionId);
    for (const upgrade of waiting) this.take(upgrade);
  }

  private attach({ request, socket, head }: TerminalUpgrade, record: SessionRecord): void {
    if (socket.destroyed) return;
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      const terminal = this.terminalOf(record);
      const onError = (error: Error): void => this.options.onProblem(`a client of ${terminal.runId}`, error);
      terminal.attach(new TerminalClient(webSocket, terminal, onError));
    });
  }

  private terminalOf(record: SessionRecord): RunTerminal {
    const { id, state, progress } = record;
    const known = this.terminals.get(id);
    if (known?.run === state.run) return known;
    const { runFolder, keeper, onProblem, unwatchedMs = UNWATCHED_MS } = this.options;
    const runId = runIdOf(id, state.run);
    const terminal: RunTerminal = new RunTerminal(
      {
        runId,
        run: state.run,
        runFolder: runFolder(runId),
        keeper,
        unwatchedMs,
        onUnused: () => this.forget(id, terminal),
        onProblem,
      },
      progress.outOffset,
    );
    this.terminals.set(id, terminal);
    return terminal;
  }

  private forget(sessionId: string, terminal: RunTerminal): void {
    if (this.terminals.get(sessionId) === terminal) this.terminals.delete(sessionId);
    void terminal.close(CLOSINGS.goingAway);
  }

  /** A run that is gone, and whose output nobody reads: nobody else will tell its end. */
  private endUnpumped(sessionId: string): void {
    const terminal = this.terminals.get(sessionId);
    if (!terminal || this.options.isPumped(terminal.runId)) return;
    const record = this.options.session(sessionId);
    if (record?.state.alive && record.state.run === terminal.run) return;
    void this.ended(sessionId, terminal.run, { code: null, signal: null });
  }

  private ping(): void {
    for (const terminal of this.terminals.values()) for (const client of terminal.clients) client.ping();
  }
}

/** Its process is yet to come: it has its seat in the roster as soon as it is there. */
function isStarting({ state, seatedRun }: SessionRecord): boolean {
  return state.alive && seatedRun !== state.run;
}
