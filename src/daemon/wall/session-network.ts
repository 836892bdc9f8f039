/**
 * What runs behind a wall reach of the network: by the proxy, by the rules where it does not know a host, and by a
 * person where no rule decides.
 */
import { fileURLToPath } from "node:url";
import type { SessionFact } from "../../core/index.js";
import type { Permissions } from "../../permissions/permissions.js";
import type { RunReport } from "../../protocol/keeper.js";
import type { HeldHost, ProxyPolicy, PublishedPort } from "../../protocol/proxy-format.js";
import type { WallPlan } from "../../protocol/wall.js";
import { runSocketsFolder } from "../../proxy/paths.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { forwardsOf } from "../../wall/compile-network.js";
import { ProxyLink } from "../proxy/proxy-link.js";
import { parseRunId, parseTerminalRunId } from "../runs/run-id.js";

const PROXY = fileURLToPath(new URL("../../proxy/main.js", import.meta.url));

const TOLD_MAX = 20;

export interface SessionNetworkOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  readonly permissions: Pick<Permissions, "decideAccess">;
  readonly session: (id: string) => SessionRecord | null;
  readonly sessions: () => Iterable<SessionRecord>;
  /** For the session's machine. */
  readonly fact: (sessionId: string, fact: SessionFact) => void;
  /** For a person to read in the session's conversation. */
  readonly note: (sessionId: string, message: string) => void;
  readonly onProblem: (what: string, error: unknown) => void;
}

/** An answer to an ask of the wall. */
export interface WallAnswer {
  readonly askId: string;
  readonly allow: boolean;
  /** For the agent to read, when it is refused. */
  readonly because: string;
}

export class SessionNetwork {
  private readonly link: ProxyLink;
  /** What the proxy holds, by the id of its ask. */
  private readonly held = new Map<string, HeldHost>();
  /** How many refusals were told, by run: an agent that tries every host must not fill a conversation. */
  private readonly told = new Map<string, number>();
  private adopting: Promise<void> = Promise.resolve();

  constructor(private readonly options: SessionNetworkOptions) {
    const { dataDir, onProblem } = options;
    this.link = new ProxyLink({
      ...{ dataDir, entry: PROXY, onProblem },
      onConnecting: () => this.held.clear(),
      onHeld: (held) => this.take(held),
      onConnected: () => this.closeForgotten(),
      onTurnedAway: (refused) =>
        this.tell(refused, "too many connections of its run wait for an answer already."),
      onGivenUp: (held, why) => this.giveUp(held, why),
    });
  }

  /** Of the sockets that a run is shown. */
  folderOf(runId: string): string {
    return runSocketsFolder(this.options.dataDir, runId);
  }

  /** Resolves when the sockets of the run are there. */
  open(runId: string, { network }: WallPlan, unknown: ProxyPolicy["unknown"]): Promise<void> {
    const { hosts, services, denied = [] } = network;
    return this.link.open(runId, { hosts, denied, services, unknown });
  }

  /** Never rejects. */
  close(runId: string): Promise<void> {
    this.told.delete(runId);
    for (const [askId, held] of this.held) if (held.runId === runId) this.held.delete(askId);
    return this.link.close(runId);
  }

  /** What programs of the run serve inside, and where on this machine that is reached. Never rejects. */
  publish(runId: string, { network }: WallPlan): Promise<readonly PublishedPort[]> {
    // What leads to the proxy and to services listens, too.
    return this.link.publish(
      runId,
      forwardsOf(network).map(({ port }) => port),
    );
  }

  setDaemonPorts(ports: readonly number[]): void {
    this.link.setDaemonPorts(ports);
  }

  /** Of an earlier daemon's runs, those that go on. Never rejects. */
  adopt(runs: readonly RunReport[]): Promise<void> {
    const live = runs.filter(({ exit }) => exit === null).map(({ runId }) => runId);
    this.adopting = this.link
      .adopt(new Set(live))
      .catch((error: unknown) => this.options.onProblem("the proxy of the last daemon", error));
    return this.adopting;
  }

