/** Who is let in. Loopback is not trust: every test here is an attack that a page or a program of this machine can make. */
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCommand } from "./link-page.js";
import { Auth } from "./auth.js";
import {
  call,
  codeOf,
  openServer,
  silentLog,
  temporaryFolder,
  TOKEN,
  type TestServer,
} from "./test-server.test.js";

async function signIn(server: TestServer): Promise<string> {
  const link = await call(server, "POST", "/v1/login-links", { body: '{"role":"own"}' });
  const { url } = JSON.parse(link.text) as { url: string };
  const answer = await call(server, "GET", url.slice(url.indexOf("/login")), { token: null });
  expect({ status: answer.status, location: answer.headers.location }).toEqual({
    status: 303,
    location: "/",
  });
  return answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

/** Follows events as a browser does; `promise`: the server has cut it off. */
async function endOfStream(
  server: TestServer,
  cookie: string,
): Promise<{ readonly promise: Promise<unknown> }> {
  const socket = connect(server.port, "127.0.0.1");
  socket.write(`GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\ncookie: ${cookie}\r\n\r\n`);
  await once(socket, "data");
  return { promise: once(socket, "close") };
}

describe("host", () => {
  test.each([
    ["a name that was made to point here", "evil.example"],
    ["that name with our port", "evil.example:PORT"],
    ["loopback with another port", "127.0.0.1:1"],
    ["loopback without a port", "localhost"],
    ["a name that begins with ours", "127.0.0.1.evil.example:PORT"],
  ])("%s is refused, whatever the path and the token", async (_name, host) => {
    const server = await openServer();
    const headers = { host: host.replace("PORT", String(server.port)) };
    for (const path of ["/healthz", "/v1/sessions", "/v1/events", "/", "/login?code=x", "/nothing"]) {
      const answer = await call(server, "GET", path, { headers });
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 403, "forbidden"]);
    }
  });

  test.each(["127.0.0.1:PORT", "localhost:PORT", "LOCALHOST:PORT", "[::1]:PORT"])(
    "%s is ours",
    async (host) => {
      const server = await openServer();
      const headers = { host: host.replace("PORT", String(server.port)) };
      expect((await call(server, "GET", "/v1/sessions", { headers })).status).toBe(200);
    },
  );

  test.each(["GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n"])(
    "no host at all is refused: %j",
    async (request) => {
      const server = await openServer();
      const socket = connect(server.port, "127.0.0.1");
      socket.write(request);
      let text = "";
      for await (const chunk of socket) text += String(chunk);
      expect(text).toMatch(/^HTTP\/1.1 403 /);
    },
  );

  test("of two Host headers none counts, whichever is ours and wherever it stands", async () => {
    const server = await openServer();
    const ours = `127.0.0.1:${server.port}`;
    for (const [first, second] of [
      [ours, "evil.example"],
      ["evil.example", ours],
      [ours, ours],
    ]) {
      const socket = connect(server.port, "127.0.0.1");
      socket.write(`GET /healthz HTTP/1.1\r\nhost: ${first}\r\nHost: ${second}\r\nconnection: close\r\n\r\n`);
      let text = "";
      for await (const chunk of socket) text += String(chunk);
      expect(text).toMatch(/^HTTP\/1.1 400 /);
    }
  });

  test("a target that names another machine is refused", async () => {
    const server = await openServer();
    const answer = await call(server, "GET", "http://evil.example/healthz");
    expect([answer.status, codeOf(answer)]).toEqual([400, "protocol_error"]);
  });

  test("a configured name is ours, with our port and without, and so is its page behind a proxy", async () => {
    const server = await openServer({ hosts: ["Box.example"] });
    for (const host of ["box.example", `box.example:${server.port}`]) {
      expect((await call(server, "GET", "/v1/sessions", { headers: { host } })).status).toBe(200);
      const headers = { host, origin: `https://${host}` };
      expect((await call(server, "GET", "/v1/sessions", { headers })).status).toBe(200);
    }
    expect((await call(server, "GET", "/healthz", { headers: { host: "other.example" } })).status).toBe(403);
  });
});

