/** What a run behind a wall reaches of the network, with a real daemon, proxy and bubblewrap. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ModelServer } from "../agents/model-server/model-server.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { isDead } from "../reliability/built-keeper.js";
import { until } from "../reliability/until.js";
import { PROXY_LIMITS, ProxiedRun } from "../../src/proxy/proxied-run.js";
import { raiseWall } from "../../src/wall/raise-wall.js";
import { DEFAULT_WALL_SETTINGS } from "../../src/wall/wall-input.js";
import { BACKEND, CANNOT, ended, start as startRun, WallLab } from "./wall-lab.js";

/** Not below `/tmp`: that is private inside, and would hide every fault. */
const LABS = fileURLToPath(new URL("../../.artifacts/", import.meta.url));
const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0 || process.env["CI"] !== undefined;

let folder = "";
let home = "";
let project = "";
let daemon: TestDaemon;
let isStarted = false;
let servers: { close: () => unknown }[] = [];

beforeEach(() => {
  mkdirSync(LABS, { recursive: true });
  folder = realpathSync(mkdtempSync(join(LABS, "network-")));
  home = join(folder, "home");
  project = join(home, "project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "inside.cjs"), INSIDE);
  servers = [];
});

afterEach(async () => {
  if (isStarted) await daemon.end();
  isStarted = false;
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function start(wall: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  mkdirSync(join(home, ".config/signalbox"), { recursive: true });
  writeFileSync(join(home, ".config/signalbox/config.toml"), `[wall]\n${wall}\n`);
  daemon = await TestDaemon.start({
    dataDir: join(home, ".local/state/signalbox"),
    env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), SIGNALBOX_WALL: "require", ...env },
  });
  isStarted = true;
}

/** Tries what it is told, a line each: what came, or why nothing did. */
const INSIDE = `
const net = require("node:net");
const fs = require("node:fs");
const tries = JSON.parse(fs.readFileSync("tries.json", "utf8"));
const proxyPort = Number(new URL(process.env.HTTP_PROXY ?? "http://x:1").port);
function one({ how, to, host, path }) {
  return new Promise((resolve) => {
    let text = "";
    const done = (what) => { clearTimeout(timer); socket.destroy(); resolve(what); };
    const timer = setTimeout(() => done("nothing for long " + text.slice(0, 200)), 20000);
    const socket = how === "direct" ? net.connect({ host, port: to }) : how === "path" ? net.connect({ path })
      : net.connect({ host: "127.0.0.1", port: proxyPort });
    socket.on("error", (error) => done("error " + error.code));
    socket.on("connect", () => {
      if (how === "connect") socket.write("CONNECT " + to + " HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
      if (how === "url") socket.write("GET " + to + " HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n");
      if (how === "direct" || how === "path") socket.write("GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n");
    });
    socket.on("data", (data) => {
      text += data;
      if (how === "connect" && text.startsWith("HTTP/1.1 200 Connection established\\r\\n\\r\\n") && !text.includes("SECRET") && !text.includes("REACHED"))
        socket.write("GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n");
    });
    socket.on("end", () => done(text.replace(/\\r\\n/g, "\\n")));
  });
}
(async () => {
  const answers = [];
  for (const each of tries) answers.push(await one(each));
  fs.writeFileSync("answers.new", JSON.stringify(answers));
  fs.renameSync("answers.new", "answers.json");
})();
`;

/** On both kinds of loopback. */
const SERVER = `
const http = require("node:http");
for (const [port, host, word] of [[34567, "127.0.0.1", "4"], [34568, "::1", "6"]])
  http.createServer((_, answer) => answer.end("INSIDE " + word)).listen(port, host);
`;

/** 100 at once, again and again; what is open stays so to the end. */
function manyConnections(target: string): string {
  return `
const net = require("node:net"), fs = require("node:fs");
const port = Number(new URL(process.env.HTTP_PROXY).port);
const open = [];
const one = () => new Promise((resolve) => {
  const socket = net.connect({ host: "127.0.0.1", port });
  let text = "";
  socket.on("error", (error) => resolve({ socket, text: "error " + error.code }));
  socket.on("close", () => resolve({ socket, text }));
  socket.on("data", (data) => { text += data; if (text.startsWith("HTTP/1.1 200")) resolve({ socket, text }); });
  socket.write("CONNECT ${target} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
});
(async () => {
  const counts = { open: 0, refused: 0, other: 0 };
  for (let chunk = 0; chunk < 20; chunk += 1)
    for (const { socket, text } of await Promise.all(Array.from({ length: 100 }, one))) {
      if (text.startsWith("HTTP/1.1 200")) { counts.open += 1; open.push(socket); }
      else if (/^HTTP.1.1 503 [^]*512 connections/.test(text)) counts.refused += 1;
      else counts.other += 1;
    }
  for (const socket of open) socket.destroy();
  let again = "";
  for (let tries = 0; tries < 100 && !again.startsWith("HTTP/1.1 200"); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    again = (await one()).text.split("\\r\\n")[0];
  }
  fs.writeFileSync("counts.new", JSON.stringify({ ...counts, again }));
  fs.renameSync("counts.new", "counts.json");
  process.exit(0);
})();
`;
}

interface Try {
  readonly how: "direct" | "connect" | "url" | "path";
  readonly to?: string | number;
  readonly host?: string;
  readonly path?: string;
}

/** What each try brought, inside. */
async function triedInside(tries: readonly Try[], more: object = {}): Promise<readonly string[]> {
  rmSync(join(project, "answers.json"), { force: true });
  writeFileSync(join(project, "tries.json"), JSON.stringify(tries));
  await inside("node inside.cjs 2>err", more);
  await until(() => existsSync(join(project, "answers.json")));
  return JSON.parse(readFileSync(join(project, "answers.json"), "utf8")) as string[];
}

async function inside(script: string, more: object = {}): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "terminal",
    cwd: project,
    args: ["bash", "-c", script],
    ...more,
  });
  return id;
}

