/**
 * `fetch` by the proxy that the environment names. Node's own ignores those variables before version 24, and inside a wall
 * that lists hosts there is no other way.
 *
 * What models and servers of tools need of it: methods, headers, bodies, streams, and an end by signal. Redirections are not
 * followed, and answers are asked for without compression.
 */
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { connect as tlsConnect } from "node:tls";

type Environment = Readonly<Record<string, string | undefined>>;
type Fetch = typeof fetch;

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
const REFUSAL_BYTES_MAX = 4_096;

/** The same `fetch` where the environment names no proxy. `ca`: who vouches for servers, when not those whom Node knows. */
export function proxiedFetch(env: Environment, direct: Fetch, ca?: string): Fetch {
  if (!proxyNamed(env, "http:") && !proxyNamed(env, "https:")) return direct;
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const proxy = isDirect(url.hostname, env) ? null : proxyNamed(env, url.protocol);
    return proxy ? await fetchBy(proxy, url, request, ca) : await direct(request);
  };
}

function proxyNamed(env: Environment, protocol: string): URL | null {
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = env[name.toLowerCase()] ?? env[name] ?? env["all_proxy"] ?? env["ALL_PROXY"] ?? "";
  if (value === "" || !URL.canParse(value)) return null;
  const url = new URL(value);
  return url.protocol === "http:" ? url : null;
}

/** By `NO_PROXY`: hosts, and domains that begin with a dot. */
function isDirect(host: string, env: Environment): boolean {
  const plain = host.replace(/^\[|\]$/g, "").toLowerCase();
  return (env["no_proxy"] ?? env["NO_PROXY"] ?? "")
    .split(",")
    .map((entry) =>
      entry
        .trim()
        .toLowerCase()
        .replace(/^\*(?=\.)/, ""),
    )
    .some(
      (entry) =>
        entry === "*" ||
        (entry !== "" && (plain === entry || plain.endsWith(entry.startsWith(".") ? entry : `.${entry}`))),
    );
}

async function fetchBy(proxy: URL, url: URL, request: Request, ca?: string): Promise<Response> {
  const { method, signal } = request;
  const headers = { ...Object.fromEntries(request.headers), host: url.host, "accept-encoding": "identity" };
  signal.throwIfAborted();
  const sent =
    url.protocol === "https:"
      ? httpsRequest(url, {
          ...{ method, headers, signal },
          createConnection: await secureSocket(proxy, url, signal, ca),
        })
      : httpRequest({
          host: hostOf(proxy),
          port: portOf(proxy),
          path: url.href,
          ...{ method, headers, signal },
        });
  const answer = answerOf(sent);
  if (request.body)
    Readable.fromWeb(request.body)
      .on("error", (error) => sent.destroy(error))
      .pipe(sent);
  else sent.end();
  return responseOf(await answer);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function portOf({ port }: URL): number {
  return port === "" ? 80 : Number(port);
}

async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    sent.on("response", resolve);
    sent.on("error", (error) => reject(new TypeError("fetch failed", { cause: error })));
  });
}

/** By `CONNECT`. What the proxy says when it refuses is the error. */
async function secureSocket(proxy: URL, url: URL, signal: AbortSignal, ca?: string): Promise<() => Socket> {
  const target = `${url.hostname}:${url.port === "" ? 443 : url.port}`;
  const asked = httpRequest({
    ...{ host: hostOf(proxy), port: portOf(proxy), method: "CONNECT", path: target, signal },
    headers: { host: target },
  });
  const socket = await new Promise<Socket>((resolve, reject) => {
    asked.on("error", (error) => reject(new TypeError("fetch failed", { cause: error })));
    asked.on("connect", (answer, connected: Socket, head: Buffer) => {
      if (answer.statusCode === 200) resolve(connected);
      else refusalOf(connected, head, answer.statusCode ?? 0).then(reject, reject);
    });
    asked.end();
  });
  const servername = hostOf(url);
  // No server has a name that is an address.
  const named = /^[\d.]+$|:/.test(servername) ? {} : { servername };
  return () =>
    tlsConnect({ socket, ...named, ...(ca === undefined ? {} : { ca }), ALPNProtocols: ["http/1.1"] });
}

async function refusalOf(socket: Socket, head: Buffer, status: number): Promise<Error> {
  let text = head.toString();
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.length > REFUSAL_BYTES_MAX) break;
  }
  socket.destroy();
  return new TypeError("fetch failed", { cause: new Error(`The proxy says (${status}): ${text.trim()}`) });
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode = 502, statusMessage = "", rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  const isBodiless = BODILESS.has(statusCode);
  if (isBodiless) answer.resume();
  const body = isBodiless ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(body, { status: statusCode, statusText: statusMessage, headers });
}
