/** One real agent, a scripted model for it, and a daemon that runs it: all in a home folder of their own. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { CreateSession } from "../../src/protocol/api-schemas.js";
import type { Client } from "../../src/client/index.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { setupOf, writeFiles } from "./agent-setups.js";
import { EventTap } from "./event-tap.js";
import { agentsFolder, installLaunchers } from "./install.js";
import { LabSession } from "./lab-session.js";
import { ModelServer } from "./model-server/model-server.js";
import { chosenPackage, type AgentName, type AgentPackage } from "./packages.js";
import { processesOf } from "./processes-of.js";

/** Nothing of ours, and nobody's keys: an agent sees only what is meant for it. */
const INHERITED = ["PATH", "LANG", "LC_ALL", "TMPDIR", "SHELL", "SIGNALBOX_WALL"] as const;

/**
 * Of the walls around the agents, where there are any: `SIGNALBOX_TEST_NETWORK=open` or `closed`; `listed` when absent. `proxied`:
 * listed, and the model is at an address that is not on loopback in the eyes of an agent, so that it has to use the proxy.
 */
const NETWORK = process.env["SIGNALBOX_TEST_NETWORK"] ?? "listed";

/** What the daemon's log says of each. */
const UNKNOWN_MESSAGE = "unknown message of an agent";

/** Kinds of ACP that say nothing by themselves: what tells them apart stands in the message, which is kept in part. */
const NAMED_WITHIN: Readonly<Record<string, RegExp>> = {
  notification: /"method":"([^"]{1,100})"/,
  request: /"method":"([^"]{1,100})"/,
  update: /"sessionUpdate":"([^"]{1,100})"/,
};

function kindWithin({ kind, unknown }: Readonly<Record<string, unknown>>): string | null {
  if (typeof kind !== "string" || typeof unknown !== "string" || !(kind in NAMED_WITHIN)) return null;
  return `${kind} ${NAMED_WITHIN[kind]?.exec(unknown)?.[1] ?? "?"}`;
}

export interface LabOptions {
  /** The versions of its agents, in their order; without it those that the environment names, or the pins. */
  readonly packages?: readonly AgentPackage[];
  /** Further files of the home folder, by path: an agent's own settings. */
  readonly files?: Readonly<Record<string, unknown>>;
}

export class Lab {
  readonly tap = new EventTap();
  private prompts = 0;
  private readonly unknown = new Map<string, number>();

  static async open(agents: readonly AgentName[], options: LabOptions = {}): Promise<Lab> {
    const folder = await mkdtemp(join(tmpdir(), "signalbox-agents-"));
    const home = join(folder, "home");
    const cwd = join(folder, "project");
    await mkdir(home);
    await mkdir(cwd);
    const launchers = join(folder, "bin");
    await installLaunchers(options.packages ?? agents.map((name) => chosenPackage(name)), launchers);
    const model = await ModelServer.start();
    const url = NETWORK === "proxied" ? model.url.replace("127.0.0.1", "0.0.0.0") : model.url;
    const setups = agents.map((agent) => setupOf(agent, url, cwd));
    for (const { files } of setups) await writeFiles(home, files);
    await writeFiles(home, options.files ?? {});
    // Behind a wall (`SIGNALBOX_WALL`), agents are shown where they are installed: that is no folder of this home.
    const reveal = [agentsFolder(), launchers].map((path) => JSON.stringify(path)).join(", ");
    const services = NETWORK === "proxied" ? `services = ["${new URL(url).host}"]\n` : "";
    const network = `network = "${NETWORK === "proxied" ? "listed" : NETWORK}"\n${services}`;
    await mkdir(join(home, ".config/signalbox"), { recursive: true });
    await writeFile(join(home, ".config/signalbox/config.toml"), `[wall]\nreveal = [${reveal}]\n${network}`, {
      flag: "wx",
    });
    const kept = INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    // Neither TERM nor COLORTERM: in a terminal, agents see what the product sets.
    const env: Record<string, string> = Object.assign(
      Object.fromEntries(kept),
      { HOME: home, PATH: `${launchers}${delimiter}${process.env["PATH"] ?? ""}` },
      ...setups.map((setup) => setup.env),
    ) as Record<string, string>;
    const lab = new Lab(folder, cwd, home, env, model);
    await lab.startDaemon();
    return lab;
  }

  private running: TestDaemon | null = null;

  private constructor(
    private readonly folder: string,
    /** Where sessions work. */
    readonly cwd: string,
    readonly home: string,
    private readonly env: Readonly<Record<string, string>>,
    readonly model: ModelServer,
  ) {}

  get daemon(): TestDaemon {
    if (!this.running) throw new Error("no daemon runs");
    return this.running;
  }

  get client(): Client {
    return this.daemon.client;
  }

  private async startDaemon(): Promise<void> {
    this.running = await TestDaemon.start({
      dataDir: join(this.folder, "data"),
      env: this.env,
      inherit: false,
      args: ["--log-level", "debug"],
      onLogLine: (line) => this.countUnknown(line),
    });
    await this.tap.attach(this.running.client);
  }

  /** Messages of agents that their codecs did not know: how often, by kind. */
  unknownKinds(): Readonly<Record<string, number>> {
    const kinds = new Map([...this.unknown].filter(([kind]) => !(kind in NAMED_WITHIN)));
    for (const told of this.tap.all()) {
      const kind = told.channel === "stream" ? kindWithin(told.event.payload) : null;
      if (kind !== null) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    return Object.fromEntries([...kinds].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private countUnknown(line: string): void {
    if (!line.includes(UNKNOWN_MESSAGE)) return;
    const { kind } = JSON.parse(line) as { readonly kind?: unknown };
    const name = typeof kind === "string" ? kind : "?";
    this.unknown.set(name, (this.unknown.get(name) ?? 0) + 1);
  }

  /** As a crash would: agents stay, and the next daemon finds them. */
  async crashAndRestart(): Promise<void> {
    await this.daemon.kill("SIGKILL");
    await this.tap.detach();
    await this.startDaemon();
  }

  /** A name for a prompt, so that the model keeps the truth about it. */
  nextId(): string {
    this.prompts += 1;
    return `P${this.prompts}`;
  }

  start(harness: string, prompt: string, more: Partial<CreateSession> = {}): Promise<LabSession> {
    return this.openSession(harness, { prompt, ...more });
  }

  /** A session that is not told anything yet, unless `more` says so. */
  async openSession(harness: string, more: Partial<CreateSession> = {}): Promise<LabSession> {
    // Behind a wall, too, a person is asked about everything.
    const asks = more.autoApprove === undefined ? ({ approve: "ask" } as const) : {};
    const { id } = await this.client.createSession({ harness, cwd: this.cwd, ...asks, ...more });
    return new LabSession(this, id);
  }

  /** Ends everything; says which processes were left, which must be none. */
  async close(): Promise<readonly string[]> {
    await this.tap.detach();
    await this.running?.end();
    await this.model.close();
    const left = await processesOf(this.home);
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    return left.map(({ command }) => command);
  }
}
