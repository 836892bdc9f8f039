/** Which wall stands around a run: settings and the machine decide whether, and the plan that the run gets. */
import { createHash } from "node:crypto";
import { basename, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Rule } from "../../core/index.js";
import { agentName } from "../../core/words/agent-names.js";
import type { WallConfig } from "../../protocol/config.js";
import { AGENT_SOCKET, AGENT_SOCKET_FOLDER, AGENT_SOCKET_VARIABLE } from "../../protocol/agent-socket.js";
import type { ProxyPolicy, PublishedPort } from "../../protocol/proxy-format.js";
import type { WallMode } from "../../protocol/wall-state.js";
import {
  DEFAULT_WALL_NETWORK,
  type WallNetwork,
  type WallPlan,
  type WallPreset,
  type WallProbe,
} from "../../protocol/wall.js";
import type { SessionRecord, SessionSettings } from "../../runtime/session-record.js";
import type { Bubblewrap } from "../../wall/bubblewrap.js";
import { narrower } from "../../wall/compile-network.js";
import { harnessTable } from "../../wall/harness-tables.js";
import { releaseWall } from "../../wall/prepare-wall.js";
import { findBackend, probeWall } from "../../wall/probe.js";
import {
  planWall,
  raiseAgain,
  raiseWall,
  type InnerCommand,
  type RaisedWall,
  type WallRequest,
} from "../../wall/raise-wall.js";
import { RecentMasks } from "../../wall/recent-masks.js";
import type { OwnFile, WallRefusal, WallSettings } from "../../wall/wall-input.js";
import type { SessionNetwork } from "./session-network.js";
import { agentEnvironment } from "../runs/agent-environment.js";
import { parseRunId, parseTerminalRunId, runIdOf } from "../runs/run-id.js";
import type { AgentSockets } from "./agent-sockets.js";
import { StartRecords } from "./start-records.js";

/** Of Signalbox itself: its own agents, hooks and `signalbox mcp` run from here. */
const PACKAGE = fileURLToPath(new URL("../../../../", import.meta.url)).replace(/\/$/, "");
/** They are started with the program that they run. */
const INTERPRETERS = /^(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|bash|sh)$/;

/** Why a run cannot be started as it is configured: never a start without its wall. */
export class WallError extends Error {
  override readonly name = "WallError";
  constructor(
    readonly code: "wall_unavailable" | "wall_refused" | "network_choice",
    message: string,
  ) {
    super(message);
  }
}

export interface SessionWallsOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  readonly configDir: string;
  readonly homeDir: string;
  /** The daemon's own. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Over everything but what a project's file makes narrower; null: as the files say. */
  readonly mode: WallMode | null;
  /** Of the person's own file. Throws a `ConfigError`. */
  readonly ownConfig: () => WallConfig;
  /** Throws a `ConfigError`. */
  readonly configFor: (cwd: string) => WallConfig & { readonly network: WallNetwork };
  /** Of the package managers that the project there uses, by its files. */
  readonly presetsFor: (cwd: string) => readonly WallPreset[];
  /** All that count there. */
  readonly rulesFor: (cwd: string) => readonly Rule[];
  /** From the journal; null: there is no such entry. */
  readonly readPlan: (sessionId: string, seq: number) => Promise<WallPlan | null>;
  readonly session: (sessionId: string) => SessionRecord | null;
  readonly sessions: () => Iterable<SessionRecord>;
  /** Of agents behind walls. */
  readonly sockets: Pick<AgentSockets, "open" | "has" | "end" | "removeAll" | "folderOf">;
  readonly network: Pick<SessionNetwork, "folderOf" | "open" | "close" | "publish">;
  /** Of the repository that a session's workspace was made from. */
  readonly gitObjects: (settings: SessionSettings) => readonly string[];
  readonly onProblem: (what: string, error: unknown) => void;
}

