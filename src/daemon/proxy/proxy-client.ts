/** The daemon's side of the proxy's protocol. */
import { connect as connectSocket, type Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { secretAt } from "../../keeper/keeper-secret.js";
import { ensurePrivateFolder } from "../../keeper/private-folder.js";
import {
  PROXY_FOLDER_VARIABLE,
  PROXY_LINE_BYTES_MAX,
  PROXY_PROTOCOL_VERSION,
  type HeldHost,
  type ProxyNotice,
  type ProxyPolicy,
  type ProxyRequest,
  type PublishedPort,
} from "../../protocol/proxy-format.js";
import { proxyLogPath, proxySecretPath, proxySocketPath } from "../../proxy/paths.js";
import { startDetached, type Started } from "../keeper/start-keeper.js";

const START_TIMEOUT_MS = 10_000;
const RETRY_MS = 25;
/** A proxy answers at once, or is stopped. */
const ANSWER_MS_MAX = 20_000;
/** Look-ups of names block threads; four of them would not be many. */
const LOOK_UP_THREADS = "16";

/** The proxy did not do it, is gone, or could not be started. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
}

const texts = z.array(z.string());
const policySchema = z.object({
  ...{ hosts: texts, denied: texts, services: texts },
  unknown: z.enum(["ask", "refuse"]),
});
const held = { runId: z.string(), heldId: z.string(), host: z.string(), port: z.number().int() };
const id = z.number().int();
const noticeSchema: z.ZodType<ProxyNotice> = z.discriminatedUnion("type", [
  z.object({
    ...{
      type: z.literal("welcome"),
      id,
      version: z.number().int(),
      release: z.string(),
      pid: z.number().int(),
    },
    runs: z.array(z.object({ runId: z.string(), policy: policySchema })),
    held: z.array(z.object(held)),
  }),
  z.object({ type: z.literal("done"), id }),
  z.object({
    type: z.literal("ports"),
    id,
    ports: z.array(z.object({ port: z.number().int(), host: z.string(), at: z.number().int() })).max(100),
  }),
  z.object({ type: z.literal("failed"), id, message: z.string() }),
  z.object({ type: z.literal("held"), ...held }),
  z.object({
    type: z.literal("turned_away"),
    runId: z.string(),
    host: z.string(),
    port: z.number().int(),
  }),
  z.object({ type: z.literal("given_up"), why: z.enum(["expired", "gone"]), ...held }),
]);

type Welcome = Extract<ProxyNotice, { readonly type: "welcome" }>;
type WithoutId<R> = R extends ProxyRequest ? Omit<R, "id"> : never;

export interface ProxyClientOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  /** The proxy's program, for when none runs. */
  readonly entry: string;
  readonly daemonPorts: readonly number[];
  /** What was held before is told first. */
  readonly onHeld: (held: HeldHost) => void;
  readonly onTurnedAway: (refused: Omit<HeldHost, "heldId">) => void;
  readonly onGivenUp: (held: HeldHost, why: "expired" | "gone") => void;
  /** Called once, unless it was closed from this side. */
  readonly onClosed: () => void;
}

type Answer = Extract<ProxyNotice, { readonly type: "welcome" | "done" | "ports" }>;

interface Pending {
  readonly resolve: (notice: Answer) => void;
  readonly reject: (error: ProxyError) => void;
}

export class ProxyClient {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private unread = "";
  /** Nobody is told of its end. */
  private isQuiet = true;

