/** One run's way to the network, with real sockets; names mean what each test says. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer, request, type IncomingMessage, type Server } from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HeldHost, ProxyPolicy } from "../protocol/proxy-format.js";
import { HTTP_SOCKET, serviceSocket } from "./paths.js";
import { PROXY_LIMITS, ProxiedRun, type ProxyLimits } from "./proxied-run.js";
import type { Resolve } from "./reach.js";

const NEVER = new Promise<readonly string[]>(() => {
  // Nobody ever answers.
});
let folder = "";
let run: ProxiedRun;
let held: HeldHost[] = [];
let turnedAway: string[] = [];
let givenUp: string[] = [];
let cleanUps: (() => void)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "proxied-"));
  [held, givenUp, turnedAway, cleanUps] = [[], [], [], []];
});

afterEach(async () => {
  await run.close();
  for (const cleanUp of cleanUps) cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

interface World {
  readonly limits?: Partial<ProxyLimits>;
  readonly resolve?: Resolve;
  readonly daemonPorts?: readonly number[];
}

async function open(
  policy: Partial<ProxyPolicy>,
  { limits = {}, resolve, daemonPorts = [] }: World = {},
): Promise<void> {
  run = new ProxiedRun({
    runId: "s.1",
    folder: join(folder, "s"),
    limits: { ...PROXY_LIMITS, ...limits },
    resolve: resolve ?? (() => Promise.resolve(["127.0.0.1"])),
    daemonPorts: () => daemonPorts,
    newHeldId: () => `h${held.length}`,
    onHeld: (each) => held.push(each),
    onGivenUp: (each, why) => givenUp.push(`${each.heldId} ${why}`),
    onTurnedAway: ({ host, port }) => turnedAway.push(`${host}:${port}`),
    log: () => undefined,
  });
  await run.open({ hosts: [], denied: [], services: [], unknown: "ask", ...policy });
}

function socketPath(name = HTTP_SOCKET): string {
  return join(folder, "s", name);
}

async function listening(server: Server | ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUps.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Says back what it is told. */
async function echoServer(): Promise<number> {
  return listening(createServer((socket) => socket.on("error", () => socket.destroy()).pipe(socket)));
}

interface Connected {
  readonly socket: Socket;
  /** The answer's head and what has come of its body. */
  readonly answer: string;
}

/** `CONNECT` to a target. */
async function connectTo(target: string): Promise<Connected> {
  const socket = connect(socketPath());
  socket.on("error", () => socket.destroy());
  cleanUps.push(() => socket.destroy());
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  let answer = "";
  while (!/\r\n\r\n(?:[\s\S]*\n)?/.test(answer) || (!answer.includes(" 200 ") && !answer.endsWith("\n"))) {
    const [chunk] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [unknown];
    if (!Buffer.isBuffer(chunk)) break;
    answer += chunk.toString();
    if (/\r\n\r\n[^\r]*\n$/.test(answer)) break;
  }
  return { socket, answer };
}

async function said(socket: Socket, bytes: number): Promise<string> {
  let text = "";
  while (text.length < bytes) text += ((await once(socket, "data")) as [Buffer])[0].toString();
  return text;
}

async function get(
  url: string,
  more: { readonly method?: string; readonly body?: string; readonly headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { method = "GET", body, headers = {} } = more;
  const sent = request({
    socketPath: socketPath(),
    path: url,
    method,
    headers: { host: "lie.test", ...headers },
  });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode ?? 0, text };
}