export type Choice =
  { readonly isOn: true; readonly backend: Bubblewrap } | { readonly isOn: false; readonly because: string };

/** What is to be run, as it would be without a wall. */
export interface Walling {
  readonly settings: SessionSettings;
  readonly inner: InnerCommand;
  readonly ownFiles: readonly OwnFile[];
}

export interface Walled extends InnerCommand {
  readonly plan: WallPlan;
}

type Found = {
  readonly probe: WallProbe;
  /** Null where the probe has failed. */
  readonly backend: Bubblewrap | null;
};

export class SessionWalls {
  private found: Promise<Found> | null = null;
  /** Of runs that were started, or asked about, since this daemon started; by run. */
  private readonly plans = new Map<string, WallPlan>();
  /** How many are about to stand: what they have seen on the disk must stay there. */
  private raising = 0;
  /** What an ended run leaves is being taken away: whoever looks at the disk waits. */
  private releasing: Promise<void> | null = null;

  readonly starts: StartRecords;
  /** From the check of a new session to its start. */
  private readonly recent = new RecentMasks();

  constructor(private readonly options: SessionWallsOptions) {
    this.starts = new StartRecords(options.dataDir);
  }

  /** What the one try of this daemon showed. Never rejects. */
  async probe(): Promise<WallProbe> {
    return (await this.find()).probe;
  }

  /** Of which walls are built here; null: none can be, or the person wants none. Throws a `ConfigError`. */
  async backend(): Promise<Bubblewrap | null> {
    return this.ownMode() === "off" ? null : (await this.find()).backend;
  }

  /** By the person's own settings. Throws a `ConfigError`. */
  ownMode(): WallMode {
    return this.options.mode ?? this.options.ownConfig().mode ?? "auto";
  }

  /** Throws a `ConfigError`. */
  modeFor(cwd: string): WallMode {
    const { mode = "auto" } = this.options.configFor(cwd);
    return mode === "require" ? mode : (this.options.mode ?? mode);
  }

  /** Rejects with a `WallError`, and a `ConfigError`. */
  async choose({ cwd, wall }: Pick<SessionSettings, "cwd" | "wall">): Promise<Choice> {
    const mode = this.modeFor(cwd);
    if (wall === "off" && mode === "require")
      throw new WallError("wall_refused", "Every run here is to have a wall: [wall] mode is require.");
    if (wall === "off") return { isOn: false, because: "a person wanted none for this session" };
    if (mode === "off" && wall !== "on") return { isOn: false, because: "[wall] mode is off" };
    const { probe, backend } = await this.find();
    if (backend !== null) return { isOn: true, backend };
    const reason = probe.ok ? "" : probe.reason;
    if (mode === "require" || wall === "on") throw unavailable(probe);
    return { isOn: false, because: `no wall can be built here: ${reason}` };
  }

  /** Whether it gets one. Rejects also where it shows only when the plan is made. Nothing is made. */
  async check(settings: SessionSettings): Promise<boolean> {
    const { isOn } = await this.choose(settings);
    if (!isOn) return false;
    this.checkChoice(settings);
    await this.plan(settings);
    return true;
  }

  /** Nobody opens the network for an agent but a person, and nobody lets it start only to reach nothing. */
  private checkChoice({ cwd, harness, network }: SessionSettings): void {
    if (network !== undefined || this.networkFor(cwd, network) !== "listed") return;
    const { ignores_proxy: named = [] } = this.options.ownConfig();
    if (harnessTable(harness).ignoresProxy !== true && !named.includes(harness)) return;
    throw new WallError(
      "network_choice",
      `${agentName(harness)} ignores proxies, and would reach nothing where the network is limited to a list. Start it with an open network (--network open), or with none (--network closed); or do not start it.`,
    );
  }

