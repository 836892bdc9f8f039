/** A real daemon with a keeper of its own, on a data folder of its own: started, measured, killed and cleared away. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient, type Client } from "../../src/client/index.js";
import { NODE_FLAGS } from "../../src/cli/start-daemon.js";
import { builtProgram } from "../built-program.js";
import { isAlive } from "../reliability/is-alive.js";
import { eventually } from "./eventually.js";

/** Seen from where it was built to. */
const MAIN = builtProgram("daemon/main.js");
const LOG_LENGTH_MAX = 20_000;
/** On a busy machine, with a thousand agents. */
const CALL_TIMEOUT_MS = 120_000;

export interface ReadyLine {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly dataDir: string;
}

export class BenchDaemon {
  readonly client: Client;
  private readonly exited: Promise<unknown>;

  /** Started as `signalbox up` does it. `BENCH_NODE_ARGS` are further flags for its Node, such as `--cpu-prof`. */
  static async start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<BenchDaemon> {
    const flags = [...NODE_FLAGS, ...(process.env["BENCH_NODE_ARGS"]?.split(" ") ?? [])];
    const child = spawn(process.execPath, [...flags, MAIN, "--data-dir", dataDir, "--port", "0"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { SIGNALBOX_WALL: "off", SIGNALBOX_CHECKPOINTS: "off", ...process.env, ...env },
    });
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-LOG_LENGTH_MAX);
    });
    const lines = createInterface({ input: child.stdout });
    const [first] = (await Promise.race([once(lines, "line"), once(child, "exit")])) as readonly unknown[];
    if (typeof first !== "string" || !first.includes('"url"'))
      throw new Error(`the daemon ended before it was ready:\n${log}`);
    return new BenchDaemon(child, JSON.parse(first) as ReadyLine);
  }

  private constructor(
    private readonly child: ChildProcess,
    readonly ready: ReadyLine,
  ) {
    this.client = createClient({ url: ready.url, token: ready.token, timeoutMs: CALL_TIMEOUT_MS });
    this.exited = once(child, "exit");
  }

  get pid(): number {
    return this.ready.pid;
  }

  /** As the keeper says itself. */
  async keeperPid(): Promise<number> {
    return Number(await readFile(join(this.ready.dataDir, "keeper.pid"), "utf8"));
  }

  /** As a crash would: its keeper and its agents stay. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exited;
  }

  /** Ends it, if it still runs, then its keeper and its agents, and deletes its data. */
  async end(): Promise<void> {
    this.child.kill("SIGTERM");
    await this.exited;
    const keeperPid = await this.keeperPid();
    if (isAlive(keeperPid)) process.kill(keeperPid, "SIGTERM");
    await eventually("the keeper's end", () => !isAlive(keeperPid));
    await rm(this.ready.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