describe("who is listed", () => {
  test("is reached by CONNECT, both ways", async () => {
    const port = await echoServer();
    await open({ hosts: [`echo.test:${port}`], services: [`127.0.0.1:${port}`] });
    const { socket, answer } = await connectTo(`echo.test:${port}`);
    expect(answer).toContain("200");
    socket.write("hello");
    expect(await said(socket, 5)).toBe("hello");
  });

  test("is reached by a whole address; what is for the proxy stays here, and the host is the one that was checked", async () => {
    let seen: IncomingMessage | null = null;
    const port = await listening(
      createHttpServer((incoming, response) => {
        seen = incoming;
        incoming.on("data", () => undefined).on("end", () => response.end("the answer"));
      }),
    );
    await open({ hosts: [`web.test:${port}`], services: [`127.0.0.1:${port}`] });
    const headers = { "proxy-authorization": "secret", connection: "x-mine", "x-mine": "1", "x-kept": "2" };
    const answered = await get(`http://web.test:${port}/path?q=1`, {
      method: "POST",
      body: "the body",
      headers,
    });
    expect(answered).toEqual({ status: 200, text: "the answer" });
    const { url, headers: got } = seen as unknown as IncomingMessage;
    expect([url, got.host, got["proxy-authorization"], got["x-mine"], got["x-kept"]]).toEqual([
      ...["/path?q=1", `web.test:${port}`, undefined, undefined, "2"],
    ]);
  });

  test("a service has a socket of its own, which speaks whatever the service does", async () => {
    const port = await echoServer();
    await open({ services: [`127.0.0.1:${port}`] });
    const socket = connect(socketPath(serviceSocket(`127.0.0.1:${port}`)));
    cleanUps.push(() => socket.destroy());
    socket.end("raw");
    expect(await said(socket, 3)).toBe("raw");
  });
});