  /** The plan that a run would have, but for its program. Nothing is made. Rejects with a `WallError`. */
  async plan(settings: SessionSettings): Promise<WallPlan> {
    const env = agentEnvironment(this.options.variables, settings.env);
    const inner = { command: process.execPath, args: [], env };
    const planned = await planWall(this.request({ settings, inner, ownFiles: [] }, null));
    if (!planned.ok) throw new WallError("wall_refused", planned.reason);
    return planned.plan;
  }

  /** With a socket of its own. Rejects with a `WallError` when the plan cannot be applied. */
  async raise(runId: string, walling: Walling, backend: Bubblewrap): Promise<Walled> {
    const { sockets } = this.options;
    this.checkChoice(walling.settings);
    try {
      await sockets.open(runId);
      return await this.raiseFor(runId, this.withSocket(walling, runId), backend);
    } catch (error) {
      await sockets.end(runId);
      throw error;
    }
  }

  /** With a way to the network of its own, where that is limited to a list. */
  private async raiseFor(runId: string, walling: Walling, backend: Bubblewrap): Promise<Walled> {
    const raised = await this.build(this.request(walling, this.options.network.folderOf(runId)), backend);
    const walled = this.stands(runId, raised);
    await this.openNetwork(runId, walled.plan, "ask");
    return walled;
  }

  private async openNetwork(runId: string, plan: WallPlan, unknown: ProxyPolicy["unknown"]): Promise<void> {
    if (plan.network.mode !== "listed") return;
    try {
      await this.options.network.open(runId, plan, unknown);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new WallError("wall_refused", `The way to the listed hosts could not be opened: ${why}`);
    }
  }

  /** Nothing that it has seen on the disk is taken away meanwhile. */
  private async build(request: WallRequest, backend: Bubblewrap): Promise<RaisedWall | WallRefusal> {
    while (this.releasing) await this.releasing;
    this.raising += 1;
    return raiseWall(request, backend).finally(() => (this.raising -= 1));
  }

  private stands(runId: string, raised: RaisedWall | WallRefusal): Walled {
    if (!raised.ok) throw new WallError("wall_refused", raised.reason);
    this.plans.set(runId, raised.plan);
    const { command, args, env, plan } = raised;
    return { command, args, env, plan };
  }

  /** For a command of the agent's that we run: null where the agent itself has no wall. */
  async raiseBeside(runId: string, record: SessionRecord, walling: Walling): Promise<Walled | null> {
    const plan = await this.planOf(record);
    if (plan === null) return null;
    const { probe, backend } = await this.find();
    if (backend === null) throw unavailable(probe);
    const { dataDir, sockets } = this.options;
    const agentRunId = runIdOf(record.id, record.state.run);
    // One from before there were sockets has none.
    const inside = sockets.has(agentRunId) ? this.withSocket(walling, agentRunId) : walling;
    const raised = await raiseAgain(plan, inside.inner, { backend, dataDir });
    return raised === null ? await this.raiseFor(runId, inside, backend) : this.stands(runId, raised);
  }

  /**
   * A command of ours that executes what a repository brings, as an agent there would: without an agent's own folders
   * and the run's socket. Where hosts are listed, others are refused: nobody is there to be asked. Rejects with a
   * `WallError` rather than to leave the wall away. Whoever has run it calls `release`.
   */
  async shell(cwd: string, command: string): Promise<InnerCommand & { release?: () => Promise<void> }> {
    const env = agentEnvironment(this.options.variables, {});
    const inner = { command: "/bin/sh", args: ["-c", command], env };
    const choice = await this.choose({ cwd });
    if (!choice.isOn) return inner;
    const { network } = this.options;
    const runId = `setup-${shortHash(cwd)}`;
    const settings = {
      // Nobody's: it gets no agent's logins, and leaves no folders for agents behind.
      harness: "setup",
      title: "",
      cwd,
      model: null,
      args: [],
      env: {},
    } as const;
    const request = this.request({ settings, inner, ownFiles: [] }, network.folderOf(runId));
    const raised = await this.build(request, choice.backend);
    if (!raised.ok) throw new WallError("wall_refused", raised.reason);
    await this.openNetwork(runId, raised.plan, "refuse");
    const release = (): Promise<void> => network.close(runId);
    return { command: raised.command, args: raised.args, env: raised.env, release };
  }

