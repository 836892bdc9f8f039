/** The sockets of agents behind walls: one for each run, in a folder that is mounted into its wall. */
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import { dirname, join } from "node:path";
import { agentSocketsFolder } from "../../keeper/paths.js";
import { ensurePrivateFolder } from "../../keeper/private-folder.js";
import { AGENT_SOCKET_NAME } from "../../protocol/agent-socket.js";
import { listenAt } from "../http/listen-at.js";
import { parseRunId } from "../runs/run-id.js";

/** A server for the agent of a session, which listens nowhere yet. */
export type ServeAgent = (sessionId: string) => Server;

export interface AgentSocketsOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  readonly onProblem: (what: string, error: unknown) => void;
}

export class AgentSockets {
  private readonly root: string;
  /** Of the runs that have a folder; null: nobody listens there. */
  private readonly servers = new Map<string, Server | null>();
  private serve: ServeAgent | null = null;
  private isClosed = false;

  constructor(private readonly options: AgentSocketsOptions) {
    this.root = agentSocketsFolder(options.dataDir);
  }

  /** On this machine. It stays the same for as long as the run goes on, whatever becomes of the daemon. */
  folderOf(runId: string): string {
    return join(this.root, runId);
  }

  has(runId: string): boolean {
    return this.servers.has(runId);
  }

  /** Before the run is started. Rejects when there can be no folder. May be repeated. */
  async open(runId: string): Promise<void> {
    ensurePrivateFolder(dirname(this.root));
    ensurePrivateFolder(this.root);
    ensurePrivateFolder(this.folderOf(runId));
    await this.listen(runId);
  }

  /** Takes up those of runs that go on, and takes away what is left of others. Never rejects. */
  async adopt(runIds: ReadonlySet<string>): Promise<void> {
    try {
      for (const name of namesIn(this.root)) {
        if (runIds.has(name)) await this.listen(name);
        else if (!this.servers.has(name)) await this.end(name);
      }
    } catch (error) {
      this.options.onProblem("the sockets of agents", error);
    }
  }

  /** From now on agents are answered; those that have a folder already, too. Never rejects. */
  async answerWith(serve: ServeAgent): Promise<void> {
    this.serve = serve;
    for (const runId of [...this.servers.keys()]) await this.listen(runId);
  }

  /** The run has ended. Never rejects. */
  async end(runId: string): Promise<void> {
    const server = this.servers.get(runId) ?? null;
    this.servers.delete(runId);
    try {
      if (server) await closed(server);
      await rm(this.folderOf(runId), { recursive: true, force: true });
    } catch (error) {
      this.options.onProblem(`the agent's socket of ${runId}`, error);
    }
  }

  /** Nobody is answered any more; the folders of runs that go on stay. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    const servers = [...this.servers.values()].filter((server) => server !== null);
    for (const runId of this.servers.keys()) this.servers.set(runId, null);
    await Promise.all(
      servers.map((server) =>
        closed(server).catch((error: unknown) => this.options.onProblem("an agent's socket", error)),
      ),
    );
  }

  /** No run goes on. Never rejects. */
  async removeAll(): Promise<void> {
    try {
      await rm(this.root, { recursive: true, force: true });
    } catch (error) {
      this.options.onProblem("the sockets of agents", error);
    }
  }

  /** An agent that cannot be listened to runs all the same. */
  private async listen(runId: string): Promise<void> {
    const known = this.servers.get(runId) ?? null;
    if (known === null) this.servers.set(runId, null);
    if (known !== null || this.serve === null || this.isClosed) return;
    const server = this.serve(parseRunId(runId).sessionId);
    this.servers.set(runId, server);
    try {
      await listenAt(server, join(this.folderOf(runId), AGENT_SOCKET_NAME));
      server.on("error", (error) => this.options.onProblem(`the agent's socket of ${runId}`, error));
    } catch (error) {
      if (this.servers.get(runId) === server) this.servers.set(runId, null);
      this.options.onProblem(`the agent's socket of ${runId}`, error);
    }
  }
}

/** With every connection. */
function closed(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