/** A server of this machine that says a word. */
async function serverSaying(
  word: string,
  at: string | { port: number; host: string } = { port: 0, host: "127.0.0.1" },
): Promise<number> {
  const server: Server = createHttpServer((_, response) => response.end(`${word}\n`));
  if (typeof at === "string") server.listen(at);
  else server.listen(at);
  await once(server, "listening");
  servers.push(server);
  const address = server.address() as AddressInfo | string;
  return typeof address === "string" ? 0 : address.port;
}

/** Answers a second and a half after the other side has said all. */
async function lateServer(): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    socket.resume().on("end", () => setTimeout(() => socket.end("LATE\n"), 1_500));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

/** What people read beside the terminals. */
async function notes(): Promise<string> {
  const { items: sessions } = await daemon.client.listSessions();
  const all = await Promise.all(
    sessions.map(({ id }) => daemon.client.listEvents(id, { kind: "stream", limit: 1_000 })),
  );
  return JSON.stringify(all);
}

async function pidOfProxy(): Promise<number> {
  const path = join(daemon.dataDir, "proxy.pid");
  await until(() => existsSync(path));
  return Number(readFileSync(path, "utf8"));
}

describe.runIf(hasBubblewrap)("a network that is limited to a list", () => {
  test("nothing but services and listed hosts is reached, by whatever way", async () => {
    const secret = await serverSaying("SECRET");
    const service = await serverSaying("REACHED");
    const everywhere = await serverSaying("SECRET", { port: 0, host: "0.0.0.0" });
    await serverSaying("SECRET", `\0signalbox-test-${process.pid}`);
    await start(
      `network = "listed"\nservices = ["127.0.0.1:${service}"]\nhosts = ["*.localhost:*", "localhost:*"]`,
    );
    // Every name is permitted: what is left are addresses.
    await daemon.client.addRule({ effect: "allow", rule: "Web(*)", scope: "always", cwd: project });
    const own = Number(new URL(daemon.ready.url).port);
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4")
      .map(({ address }) => address);
    const escapes: Try[] = [
      // Past the proxy.
      { how: "direct", host: "127.0.0.1", to: secret },
      { how: "direct", host: "1.1.1.1", to: 80 },
      { how: "direct", host: "8.8.8.8", to: 53 },
      ...others.map((host): Try => ({ how: "direct", host, to: everywhere })),
      { how: "direct", host: "127.0.0.1", to: own },
      // By names and addresses that lead to this machine.
      ...[
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f000001",
        "0177.1",
        "127.1",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "0.0.0.0",
      ].flatMap((host): Try[] => [
        { how: "connect", to: `${host}:${secret}` },
        { how: "url", to: `http://${host}:${secret}/` },
      ]),
      ...others.map((host): Try => ({ how: "connect", to: `${host}:${everywhere}` })),
      { how: "connect", to: "169.254.169.254:80" },
      { how: "url", to: "http://169.254.169.254/latest/meta-data/" },
      // The daemon.
      { how: "connect", to: `127.0.0.1:${own}` },
      { how: "connect", to: `localhost:${own}` },
      { how: "url", to: `http://127.0.0.1:${own}/v1/sessions` },
      // Sockets of this machine: abstract ones, the proxy's own, another run's.
      { how: "path", path: `\0signalbox-test-${process.pid}` },
      { how: "path", path: join(daemon.dataDir, "proxy.sock") },
      { how: "path", path: join(daemon.dataDir, "keeper.sock") },
    ];
    const reached: Try[] = [
      { how: "direct", host: "127.0.0.1", to: service },
      { how: "connect", to: `127.0.0.1:${service}` },
      { how: "url", to: `http://localhost:${service}/` },
      { how: "path", path: "/run/signalbox/network/http" },
    ];
    const answers = await triedInside([...escapes, ...reached]);
    const got = answers
      .slice(0, escapes.length)
      .map((answer, index) => [escapes[index], answer.slice(0, 400)] as const);
    expect(got.filter(([, answer]) => !/^(?:error |HTTP\/1\.1 403 )/.test(answer))).toEqual([]);
    expect(answers.slice(escapes.length).map((answer) => /REACHED| 400 /.exec(answer)?.[0])).toEqual([
      ...["REACHED", "REACHED", "REACHED", " 400 "],
    ]);
    expect(answers.join("\n")).not.toContain("SECRET");
  });

  test("nobody inside can take the sockets away, see those of others, or make a network", async () => {
    const service = await serverSaying("REACHED");
    await start(`network = "listed"\nservices = ["127.0.0.1:${service}"]`);
    const other = await inside(`node -e '${SERVER}' & sleep 1000`);
    await expect.poll(async () => (await daemon.client.getSession(other)).wall?.network).toBe("listed");
    // What it serves is reached from this machine, and only by its person's wish.
    const links = async () => (await daemon.client.listPorts(other)).items;
    await expect.poll(async () => (await links()).map(({ port }) => port)).toEqual([34_567, 34_568]);
    const [four, six] = await links();
    expect(await (await fetch(four?.url ?? "")).text()).toBe("INSIDE 4");
    expect(await (await fetch(six?.url ?? "")).text()).toBe("INSIDE 6");
    await expect(fetch("http://127.0.0.1:34567/")).rejects.toThrow();
    await inside(
      [
        "exec > out.new 2>&1",
        "rm -f /run/signalbox/network/http && echo REMOVED",
        "echo x > /run/signalbox/network/new && echo MADE",
        "ls /run/signalbox/network",
        `ls ${daemon.dataDir}/proxy && echo OTHERS`,
        "ls /sys/class/net /proc/net/dev >/dev/null; cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '",
        `curl -s http://127.0.0.1:${service}/ || echo "no curl"`,
        `echo "$HTTPS_PROXY $https_proxy $NO_PROXY $NODE_USE_ENV_PROXY"`,
        "jobs; wait; echo WAITED",
        "mv out.new out",
      ].join("\n"),
    );
    await until(() => existsSync(join(project, "out")));
    const lines = readFileSync(join(project, "out"), "utf8").trim().split("\n");
    expect(lines.filter((line) => /^(?:REMOVED|MADE|OTHERS)$/.test(line))).toEqual([]);
    expect(lines.slice(-8)).toEqual([
      ...["127.0.0.1-" + String(service), "http", "publish"],
      expect.stringContaining("cannot access") as string,
      "lo",
      expect.stringMatching(/REACHED|no curl/) as string,
      "http://127.0.0.1:19080 http://127.0.0.1:19080 localhost,127.0.0.1,::1 1",
      "WAITED",
    ]);
  });

  test("a host that is not listed is decided by the rules as they are now", async () => {
    const port = await serverSaying("REACHED");
    await start(`network = "listed"\nservices = ["127.0.0.1:${port}"]\nignores_proxy = ["script"]`);
    // An agent that would reach nothing is not started before somebody has chosen.
    const deaf = { harness: "script", cwd: project } as const;
    await expect(daemon.client.createSession(deaf)).rejects.toMatchObject({ code: "network_choice" });
    expect((await daemon.client.listSessions()).items).toEqual([]);
    const { id: chosen } = await daemon.client.createSession({ ...deaf, network: "closed" });
    await expect.poll(async () => (await daemon.client.getSession(chosen)).wall?.network).toBe("closed");
    const asked: Try[] = [{ how: "connect", to: `localhost:${port}` }];
    const rule = { rule: "Web(localhost)", scope: "always", cwd: project } as const;
    // After the run's plan was made: whoever starts with it has it in the plan.
    const id = await inside("until [ -e go ]; do sleep 0.1; done; node inside.cjs 2>err");
    await expect.poll(async () => (await daemon.client.getSession(id)).wall?.network).toBe("listed");
    await daemon.client.addRule({ effect: "deny", ...rule });
    writeFileSync(join(project, "tries.json"), JSON.stringify(asked));
    writeFileSync(join(project, "go"), "");
    await until(() => existsSync(join(project, "answers.json")));
    expect(readFileSync(join(project, "answers.json"), "utf8")).toMatch(
      /HTTP\/1\.1 403 [\s\S]*localhost:\d+ is refused: a rule denies it/,
    );
    await expect.poll(notes).toContain(`The wall refused localhost:${port}: a rule denies it.`);
    await daemon.client.removeRule(rule);
    await daemon.client.addRule({ effect: "allow", ...rule });
    expect((await triedInside(asked))[0]).toContain("REACHED");
  });

  test("2,000 connections from inside: 512 are open, the others are told why not, and then all is as before", async () => {
    const echo = createServer((socket) => socket.on("error", () => socket.destroy()).pipe(socket));
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
    servers.push(echo);
    const { port } = echo.address() as AddressInfo;
    await start(`network = "listed"\nservices = ["0.0.0.0:${port}"]`);
    writeFileSync(join(project, "many.cjs"), manyConnections(`0.0.0.0:${port}`));
    await inside("node many.cjs 2>err");
    await until(() => existsSync(join(project, "counts.json")));
    expect(JSON.parse(readFileSync(join(project, "counts.json"), "utf8"))).toEqual({
      ...{ open: 512, refused: 1_488, other: 0, again: "HTTP/1.1 200 Connection established" },
    });
  });

  test("open and closed, for one session", async () => {
    const port = await serverSaying("REACHED");
    await start(`network = "listed"`);
    const tries: Try[] = [{ how: "direct", host: "127.0.0.1", to: port }];
    expect((await triedInside(tries, { network: "open" }))[0]).toContain("REACHED");
    expect((await triedInside(tries, { network: "closed" }))[0]).toBe("error ECONNREFUSED");
    expect((await triedInside(tries))[0]).toBe("error ECONNREFUSED");
  });
});

