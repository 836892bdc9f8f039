import { setTimeout as sleep } from "node:timers/promises";
import { KEEPER_PROTOCOL_VERSION } from "../../protocol/keeper-format.js";
import type { RunReport } from "../../protocol/keeper.js";
import { isNewer } from "../../protocol/release-order.js";
import { endKeeper } from "../keeper/end-keeper.js";
import { KeeperClient, type KeeperConnection, type RunNotice } from "../keeper/keeper-client.js";

/** Of a link that is held back. */
const NEVER = new Promise<KeeperClient>(() => {
  // Nobody is ever connected.
});
const RECONNECT_DELAY_MS = 500;

/**
 * Whose keeper it is. Agents outlive an upgrade, and their keeper with them: it stays as it was started until it has none.
 * `too_new`: it speaks a protocol that this daemon does not know.
 */
export interface KeeperOrigin {
  readonly kind: "ours" | "older" | "newer" | "too_new";
  /** The Signalbox that it is part of; null: it is too old to say. */
  readonly release: string | null;
  readonly ours: string;
}

/** How it is with the keeper now. */
export type KeeperState =
  | { readonly type: "connected"; readonly origin: KeeperOrigin }
  /** It is there, and does not answer. */
  | { readonly type: "silent" }
  /** The connection is closed: what it had is not known until it is back, or another one is there. */
  | { readonly type: "away" }
  /** Nobody is met. */
  | { readonly type: "held" };

export interface KeeperLinkOptions {
  readonly dataDir: string;
  readonly keeperEntry: string;
  /** The Signalbox that this daemon is part of. */
  readonly release: string;
  /** Nobody is met: what agents say could not be written down, and waits in their spools. */
  readonly isHeld: boolean;
  readonly onNotice: (notice: RunNotice) => void;
  /** Connected, the first time or again. `runs` is all that the keeper has. */
  readonly onConnected: (runs: readonly RunReport[]) => Promise<void>;
  readonly onProblem: (what: string, error: unknown) => void;
  /** `state` may be another one now. */
  readonly onState: () => void;
  /** It is there, and has not answered for so long. */
  readonly onBusy: (waitedMs: number) => void;
  /** Somebody tried to talk to the keeper without its secret. */
  readonly onStranger: () => void;
  /** It is of another Signalbox, and stays. */
  readonly onOther: (origin: KeeperOrigin) => void;
}

/** The connection to the keeper, made again whenever it breaks; a keeper that died is replaced. */
export class KeeperLink {
  private client: KeeperClient | null = null;
  private connecting: Promise<KeeperClient>;
  private closed = false;
  /** The runs that it has are known. */
  private isMet = false;
  private origin: KeeperOrigin;
  private pid: number | null = null;
  /** Once is enough: should the next one be no newer, another one would not be either. */
  private hasReplaced = false;

  constructor(private readonly options: KeeperLinkOptions) {
    this.origin = { kind: "ours", release: options.release, ours: options.release };
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

  /** Null: none is known to live. */
  get keeperPid(): number | null {
    return this.client === null ? null : this.pid;
  }

  get state(): KeeperState {
    if (this.options.isHeld) return { type: "held" };
    if (this.client === null || !this.isMet) return { type: "away" };
    return this.client.isSilent ? { type: "silent" } : { type: "connected", origin: this.origin };
  }

  close(): void {
    this.closed = true;
    this.client?.close();
  }

  private async connect(): Promise<KeeperClient> {
    const { client, runs, version, release, keeperPid } = await this.meet();
    this.client = client;
    this.pid = keeperPid;
    this.origin = originOf(version, release, this.options.release);
    if (this.origin.kind !== "ours") this.options.onOther(this.origin);
    await this.options.onConnected(runs);
    // It may be gone again.
    this.isMet = this.client === client;
    this.options.onState();
    return client;
  }

  /** A keeper that is older than we, and has no agents to keep, gives way to one of ours. */
  private async meet(): Promise<KeeperConnection> {
    const met = await this.open();
    const { kind } = originOf(met.version, met.release, this.options.release);
    if (kind !== "older" || met.runs.length > 0 || this.hasReplaced) return met;
    this.hasReplaced = true;
    met.client.close();
    try {
      await endKeeper(this.options.dataDir, false);
    } catch (error) {
      this.options.onProblem("the older keeper does not end", error);
    }
    return this.open();
  }

  private open(): Promise<KeeperConnection> {
    const { dataDir, keeperEntry, onNotice, onBusy } = this.options;
    return KeeperClient.connect({
      dataDir,
      keeperEntry,
      onNotice,
      onBusy,
      onClosed: (error) => this.lost(error),
      onSilence: () => this.options.onState(),
      onStranger: () => this.options.onStranger(),
    });
  }

  private lost(error: Error): void {
    this.client = null;
    this.isMet = false;
    if (this.closed) return;
    this.options.onState();
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

function originOf(version: number, release: string | null, ours: string): KeeperOrigin {
  return { kind: kindOf(version, release, ours), release, ours };
}

function kindOf(version: number, release: string | null, ours: string): KeeperOrigin["kind"] {
  if (version > KEEPER_PROTOCOL_VERSION) return "too_new";
  if (release === null || version < KEEPER_PROTOCOL_VERSION || isNewer(ours, release)) return "older";
  return isNewer(release, ours) ? "newer" : "ours";
}