  private constructor(
    private readonly socket: Socket,
    private readonly options: ProxyClientOptions,
  ) {
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => this.take(text));
    // Its end is told by `close`.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.closed());
  }

  /** Starts one if there is none. Rejects with a `ProxyError`. */
  static async connect(
    options: ProxyClientOptions,
  ): Promise<{ readonly client: ProxyClient; readonly welcome: Welcome }> {
    const { dataDir, entry } = options;
    const path = proxySocketPath(dataDir);
    ensurePrivateFolder(dirname(path));
    const deadlineMs = performance.now() + START_TIMEOUT_MS;
    let started: Started | null = null;
    for (;;) {
      const socket = await openSocket(path);
      if (socket !== null) {
        const client = new ProxyClient(socket, options);
        try {
          return { client, welcome: await client.hello() };
        } catch (error) {
          client.close();
          if (performance.now() > deadlineMs) throw error;
        }
      }
      const end = started?.end ?? null;
      if (end?.ok === false || performance.now() > deadlineMs)
        throw new ProxyError(
          `The proxy did not start: ${end?.why ?? "it does not answer"}. See ${proxyLogPath(dataDir)}`,
        );
      if (socket === null && (started === null || end !== null))
        started = startDetached({
          entry,
          args: [],
          logPath: proxyLogPath(dataDir),
          env: { [PROXY_FOLDER_VARIABLE]: dataDir, UV_THREADPOOL_SIZE: LOOK_UP_THREADS },
        });
      await sleep(RETRY_MS);
    }
  }

  async open(runId: string, policy: ProxyPolicy): Promise<void> {
    await this.request({ type: "open", runId, policy });
  }

  async closeRun(runId: string): Promise<void> {
    await this.request({ type: "close", runId });
  }

  async answer({ runId, heldId }: HeldHost, allow: boolean, because: string): Promise<void> {
    await this.request({ type: "answer", runId, heldId, allow, because });
  }

  /** What programs of a run serve, and where that is reached. */
  async ports(runId: string, except: readonly number[]): Promise<readonly PublishedPort[]> {
    const answer = await this.request({ type: "ports", runId, except });
    return answer.type === "ports" ? answer.ports : [];
  }

  async shutdown(): Promise<void> {
    this.isQuiet = true;
    await this.request({ type: "shutdown" });
  }

  /** The proxy and what goes through it go on. */
  close(): void {
    this.isQuiet = true;
    this.socket.destroy();
  }

  private async hello(): Promise<Welcome> {
    const { dataDir, daemonPorts } = this.options;
    const secret = secretAt(proxySecretPath(dataDir));
    const hello = { type: "hello", version: PROXY_PROTOCOL_VERSION, secret, daemonPorts } as const;
    const welcome = await this.request(hello);
    if (welcome.type !== "welcome") throw new ProxyError("The proxy did not say who it is.");
    if (welcome.version > PROXY_PROTOCOL_VERSION)
      throw new ProxyError(
        `The proxy is of a newer Signalbox: it speaks protocol ${welcome.version}, and this daemon ${PROXY_PROTOCOL_VERSION}.`,
      );
    this.isQuiet = false;
    return welcome;
  }

  private request(body: WithoutId<ProxyRequest>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (!this.socket.writable) {
        reject(new ProxyError("The connection to the proxy is closed."));
        return;
      }
      const requestId = ++this.lastId;
      const timer = setTimeout(() => this.socket.destroy(), ANSWER_MS_MAX);
      this.pending.set(requestId, {
        resolve: (notice) => {
          clearTimeout(timer);
          resolve(notice);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.socket.write(`${JSON.stringify({ id: requestId, ...body })}\n`);
    });
  }

  private take(text: string): void {
    const lines = (this.unread + text).split("\n");
    this.unread = lines.pop() ?? "";
    if (this.unread.length > PROXY_LINE_BYTES_MAX * 64) this.socket.destroy();
    for (const line of lines) this.takeLine(line);
  }

  private takeLine(line: string): void {
    const parsed = noticeSchema.safeParse(parseJson(line));
    // A newer proxy may say more than we know.
    if (!parsed.success) return;
    const notice = parsed.data;
    switch (notice.type) {
      case "held":
        this.options.onHeld(plain(notice));
        return;
      case "turned_away":
        this.options.onTurnedAway(notice);
        return;
      case "given_up":
        this.options.onGivenUp(plain(notice), notice.why);
        return;
      case "failed":
        this.settle(notice.id)?.reject(new ProxyError(`The proxy did not do it: ${notice.message}.`));
        return;
      case "welcome":
        // Before anything that comes after it is read.
        for (const each of notice.held) this.options.onHeld(plain(each));
        this.settle(notice.id)?.resolve(notice);
        return;
      case "done":
      case "ports":
        this.settle(notice.id)?.resolve(notice);
    }
  }

  private settle(requestId: number): Pending | undefined {
    const pending = this.pending.get(requestId);
    this.pending.delete(requestId);
    return pending;
  }

  private closed(): void {
    for (const requestId of [...this.pending.keys()])
      this.settle(requestId)?.reject(new ProxyError("The proxy has gone."));
    if (!this.isQuiet) this.options.onClosed();
    this.isQuiet = true;
  }
}

function plain({ runId, heldId, host, port }: HeldHost): HeldHost {
  return { runId, heldId, host, port };
}

/** Undefined: it is none. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Null: nobody is there. */
async function openSocket(path: string): Promise<Socket | null> {
  return await new Promise((resolve) => {
    const socket = connectSocket(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(null));
  });
}
