import { setTimeout as sleep } from "node:timers/promises";
import { KEEPER_PROTOCOL_VERSION } from "../../protocol/keeper-format.js";
import type { RunReport } from "../../protocol/keeper.js";
import { KeeperClient, type RunNotice } from "../keeper/keeper-client.js";

/** Of a link that is held back. */
const NEVER = new Promise<KeeperClient>(() => {
  // Nobody is ever connected.
});
const RECONNECT_DELAY_MS = 500;

export interface KeeperLinkOptions {
  readonly dataDir: string;
  readonly keeperEntry: string;
  /** Nobody is met: what agents say could not be written down, and waits in their spools. */
  readonly isHeld: boolean;
  readonly onNotice: (notice: RunNotice) => void;
  /** Connected, the first time or again. `runs` is all that the keeper has. */
  readonly onConnected: (runs: readonly RunReport[]) => Promise<void>;
  readonly onProblem: (what: string, error: unknown) => void;
  /** It is there, and has not answered for so long. */
  readonly onBusy: (waitedMs: number) => void;
  /** It was started by another version of this program. It stays as long as it has agents. */
  readonly onOther: (version: number) => void;
}

/** The connection to the keeper, made again whenever it breaks; a keeper that died is replaced. */
export class KeeperLink {
  private client: KeeperClient | null = null;
  private connecting: Promise<KeeperClient>;
  private closed = false;

  constructor(private readonly options: KeeperLinkOptions) {
    this.connecting = options.isHeld ? NEVER : this.connect();
    // Whoever uses the link gets the error; nobody may be using it yet.
    this.connecting.catch(() => undefined);
  }

  /** The connected client, once all runs that it has are known; waits while there is none. */
  get ready(): Promise<KeeperClient> {
    return this.connecting;
  }

  /** The client if there is one now: for what can be said again later. */
  get now(): KeeperClient | null {
    return this.client;
  }

  close(): void {
    this.closed = true;
    this.client?.close();
  }

  private async connect(): Promise<KeeperClient> {
    const { dataDir, keeperEntry, onNotice, onBusy, onOther } = this.options;
    const { client, runs, version } = await KeeperClient.connect({
      dataDir,
      keeperEntry,
      onNotice,
      onBusy,
      onClosed: (error) => this.lost(error),
    });
    this.client = client;
    if (version !== KEEPER_PROTOCOL_VERSION) onOther(version);
    await this.options.onConnected(runs);
    return client;
  }

  private lost(error: Error): void {
    this.client = null;
    if (this.closed) return;
    this.options.onProblem("the keeper's connection", error);
    this.connecting = this.reconnect();
    this.connecting.catch(() => undefined);
  }

  private async reconnect(): Promise<KeeperClient> {
    for (;;) {
      try {
        return await this.connect();
      } catch (error) {
        if (this.closed) throw error;
        this.options.onProblem("the keeper does not answer", error);
        await sleep(RECONNECT_DELAY_MS);
      }
    }
  }
}
