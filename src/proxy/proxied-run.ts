/** What a run has of the network: sockets in a folder that is shown to it, and what comes through them, held to its policy. */
import {
  createServer as createHttpServer,
  request as httpRequest,
  STATUS_CODES,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { mkdir, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { HeldHost, ProxyPolicy } from "../protocol/proxy-format.js";
import { forwardedHeaders } from "./headers.js";
import { HeldHosts } from "./held-hosts.js";
import { HTTP_SOCKET, PUBLISH_SOCKET, serviceSocket } from "./paths.js";
import { judge, parseTarget, targetText, type Target } from "./policy.js";
import { PublishedPorts } from "./published-ports.js";
import { codeOf, reach, refused, type Reached, type Refused, type Resolve } from "./reach.js";
import { tunnel } from "./tunnel.js";

export interface ProxyLimits {
  /** Of one run, whatever they do. */
  readonly connectionsMax: number;
  readonly heldMax: number;
  readonly heldMsMax: number;
  /** For a look-up, and again for a connection. */
  readonly patienceMs: number;
  /** For the head of a request. */
  readonly headMsMax: number;
  readonly idleMsMax: number;
  readonly halfIdleMsMax: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  connectionsMax: 512,
  heldMax: 32,
  heldMsMax: 120_000,
  patienceMs: 15_000,
  headMsMax: 15_000,
  idleMsMax: 3_600_000,
  halfIdleMsMax: 600_000,
};

const HEAD_BYTES_MAX = 16 * 1024;
/** What a client may send while it waits; then it has to wait with the rest. */
const EARLY_BYTES_MAX = 64 * 1024;
/** Who was refused has so long to read why. */
const FAREWELL_MS = 2_000;
const BACKLOG = 1_024;

export interface ProxiedRunOptions {
  readonly runId: string;
  /** Its sockets are made here. */
  readonly folder: string;
  readonly limits: ProxyLimits;
  readonly resolve: Resolve;
  readonly daemonPorts: () => readonly number[];
  readonly newHeldId: () => string;
  readonly onHeld: (held: HeldHost) => void;
  readonly onGivenUp: (held: HeldHost, why: "expired" | "gone") => void;
  readonly onTurnedAway: (target: Target) => void;
  readonly log: (message: string) => void;
}

export class ProxiedRun {
  private policyNow: ProxyPolicy = { hosts: [], denied: [], services: [], unknown: "refuse" };
  private http: HttpServer | null = null;
  private readonly services = new Map<string, Server>();
  private readonly sockets = new Set<Duplex>();
  private readonly clients = new Set<Socket>();
  private readonly held: HeldHosts;
  readonly published: PublishedPorts;
  private publishing: Server | null = null;

  constructor(private readonly options: ProxiedRunOptions) {
    const { runId, limits, newHeldId, onHeld, onGivenUp, onTurnedAway } = options;
    const { heldMsMax, heldMax } = limits;
    this.held = new HeldHosts({ runId, heldMsMax, heldMax, newHeldId, onHeld, onGivenUp, onTurnedAway });
    const { idleMsMax, halfIdleMsMax } = limits;
    this.published = new PublishedPorts({
      ...{ runId, idleMsMax, halfIdleMsMax },
      admit: (socket) => this.admit(socket),
    });
  }

  get policy(): ProxyPolicy {
    return this.policyNow;
  }

  get heldHosts(): readonly HeldHost[] {
    return this.held.held;
  }

  /** Listens, and from now on holds what comes to this policy. May be repeated. */
  async open(policy: ProxyPolicy): Promise<void> {
    this.policyNow = policy;
    const { folder } = this.options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (this.http === null) {
      const server = this.httpServer();
      await listenAt(server, join(folder, HTTP_SOCKET));
      this.http = server;
    }
    if (this.publishing === null) {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        this.hold(socket);
        this.published.take(socket);
      });
      await listenAt(server, join(folder, PUBLISH_SOCKET));
      this.publishing = server;
    }
    for (const service of policy.services) {
      if (this.services.has(service)) continue;
      const server = this.serviceServer(service);
      await listenAt(server, join(folder, serviceSocket(service)));
      this.services.set(service, server);
    }
    this.held.reconsider((target) => judge(policy, target) === "allowed");
  }

  answer(heldId: string, allow: boolean, because: string): boolean {
    return this.held.answer(heldId, allow, because);
  }

  /** Cuts what goes on, and takes its sockets away. */
  async close(): Promise<void> {
    this.stop();
    await rm(this.options.folder, { recursive: true, force: true });
  }

  /** Cuts what goes on; its folder stays. */
  stop(): void {
    this.held.close();
    this.published.stop();
    this.publishing?.close();
    this.http?.close();
    for (const server of this.services.values()) server.close();
    for (const socket of [...this.clients, ...this.sockets]) socket.destroy();
  }

  private httpServer(): HttpServer {
    const { headMsMax } = this.options.limits;
    const server = createHttpServer({
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: headMsMax,
      connectionsCheckingInterval: Math.min(headMsMax, 5_000),
      // Bodies take as long as they take.
      requestTimeout: 0,
      keepAliveTimeout: 30_000,
    });
    server.maxRequestsPerSocket = 0;
    const turnedAway = new WeakSet<Socket>();
    server.prependListener("connection", (socket: Socket) => {
      if (!this.admit(socket)) turnedAway.add(socket);
    });
    server.on("request", (request, response) => {
      if (!turnedAway.has(request.socket)) void this.forward(request, response);
    });
    server.on("connect", (request, socket: Duplex, head: Buffer) => {
      if (!turnedAway.has(request.socket)) void this.connect(request, socket, head);
    });
    server.on("clientError", (error, socket) => sayAndEnd(socket, clientFault(error)));
    return server;
  }

  /** Counts a connection; one too many is told so, and ended. */
  private admit(socket: Socket): boolean {
    const { connectionsMax } = this.options.limits;
    socket.on("error", () => socket.destroy());
    if (this.clients.size >= connectionsMax) {
      sayAndEnd(socket, refused(503, `This run has ${connectionsMax} connections, and may have no more.`));
      return false;
    }
    this.clients.add(socket);
    socket.on("close", () => this.clients.delete(socket));
    return true;
  }

  /** `CONNECT host:port` */
  private async connect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const waiting = new Waiting(client, head);
    const target = parseTarget(request.url ?? "", null);
    if (!target) {
      waiting.end();
      sayAndEnd(client, refused(400, "CONNECT needs a host and a port."));
      return;
    }
    const reached = await this.reachFor(target, waiting.gone);
    const early = waiting.end();
    if (!reached.ok) {
      sayAndEnd(client, reached);
      return;
    }
    if (client.destroyed) {
      reached.socket.destroy();
      return;
    }
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    this.join(client, reached.socket, early);
  }

  /** `GET http://host/path`, and its like. */
  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    response.on("error", () => gone.abort());
    request.on("error", () => gone.abort());
    const parsed = absoluteForm(request.url ?? "");
    if ("status" in parsed) {
      answer(response, parsed);
      return;
    }
    const { target, path } = parsed;
    const reached = await this.reachFor(target, gone.signal);
    if (!reached.ok) {
      answer(response, reached);
      return;
    }
    const { socket } = reached;
    this.hold(socket);
    if (gone.signal.aborted) {
      socket.destroy();
      return;
    }
    gone.signal.addEventListener("abort", () => socket.destroy());
    const upstream = httpRequest({
      createConnection: () => socket,
      method: request.method ?? "GET",
      path,
      headers: forwardedHeaders(request.rawHeaders, hostHeader(target)),
      setHost: false,
      timeout: this.options.limits.idleMsMax,
    });
    upstream.on("timeout", () => upstream.destroy());
    upstream.on("error", (error) => {
      if (response.headersSent) response.destroy();
      else answer(response, refused(502, `${targetText(target)} broke off (${codeOf(error)}).`));
    });
    upstream.on("response", (incoming) => {
      incoming.on("error", () => response.destroy());
      incoming.on("aborted", () => response.destroy());
      response.writeHead(
        incoming.statusCode ?? 502,
        incoming.statusMessage,
        forwardedHeaders(incoming.rawHeaders),
      );
      response.flushHeaders();
      incoming.pipe(response);
    });
    request.pipe(upstream);
  }

  /** Byte by byte, to one service: what it speaks is not known here. */
  private serviceServer(service: string): Server {
    return createServer({ allowHalfOpen: true }, (client) => {
      client.on("error", () => client.destroy());
      if (this.clients.size >= this.options.limits.connectionsMax) {
        client.destroy();
        return;
      }
      this.clients.add(client);
      client.on("close", () => this.clients.delete(client));
      const target = this.policyNow.services.includes(service) ? parseTarget(service, null) : null;
      if (!target) {
        client.destroy();
        return;
      }
      const waiting = new Waiting(client, Buffer.alloc(0));
      void this.reachNow(target).then((reached) => {
        const early = waiting.end();
        if (!reached.ok || client.destroyed) {
          client.destroy();
          if (reached.ok) reached.socket.destroy();
        } else this.join(client, reached.socket, early);
      });
    });
  }

  private join(client: Duplex, server: Socket, early: readonly Buffer[]): void {
    const { idleMsMax, halfIdleMsMax } = this.options.limits;
    this.hold(server);
    tunnel(client, server, { early, idleMsMax, halfIdleMsMax });
  }

  private hold(socket: Duplex): void {
    this.sockets.add(socket);
    socket.on("close", () => this.sockets.delete(socket));
  }

  /** Waits for an answer where nobody has given one yet. */
  private async reachFor(target: Target, gone: AbortSignal): Promise<Reached> {
    const name = targetText(target);
    switch (judge(this.policyNow, target)) {
      case "allowed":
        return this.reachNow(target);
      case "denied":
        return refused(
          403,
          `${name} is refused: a rule denies it, or it only gathers how programs are used.`,
        );
      case "unknown": {
        if (this.policyNow.unknown === "refuse") return refused(403, `${name} is refused: it is not listed.`);
        const { heldMsMax, heldMax } = this.options.limits;
        const end = await this.held.wait(target, gone);
        switch (end.type) {
          case "allowed":
            return this.reachNow(target);
          case "refused":
            return refused(403, `${name} is refused: ${end.because}.`);
          case "expired":
            return refused(403, `${name} is refused: nobody allowed it within ${heldMsMax / 1_000} seconds.`);
          case "full":
            return refused(
              503,
              `${name} has to wait: ${heldMax} connections of this run wait for an answer already.`,
            );
        }
      }
    }
  }

  private reachNow(target: Target): Promise<Reached> {
    const { resolve, daemonPorts, limits } = this.options;
    return reach(target, this.policyNow, {
      resolve,
      daemonPorts: daemonPorts(),
      patienceMs: limits.patienceMs,
    });
  }
}

