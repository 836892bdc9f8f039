/** `fetch` through a small proxy, to real servers, one of them with TLS. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { proxiedFetch } from "./proxied-fetch.js";

let folder = "";
let certificate = "";
const servers: Server[] = [];
let plainPort = 0;
let securePort = 0;
let proxyPort = 0;
/** What the proxy was asked for. */
let asked: string[] = [];

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

function answering(server: Server): Server {
  return server.on("request", (incoming, response) => {
    if (incoming.url === "/empty") {
      response.writeHead(204).end();
      return;
    }
    if (incoming.url === "/endless") {
      response.write("begun");
      return;
    }
    let body = "";
    incoming.on("data", (data: Buffer) => (body += data.toString()));
    incoming.on("end", () => {
      response.setHeader("x-seen", `${incoming.method} ${incoming.url} ${incoming.headers["x-mine"]}`);
      response.end(`got ${body}`);
    });
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "proxied-fetch-"));
  const [key, cert] = [join(folder, "key"), join(folder, "cert")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:secure.test"];
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "1",
      ...names,
      "-keyout",
      key,
      "-out",
      cert,
    ],
    { stdio: "ignore" },
  );
  certificate = readFileSync(cert, "utf8");
  plainPort = await listening(answering(createServer()));
  securePort = await listening(
    answering(createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) })),
  );
  const proxy = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const url = new URL(incoming.url ?? "");
    const sent = request({
      port: plainPort,
      method: incoming.method ?? "GET",
      path: url.pathname,
      headers: incoming.headers,
    });
    sent.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(sent);
  });
  proxy.on("connect", (incoming, client) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (incoming.url?.startsWith("refused.test") === true) {
      client.end(
        "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nrefused.test:443 is refused: a rule denies it.\n",
      );
      return;
    }
    const upstream = connect(securePort);
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    client
      .on("error", () => upstream.destroy())
      .pipe(upstream)
      .on("error", () => client.destroy())
      .pipe(client);
  });
  proxyPort = await listening(proxy);
});

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  asked = [];
});

function by(more: Record<string, string> = {}): typeof fetch {
  const url = `http://127.0.0.1:${proxyPort}`;
  return proxiedFetch(
    { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "localhost,127.0.0.1", ...more },
    fetch,
    certificate,
  );
}

test("without a proxy it is the same fetch", () => {
  expect(proxiedFetch({}, fetch)).toBe(fetch);
  expect(proxiedFetch({ HTTP_PROXY: "socks5://x:1", ALL_PROXY: "nonsense" }, fetch)).toBe(fetch);
});

test("http goes by whole addresses, with method, headers and body", async () => {
  const response = await by()("http://plain.test/path", {
    method: "POST",
    body: "the body",
    headers: { "x-mine": "1" },
  });
  expect([response.status, response.headers.get("x-seen"), await response.text()]).toEqual([
    ...[200, "POST /path 1", "got the body"],
  ]);
  expect(asked).toEqual(["POST http://plain.test/path"]);
  expect((await by()("http://plain.test/empty")).body).toBeNull();
});

test("https goes by CONNECT", async () => {
  const response = await by()("https://secure.test/path", { method: "POST", body: "secret" });
  expect(await response.text()).toBe("got secret");
  expect(asked).toEqual(["CONNECT secure.test:443"]);
});

test("what the proxy says when it refuses is told", async () => {
  const error = await by()("https://refused.test/").catch((reason: unknown) => reason as Error);
  expect(String((error as Error).cause)).toContain("(403): refused.test:443 is refused: a rule denies it.");
});

test("what is named in NO_PROXY is reached directly", async () => {
  await (await by()(`http://127.0.0.1:${plainPort}/x`)).text();
  await expect(by({ no_proxy: ".test" })("http://plain.test:1/")).rejects.toThrow("fetch failed");
  expect(asked).toEqual([]);
});

test("a signal ends it, before the answer and in the middle of it", async () => {
  const stop = new AbortController();
  const response = await by()("http://plain.test/endless", { signal: stop.signal });
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("begun");
  stop.abort();
  await expect(reader?.read()).rejects.toThrow();
  await expect(by()("http://plain.test/", { signal: AbortSignal.abort() })).rejects.toThrow();
});
