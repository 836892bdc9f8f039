import { createServer, type IncomingMessage, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Permissions } from "../../permissions/permissions.js";
import type { Care } from "../health/care.js";
import type { Changes } from "../../changes/changes.js";
import type { Races } from "../race/races.js";
import type { SessionWalls } from "../wall/session-walls.js";
import type { Reviews } from "../reviews/reviews.js";
import type { Workspaces } from "../workspaces/workspaces.js";
import type { Log } from "../log/log.js";
import type { Metrics } from "../metrics/metrics.js";
import type { SseHub } from "../sse/sse-hub.js";
import { createAgentServer } from "./agent-server.js";
import { apiRoutes } from "./api-routes.js";
import type { Auth, Identity } from "./auth.js";
import type { Board } from "./board.js";
import type { TerminalHands } from "./call-handler.js";
import { Gatekeeper, type GatekeeperOptions } from "./gatekeeper.js";
import { HarnessReports } from "./harness-reports.js";
import { listenAt } from "./listen-at.js";
import { HostGate, SocketGate, type RequestGate } from "./host-gate.js";
import { LongConnections } from "./long-connections.js";
import { pageRoutes } from "./page.js";
import { plainRoutes } from "./plain-routes.js";
import type { Failure } from "./problem.js";
import { handleRequest, identify } from "./request-handler.js";
import { createRouter } from "./router.js";
import { handleUpgrade, type TakeTerminal } from "./upgrade.js";

const CONNECTIONS_MAX = 4_096;
const HEADERS_MAX = 100;
/** A connection on which nothing moves for so long is dead; event streams have their heartbeat. */
const SILENCE_MAX_MS = 120_000;
/** What running requests have to finish when the server closes. */
const CLOSE_DELAY_MS = 2_000;

const LIMITS: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
};

export interface HttpServerOptions extends GatekeeperOptions {
  readonly board: Board;
  readonly auth: Auth;
  readonly permissions: Permissions;
  /** Names other than loopback's by which clients reach us. */
  readonly hosts: readonly string[];
  readonly version: string;
  readonly startedAtMs: number;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly sseHub: SseHub;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Where the page was built to. */
  readonly pageDir: string;
  /** What a person types here to get a new link; not for strangers where it tells of folders. */
  readonly openCommand?: string;
  /** Absent: there is no file to look after. */
  readonly care?: Care;
  readonly walls?: SessionWalls;
  readonly changes?: Changes;
  readonly reviews?: Reviews;
  readonly workspaces?: Workspaces;
  readonly races?: Races;
  /** Begins the end of the daemon, with its agents or without. */
  readonly shutDown: (withAgents: boolean) => void;
  /** Absent: there are no terminals. */
  readonly takeTerminal?: TakeTerminal;
  readonly terminals?: TerminalHands;
}

export interface HttpServer {
  readonly server: Server;
  /** Port 0 picks a free one. Rejects when the address is taken. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Also at a socket of the file system, for programs of the same person. `url`: how a browser reaches us. */
  listenAt(path: string, url: string): Promise<void>;
  /** For the agent of a session behind a wall, and not listening yet. Whoever asks for it closes it. */
  agentServer(sessionId: string, url: string): Server;
  /** Ends every connection; what is being answered has a moment to finish. */
  close(): Promise<void>;
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { board, auth, log, tls } = options;
  const connections = new LongConnections();
  const harnessReports = new HarnessReports(board, log, Date.now);
  const desk = { ...options, connections, harnessReports };
  const keeper = new Gatekeeper(options);
  const match = createRouter([...apiRoutes(desk), ...plainRoutes(desk), ...pageRoutes(options.pageDir)]);
  const server = tls ? createTlsServer({ ...LIMITS, ...tls, minVersion: "TLSv1.2" }) : createServer(LIMITS);
  const local = createServer(LIMITS);

  const identifyAt =
    (gate: RequestGate) =>
    async (request: IncomingMessage, needsOrigin: boolean): Promise<Identity | Failure> => {
      const caller = identify(auth, gate, request.headers, needsOrigin);
      if ("ok" in caller && caller.code === "unauthorized") await keeper.noticeStranger(request.socket);
      return caller;
    };

  const open = (opened: Server, gate: RequestGate): void => {
    opened.maxConnections = CONNECTIONS_MAX;
    bound(opened);
    const handle: Parameters<typeof createServer>[1] = (request, response) =>
      void handleRequest(request, response, { gate, identify: identifyAt(gate), keeper, log, match });
    const takeTerminal = options.takeTerminal ?? null;
    // A client that waits for a sign to send its body gets it when the body is wanted.
    opened.on("request", handle).on("checkContinue", handle);
    opened.on(
      "upgrade",
      (request, socket, head) =>
        void handleUpgrade(request, socket, head, {
          gate,
          auth,
          keeper,
          board,
          connections,
          log,
          takeTerminal,
        }),
    );
  };

  return {
    server,
    listen: (port, host) =>
      listen(server, port, host, (chosen) =>
        open(server, new HostGate(options.hosts, tls !== undefined, chosen)),
      ),
    listenAt: (path, url) => {
      open(local, new SocketGate(url));
      return listenAt(local, path);
    },
    agentServer: (sessionId, url) =>
      createAgentServer({
        sessionId,
        desk,
        gate: new SocketGate(url),
        gatekeeper: keeper,
        onAttempt: (attempt) => options.onAttempt?.(attempt),
        create: () => bound(createServer(LIMITS)),
      }),
    close: async () => {
      options.sseHub.close();
      await Promise.all([close(server, connections), close(local, connections)]);
    },
  };
}

function bound(server: Server): Server {
  server.maxHeadersCount = HEADERS_MAX;
  server.timeout = SILENCE_MAX_MS;
  return server;
}

function listen(
  server: Server,
  port: number,
  host: string,
  open: (port: number) => void,
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
      open(address.port);
      resolve(address);
    });
  });
}

function close(server: Server, connections: LongConnections): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      connections.cutAll();
      server.closeAllConnections();
    }, CLOSE_DELAY_MS);
    server.close((error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    });
    server.closeIdleConnections();
  });
}