/** A client that has to wait: what it sends meanwhile is kept, up to a bound, and that it goes is noticed. */
class Waiting {
  private readonly chunks: Buffer[];
  private bytes: number;
  private readonly left = new AbortController();
  private readonly onData = (chunk: Buffer): void => {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes > EARLY_BYTES_MAX) this.client.pause();
  };
  private readonly onGone = (): void => this.left.abort();

  constructor(
    private readonly client: Duplex,
    head: Buffer,
  ) {
    this.chunks = head.length > 0 ? [head] : [];
    this.bytes = head.length;
    client.on("error", this.onGone);
    client.on("data", this.onData);
    client.on("close", this.onGone);
    // Nobody ends what it has not begun to say: it has gone.
    client.on("end", this.onGone);
  }

  get gone(): AbortSignal {
    return this.left.signal;
  }

  /** Gives what it has sent. */
  end(): readonly Buffer[] {
    this.client.off("data", this.onData);
    this.client.off("close", this.onGone);
    this.client.off("end", this.onGone);
    this.client.pause();
    return this.chunks;
  }
}

type Absolute = { readonly target: Target; readonly path: string } | Refused;

function absoluteForm(url: string): Absolute {
  const [, scheme, authority = "", path = ""] =
    /^([A-Za-z][A-Za-z+.-]*):\/\/([^/?#]*)([^#]*)/.exec(url) ?? [];
  if (scheme === undefined) return refused(400, "This is a proxy: it takes whole addresses and CONNECT.");
  if (scheme.toLowerCase() !== "http")
    return refused(400, `This proxy forwards http; for ${scheme} it takes CONNECT.`);
  const target = parseTarget(authority.replace(/^[^@]*@/, ""), 80);
  if (!target) return refused(400, "The address has no host that could be reached.");
  return { target, path: path.startsWith("/") ? path : `/${path}` };
}

function hostHeader(target: Target): string {
  return target.port === 80 ? targetText(target).replace(/:80$/, "") : targetText(target);
}

function clientFault(error: Error): Refused {
  const code = codeOf(error);
  if (code === "HPE_HEADER_OVERFLOW")
    return refused(400, `The head of a request has at most ${HEAD_BYTES_MAX} bytes.`);
  return refused(400, `The request is not understood (${code}).`);
}

function answer(response: ServerResponse, { status, sentence }: Refused): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${sentence}\n`);
}

/** In the words of HTTP, to whoever may understand them; then it is over. */
function sayAndEnd(socket: Duplex, { status, sentence }: Refused): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.on("error", () => socket.destroy());
  const body = `${sentence}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), FAREWELL_MS);
  socket.on("close", () => clearTimeout(timer));
}

async function listenAt(server: Server | HttpServer, path: string): Promise<void> {
  // What a dead proxy has left.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path, backlog: BACKLOG }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
