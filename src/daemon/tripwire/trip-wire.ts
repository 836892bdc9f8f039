/**
 * Notices when an agent, or what it has started, calls the daemon as if it were a person.
 *
 * It is a trip wire, not a wall: a program of the same person that gets away from its ancestors and drops their variables
 * is not known again. Whoever stumbles over it is refused, and seen.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Duplex } from "node:stream";
import { isGone, listProcesses, type ProcessEntry } from "../../keeper/process-table.js";
import { agentPrincipal, type Principal } from "../../protocol/principal.js";
import { SESSION_VARIABLE } from "../../protocol/session-variable.js";
import { localPeer, peersAt, type LocalPeer } from "./local-peer.js";

export interface TripWireOptions {
  /** Null: none is known. */
  readonly keeperPid: () => number | null;
  /** Whether this daemon has such a session: the variable of another daemon's says nothing here. */
  readonly isSession: (sessionId: string) => boolean;
  /** The processes of runs, and whose they are. */
  readonly runs: () => Iterable<{ readonly sessionId: string; readonly pid: number }>;
  readonly onProblem: (what: string, error: unknown) => void;
  /** For tests. */
  readonly peerOf?: (connection: Duplex) => Promise<LocalPeer>;
}

/** Of one connection. A process that holds more of them than all of these is taken to be the one that called. */
const LINKS_READ_MAX = 65_536;

const STRANGER: Principal = {
  kind: "agent",
  id: "",
  name: "a local program that did not wait for its answer",
};

interface Machine {
  readonly parents: ReadonlyMap<number, number>;
  /** Sessions, by the processes of their runs. */
  readonly runs: ReadonlyMap<number, string>;
  readonly keeper: number | null;
}

function agentOf(sessionId: string): Principal {
  if (sessionId !== "") return agentPrincipal(sessionId);
  return { kind: "agent", id: "", name: "a program that the keeper started" };
}

export class TripWire {
  private readonly known = new WeakMap<Duplex, Promise<Principal | null>>();
  /** By process: the session that its variables named, when it was first seen. */
  private variables = new Map<number, { readonly startTicks: number; readonly sessionId: string | null }>();

  constructor(private readonly options: TripWireOptions) {}

  /** The agent behind a connection; null: none is known. Looked up once for each. Never rejects. */
  trace(connection: Duplex): Promise<Principal | null> {
    const known = this.known.get(connection);
    if (known) return known;
    const traced = this.find(connection).catch((error: unknown) => {
      this.options.onProblem("who calls cannot be told", error);
      return null;
    });
    this.known.set(connection, traced);
    return traced;
  }

  /** An agent that is connected to a socket of the file system, which is another process's; null: none is known. */
  async traceAt(path: string): Promise<Principal | null> {
    try {
      const owners = (await peersAt(path)).map((inode) => this.ownerOf(inode));
      return owners.find((owner) => owner !== null) ?? null;
    } catch (error) {
      this.options.onProblem("who calls cannot be told", error);
      return null;
    }
  }

  private async find(connection: Duplex): Promise<Principal | null> {
    const peer = await (this.options.peerOf ?? localPeer)(connection);
    switch (peer.type) {
      case "elsewhere":
        return null;
      case "gone":
        return STRANGER;
      case "socket":
        return this.ownerOf(peer.inode);
    }
  }

  /** Only processes that belong to a session are looked into. */
  private ownerOf(inode: number): Principal | null {
    const processes = listProcesses();
    this.rememberVariables(processes);
    const machine: Machine = {
      parents: new Map(processes.map(({ pid, parent }) => [pid, parent])),
      runs: new Map([...this.options.runs()].map((run) => [run.pid, run.sessionId])),
      keeper: this.options.keeperPid(),
    };
    const budget = { links: LINKS_READ_MAX };
    for (const { pid } of processes) {
      const sessionId = this.sessionOf(pid, machine);
      if (sessionId !== null && holds(pid, inode, budget)) return agentOf(sessionId);
    }
    return null;
  }

  /** By its own variables, or those of whoever started it; empty: of the keeper, and nobody knows of which session. */
  private sessionOf(pid: number, { parents, runs, keeper }: Machine): string | null {
    const seen = new Set<number>();
    for (
      let at: number | undefined = pid;
      at !== undefined && at > 1 && !seen.has(at);
      at = parents.get(at)
    ) {
      const named = runs.get(at) ?? this.variables.get(at)?.sessionId ?? null;
      if (named !== null) return named;
      if (at === keeper) return at === pid ? null : "";
      seen.add(at);
    }
    return null;
  }

  private rememberVariables(processes: readonly ProcessEntry[]): void {
    const before = this.variables;
    this.variables = new Map(
      processes.map(({ pid, startTicks }) => {
        const known = before.get(pid);
        if (known?.startTicks === startTicks) return [pid, known];
        const said = sessionIn(pid);
        const sessionId = said !== null && this.options.isSession(said) ? said : null;
        return [pid, { startTicks, sessionId }];
      }),
    );
  }
}

const MARK = Buffer.from(`${SESSION_VARIABLE}=`);

/** What the variable of a process says that it was started with. */
function sessionIn(pid: number): string | null {
  let variables: Buffer;
  try {
    variables = readFileSync(`/proc/${pid}/environ`);
  } catch {
    // It has ended, or is somebody else's.
    return null;
  }
  for (let at = variables.indexOf(MARK); at >= 0; at = variables.indexOf(MARK, at + 1)) {
    if (at > 0 && variables[at - 1] !== 0) continue;
    const end = variables.indexOf(0, at);
    return variables.subarray(at + MARK.length, end < 0 ? undefined : end).toString("utf8");
  }
  return null;
}

function holds(pid: number, inode: number, budget: { links: number }): boolean {
  const wanted = `socket:[${inode}]`;
  try {
    for (const name of readdirSync(`/proc/${pid}/fd`)) {
      budget.links -= 1;
      if (budget.links < 0 || linkOf(`/proc/${pid}/fd/${name}`) === wanted) return true;
    }
    return false;
  } catch (error) {
    if (isGone(error) || isForbidden(error)) return false;
    throw error;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EACCES";
}
