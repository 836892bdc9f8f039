import { realpathSync } from "node:fs";
import { connect as connectSocket, type Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keeperSecret } from "../../keeper/keeper-secret.js";
import { keeperLogPath, keeperSocketPath } from "../../keeper/paths.js";
import { ensurePrivateFolder } from "../../keeper/private-folder.js";
import {
  HOLDS_SINCE_VERSION,
  KEEPER_LINE_BYTES_MAX,
  KEEPER_PROTOCOL_VERSION,
  WALLS_SINCE_VERSION,
} from "../../protocol/keeper-format.js";
import {
  anyWelcomeSchema,
  type KeeperNotice,
  keeperNoticeSchema,
  type KeeperRequest,
  type RunReport,
} from "../../protocol/keeper.js";
import { startKeeper, type Started } from "./start-keeper.js";

/** For a keeper that has to be started. */
const START_TIMEOUT_MS = 10_000;
/** For one that is there: with thousands of agents to start, or on a busy machine, it answers late. */
const BUSY_TIMEOUT_MS = 120_000;
const BUSY_NEWS_EVERY_MS = 2_000;
const CONNECT_RETRY_MS = 25;
const PENDING_LENGTH_MAX = 10_000;
const UNSENT_BYTES_MAX = 64 * 1024 * 1024;
/** Far more than any answer to a ping takes. Who is only slow loses nothing: what was asked is asked again. */
const SILENCE_MS_MAX = 30_000;
/** It is asked so many times within that. */
const PINGS_MAX = 6;
/** One that has not answered so many of them is said to be silent. */
const PINGS_PATIENT = 2;

/** What the keeper says by itself. */
export type RunNotice = Extract<KeeperNotice, { readonly type: "output" | "hooks" | "foreground" | "exit" }>;

type WithoutId<R> = R extends KeeperRequest ? Omit<R, "id"> : never;
type Body<T extends KeeperRequest["type"] = KeeperRequest["type"]> = WithoutId<
  Extract<KeeperRequest, { readonly type: T }>
>;
type Fields<T extends KeeperRequest["type"]> = Omit<Body<T>, "type">;

/** How a hold ended: whether its addressee was gone, and how much of its input nobody has read. */
export type HoldEnd = NonNullable<Extract<KeeperNotice, { readonly type: "done" }>["hold"]>;

export type RefusalCode = Extract<KeeperNotice, { readonly type: "failed" }>["code"];

/** The keeper answered, and did not do it. */
export class KeeperRefusal extends Error {
  override readonly name = "KeeperRefusal";
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}

/** The connection is closed: whether a request was done is not known. Repeating it with its effect id is safe. */
export class KeeperClosed extends Error {
  override readonly name = "KeeperClosed";
}

/** Too much waits for the keeper already; nothing was sent. */
export class KeeperBusy extends Error {
  override readonly name = "KeeperBusy";
}

/** No keeper answers, and none could be started. */
export class KeeperUnavailable extends Error {
  override readonly name = "KeeperUnavailable";
}

/** One is there, and what it says is not understood here: it is of a newer Signalbox. */
export class KeeperTooNew extends KeeperUnavailable {
  constructor(
    version: number,
    readonly pid: number,
  ) {
    super(
      `The keeper is of a newer Signalbox: it speaks protocol ${version}, and this daemon ${KEEPER_PROTOCOL_VERSION}.`,
    );
  }
}

export interface KeeperClientOptions {
  readonly dataDir: string;
  /** The keeper's program, for when none runs. */
  readonly keeperEntry: string;
  readonly keeperArgs?: readonly string[];
  /** After how long a keeper that says nothing, though it is asked, is held to be dead or stopped. */
  readonly silenceMsMax?: number;
  /** Must not throw. Never called before `connect` has resolved. */
  readonly onNotice: (notice: RunNotice) => void;
  /** Called once, unless the connection was closed from this side. */
  readonly onClosed: (error: KeeperClosed) => void;
  /** A keeper is there, and has not answered for so long; called again and again. */
  readonly onBusy?: (waitedMs: number) => void;
  /** Somebody tried to talk to the keeper without its secret. */
  readonly onStranger?: () => void;
  /** It has fallen silent, or speaks again. */
  readonly onSilence?: () => void;
  /** How long a keeper that is there may take to answer. */
  readonly busyMsMax?: number;
  readonly log?: (message: string) => void;
}

export interface KeeperConnection {
  readonly client: KeeperClient;
  readonly keeperPid: number;
  /** Of its protocol. */
  readonly version: number;
  /** The Signalbox that it is part of; null: it is too old to say. */
  readonly release: string | null;
  /** What runs, or has ended and is not forgotten. */
  readonly runs: readonly RunReport[];
}

interface Pending {
  readonly resolve: (notice: Exclude<KeeperNotice, RunNotice>) => void;
  readonly reject: (error: Error) => void;
}