  /** A person's answer; what is held no more needs none. Never rejects. */
  async answer({ askId, allow, because }: WallAnswer): Promise<void> {
    // After a restart, or when the connection broke, it is known only then what is held.
    await this.adopting;
    await this.link.settled();
    const held = this.held.get(askId);
    if (!held) return;
    this.held.delete(askId);
    await this.link.answer(held, allow, because);
    if (!allow) return;
    // What was granted for longer than this once may answer others, and is known to the proxy from now on.
    for (const other of [...this.held.values()]) if (other.host === held.host) this.decide(other);
    const record = this.options.session(sessionOf(held).sessionId);
    if (record && this.judge(record, held.host).verdict === "allow")
      await this.link.allow(held.runId, `${held.host.includes(":") ? `[${held.host}]` : held.host}:*`);
  }

  end(withRuns: boolean): Promise<void> {
    return this.link.end(withRuns);
  }

  private take(held: HeldHost): void {
    this.held.set(askIdOf(held), held);
    this.decide(held);
  }

  /** By the rules as they are now; they may be others than when the run began. */
  private decide(held: HeldHost): void {
    const { sessionId, run } = sessionOf(held);
    const record = this.options.session(sessionId);
    if (record === null) {
      this.settle(held, false, "its session is gone");
      return;
    }
    const { host, port } = held;
    const { verdict, rule, file } = this.judge(record, host);
    const isAllowed = verdict === "allow" || (verdict === "none" && record.state.approve === "auto");
    const askId = askIdOf(held);
    if (!isAllowed && verdict !== "deny") {
      this.options.fact(sessionId, { type: "wall_asked", run, askId, host, port });
      return;
    }
    this.settle(held, isAllowed, "a rule denies it");
    if (!isAllowed) this.tell(held, "a rule denies it.");
    if (!record.state.wallAsks.some((ask) => ask.askId === askId)) return;
    const by = { ...(rule === null ? {} : { rule }), ...(file === null ? {} : { file }) };
    this.options.fact(sessionId, { type: "wall_closed", run, askId, because: "rule", ...by });
  }

  private judge(record: SessionRecord, host: string): ReturnType<Permissions["decideAccess"]> {
    const { cwd } = record.settings;
    // No screen says it, but the proxy: rules answer it in whatever harness.
    const asking = { harness: "wall", cwd, grants: record.grants };
    return this.options.permissions.decideAccess(asking, { category: "Web", host });
  }

  private settle(held: HeldHost, allow: boolean, because: string): void {
    this.held.delete(askIdOf(held));
    void this.link.answer(held, allow, because);
  }

  private giveUp(held: HeldHost, why: "expired" | "gone"): void {
    const askId = askIdOf(held);
    // It was answered meanwhile.
    if (!this.held.delete(askId)) return;
    const { sessionId, run } = sessionOf(held);
    this.options.fact(sessionId, { type: "wall_closed", run, askId, because: why });
    if (why === "expired") this.tell(held, "nobody answered in time.");
  }

  /** Asks whose connections no proxy holds any more: their time was up while nobody listened, or their proxy died. */
  private closeForgotten(): void {
    for (const { id, state } of this.options.sessions())
      for (const { askId } of state.wallAsks)
        if (!this.held.has(askId))
          this.options.fact(id, { type: "wall_closed", run: state.run, askId, because: "gone" });
  }

  /** A host that is refused looks like one that is not there: nobody must have to guess. */
  private tell({ runId, host, port }: Omit<HeldHost, "heldId">, why: string): void {
    const count = (this.told.get(runId) ?? 0) + 1;
    if (count > TOLD_MAX) return;
    this.told.set(runId, count);
    const last = count === TOLD_MAX ? " Further ones are not told." : "";
    this.options.note(sessionOf({ runId }).sessionId, `The wall refused ${host}:${port}: ${why}${last}`);
  }
}

function askIdOf({ heldId }: HeldHost): string {
  return `wall-${heldId}`;
}

function sessionOf({ runId }: Pick<HeldHost, "runId">): { readonly sessionId: string; readonly run: number } {
  return parseTerminalRunId(runId) ?? parseRunId(runId);
}