describe("who is refused", () => {
  test.each([
    ["localhost:80", "it leads to 127.0.0.1, which is this machine itself"],
    ["127.0.0.1:80", "it is this machine itself"],
    ["2130706433:80", "it is this machine itself"],
    ["0x7f.1:80", "it is this machine itself"],
    ["0177.0.0.1:80", "it is this machine itself"],
    ["[::ffff:127.0.0.1]:80", "it is this machine itself"],
    ["[::1]:80", "it is this machine itself"],
    ["0.0.0.0:80", "it is this machine itself"],
    ["169.254.169.254:80", "it is a cloud's metadata"],
    ["[fd00::1]:80", "it is a private network"],
    ["10.0.0.1:443", "it is a private network"],
  ])("%s, though every name is allowed: %s", async (target, why) => {
    await open({ hosts: ["*:*"] });
    const { answer } = await connectTo(target);
    expect(answer).toContain("403");
    expect(answer).toContain(why);
    const inUrl = await get(`http://${target}/`);
    expect(inUrl).toMatchObject({ status: 403 });
    expect(inUrl.text).toContain(why);
  });

  test("the daemon's own port, even as a service", async () => {
    const port = await echoServer();
    const services = [`127.0.0.1:${port}`, `localhost:${port}`];
    await open({ hosts: ["*:*"], services }, { daemonPorts: [port] });
    for (const target of [`127.0.0.1:${port}`, `localhost:${port}`, `any.test:${port}`, `[::1]:${port}`])
      expect((await connectTo(target)).answer).toMatch(/403[\s\S]*Signalbox itself/);
    const socket = connect(socketPath(serviceSocket(`127.0.0.1:${port}`)));
    await once(socket.on("error", () => undefined).resume(), "close");
  });

  test("a name that means something else a moment later: what was checked is connected to", async () => {
    const port = await echoServer();
    const answers = [["203.0.113.7"], ["127.0.0.1"], ["127.0.0.1"]];
    let lookUps = 0;
    const resolve = () => Promise.resolve(answers[lookUps++] ?? []);
    await open({ hosts: ["*:*"] }, { resolve });
    expect((await connectTo(`rebind.test:${port}`)).answer).toContain("403");
    expect(lookUps).toBe(1);
    expect((await connectTo(`rebind.test:${port}`)).answer).toMatch(/403[\s\S]*leads to 127.0.0.1/);
    expect(lookUps).toBe(2);
  });

  test("of several addresses only those that may be are tried", async () => {
    const port = await echoServer();
    await open(
      { hosts: ["*:*"], services: [`127.0.0.1:${port}`] },
      { resolve: () => Promise.resolve(["10.9.9.9", "127.0.0.1"]) },
    );
    expect((await connectTo(`mixed.test:${port}`)).answer).toContain("200");
  });

  test("a rule's deny, and whatever is not listed where nobody is asked", async () => {
    await open({ denied: ["no.test:*"], unknown: "refuse" });
    expect((await connectTo("no.test:443")).answer).toMatch(
      /403[\s\S]*no.test:443 is refused: a rule denies it/,
    );
    expect((await connectTo("other.test:443")).answer).toMatch(/403[\s\S]*it is not listed/);
  });

  test.each(["/path", "https://web.test/", "ftp://web.test/", "http://", "http://a b/"])(
    "what is no request for a proxy: %s",
    async (path) => {
      await open({ hosts: ["*:*"] });
      const socket = connect(socketPath());
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(await said(socket, 12)).toContain("HTTP/1.1 400");
      socket.destroy();
    },
  );

  test("a head without end, and one that takes too long", async () => {
    await open({ hosts: ["*:*"] }, { limits: { headMsMax: 200 } });
    const long = connect(socketPath());
    long.write(`GET http://x.test/ HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(await said(long, 12)).toContain("HTTP/1.1 400");
    long.destroy();
    const slow = connect(socketPath());
    slow.on("error", () => undefined);
    slow.write("GET http://x.test/ HTTP/1.1\r\n");
    slow.resume();
    await once(slow, "close");
  });

  test("a host that never answers, a name that has none, one that refuses", async () => {
    const port = await echoServer();
    await open(
      { hosts: ["*:*"], services: [`refuses.test:1`] },
      {
        limits: { patienceMs: 150 },
        resolve: (host) => {
          if (host === "hangs.test") return NEVER;
          if (host === "missing.test")
            return Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
          return Promise.resolve([host === "refuses.test" ? "127.0.0.1" : "192.0.2.1"]);
        },
      },
    );
    expect((await connectTo(`hangs.test:${port}`)).answer).toMatch(
      /504[\s\S]*hangs.test could not be looked up/,
    );
    expect((await connectTo("missing.test:443")).answer).toMatch(/502[\s\S]*ENOTFOUND/);
    expect((await connectTo("refuses.test:1")).answer).toMatch(/502[\s\S]*ECONNREFUSED/);
  });
});

describe("who is not listed", () => {
  test("waits; those to the same host together; an answer lets all of them go on, and only them", async () => {
    const port = await echoServer();
    await open({ services: [`127.0.0.1:${port}`] });
    const waiting = [connectTo(`new.test:${port}`), connectTo(`new.test:${port}`)];
    await expect.poll(() => run.heldHosts).toEqual([{ runId: "s.1", heldId: "h0", host: "new.test", port }]);
    await sleep(20);
    expect(held).toHaveLength(1);
    expect(run.answer("h0", true, "")).toBe(true);
    for (const { answer } of await Promise.all(waiting)) expect(answer).toContain("200");
    const again = connectTo(`new.test:${port}`);
    await expect.poll(() => held.length).toBe(2);
    run.answer("h1", false, "a person refused it");
    expect((await again).answer).toMatch(/403[\s\S]*a person refused it/);
    // A refusal holds for a while: nobody is asked again at once.
    expect((await connectTo(`new.test:${port}`)).answer).toMatch(/403[\s\S]*a person refused it/);
    expect(held).toHaveLength(2);
    expect(run.answer("h1", true, "")).toBe(false);
  });

  test("goes on when the list has it", async () => {
    const port = await echoServer();
    const services = [`127.0.0.1:${port}`];
    await open({ services });
    const waiting = connectTo(`new.test:${port}`);
    await expect.poll(() => held.length).toBe(1);
    await run.open({ hosts: [`new.test:${port}`], denied: [], services, unknown: "ask" });
    expect((await waiting).answer).toContain("200");
    expect(givenUp).toEqual(["h0 gone"]);
  });

  test("is refused when nobody answers in time, or there are too many", async () => {
    await open({}, { limits: { heldMsMax: 400, heldMax: 2 } });
    const waiting = [connectTo("a.test:443"), connectTo("b.test:443")];
    await expect.poll(() => held.length).toBe(2);
    expect((await connectTo("c.test:443")).answer).toMatch(/503[\s\S]*2 connections of this run wait/);
    for (const { answer } of await Promise.all(waiting))
      expect(answer).toMatch(/403[\s\S]*nobody allowed it/);
    expect(givenUp).toEqual(["h0 expired", "h1 expired"]);
    expect(turnedAway).toEqual(["c.test:443"]);
  });

  /** Whoever asks for it does not wait for the answer. */
  async function askAndLeave(target: string): Promise<void> {
    const asked = held.length;
    const left = connect(socketPath());
    left.write(`CONNECT ${target} HTTP/1.1\r\nHost: d\r\n\r\n`);
    await expect.poll(() => held.length).toBe(asked + 1);
    left.destroy();
    await once(left, "close");
  }

  test("who goes is asked about all the same: an answer holds for whoever tries again, once", async () => {
    const port = await echoServer();
    await open({ services: [`127.0.0.1:${port}`] });
    await askAndLeave(`new.test:${port}`);
    expect(run.heldHosts).toHaveLength(1);
    expect(run.answer("h0", true, "")).toBe(true);
    expect((await connectTo(`new.test:${port}`)).answer).toContain("200");
    const again = connectTo(`new.test:${port}`);
    await expect.poll(() => held.length).toBe(2);
    run.answer("h1", false, "no");
    expect((await again).answer).toMatch(/403/);
    expect(givenUp).toEqual([]);
  });

  test("as many hosts are asked about as may wait, also when nobody waits for them any more", async () => {
    await open({}, { limits: { heldMax: 2 } });
    for (const host of ["a.test", "b.test"]) await askAndLeave(`${host}:443`);
    expect((await connectTo("c.test:443")).answer).toMatch(/503[\s\S]*2 connections of this run wait/);
    expect(turnedAway).toEqual(["c.test:443"]);
    expect(run.heldHosts.map(({ host }) => host)).toEqual(["a.test", "b.test"]);
  });
});

describe("bounds", () => {
  test("10,000 connections: so many are taken, the others are told, and afterwards all is as before", async () => {
    const port = await echoServer();
    await open({ hosts: [`echo.test:${port}`], services: [`127.0.0.1:${port}`] });
    const counts = { open: 0, refused: 0, other: 0 };
    const opened: Socket[] = [];
    for (let chunk = 0; chunk < 50; chunk += 1) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => connectTo(`echo.test:${port}`)));
      for (const { socket, answer } of answers) {
        if (answer.includes(" 200 ")) counts.open += 1;
        else if (/ 503 [\s\S]*512 connections/.test(answer)) counts.refused += 1;
        else counts.other += 1;
        if (answer.includes(" 200 ")) opened.push(socket);
        else socket.destroy();
      }
    }
    expect(counts).toEqual({ open: 512, refused: 9_488, other: 0 });
    for (const socket of opened) socket.destroy();
    await expect.poll(async () => (await connectTo(`echo.test:${port}`)).answer).toContain("200");
  });

  test("a body of any size streams: who reads slowly holds up who writes", async () => {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024, 1);
    const port = await listening(
      createServer((socket) => {
        socket.on("error", () => socket.destroy());
        const more = (): void => {
          while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
          if (!socket.destroyed) socket.once("drain", more);
        };
        socket.once("data", more);
      }),
    );
    await open({ hosts: [`big.test:${port}`], services: [`127.0.0.1:${port}`] });
    const { socket } = await connectTo(`big.test:${port}`);
    socket.pause();
    socket.write("go");
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = written > 0 && written === before;
          before = written;
          return isStill;
        },
        { interval: 300, timeout: 20_000 },
      )
      .toBe(true);
    // What the kernel and two pipes hold, and no more.
    expect(written).toBeLessThan(32 * 1024 * 1024);
    let read = 0;
    socket.on("data", (data: Buffer) => (read += data.length)).resume();
    await expect.poll(() => read, { timeout: 20_000 }).toBeGreaterThan(256 * 1024 * 1024);
  });

  test("what is silent for long is ended; what is not, not", async () => {
    const port = await echoServer();
    await open(
      { hosts: [`echo.test:${port}`], services: [`127.0.0.1:${port}`] },
      { limits: { idleMsMax: 400 } },
    );
    const { socket } = await connectTo(`echo.test:${port}`);
    for (let count = 0; count < 6; count += 1) {
      socket.write("x");
      expect(await said(socket, 1)).toBe("x");
      await sleep(100);
    }
    socket.resume();
    await once(socket, "close");
  });

  test("the end of a run cuts what goes on", async () => {
    const port = await echoServer();
    await open({ hosts: [`echo.test:${port}`], services: [`127.0.0.1:${port}`] });
    const { socket } = await connectTo(`echo.test:${port}`);
    const closed = once(socket.resume(), "close");
    await run.close();
    await closed;
  });
});
