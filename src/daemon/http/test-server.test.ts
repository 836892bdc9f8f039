/** A server over a board in memory, on a real port, and how to call it: for the tests beside this file. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { API, type CallName } from "../../protocol/api.js";
import { problemSchema } from "../../protocol/problem.js";
import { Log } from "../log/log.js";
import { createRedact } from "../log/redact.js";
import { Permissions } from "../../permissions/permissions.js";
import { Metrics } from "../metrics/metrics.js";
import { SseHub, type SseHubOptions } from "../sse/sse-hub.js";
import { Auth } from "./auth.js";
import { MemoryBoard } from "./memory-board.test.js";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "./server.js";

export const TOKEN = "t".repeat(43);
export const CWD = process.cwd();

export const silentLog = new Log({
  level: "debug",
  redact: createRedact({}),
  stream: new Writable({ write: (_chunk, _encoding, done) => done() }),
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-http-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What stands for the built page. */
export const PAGE = {
  "index.html": "<!doctype html><title>Signalbox</title>",
  "index.html.br": "index in brotli",
  "index.html.gz": "index in gzip",
  "assets/page-1a2b.js": "script",
  "assets/page-1a2b.js.br": "script in brotli",
  "assets/page-1a2b.js.gz": "script in gzip",
  "assets/page-3c4d.css": "style",
  "assets/notes.txt": "of no kind that a page has",
} as const;

function writePage(folder: string): string {
  mkdirSync(join(folder, "assets"), { recursive: true });
  for (const [path, text] of Object.entries(PAGE)) writeFileSync(join(folder, path), text);
  return folder;
}

export interface TestServer {
  readonly board: MemoryBoard;
  readonly hub: SseHub;
  readonly auth: Auth;
  readonly http: HttpServer;
  readonly port: number;
  readonly metrics: Metrics;
  readonly permissions: Permissions;
}

/** Listens on a free port of loopback until the test is over. */
export async function openServer(
  more: {
    readonly hub?: Partial<SseHubOptions>;
    readonly nowMs?: () => number;
  } & Partial<HttpServerOptions> = {},
): Promise<TestServer> {
  const { hub: hubOptions, nowMs, ...options } = more;
  const board = new MemoryBoard();
  const log = options.log ?? silentLog;
  const auth = options.auth ?? (await Auth.load(temporaryFolder(), TOKEN, log, nowMs));
  const hub = new SseHub({
    journal: board.journal,
    lastPosition: () => board.lastPosition(),
    log,
    ...hubOptions,
  });
  board.bus = hub;
  const metrics = new Metrics();
  const config = temporaryFolder();
  const permissions = new Permissions({
    dataDir: join(config, "data"),
    configDir: join(config, "config"),
    homeDir: join(config, "home"),
    onProblem: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  const http = createHttpServer({
    board,
    auth,
    permissions,
    hosts: [],
    version: "1.2.3",
    startedAtMs: Date.now(),
    log,
    metrics,
    sseHub: hub,
    pageDir: writePage(join(config, "page")),
    shutDown: () => undefined,
    ...options,
  });
  const { port } = await http.listen(0, "127.0.0.1");
  onTestFinished(() => http.close());
  return { board, hub, auth, http, port, metrics, permissions };
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface TestRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly token?: string | null;
  readonly options?: RequestOptions;
}

/** With the token, unless told otherwise. A string as body is JSON. */
export function call(
  { port }: Pick<TestServer, "port">,
  method: string,
  path: string,
  { headers = {}, body, token = TOKEN, options = {} }: TestRequest = {},
): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      method,
      path,
      agent: false,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...options,
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    request.end(body);
  });
}

/** The code of a problem, or what there is instead. */
export function codeOf(answer: TestAnswer): unknown {
  return (JSON.parse(answer.text) as { code?: unknown }).code;
}

/** The answer's body, after checking it against the API table. */
export function valueOf(name: CallName, answer: TestAnswer): unknown {
  const { status, response } = API[name];
  expect({ name, status: answer.status, text: status === answer.status ? "" : answer.text }).toEqual({
    name,
    status,
    text: "",
  });
  if (response === null) {
    expect(answer.text).toBe("");
    return null;
  }
  const body = JSON.parse(answer.text) as unknown;
  expect(response.safeParse(body).error).toBeUndefined();
  return body;
}

export function post(server: TestServer, path: string, body: unknown, method = "POST"): Promise<TestAnswer> {
  return call(server, method, path, { body: JSON.stringify(body) });
}

export function flawsIn(answer: TestAnswer): unknown {
  const problem = problemSchema.parse(JSON.parse(answer.text));
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  expect([answer.status, problem.status, problem.code]).toEqual([400, 400, "event_invalid"]);
  return problem.errors?.map((flaw) => flaw.path);
}

export async function startSession(server: TestServer, prompt = "Do it"): Promise<string> {
  const answer = await post(server, "/v1/sessions", { harness: "demo", cwd: CWD, prompt });
  return (valueOf("createSession", answer) as { id: string }).id;
}

test("a server opens, answers and closes", async () => {
  const server = await openServer();
  expect(JSON.parse((await call(server, "GET", "/v1/sessions")).text)).toEqual({ items: [] });
});
