/** A real HTTP server that answers as a test says, in the place of the daemon. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Exchange {
  /** `GET /v1/sessions?status=error`. */
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined when there was none. */
  readonly body: unknown;
}

/** Gives a status and a JSON value, or null when it writes the answer itself. */
export type Script = (exchange: Exchange, response: ServerResponse) => readonly [number, unknown?] | null;

export class ScriptedServer {
  readonly exchanges: Exchange[] = [];
  /** Answers that have begun and not ended. */
  openAnswers = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(script: Script): Promise<ScriptedServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const started = new ScriptedServer(server, `http://127.0.0.1:${port}`);
    server.on("request", (request, response) => {
      started.openAnswers += 1;
      response.on("close", () => (started.openAnswers -= 1));
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const exchange = {
          line: `${request.method ?? ""} ${request.url ?? ""}`,
          headers: request.headers,
          body: text === "" ? undefined : (JSON.parse(text) as unknown),
        };
        started.exchanges.push(exchange);
        const answer = script(exchange, response);
        if (answer) writeJson(response, ...answer);
      });
    });
    return started;
  }

  get lines(): readonly string[] {
    return this.exchanges.map((exchange) => exchange.line);
  }

  hangUp(): void {
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}

function writeJson(response: ServerResponse, status: number, value?: unknown): void {
  const type = status >= 400 ? "application/problem+json" : "application/json";
  response.writeHead(status, value === undefined ? {} : { "content-type": type });
  response.end(value === undefined ? undefined : JSON.stringify(value));
}

export function problem(status: number, code: string, detail: string): readonly [number, unknown] {
  return [status, { type: "about:blank", title: code, status, detail, code }];
}

export function startEventStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

/** An event as the daemon writes it. */
export function sse(event: string, data: unknown, position?: number): string {
  const id = position === undefined ? "" : `id: ${position}\n`;
  return `event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`;
}
