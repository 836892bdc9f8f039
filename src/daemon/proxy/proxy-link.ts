/** The connection to the proxy: made when a run needs it, and again whenever it breaks; a proxy that died is replaced. */
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import {
  PROXY_HOSTS_MAX,
  type HeldHost,
  type ProxyPolicy,
  type PublishedPort,
} from "../../protocol/proxy-format.js";
import { policiesFolder } from "../../proxy/paths.js";
import { ProxyClient } from "./proxy-client.js";

const RETRY_DELAY_MS = 200;
/** A proxy that nobody needs is let go after so long, and ends soon after. */
const NEEDLESS_MS = 30_000;

export interface ProxyLinkOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  readonly entry: string;
  readonly onHeld: (held: HeldHost) => void;
  readonly onTurnedAway: (refused: Omit<HeldHost, "heldId">) => void;
  readonly onGivenUp: (held: HeldHost, why: "expired" | "gone") => void;
  /** All that was held before means nothing: what is held now is told anew. */
  readonly onConnecting: () => void;
  /** All that is held now was told. */
  readonly onConnected: () => void;
  readonly onProblem: (what: string, error: unknown) => void;
}

export class ProxyLink {
  /** What is to be open. */
  private readonly wanted = new Map<string, ProxyPolicy>();
  private client: ProxyClient | null = null;
  private connecting: Promise<ProxyClient> | null = null;
  /** Runs that go on from before. */
  private adopting = new Set<string>();
  private isClosed = false;
  private needless: NodeJS.Timeout | null = null;
  private readonly ports: Promise<readonly number[]>;
  private knowPorts: (ports: readonly number[]) => void = () => undefined;

  constructor(private readonly options: ProxyLinkOptions) {
    this.ports = new Promise((resolve) => {
      this.knowPorts = resolve;
    });
  }

  /** Where the daemon itself listens, which no run may reach: nobody is let through before that is known. */
  setDaemonPorts(ports: readonly number[]): void {
    this.knowPorts(ports);
  }

  /** Takes over what goes through the proxy of an earlier daemon. `live`: the runs that go on; others are closed. */
  async adopt(live: ReadonlySet<string>): Promise<void> {
    const kept = await readdir(policiesFolder(this.options.dataDir)).catch(() => []);
    if (this.client !== null) return;
    if (!kept.some((name) => name.endsWith(".json"))) {
      // Nothing goes through a proxy, so that none holds anything.
      this.options.onConnected();
      return;
    }
    this.adopting = new Set(live);
    await this.ready();
  }

  /** Resolves when the run's sockets are there. Rejects when they cannot be. */
  async open(runId: string, policy: ProxyPolicy): Promise<void> {
    this.wanted.set(runId, policy);
    try {
      // One that dies meanwhile is followed by one that is told of all that is wanted.
      const client = await this.ready();
      await client.open(runId, policy);
    } catch (error) {
      this.wanted.delete(runId);
      throw error;
    }
  }

  /** One more host for a run, until it ends. Never rejects: a host that is not on the list is asked about. */
  async allow(runId: string, host: string): Promise<void> {
    const policy = this.wanted.get(runId);
    if (!policy || policy.hosts.includes(host) || policy.hosts.length >= PROXY_HOSTS_MAX) return;
    const wider = { ...policy, hosts: [...policy.hosts, host] };
    this.wanted.set(runId, wider);
    try {
      // One that is connected to later is told of all that is wanted.
      await this.client?.open(runId, wider);
    } catch (error) {
      this.options.onProblem(`${host} on the list of ${runId}`, error);
    }
  }

  /** None also where the proxy is of an earlier Signalbox, or away. Never rejects. */
  async publish(runId: string, except: readonly number[]): Promise<readonly PublishedPort[]> {
    try {
      return this.wanted.has(runId) ? ((await this.client?.ports(runId, except)) ?? []) : [];
    } catch (error) {
      this.options.onProblem(`the ports of ${runId}`, error);
      return [];
    }
  }

  /** The run has ended. Never rejects. */
  async close(runId: string): Promise<void> {
    this.adopting.delete(runId);
    if (!this.wanted.delete(runId)) return;
    try {
      // A proxy that is away is told what is wanted when it is back, and closes all others.
      await this.client?.closeRun(runId);
    } catch (error) {
      this.options.onProblem(`closing the network of ${runId}`, error);
    }
    if (this.wanted.size === 0) this.letGo();
  }

  /** While a proxy is being connected to, it is not known what is held. Never rejects. */
  async settled(): Promise<void> {
    await this.connecting?.catch(() => undefined);
  }

  /** Never rejects: when the proxy is gone, so is whoever waited. */
  async answer(held: HeldHost, allow: boolean, because: string): Promise<void> {
    try {
      const client = this.client ?? (await this.connecting);
      await client?.answer(held, allow, because);
    } catch (error) {
      this.options.onProblem(`the answer for ${held.host}`, error);
    }
  }

  /** What goes through the proxy goes on, unless its runs end too. */
  async end(withRuns: boolean): Promise<void> {
    this.isClosed = true;
    if (this.needless) clearTimeout(this.needless);
    if (withRuns && this.client) await this.client.shutdown().catch(() => undefined);
    this.client?.close();
    this.client = null;
  }

  private ready(): Promise<ProxyClient> {
    if (this.needless) clearTimeout(this.needless);
    this.needless = null;
    if (this.client) return Promise.resolve(this.client);
    this.connecting ??= this.connect().finally(() => (this.connecting = null));
    return this.connecting;
  }

  private async connect(): Promise<ProxyClient> {
    const { dataDir, entry, onHeld, onTurnedAway, onGivenUp } = this.options;
    const daemonPorts = await this.ports;
    this.options.onConnecting();
    const { client, welcome } = await ProxyClient.connect({
      ...{ dataDir, entry, daemonPorts, onHeld, onTurnedAway, onGivenUp },
      onClosed: () => this.lost(),
    });
    for (const { runId, policy } of welcome.runs)
      if (!this.wanted.has(runId) && this.adopting.has(runId)) this.wanted.set(runId, policy);
    this.adopting.clear();
    for (const { runId } of welcome.runs) if (!this.wanted.has(runId)) await client.closeRun(runId);
    for (const [runId, policy] of this.wanted) await client.open(runId, policy);
    this.client = client;
    this.options.onConnected();
    if (this.wanted.size === 0) this.letGo();
    return client;
  }

  private lost(): void {
    this.client = null;
    if (this.isClosed || this.wanted.size === 0) return;
    this.options.onProblem("the proxy", new Error("it has gone; another one is started"));
    void this.restore();
  }

  private async restore(): Promise<void> {
    while (!this.isClosed && this.wanted.size > 0 && this.client === null) {
      try {
        await this.ready();
        return;
      } catch (error) {
        this.options.onProblem("the proxy cannot be started", error);
        await sleep(RETRY_DELAY_MS, undefined, { ref: false });
      }
    }
  }

  private letGo(): void {
    this.needless ??= setTimeout(() => {
      this.needless = null;
      if (this.wanted.size > 0) return;
      this.client?.close();
      this.client = null;
    }, NEEDLESS_MS).unref();
  }
}
