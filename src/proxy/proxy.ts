/** The runs that go through this proxy, and the daemons that talk to it. What runs may reach is kept on disk. */
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { isSecretAt } from "../keeper/keeper-secret.js";
import { ensurePrivateFolder } from "../keeper/private-folder.js";
import {
  PROXY_LINE_BYTES_MAX,
  PROXY_PROTOCOL_VERSION,
  type ProxyNotice,
  type ProxyPolicy,
  type ProxyRequest,
} from "../protocol/proxy-format.js";
import { checkRequest, isPolicy, isRecord, isRunId } from "./check-request.js";
import { policiesFolder, policyPath, proxySecretPath, runSocketsFolder } from "./paths.js";
import type { Target } from "./policy.js";
import { ProxiedRun, type ProxyLimits } from "./proxied-run.js";
import { codeOf, type Resolve } from "./reach.js";

const RUNS_MAX = 10_000;
const CONTROLS_MAX = 16;
/** Who does not say hello in time, or says it wrong, is ended. */
const HELLO_MS_MAX = 5_000;
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;

export interface ProxyOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  readonly release: string;
  readonly limits: ProxyLimits;
  readonly resolve: Resolve;
  readonly log: (message: string) => void;
  readonly onShutDown: () => void;
}

type PortsRequest = Extract<ProxyRequest, { readonly type: "ports" }>;

interface Kept {
  readonly runId: string;
  readonly policy: ProxyPolicy;
}

export class Proxy {
  private readonly runs = new Map<string, ProxiedRun>();
  /** Daemons that have shown the secret. */
  private readonly controls = new Set<Socket>();
  private readonly strangers = new Set<Socket>();
  private daemonPorts: readonly number[] = [];
  /** What is done to runs is done one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly heldPrefix = randomBytes(6).toString("hex");
  private heldCount = 0;

  constructor(private readonly options: ProxyOptions) {}

  /** Takes up what an earlier proxy has left. */
  async start(): Promise<void> {
    const { dataDir, log } = this.options;
    const folder = policiesFolder(dataDir);
    ensurePrivateFolder(folder);
    const ports = await readFile(this.portsFile(), "utf8").catch(() => "");
    this.daemonPorts = ports
      .split(/\s+/)
      .filter((text) => text !== "")
      .map(Number);
    for (const name of (await readdir(folder)).filter((each) => each.endsWith(".json"))) {
      const kept = await readKept(join(folder, name));
      if (kept === null) {
        log(`${name} cannot be read, and is dropped`);
        await rm(join(folder, name), { force: true });
      } else await this.run(kept.runId).open(kept.policy);
    }
  }

  /** Nobody needs this proxy. */
  get isIdle(): boolean {
    return this.runs.size === 0 && this.controls.size === 0;
  }

  get hasRuns(): boolean {
    return this.runs.size > 0;
  }