  private withSocket({ inner, ownFiles, ...walling }: Walling, agentRunId: string): Walling {
    const socket: OwnFile = {
      path: this.options.sockets.folderOf(agentRunId),
      inside: AGENT_SOCKET_FOLDER,
      type: "folder",
      isWritable: false,
      why: "the socket by which it reaches Signalbox as itself",
    };
    const env = { ...inner.env, [AGENT_SOCKET_VARIABLE]: AGENT_SOCKET };
    return { ...walling, inner: { ...inner, env }, ownFiles: [...ownFiles, socket] };
  }

  /** The plan of the newest run; null: it has none. Rejects when there is one that cannot be read. */
  async planOf({ id, state, wall }: SessionRecord): Promise<WallPlan | null> {
    const runId = runIdOf(id, state.run);
    const known = this.plans.get(runId);
    if (known) return known;
    if (wall?.run !== state.run || !wall.isWalled) return null;
    const read = await this.options.readPlan(id, wall.seq);
    if (read === null) throw new WallError("wall_refused", "The plan of this run's wall is not there.");
    this.plans.set(runId, read);
    return read;
  }

  /** Ports on which programs of its newest run listen, each reached on this machine from now on. Rejects as `planOf` does. */
  async published(record: SessionRecord): Promise<readonly PublishedPort[]> {
    const plan = record.state.alive ? await this.planOf(record) : null;
    if (plan?.network.publish !== true) return [];
    return this.options.network.publish(runIdOf(record.id, record.state.run), plan);
  }

  /** A run, or a command of one, as far as it is known without reading. */
  isWalled(runId: string): boolean {
    if (this.plans.has(runId)) return true;
    const { sessionId, run } = parseTerminalRunId(runId) ?? parseRunId(runId);
    const wall = this.options.session(sessionId)?.wall;
    return wall?.run === run && wall.isWalled;
  }

  /** A run, or a command of one, has ended: what was put on the disk for its wall goes, unless another needs it. */
  async ended(runId: string): Promise<void> {
    await this.options.sockets.end(runId);
    await this.options.network.close(runId);
    try {
      const plan = await this.planBefore(runId);
      this.plans.delete(runId);
      await this.starts.remove(runId);
      if (!plan || plan.made.length === 0) return;
      const others = [...this.options.sessions()].filter(
        ({ id, state }) => state.alive && runIdOf(id, state.run) !== runId,
      );
      const plans = await Promise.all(others.map((record) => this.planOf(record)));
      await this.release(
        plan,
        plans.filter((each) => each !== null),
      );
    } catch (error) {
      this.options.onProblem(`what the wall of ${runId} leaves`, error);
    }
  }

  /** Folders stay while somebody is about to mount them; the next run that ends takes them away. */
  private async release(plan: WallPlan, others: readonly WallPlan[]): Promise<void> {
    while (this.releasing) await this.releasing;
    const made = plan.made.filter(({ type }) => type === "file" || this.raising === 0);
    const release = releaseWall({ made }, [...this.plans.values(), ...others]);
    const isOver = (): void => {
      this.releasing = null;
    };
    this.releasing = release.then(isOver, isOver);
    await release;
  }

  /** The same for all runs, which have ended with their keeper: nobody needs anything any more. */
  async allEnded(): Promise<void> {
    await this.options.sockets.removeAll();
    for (const record of this.options.sessions()) {
      if (!record.state.alive) continue;
      try {
        const plan = await this.planOf(record);
        if (plan) await releaseWall(plan, []);
      } catch (error) {
        this.options.onProblem(`what the wall of ${record.id} leaves`, error);
      }
    }
  }

