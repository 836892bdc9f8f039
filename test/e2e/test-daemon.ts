/** A real daemon, as a process of its own, on a data folder of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ReadyDaemon, StartLine } from "../../src/protocol/daemon-program.js";
import { createClient, type Client } from "../../src/client/index.js";
import { builtProgram } from "../built-program.js";

const MAIN = builtProgram("daemon/main.js");

export interface StartOptions {
  /** Of Node itself. */
  readonly nodeArgs?: readonly string[];
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** False: it gets no other environment than `env`. */
  readonly inherit?: boolean;
  readonly args?: readonly string[];
  /** Gets every line that it logs. */
  readonly onLogLine?: (line: string) => void;
}

/** It ended before it was ready. */
export class DiedAtStart extends Error {
  constructor(
    readonly signal: string,
    log: string,
  ) {
    super(`the daemon ended before it was ready (${signal}):\n${log}`);
  }
}

export class TestDaemon {
  readonly client: Client;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;

  static async start(options: StartOptions = {}): Promise<TestDaemon> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "signalbox-e2e-")));
    const child = spawn(
      process.execPath,
      [...(options.nodeArgs ?? []), MAIN, "--data-dir", dataDir, "--port", "0", ...(options.args ?? [])],
      {
        stdio: ["ignore", "pipe", "pipe"],
        // What walls and checkpoints do is tested where a test asks for them.
        env: {
          SIGNALBOX_WALL: "off",
          SIGNALBOX_CHECKPOINTS: "off",
          SIGNALBOX_WORKSPACES: "off",
          ...(options.inherit === false ? {} : process.env),
          ...options.env,
        },
      },
    );
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-20_000);
    });
    if (options.onLogLine) createInterface({ input: child.stderr }).on("line", options.onLogLine);
    const exited = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as StartLine;
      if ("url" in said) return new TestDaemon(child, said, () => log);
    }
    const [, signal] = await exited;
    throw new DiedAtStart(String(signal), log);
  }

  private constructor(
    private readonly child: ChildProcess,
    readonly ready: ReadyDaemon,
    /** The newest of what it logged. */
    readonly log: () => string,
  ) {
    this.client = createClient({ url: ready.url, token: ready.token });
    this.exited = once(child, "exit").then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
  }

  get dataDir(): string {
    return this.ready.dataDir;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.exited;
  }

  /** Ends it, its agents and its keeper, and deletes its data. */
  async end(): Promise<void> {
    if (this.isRunning) {
      await this.client.shutdown({ agents: true });
      await this.exited;
    }
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The keeper's pid, as it says itself. */
  async keeperPid(): Promise<number> {
    return Number(await readFile(join(this.dataDir, "keeper.pid"), "utf8"));
  }
}
