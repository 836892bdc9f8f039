/** What runs behind a wall reach of the network: by the proxy, and by the rules where it does not know a host. */
import { fileURLToPath } from "node:url";
import type { Permissions } from "../../permissions/permissions.js";
import type { RunReport } from "../../protocol/keeper.js";
import type { HeldHost, ProxyPolicy } from "../../protocol/proxy-format.js";
import type { WallPlan } from "../../protocol/wall.js";
import { runSocketsFolder } from "../../proxy/paths.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { ProxyLink } from "../proxy/proxy-link.js";
import { parseRunId, parseTerminalRunId } from "../runs/run-id.js";

const PROXY = fileURLToPath(new URL("../../proxy/main.js", import.meta.url));

const TOLD_MAX = 20;

export interface SessionNetworkOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  readonly permissions: Pick<Permissions, "decideAccess">;
  readonly session: (id: string) => SessionRecord | null;
  /** For a person to read in the session's conversation. */
  readonly note: (sessionId: string, message: string) => void;
  readonly onProblem: (what: string, error: unknown) => void;
}

export class SessionNetwork {
  private readonly link: ProxyLink;
  /** How many refusals were told, by run: an agent that tries every host must not fill a conversation. */
  private readonly told = new Map<string, number>();

  constructor(private readonly options: SessionNetworkOptions) {
    const { dataDir, onProblem } = options;
    this.link = new ProxyLink({
      ...{ dataDir, entry: PROXY, onProblem },
      onHeld: (held) => this.decide(held),
      // Whoever waited has been told by the proxy.
      onGivenUp: () => undefined,
    });
  }

  /** Of the sockets that a run is shown. */
  folderOf(runId: string): string {
    return runSocketsFolder(this.options.dataDir, runId);
  }

  /** Resolves when the sockets of the run are there. */
  open(runId: string, { network }: WallPlan): Promise<void> {
    return this.link.open(runId, policyOf(network));
  }

  /** Never rejects. */
  close(runId: string): Promise<void> {
    this.told.delete(runId);
    return this.link.close(runId);
  }

  setDaemonPorts(ports: readonly number[]): void {
    this.link.setDaemonPorts(ports);
  }

  /** Of an earlier daemon's runs, those that go on. Never rejects. */
  async adopt(runs: readonly RunReport[]): Promise<void> {
    const live = runs.filter(({ exit }) => exit === null).map(({ runId }) => runId);
    await this.link
      .adopt(new Set(live))
      .catch((error: unknown) => this.options.onProblem("the proxy of the last daemon", error));
  }

  end(withRuns: boolean): Promise<void> {
    return this.link.end(withRuns);
  }

  /** By the rules as they are now; they may be others than when the run began. */
  private decide(held: HeldHost): void {
    const { sessionId } = parseTerminalRunId(held.runId) ?? parseRunId(held.runId);
    const record = this.options.session(sessionId);
    if (record === null) {
      void this.link.answer(held, false, "its session is gone");
      return;
    }
    const { cwd } = record.settings;
    // No screen says it, but the proxy: rules answer it in whatever harness.
    const asking = { harness: "wall", cwd, grants: record.grants };
    const { verdict } = this.options.permissions.decideAccess(asking, { category: "Web", host: held.host });
    const isAllowed = verdict === "allow" || (verdict === "none" && record.state.approve === "auto");
    const because =
      verdict === "deny"
        ? "a rule denies it"
        : `it is not listed; a rule Web(${held.host}) or [wall] hosts permits it`;
    void this.link.answer(held, isAllowed, because);
    if (!isAllowed) this.tell(sessionId, held, verdict === "deny");
  }

  /** A host that is refused looks like one that is not there: nobody must have to guess. */
  private tell(sessionId: string, { runId, host, port }: HeldHost, isDenied: boolean): void {
    const count = (this.told.get(runId) ?? 0) + 1;
    if (count > TOLD_MAX) return;
    this.told.set(runId, count);
    const why = isDenied
      ? "a rule denies it."
      : `it is not listed. To permit it: signalbox permissions add --allow 'Web(${host})'`;
    const last = count === TOLD_MAX ? " Further ones are not told." : "";
    this.options.note(sessionId, `The wall refused ${host}:${port}: ${why}${last}`);
  }
}

function policyOf({ hosts, services, denied = [] }: WallPlan["network"]): ProxyPolicy {
  return { hosts, denied, services, unknown: "ask" };
}