  /** A connection to the control socket. */
  take(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    if (this.strangers.size >= CONTROLS_MAX) {
      socket.destroy();
      return;
    }
    this.strangers.add(socket);
    const timer = setTimeout(() => socket.destroy(), HELLO_MS_MAX);
    socket.on("close", () => {
      clearTimeout(timer);
      this.strangers.delete(socket);
      this.controls.delete(socket);
    });
    let unread = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      const lines = (unread + text).split("\n");
      unread = lines.pop() ?? "";
      if (unread.length > PROXY_LINE_BYTES_MAX) socket.destroy();
      for (const line of lines) {
        if (socket.destroyed) return;
        this.takeLine(socket, line);
        if (this.controls.has(socket)) clearTimeout(timer);
      }
    });
  }

  /** Everything is cut; what runs may reach stays on disk. */
  stop(): void {
    for (const run of this.runs.values()) run.stop();
    for (const socket of [...this.controls, ...this.strangers]) socket.destroy();
  }

  private takeLine(socket: Socket, line: string): void {
    const checked = checkRequest(line);
    const say = (notice: ProxyNotice): void => send(socket, notice);
    if (!checked.ok) {
      say({ type: "failed", id: checked.id, message: checked.message });
      return;
    }
    const { request } = checked;
    if (!this.controls.has(socket) && !this.isWelcome(request)) {
      say({ type: "failed", id: request.id, message: "the proxy talks only to whoever has its secret" });
      socket.end();
      return;
    }
    if (request.type === "ports") {
      // What is inside may take its time: nobody else waits for it.
      void this.ports(request).then(say);
      return;
    }
    this.last = this.last
      .then(() => this.handle(request, socket))
      .then(say, (error: unknown) => say({ type: "failed", id: request.id, message: codeOf(error) }));
  }

  private isWelcome(request: ProxyRequest): boolean {
    return request.type === "hello" && isSecretAt(proxySecretPath(this.options.dataDir), request.secret);
  }

  private async handle(request: Exclude<ProxyRequest, PortsRequest>, socket: Socket): Promise<ProxyNotice> {
    const { id } = request;
    switch (request.type) {
      case "hello":
        await this.setPorts(request.daemonPorts);
        return this.welcome(id, socket);
      case "open":
        return this.open(id, request);
      case "close":
        await this.close(request.runId);
        return { type: "done", id };
      case "answer":
        this.runs.get(request.runId)?.answer(request.heldId, request.allow, request.because);
        return { type: "done", id };
      case "daemon_ports":
        await this.setPorts(request.ports);
        return { type: "done", id };
      case "ping":
        return { type: "done", id };
      case "shutdown":
        for (const runId of [...this.runs.keys()]) await this.close(runId);
        setImmediate(this.options.onShutDown);
        return { type: "done", id };
    }
  }

  private async ports({ id, runId, except }: PortsRequest): Promise<ProxyNotice> {
    return { type: "ports", id, ports: (await this.runs.get(runId)?.published.ports(except)) ?? [] };
  }

  private welcome(id: number, socket: Socket): ProxyNotice {
    this.strangers.delete(socket);
    if (!socket.destroyed) this.controls.add(socket);
    const runs = [...this.runs].map(([runId, { policy }]) => ({ runId, policy }));
    const held = [...this.runs.values()].flatMap((run) => run.heldHosts);
    const { release } = this.options;
    return { type: "welcome", id, version: PROXY_PROTOCOL_VERSION, release, pid: process.pid, runs, held };
  }

  private async open(id: number, { runId, policy }: Kept): Promise<ProxyNotice> {
    if (!this.runs.has(runId) && this.runs.size >= RUNS_MAX)
      return { type: "failed", id, message: `${RUNS_MAX} runs go through the proxy already` };
    // First on disk: a proxy that dies now is followed by one that knows it.
    const path = policyPath(this.options.dataDir, runId);
    await writeFile(`${path}.new`, JSON.stringify({ runId, policy }), { mode: 0o600 });
    await rename(`${path}.new`, path);
    await this.run(runId).open(policy);
    return { type: "done", id };
  }

  private async close(runId: string): Promise<void> {
    await rm(policyPath(this.options.dataDir, runId), { force: true });
    const run = this.runs.get(runId);
    this.runs.delete(runId);
    await run?.close();
  }

  private run(runId: string): ProxiedRun {
    const known = this.runs.get(runId);
    if (known) return known;
    const { dataDir, limits, resolve, log } = this.options;
    const folder = runSocketsFolder(dataDir, runId);
    // It may lie in a folder for everybody: nobody else may have made it.
    ensurePrivateFolder(dirname(dirname(folder)));
    ensurePrivateFolder(dirname(folder));
    const run = new ProxiedRun({
      ...{ runId, limits, resolve, log },
      folder,
      daemonPorts: () => this.daemonPorts,
      newHeldId: () => `${this.heldPrefix}-${(this.heldCount += 1)}`,
      onHeld: (held) => this.tell({ type: "held", ...held }),
      onGivenUp: (held, why) => this.tell({ type: "given_up", why, ...held }),
      onTurnedAway: ({ host, port }) => this.tell({ type: "turned_away", runId, host, port }),
    });
    this.runs.set(runId, run);
    return run;
  }

  private tell(notice: Extract<ProxyNotice, Target>): void {
    for (const socket of this.controls) send(socket, notice);
  }

  private portsFile(): string {
    return join(policiesFolder(this.options.dataDir), "daemon-ports");
  }

  /** Kept: while no daemon is there, another program may not take its port and be reached by it. */
  private async setPorts(ports: readonly number[]): Promise<void> {
    this.daemonPorts = ports;
    await writeFile(this.portsFile(), `${ports.join(" ")}\n`, { mode: 0o600 });
  }
}

function send(socket: Socket, notice: ProxyNotice): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.write(`${JSON.stringify(notice)}\n`);
  // A daemon that reads nothing is told what is held when it is back.
  if (socket.writableLength > UNREAD_BYTES_MAX) socket.destroy();
}

/** We wrote it ourselves; but it may be damaged. */
async function readKept(path: string): Promise<Kept | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (!isRecord(value)) return null;
    const { runId, policy } = value;
    return isRunId(runId) && isPolicy(policy) ? { runId, policy } : null;
  } catch {
    return null;
  }
}