describe.runIf(hasBubblewrap)("what dies", () => {
  /** Says a word every tenth of a second, so many times. */
  async function slowServer(times: number): Promise<number> {
    const server = createHttpServer((_, response) => {
      let count = 0;
      const timer = setInterval(() => {
        response.write(`word ${(count += 1)}\n`);
        if (count < times) return;
        clearInterval(timer);
        response.end("END\n");
      }, 100);
      response.on("close", () => clearInterval(timer));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  const STREAM = (url: string, by: string) =>
    `node -e '
      const http = require("node:http"), fs = require("node:fs");
      const proxy = new URL(process.env.HTTP_PROXY);
      const options = "${by}" === "proxy" ? { host: proxy.hostname, port: proxy.port, path: "${url}" } : "${url}";
      http.get(options, (answer) => {
        answer.on("data", (data) => fs.appendFileSync("${by}", data));
        answer.on("end", () => fs.appendFileSync("${by}", "WHOLE " + answer.complete));
        answer.on("error", (error) => fs.appendFileSync("${by}", "CUT " + error.code));
      }).on("error", (error) => fs.appendFileSync("${by}", "FAILED " + error.code));
    ' &`;
  const read = (name: string) =>
    existsSync(join(project, name)) ? readFileSync(join(project, name), "utf8") : "";

  test("kill -9 of the daemon in the middle of a stream: not cut; the next daemon takes the proxy over", async () => {
    const port = await slowServer(40);
    const wall = `network = "listed"\nservices = ["127.0.0.1:${port}"]`;
    await start(wall);
    const url = `http://127.0.0.1:${port}/`;
    const id = await inside(
      `${STREAM(url, "proxy")}\n${STREAM(url, "service")}\nwait; until [ -e go ]; do sleep 0.1; done; node inside.cjs; sleep 1000`,
    );
    await until(() => read("proxy").includes("word 3") && read("service").includes("word 3"));
    const proxy = await pidOfProxy();
    await daemon.kill("SIGKILL");
    await until(() => read("proxy").includes("WHOLE") && read("service").includes("WHOLE"));
    const whole = Array.from({ length: 40 }, (_, index) => `word ${index + 1}\n`).join("");
    expect(read("proxy")).toBe(`${whole}END\nWHOLE true`);
    expect(read("service")).toBe(`${whole}END\nWHOLE true`);
    // While no daemon is there an unknown host waits, and known ones pass.
    writeFileSync(
      join(project, "tries.json"),
      JSON.stringify([
        { how: "direct", host: "127.0.0.1", to: port },
        { how: "connect", to: "unknown.test:443" },
      ]),
    );
    writeFileSync(join(project, "go"), "");
    await start(wall);
    await expect.poll(async () => (await daemon.client.getSession(id)).asks.length).toBe(1);
    const [ask] = (await daemon.client.getSession(id)).asks;
    await daemon.client.answerAsk(id, ask?.askId ?? "", { decision: "reject" });
    await until(() => existsSync(join(project, "answers.json")));
    const [known, unknown] = JSON.parse(read("answers.json")) as string[];
    expect(known).toContain("END");
    expect(unknown).toMatch(/^HTTP\/1\.1 403 [\s\S]*unknown\.test:443 is refused: a person rejected it/);
    expect(await pidOfProxy()).toBe(proxy);
    expect((await daemon.client.getSession(id)).wall?.network).toBe("listed");
  });

  test("kill -9 of the proxy: what goes on fails clearly, another one is there, and the run goes on", async () => {
    const port = await slowServer(600);
    const word = await serverSaying("REACHED");
    await start(`network = "listed"\nservices = ["127.0.0.1:${port}", "127.0.0.1:${word}"]`);
    const url = `http://127.0.0.1:${port}/`;
    await inside(
      `${STREAM(url, "proxy")}\n${STREAM(url, "service")}\nwait; until [ -e go ]; do sleep 0.1; done; node inside.cjs; sleep 1000`,
    );
    await until(() => read("proxy").includes("word 3") && read("service").includes("word 3"));
    const proxy = await pidOfProxy();
    process.kill(proxy, "SIGKILL");
    await until(() => /CUT|WHOLE/.test(read("proxy")) && /CUT|WHOLE/.test(read("service")));
    expect(read("proxy")).toMatch(/CUT ECONNRESET$/);
    await until(() => Number(readFileSync(join(daemon.dataDir, "proxy.pid"), "utf8")) !== proxy);
    writeFileSync(
      join(project, "tries.json"),
      JSON.stringify([
        { how: "direct", host: "127.0.0.1", to: word },
        { how: "connect", to: `127.0.0.1:${word}` },
      ]),
    );
    writeFileSync(join(project, "go"), "");
    await until(() => existsSync(join(project, "answers.json")));
    for (const answer of JSON.parse(read("answers.json")) as string[]) expect(answer).toContain("REACHED");
  });

  test("the end of a run ends what goes through the proxy; the end of all ends the proxy", async () => {
    const port = await slowServer(6_000);
    await start(`network = "listed"\nservices = ["127.0.0.1:${port}"]`);
    const id = await inside(`${STREAM(`http://127.0.0.1:${port}/`, "service")}\nwait; sleep 1000`);
    await until(() => read("service").includes("word 3"));
    const proxy = await pidOfProxy();
    await daemon.client.cancel(id);
    await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("stopped");
    await until(
      () =>
        spawnSync("ls", [join(daemon.dataDir, "proxy")])
          .stdout.toString()
          .trim() === "daemon-ports",
    );
    await daemon.client.shutdown({ agents: true });
    await daemon.exited;
    await until(() => isDead(proxy));
  });
});

describe.runIf(hasBubblewrap)("the built-in agent", () => {
  test.each([
    ["127.0.0.1", "as a service"],
    ["0.0.0.0", "by the proxy"],
  ])("reaches its model at %s %s", async (host) => {
    const model = await ModelServer.start();
    servers.push(model);
    const url = model.url.replace("127.0.0.1", host);
    await start(`network = "listed"\n${host === "127.0.0.1" ? "" : `services = ["${new URL(url).host}"]`}`);
    const { id } = await daemon.client.createSession({
      harness: "builtin",
      cwd: project,
      model: "anthropic/claude-sonnet-4-5",
      autoApprove: true,
      env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: `${url}/v1` },
      prompt: "[[shell:env | grep -i proxy > seen; echo END >> seen]][[text:The model has answered.]]",
    });
    await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
    expect(readFileSync(join(project, "seen"), "utf8")).toContain("HTTPS_PROXY=http://127.0.0.1:19080");
    expect((await daemon.client.getSession(id)).wall?.network).toBe("listed");
    expect(model.seen.length).toBeGreaterThan(1);
  });
});

describe.skipIf(CANNOT)("the forwarder inside", () => {
  test.each(["socat", "node"])(
    "%s: reaches the sockets, hears no signal of the agent's, ends with the run",
    async (by) => {
      const lab = new WallLab();
      const networkDir = join(lab.folder, "n");
      const run = new ProxiedRun({
        ...{ runId: "s.1", folder: networkDir, limits: PROXY_LIMITS, newHeldId: () => "h" },
        resolve: () => Promise.resolve(["127.0.0.1"]),
        daemonPorts: () => [],
        ...{ onHeld: () => undefined, onGivenUp: () => undefined, onTurnedAway: () => undefined },
        log: () => undefined,
      });
      const port = await serverSaying("REACHED");
      const late = await lateServer();
      const services = [`127.0.0.1:${port}`, `127.0.0.1:${late}`];
      await run.open({ hosts: [`name.test:${port}`], denied: [], services, unknown: "refuse" });
      try {
        if (!BACKEND) throw new Error("skipped: no bubblewrap");
        const backend = by === "socat" ? BACKEND : { ...BACKEND, socat: null };
        const script = [
          "trap 'echo HEARD' INT TERM",
          "kill -INT 0; kill -TERM 0; sleep 0.3",
          `node -e '
          const http = require("node:http");
          const get = (options) => http.get(options, (answer) => answer.pipe(process.stdout));
          get("http://127.0.0.1:${port}/");
          get({ host: "127.0.0.1", port: 19080, path: "http://name.test:${port}/" });
          // All is said at once; the answer takes its time.
          const net = require("node:net");
          net.connect({ host: "127.0.0.1", port: ${late}, allowHalfOpen: true }).end("x").pipe(process.stdout);
        '`,
          "jobs; wait; echo WAITED",
          `node -e '${SERVER}' & until [ -e seen ]; do sleep 0.1; done; kill %1`,
        ].join("\n");
        const session = {
          networkDir,
          settings: { ...DEFAULT_WALL_SETTINGS, network: "listed", services },
        } as const;
        const request = lab.request("/bin/bash", ["-c", script], { session });
        const raised = await raiseWall(request, backend);
        if (!raised.ok) throw new Error(raised.reason);
        const child = startRun(raised, lab.project);
        const end = ended(child);
        const found = () => run.published.ports([19_080, port, late]);
        await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(2);
        const answers = await Promise.all(
          (await found()).map(async ({ host, at }) => (await fetch(`http://${host}:${at}/`)).text()),
        );
        expect(answers).toEqual(["INSIDE 4", "INSIDE 6"]);
        lab.inProject("seen", "");
        const told = await end;
        expect(told).toMatchObject({ status: 0, err: "" });
        expect(told.out.trim().split("\n").sort()).toEqual([
          "HEARD",
          "HEARD",
          "LATE",
          "REACHED",
          "REACHED",
          "WAITED",
        ]);
      } finally {
        await run.close();
        lab.remove();
      }
    },
  );
});