  /** Also of a run that a daemon before us has started. */
  private async planBefore(runId: string): Promise<WallPlan | null> {
    const known = this.plans.get(runId);
    if (known) return known;
    const started = await this.starts.read(runId);
    if (started) return started.wall.plan;
    const { sessionId, run } = parseRunId(runId);
    const wall = this.options.session(sessionId)?.wall;
    return wall?.run === run && wall.isWalled ? await this.options.readPlan(sessionId, wall.seq) : null;
  }

  private request({ settings, inner, ownFiles }: Walling, networkDir: string | null): WallRequest {
    const { dataDir, configDir, homeDir } = this.options;
    const { cwd, harness } = settings;
    return {
      rules: this.options.rulesFor(cwd),
      inner,
      home: homeDir,
      recent: this.recent,
      session: {
        ...{ cwd, harness, dataDir, configDir, ownFiles },
        programs: programsOf(inner),
        sockets: [],
        networkDir,
        cacheDir: join(dataDir, "caches", shortHash(cwd)),
        gitObjects: this.options.gitObjects(settings),
        settings: this.settingsFor(settings),
      },
    };
  }

  private settingsFor({ cwd, env, network }: SessionSettings): WallSettings {
    const configured = this.options.configFor(cwd);
    const {
      reveal = [],
      writable = [],
      environment = [],
      hosts = [],
      services = [],
      presets = this.options.presetsFor(cwd),
      publish = "auto",
    } = configured;
    return {
      ...{ reveal, writable, hosts, services, presets },
      publish: publish === "auto",
      network: this.networkFor(cwd, network),
      // What a person gave to this session, or configured for its agent, is meant for it.
      environment: [...environment, ...Object.keys(env)],
    };
  }

  /** A session's own goes before the person's file; a project's file narrows both. */
  private networkFor(cwd: string, wanted: WallNetwork | undefined): WallNetwork {
    const { ownConfig, configFor } = this.options;
    const configured = configFor(cwd).network;
    if (wanted === undefined) return configured;
    const own = ownConfig().network ?? DEFAULT_WALL_NETWORK;
    return configured === own ? wanted : narrower(wanted, configured);
  }

  private find(): Promise<Found> {
    this.found ??= this.tryOnce().catch((error: unknown): Found => {
      const reason = error instanceof Error ? error.message : String(error);
      return { probe: { ok: false, reason: `It could not be tried: ${reason}`, mend: null }, backend: null };
    });
    return this.found;
  }

  private async tryOnce(): Promise<Found> {
    const { dataDir, configDir, variables: environment } = this.options;
    const backend = await findBackend(environment);
    if (!backend.ok) return { probe: backend, backend: null };
    const probe = await probeWall({ dataDir, configDir, environment }, backend.backend);
    return { probe, backend: probe.ok ? backend.backend : null };
  }
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function unavailable(probe: WallProbe): WallError {
  const reason = probe.ok ? "" : probe.reason;
  const mend = probe.ok || probe.mend === null ? "" : ` To mend it: ${probe.mend}`;
  return new WallError(
    "wall_unavailable",
    `A wall is required, and cannot be built here: ${reason}${mend} Nothing was started.`,
  );
}

/** What must be readable for the command to run at all. */
function programsOf({ command, args, env }: InnerCommand): readonly string[] {
  const named = isAbsolute(command)
    ? [command]
    : (env["PATH"] ?? "").split(":").flatMap((folder) => (isAbsolute(folder) ? join(folder, command) : []));
  const [script] = args;
  const isScript = INTERPRETERS.test(basename(command)) && script !== undefined && isAbsolute(script);
  // Our own agents are there, and `signalbox mcp` for all others.
  const own = ["dist", "node_modules", "package.json", "skills"].map((name) => join(PACKAGE, name));
  return [...named, ...(isScript ? [script] : []), process.execPath, ...own];
}