/** The daemon's side of the keeper's protocol. Requests reject with `KeeperRefusal`, `KeeperClosed` or `KeeperBusy`. */
export class KeeperClient {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private unread = "";
  /** Notices that came before whoever connected could know of the runs. */
  private early: RunNotice[] | null = [];
  /** Its end is no news to anybody: not before the welcome, and not when it was wanted. */
  private closing = true;
  private readonly silence: NodeJS.Timeout;
  /** How many times it was asked since it said something. */
  private pings = 0;
  private version = 0;
  private closedBecause = "The keeper has closed the connection.";

  private constructor(
    private readonly socket: Socket,
    private readonly options: KeeperClientOptions,
  ) {
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => this.take(text));
    // Its end is told by `close`.
    socket.on("error", (error) => options.log?.(`keeper connection: ${error.message}`));
    socket.on("close", () => this.closed());
    const { silenceMsMax = SILENCE_MS_MAX } = options;
    this.silence = setTimeout(() => this.wasSilent(), silenceMsMax / PINGS_MAX).unref();
  }

  /**
   * Connects to the keeper of this data folder. Starts one if there is none, and waits for it up to 10 s; for one that is
   * there and busy, up to two minutes.
   */
  static async connect(options: KeeperClientOptions): Promise<KeeperConnection> {
    ensurePrivateFolder(options.dataDir);
    const dataDir = realpathSync(options.dataDir);
    const path = keeperSocketPath(dataDir);
    ensurePrivateFolder(dirname(path));
    const deadlineMs = performance.now() + START_TIMEOUT_MS;
    let started: Started | null = null;
    for (;;) {
      const connection = await KeeperClient.tryConnect(path, options);
      if (connection !== null) return connection;
      const end = started?.end ?? null;
      if (end?.ok === false || performance.now() > deadlineMs) {
        const why = end?.why ?? "it does not answer";
        throw new KeeperUnavailable(`The keeper did not start: ${why}. See ${keeperLogPath(dataDir)}`);
      }
      if (started === null || end !== null) {
        started = startKeeper(dataDir, options.keeperEntry, options.keeperArgs ?? []);
      }
      await sleep(CONNECT_RETRY_MS);
    }
  }

  /** Null when none runs: none is started. */
  static async find(dataDir: string): Promise<KeeperConnection | null> {
    const path = keeperSocketPath(realpathSync(dataDir));
    const options = { dataDir, keeperEntry: "", onNotice: () => undefined, onClosed: () => undefined };
    return KeeperClient.tryConnect(path, { ...options, busyMsMax: START_TIMEOUT_MS });
  }

  /** Null: nobody is there, or nobody who answers in time. */
  private static async tryConnect(
    path: string,
    options: KeeperClientOptions,
  ): Promise<KeeperConnection | null> {
    const socket = await openSocket(path);
    if (socket === null) return null;
    const client = new KeeperClient(socket, options);
    const sinceMs = performance.now();
    const news = setInterval(() => options.onBusy?.(performance.now() - sinceMs), BUSY_NEWS_EVERY_MS);
    const givingUp = new AbortController();
    const timer = setTimeout(() => {
      givingUp.abort();
      client.close();
    }, options.busyMsMax ?? BUSY_TIMEOUT_MS);
    try {
      const secret = keeperSecret(realpathSync(options.dataDir));
      const welcome = await client.request({ type: "hello", version: KEEPER_PROTOCOL_VERSION, secret });
      if (welcome.type !== "welcome")
        throw new KeeperUnavailable(`The keeper said ${welcome.type} to hello.`);
      client.version = welcome.version;
      const { pid: keeperPid, version, release = null, runs } = welcome;
      return { client, keeperPid, version, release, runs };
    } catch (error) {
      client.close();
      if (givingUp.signal.aborted) throw new KeeperUnavailable("The keeper is there, and does not answer.");
      if (error instanceof KeeperClosed) return null;
      throw error;
    } finally {
      clearInterval(news);
      clearTimeout(timer);
    }
  }

  /** Gives the pid. A repeat is answered as the first was. */
  async spawn(fields: Fields<"spawn">): Promise<number> {
    const answer = await this.request({ type: "spawn", ...fields });
    return answer.type === "done" ? (answer.pid ?? 0) : 0;
  }

  /** Resolves when the keeper has it, in order: it then outlives the daemon. */
  async input(fields: Fields<"input">): Promise<void> {
    await this.request({ type: "input", ...fields });
  }

  /** An older keeper, which agents have kept alive through an upgrade, cannot hold a terminal's shell. */
  get canHold(): boolean {
    return this.version >= HOLDS_SINCE_VERSION;
  }

  /** An older keeper does not see through the wall that it has started. */
  get knowsWalls(): boolean {
    return this.version >= WALLS_SINCE_VERSION;
  }

  /** Rejects with `agent_gone` when the addressee is not in front, and with `no_hold` when nothing can be held. */
  async hold(fields: Fields<"hold">): Promise<void> {
    await this.request({ type: "hold", ...fields });
  }

  /** Also of a hold that has ended by itself: says how. */
  async release(fields: Fields<"release">): Promise<HoldEnd> {
    const answer = await this.request({ type: "release", ...fields });
    return (answer.type === "done" ? answer.hold : undefined) ?? { isGone: true, unreadBytes: 0 };
  }

  async closeInput(fields: Fields<"close_input">): Promise<void> {
    await this.request({ type: "close_input", ...fields });
  }

  async signal(fields: Fields<"signal">): Promise<void> {
    await this.request({ type: "signal", ...fields });
  }

  async stop(fields: Fields<"stop">): Promise<void> {
    await this.request({ type: "stop", ...fields });
  }

  async resize(fields: Fields<"resize">): Promise<void> {
    await this.request({ type: "resize", ...fields });
  }

  /** Waits for nothing: should it get lost, the next one says more. */
  consumed(runId: string, spool: "out" | "hooks", offset: number): void {
    if (this.socket.writable && !this.isBehind()) this.send({ type: "consumed", runId, spool, offset });
  }

  /** Deletes all that the keeper has of a run that has ended. */
  async forget(runId: string): Promise<void> {
    await this.request({ type: "forget", runId });
  }

  /** Ends every run, and then the keeper. */
  async shutdown(): Promise<void> {
    this.closing = true;
    await this.request({ type: "shutdown" });
  }

  /** The keeper and its runs go on. */
  close(): void {
    this.closing = true;
    this.socket.destroy();
    this.rejectPending(new KeeperClosed("The connection to the keeper was closed."));
  }

  private async request(body: Body): Promise<Exclude<KeeperNotice, RunNotice>> {
    if (!this.socket.writable) throw new KeeperClosed("The connection to the keeper is closed.");
    if (this.pending.size >= PENDING_LENGTH_MAX || this.isBehind()) {
      throw new KeeperBusy("Too much waits for the keeper.");
    }
    return await new Promise((resolve, reject) => {
      this.pending.set(this.send(body), { resolve, reject });
    });
  }

  /** It is there, and does not say whether it lives. */
  get isSilent(): boolean {
    return this.pings >= PINGS_PATIENT;
  }

  private wasSilent(): void {
    if (this.pings === PINGS_MAX - 1) {
      this.closedBecause = "The keeper does not answer.";
      this.socket.destroy();
      return;
    }
    this.pings += 1;
    this.send({ type: "ping" });
    this.silence.refresh();
    if (this.pings === PINGS_PATIENT) this.options.onSilence?.();
  }

  private send(body: Body): number {
    const id = ++this.lastId;
    this.socket.write(`${JSON.stringify({ id, ...body })}\n`);
    return id;
  }

  private isBehind(): boolean {
    return this.socket.writableLength > UNSENT_BYTES_MAX;
  }

  private take(text: string): void {
    const wasSilent = this.isSilent;
    this.pings = 0;
    this.silence.refresh();
    if (wasSilent) this.options.onSilence?.();
    const lines = (this.unread + text).split("\n");
    this.unread = lines.pop() ?? "";
    for (const line of lines) this.takeLine(line);
    if (this.unread.length > KEEPER_LINE_BYTES_MAX) this.socket.destroy();
  }

  private takeLine(line: string): void {
    const notice = parseNotice(line);
    if (notice === null) {
      const foreign = anyWelcomeSchema.safeParse(parseJson(line)).data ?? null;
      if (foreign !== null && foreign.version > KEEPER_PROTOCOL_VERSION)
        this.settle(foreign.id, new KeeperTooNew(foreign.version, foreign.pid));
      // A newer keeper may say more than we know.
      this.options.log?.(`keeper said something unknown: ${line.slice(0, 200)}`);
      return;
    }
    switch (notice.type) {
      case "output":
      case "hooks":
      case "foreground":
      case "exit":
        if (this.early === null) this.options.onNotice(notice);
        else this.early.push(notice);
        return;
      case "welcome":
        this.closing = false;
        setImmediate(() => this.tellEarly());
        this.settle(notice.id, notice);
        return;
      case "stranger":
        this.options.onStranger?.();
        return;
      case "done":
        this.settle(notice.id, notice);
        return;
      case "failed":
        this.settle(notice.id, new KeeperRefusal(notice.code, notice.message));
    }
  }

  private settle(id: number, answer: Exclude<KeeperNotice, RunNotice> | Error): void {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (answer instanceof Error) pending?.reject(answer);
    else pending?.resolve(answer);
  }

  private tellEarly(): void {
    const early = this.early ?? [];
    this.early = null;
    if (this.socket.destroyed) return;
    for (const notice of early) this.options.onNotice(notice);
  }

  private closed(): void {
    clearTimeout(this.silence);
    const error = new KeeperClosed(this.closedBecause);
    this.rejectPending(error);
    if (!this.closing) this.options.onClosed(error);
    this.closing = true;
  }

  private rejectPending(error: KeeperClosed): void {
    const pending = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of pending) reject(error);
  }
}

function parseNotice(line: string): KeeperNotice | null {
  return keeperNoticeSchema.safeParse(parseJson(line)).data ?? null;
}

/** Undefined: it is none. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function openSocket(path: string): Promise<Socket | null> {
  const socket = connectSocket(path);
  return await new Promise((resolve, reject) => {
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(null);
      else reject(new KeeperUnavailable(`No connection to the keeper: ${error.message}`));
    });
  });
}
