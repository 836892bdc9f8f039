import { createServer, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Permissions } from "../../permissions/permissions.js";
import type { Log } from "../log/log.js";
import type { Metrics } from "../metrics/metrics.js";
import type { SseHub } from "../sse/sse-hub.js";
import { apiRoutes } from "./api-routes.js";
import type { Auth } from "./auth.js";
import type { Board } from "./board.js";
import { HarnessReports } from "./harness-reports.js";
import { HostGate } from "./host-gate.js";
import { LongConnections } from "./long-connections.js";
import { pageRoutes } from "./page.js";
import { plainRoutes } from "./plain-routes.js";
import { handleRequest } from "./request-handler.js";
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

export interface HttpServerOptions {
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
  /** Begins the end of the daemon, with its agents or without. */
  readonly shutDown: (withAgents: boolean) => void;
  /** Absent: there are no terminals. */
  readonly takeTerminal?: TakeTerminal;
}

export interface HttpServer {
  readonly server: Server;
  /** Port 0 picks a free one. Rejects when the address is taken. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Ends every connection; what is being answered has a moment to finish. */
  close(): Promise<void>;
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { board, auth, log, tls } = options;
  const connections = new LongConnections();
  const harnessReports = new HarnessReports(board, log, Date.now);
  const desk = { ...options, connections, harnessReports };
  const match = createRouter([...apiRoutes(desk), ...plainRoutes(desk), ...pageRoutes(options.pageDir)]);
  const server = tls ? createTlsServer({ ...LIMITS, ...tls, minVersion: "TLSv1.2" }) : createServer(LIMITS);
  server.maxConnections = CONNECTIONS_MAX;
  server.maxHeadersCount = HEADERS_MAX;
  server.timeout = SILENCE_MAX_MS;

  const open = (port: number): void => {
    const gate = new HostGate(options.hosts, tls !== undefined, port);
    const handle: Parameters<typeof createServer>[1] = (request, response) =>
      void handleRequest(request, response, { gate, auth, log, match });
    const takeTerminal = options.takeTerminal ?? null;
    // A client that waits for a sign to send its body gets it when the body is wanted.
    server.on("request", handle).on("checkContinue", handle);
    server.on("upgrade", (request, socket, head) =>
      handleUpgrade(request, socket, head, { gate, auth, board, connections, log, takeTerminal }),
    );
  };

  return {
    server,
    listen: (port, host) => listen(server, port, host, open),
    close: () => {
      options.sseHub.close();
      return close(server, connections);
    },
  };
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