describe("origin", () => {
  test.each([
    "https://evil.example",
    "null",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "https://127.0.0.1:PORT",
    "http://localhost:PORT.evil.example",
  ])("a page of %s is refused, reading and writing", async (pattern) => {
    const server = await openServer();
    const headers = { origin: pattern.replace("PORT", String(server.port)) };
    for (const [method, path] of [
      ["GET", "/v1/sessions"],
      ["GET", "/v1/events"],
      ["GET", "/healthz"],
      ["POST", "/v1/sessions"],
      ["DELETE", "/v1/sessions/x"],
    ] as const) {
      const answer = await call(server, method, path, { headers });
      expect([method, path, answer.status, codeOf(answer)]).toEqual([method, path, 403, "forbidden"]);
    }
  });

  test.each(["cross-site", "same-site"])("a request that a browser calls %s is refused", async (site) => {
    const server = await openServer();
    const answer = await call(server, "GET", "/v1/sessions", { headers: { "sec-fetch-site": site } });
    expect([answer.status, codeOf(answer)]).toEqual([403, "forbidden"]);
  });

  test.each(["same-origin", "none"])("a request that a browser calls %s passes", async (site) => {
    const server = await openServer();
    const headers = { "sec-fetch-site": site, origin: `http://127.0.0.1:${server.port}` };
    expect((await call(server, "GET", "/v1/sessions", { headers })).status).toBe(200);
  });
});

describe("token", () => {
  test.each([
    ["none", null],
    ["a wrong one", "w".repeat(43)],
    ["an empty one", ""],
    ["one that is too long", `${TOKEN}t`],
    ["the beginning of it", TOKEN.slice(0, 42)],
  ])("%s: everything but health, login and the page is closed", async (_name, token) => {
    const server = await openServer();
    for (const [method, path] of [
      ["GET", "/v1/sessions"],
      ["GET", "/v1/events"],
      ["GET", "/v1/openapi.json"],
      ["GET", "/metrics"],
      ["GET", "/v1/nothing"],
      ["PUT", "/v1/sessions"],
      ["POST", "/v1/login-links"],
    ] as const) {
      const answer = await call(server, method, path, { token });
      expect([path, answer.status, codeOf(answer), answer.headers["www-authenticate"]]).toEqual([
        path,
        401,
        "unauthorized",
        'Bearer realm="signalbox"',
      ]);
    }
    for (const path of ["/healthz", "/", "/s/x", "/inbox", "/new", "/assets/page-1a2b.js"])
      expect([path, (await call(server, "GET", path, { token })).status]).toEqual([path, 200]);
  });

  test("a token in the query or in other forms is no token", async () => {
    const server = await openServer();
    for (const query of [`token=${TOKEN}`, `access_token=${TOKEN}`, `code=${TOKEN}`])
      expect((await call(server, "GET", `/v1/sessions?${query}`, { token: null })).status).toBe(401);
    for (const headers of [
      { authorization: TOKEN },
      { authorization: `Basic ${TOKEN}` },
      { authorization: `Bearer ${TOKEN} ${TOKEN}` },
      { cookie: `signalbox=${TOKEN}` },
      { "x-token": TOKEN },
    ])
      expect((await call(server, "GET", "/v1/sessions", { token: null, headers })).status).toBe(401);
  });
});

describe("one-time link and cookie", () => {
  test("the link works once, and the cookie after that", async () => {
    const server = await openServer();
    const { url } = JSON.parse((await call(server, "POST", "/v1/login-links")).text) as { url: string };
    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${server.port}/login\\?code=[\\w-]{43}$`));
    const path = url.slice(url.indexOf("/login"));
    const first = await call(server, "GET", path, { token: null });
    const [cookie = ""] = first.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/^signalbox=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/);
    const again = await call(server, "GET", path, { token: null });
    expect({ status: again.status, cookie: again.headers["set-cookie"] }).toEqual({
      status: 403,
      cookie: undefined,
    });
    expect(again.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(again.text).toContain("<pre><code>signalbox open</code></pre>");
    const headers = { cookie: `other=1; ${cookie.split(";")[0] ?? ""}` };
    expect((await call(server, "GET", "/v1/sessions", { token: null, headers })).status).toBe(200);
  });

  test("behind a proxy that adds TLS the cookie is secure, and the link is https", async () => {
    const server = await openServer({ hosts: ["box.example"] });
    const headers = { host: "box.example", "x-forwarded-proto": "https" };
    const { url } = JSON.parse((await call(server, "POST", "/v1/login-links", { headers })).text) as {
      url: string;
    };
    expect(url).toMatch(/^https:\/\/box\.example\/login\?code=/);
    const answer = await call(server, "GET", url.slice(url.indexOf("/login")), { token: null, headers });
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
  });

  test("a code expires, and only the newest twenty are good", async () => {
    let nowMs = 0;
    const server = await openServer({ nowMs: () => nowMs });
    const statusOf = async (code: string): Promise<number> =>
      (await call(server, "GET", `/login?code=${code}`, { token: null })).status;
    const old = server.auth.createLoginCode("own") ?? "";
    const late = server.auth.createLoginCode("own") ?? "";
    nowMs = 3_600_000;
    expect(await statusOf(late)).toBe(303);
    nowMs = 3_600_001;
    expect(await statusOf(old)).toBe(403);
    const codes = Array.from({ length: 21 }, () => server.auth.createLoginCode("own"));
    expect(await statusOf(codes[0] ?? "")).toBe(403);
    expect(await statusOf(codes[1] ?? "")).toBe(303);
    expect(await statusOf("")).toBe(403);
  });

  test("links and wrong codes have a limit per minute", async () => {
    let nowMs = 0;
    const server = await openServer({ nowMs: () => nowMs });
    const link = () => call(server, "POST", "/v1/login-links");
    const tried = (code: string) => call(server, "GET", `/login?code=${code}`, { token: null });
    for (let made = 0; made < 30; made += 1) expect((await link()).status).toBe(201);
    const refused = await link();
    expect([refused.status, codeOf(refused), refused.headers["retry-after"]]).toEqual([
      429,
      "rate_limited",
      "60",
    ]);
    nowMs = 60_000;
    const { url } = JSON.parse((await link()).text) as { url: string };
    for (let wrong = 0; wrong < 20; wrong += 1) expect((await tried("x")).status).toBe(403);
    const code = url.slice(url.indexOf("=") + 1);
    expect((await tried(code)).status).toBe(429);
    nowMs = 120_000;
    expect((await tried(code)).status).toBe(303);
  });

  test("a link that does not work says which command gives another, as it can be typed here", async () => {
    const server = await openServer({ openCommand: openCommand("/a b/it's <here>", { PATH: "/nowhere" }) });
    const { text } = await call(server, "GET", "/login?code=x", { token: null });
    const [, command = ""] = /<pre><code>(.*)<\/code><\/pre>/.exec(text) ?? [];
    const typed = command.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    expect(typed).toMatch(/^node \S+\/src\/cli\/main\.js open --data-dir '\/a b\/it'\\''s <here>'$/);
  });

  test("with a cookie, what changes something must come from our own page", async () => {
    const server = await openServer();
    const cookie = await signIn(server);
    const post = (headers: Record<string, string>) =>
      call(server, "POST", "/v1/roster/connect", {
        token: null,
        headers: { cookie, ...headers },
        body: JSON.stringify({ sessionId: "x" }),
      });
    const own = `http://127.0.0.1:${server.port}`;
    expect((await post({})).status).toBe(403);
    expect((await post({ origin: "https://evil.example" })).status).toBe(403);
    expect((await post({ origin: own, "sec-fetch-site": "cross-site" })).status).toBe(403);
    const accepted = await post({ origin: own, "sec-fetch-site": "same-origin" });
    expect(codeOf(accepted)).toBe("session_not_found");
    expect(server.board.submissions).toEqual([{ type: "connect", sessionId: "x" }]);
  });

  test("a wrong token is not made good by a cookie", async () => {
    const server = await openServer();
    const cookie = await signIn(server);
    expect((await call(server, "GET", "/v1/sessions", { token: "wrong", headers: { cookie } })).status).toBe(
      401,
    );
  });

  test("devices survive a restart, are listed, and can be signed out", async () => {
    const folder = temporaryFolder();
    const server = await openServer({ auth: await Auth.load(folder, TOKEN, silentLog) });
    const cookie = await signIn(server);
    const file = join(folder, "devices.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(cookie.split("=")[1]);

    const restarted = await openServer({ auth: await Auth.load(folder, TOKEN, silentLog) });
    const listed = await call(restarted, "GET", "/v1/devices", { token: null, headers: { cookie } });
    const { items } = JSON.parse(listed.text) as { items: { id: string; name: string; current: boolean }[] };
    expect(items.map(({ name, current }) => ({ name, current }))).toEqual([
      { name: "Browser", current: true },
    ]);
    expect(listed.text).not.toContain("digest");

    const path = `/v1/devices/${items[0]?.id ?? ""}`;
    expect((await call(restarted, "DELETE", path)).status).toBe(204);
    expect((await call(restarted, "DELETE", path)).status).toBe(404);
    expect((await call(restarted, "GET", "/v1/sessions", { token: null, headers: { cookie } })).status).toBe(
      401,
    );
    const later = await Auth.load(folder, TOKEN, silentLog);
    expect(later.devices.list()).toEqual([]);
  });

  test("a device that is signed out loses its event stream at once", async () => {
    const server = await openServer();
    const cookie = await signIn(server);
    const closed = await endOfStream(server, cookie);
    const [device] = server.auth.devices.list();
    await call(server, "DELETE", `/v1/devices/${device?.id ?? ""}`);
    await closed.promise;
    expect(server.hub.clientCount).toBe(0);
  });

  test("a device is signed out also when that cannot be written down, which is said, and can be done again", async () => {
    const folder = temporaryFolder();
    const server = await openServer({ auth: await Auth.load(folder, TOKEN, silentLog) });
    const cookie = await signIn(server);
    const [device] = server.auth.devices.list();
    const path = `/v1/devices/${device?.id ?? ""}`;
    const closed = await endOfStream(server, cookie);

    rmSync(folder, { recursive: true });
    const answer = await call(server, "DELETE", path);
    expect([answer.status, codeOf(answer)]).toEqual([507, "internal"]);
    expect(answer.text).toContain("signed out now, but that was not saved");
    await closed.promise;
    expect((await call(server, "GET", "/v1/sessions", { token: null, headers: { cookie } })).status).toBe(
      401,
    );
    expect(server.auth.devices.list()).toHaveLength(1);

    mkdirSync(folder);
    expect((await call(server, "DELETE", path)).status).toBe(204);
    expect(server.auth.devices.list()).toEqual([]);
    expect((await Auth.load(folder, TOKEN, silentLog)).devices.list()).toEqual([]);
  });
});

describe("upgrades", () => {
  /** What the server says to a WebSocket handshake: its status, or what the terminal wrote. */
  function upgrade(server: TestServer, path: string, headers: Record<string, string>): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1");
      const all = {
        host: `127.0.0.1:${server.port}`,
        connection: "Upgrade",
        upgrade: "websocket",
        ...headers,
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
      let text = "";
      socket.on("data", (chunk) => (text += chunk.toString()));
      socket.on("error", reject);
      socket.on("close", () => resolve(text.split("\r\n")[0] ?? ""));
    });
  }

  test("the same checks hold, and a cookie needs our origin", async () => {
    const taken: string[] = [];
    const server = await openServer({
      takeTerminal: ({ sessionId, socket }) => {
        taken.push(sessionId);
        socket.end("HTTP/1.1 101 taken\r\n\r\n");
      },
    });
    server.board.addSession("a");
    const cookie = await signIn(server);
    const authorization = `Bearer ${TOKEN}`;
    const origin = `http://127.0.0.1:${server.port}`;
    const path = "/v1/sessions/a/terminal";
    expect(await upgrade(server, path, { authorization, host: "evil.example" })).toMatch(/ 403 /);
    expect(await upgrade(server, path, { authorization, origin: "https://evil.example" })).toMatch(/ 403 /);
    expect(await upgrade(server, path, { authorization, "sec-fetch-site": "cross-site" })).toMatch(/ 403 /);
    expect(await upgrade(server, path, {})).toMatch(/ 401 /);
    expect(await upgrade(server, path, { authorization: "Bearer wrong" })).toMatch(/ 401 /);
    expect(await upgrade(server, path, { cookie })).toMatch(/ 403 /);
    expect(await upgrade(server, "/v1/sessions/none/terminal", { authorization })).toMatch(/ 404 /);
    expect(await upgrade(server, "/v1/events", { authorization })).toMatch(/ 404 /);
    expect(taken).toEqual([]);
    expect(await upgrade(server, path, { authorization })).toBe("HTTP/1.1 101 taken");
    expect(await upgrade(server, path, { cookie, origin })).toBe("HTTP/1.1 101 taken");
    expect(taken).toEqual(["a", "a"]);
  });

  test("without a handshake a terminal says that it needs one", async () => {
    const server = await openServer();
    const answer = await call(server, "GET", "/v1/sessions/a/terminal");
    expect([answer.status, codeOf(answer), answer.headers.upgrade]).toEqual([
      426,
      "protocol_error",
      "websocket",
    ]);
  });
});

test("every answer carries the headers that keep a browser from doing more than it should", async () => {
  const server = await openServer();
  for (const path of ["/", "/assets/page-1a2b.js", "/v1/sessions", "/v1/nothing", "/healthz"]) {
    const { headers } = await call(server, "GET", path);
    expect(headers).toMatchObject({
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  }
});
