/** Hosts that no list has: held by a real proxy, asked for by a real daemon, answered by a person. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AskSummary } from "../../src/protocol/session.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { until } from "../reliability/until.js";

/** Not below `/tmp`: that is private inside, and would hide every fault. */
const LABS = fileURLToPath(new URL("../../.artifacts/", import.meta.url));
const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0 || process.env["CI"] !== undefined;

let folder = "";
let home = "";
let project = "";
let daemon: TestDaemon;
let server: Server;
let port = 0;

beforeEach(async () => {
  mkdirSync(LABS, { recursive: true });
  folder = realpathSync(mkdtempSync(join(LABS, "network-asks-")));
  home = join(folder, "home");
  project = join(home, "project");
  mkdirSync(join(home, ".config/signalbox"), { recursive: true });
  mkdirSync(project);
  writeFileSync(join(project, "get.cjs"), GET);
  server = createServer((_, response) => response.end("REACHED\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
  // By its address it is a service; by a name it is not listed.
  const wall = `[wall]\nnetwork = "listed"\nservices = ["127.0.0.1:${port}"]\n`;
  writeFileSync(join(home, ".config/signalbox/config.toml"), wall);
  await start();
});

afterEach(async () => {
  await daemon.end();
  server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function start(): Promise<void> {
  daemon = await TestDaemon.start({
    dataDir: join(home, ".local/state/signalbox"),
    env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), SIGNALBOX_WALL: "require" },
  });
}

/** `node get.cjs URL FILE`: what came for it by the proxy. */
const GET = `
const http = require("node:http"), fs = require("node:fs");
const [url, file] = process.argv.slice(2);
const proxy = new URL(process.env.HTTP_PROXY);
const done = (text) => { fs.writeFileSync(file + ".new", text); fs.renameSync(file + ".new", file); };
http.get({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: "x" } }, (answer) => {
  let text = answer.statusCode + " ";
  answer.on("data", (data) => (text += data));
  answer.on("end", () => done(text));
  answer.on("error", (error) => done("CUT " + error.code));
}).on("error", (error) => done("FAILED " + error.code));
`;

/** A program in a terminal; it stays when it has what it came for. */
async function inside(script: string): Promise<string> {
  const args = ["bash", "-c", `${script}\nwait; sleep 1000`];
  const { id } = await daemon.client.createSession({ harness: "terminal", cwd: project, args });
  return id;
}

const get = (host: string, file: string): string => `node get.cjs http://${host}:${port}/ ${file} &`;

function came(file: string): string {
  return existsSync(join(project, file)) ? readFileSync(join(project, file), "utf8") : "";
}

async function wallAsks(id: string): Promise<readonly AskSummary[]> {
  return (await daemon.client.getSession(id)).asks.filter(({ source }) => source === "wall");
}

async function theAsk(id: string): Promise<AskSummary> {
  await expect.poll(async () => (await wallAsks(id)).length, { timeout: 40_000 }).toBe(1);
  const [ask] = await wallAsks(id);
  if (!ask) throw new Error("no ask");
  return ask;
}

/** What the runs of this data folder may reach, as the proxy keeps it. */
function listedAtProxy(): readonly string[] {
  const kept = join(daemon.dataDir, "proxy");
  const files = readdirSync(kept).filter((name) => name.endsWith(".json"));
  return files.flatMap(
    (name) =>
      (JSON.parse(readFileSync(join(kept, name), "utf8")) as { policy: { hosts: string[] } }).policy.hosts,
  );
}

async function happened(id: string): Promise<string> {
  const kinds = ["state", "stream"] as const;
  const all = await Promise.all(kinds.map((kind) => daemon.client.listEvents(id, { kind, limit: 1_000 })));
  return JSON.stringify(all);
}

describe.runIf(hasBubblewrap)("a host that is not listed", { timeout: 120_000 }, () => {
  test("is asked for, and reached once it is allowed; for the session, without another question", async () => {
    const id = await inside(
      `${get("localhost", "one")}\nuntil [ -e go ]; do sleep 0.1; done\n${get("localhost", "two")}`,
    );
    const ask = await theAsk(id);
    expect(ask).toMatchObject({
      ...{ ask: "network", source: "wall", title: `Wants to reach localhost:${port}`, needsHuman: true },
      suggestions: ["Web(localhost)"],
    });
    const session = await daemon.client.getSession(id);
    expect(session.ui.needsAttention).toBe(true);
    // The wall asks, and not the agent.
    expect(session.status).not.toBe("waiting_approval");
    const { items } = await daemon.client.listAsks();
    expect(items).toMatchObject([{ sessionId: id, askId: ask.askId, source: "wall" }]);
    expect(came("one")).toBe("");
    await daemon.client.answerAsk(id, ask.askId, { decision: "approve", scope: "session" });
    await until(() => came("one") === "200 REACHED\n");
    expect(await wallAsks(id)).toEqual([]);
    // It is the proxy that knows it: nobody else is there.
    await until(() => listedAtProxy().includes("localhost:*"));
    await daemon.kill("SIGKILL");
    writeFileSync(join(project, "go"), "");
    await until(() => came("two") === "200 REACHED\n");
    await start();
    expect((await happened(id)).match(/"ask_opened"/g)).toHaveLength(1);
  });

  test("once is once; for always it is a rule", async () => {
    const id = await inside(
      `${get("localhost", "one")}\nwait; ${get("localhost", "two")}\nwait; ${get("localhost", "three")}`,
    );
    const first = await theAsk(id);
    await daemon.client.answerAsk(id, first.askId, { decision: "approve" });
    await until(() => came("one") === "200 REACHED\n");
    const second = await theAsk(id);
    expect(listedAtProxy()).not.toContain("localhost:*");
    expect(second.askId).not.toBe(first.askId);
    await daemon.client.answerAsk(id, second.askId, { decision: "approve", scope: "always" });
    await until(() => came("three") === "200 REACHED\n");
    expect(JSON.stringify(await daemon.client.getPermissions({ cwd: project }))).toContain("Web(localhost)");
  });

  test("is refused with a person's words when it is rejected", async () => {
    const id = await inside(`${get("localhost", "one")}\n${get("other.test", "two")}`);
    await expect.poll(async () => (await wallAsks(id)).length).toBe(2);
    const asks = await wallAsks(id);
    const askFor = (host: string) => asks.find(({ title }) => title.includes(host))?.askId ?? "";
    await daemon.client.answerAsk(id, askFor("localhost"), { decision: "reject", message: "use the mirror" });
    await until(() => came("one") !== "");
    expect(came("one")).toBe(`403 localhost:${port} is refused: a person rejected it: use the mirror.\n`);
    await expect(
      daemon.client.answerAsk(id, askFor("localhost"), { decision: "approve" }),
    ).rejects.toMatchObject({ code: "ask_stale" });
    // The other one is asked for all the same.
    expect((await wallAsks(id)).map(({ title }) => title)).toEqual([`Wants to reach other.test:${port}`]);
    await daemon.client.answerAsk(id, askFor("other.test"), { decision: "reject" });
    await until(() => came("two") !== "");
    expect(came("two")).toBe(`403 other.test:${port} is refused: a person rejected it.\n`);
  });

  test("the 33rd that waits is refused at once, and told", async () => {
    const id = await inside(
      `for i in $(seq 1 32); do ${get("h$i.test", "of-$i")} done\nuntil [ -e go ]; do sleep 0.1; done\n${get("h33.test", "late")}`,
    );
    await expect.poll(async () => (await wallAsks(id)).length, { timeout: 60_000 }).toBe(32);
    writeFileSync(join(project, "go"), "");
    await until(() => came("late") !== "");
    expect(came("late")).toMatch(/^503 h33\.test:\d+ has to wait: 32 connections of this run wait/);
    await expect.poll(() => happened(id)).toContain(`The wall refused h33.test:${port}: too many`);
    expect(await wallAsks(id)).toHaveLength(32);
    // The run's end closes all of them.
    await daemon.client.cancel(id);
    await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("stopped");
    expect(await wallAsks(id)).toEqual([]);
    expect((await daemon.client.getSession(id)).ui.needsAttention).toBe(false);
  });

  test("kill -9 of the daemon while it is held: asked for exactly once, and the answer arrives", async () => {
    const id = await inside(get("localhost", "one"));
    const ask = await theAsk(id);
    await daemon.kill("SIGKILL");
    expect(came("one")).toBe("");
    await start();
    expect(await theAsk(id)).toMatchObject({ askId: ask.askId, title: ask.title });
    await daemon.client.answerAsk(id, ask.askId, { decision: "approve" });
    await until(() => came("one") === "200 REACHED\n");
    expect((await happened(id)).match(/"ask_opened"/g)).toHaveLength(1);
  });

  test("answered, and the daemon is killed at once: the answer arrives all the same", async () => {
    const id = await inside(get("localhost", "one"));
    const ask = await theAsk(id);
    await daemon.client.answerAsk(id, ask.askId, { decision: "approve" });
    await daemon.kill("SIGKILL");
    await start();
    await until(() => came("one") === "200 REACHED\n");
    expect(await wallAsks(id)).toEqual([]);
  });

  test("kill -9 of the proxy: what it held is gone, and so is the ask", async () => {
    const id = await inside(get("localhost", "one"));
    await theAsk(id);
    process.kill(Number(readFileSync(join(daemon.dataDir, "proxy.pid"), "utf8")), "SIGKILL");
    await until(() => came("one") !== "");
    expect(came("one")).toMatch(/^(?:FAILED|CUT) /);
    await expect.poll(() => wallAsks(id)).toEqual([]);
    expect(await happened(id)).toContain('"reason":"gone"');
  });

  test("the run ends while it is held", async () => {
    const { id } = await daemon.client.createSession({
      harness: "terminal",
      cwd: project,
      args: ["bash", "-c", `${get("localhost", "one")}\nuntil [ -e go ]; do sleep 0.1; done`],
    });
    await theAsk(id);
    writeFileSync(join(project, "go"), "");
    await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
    expect(await wallAsks(id)).toEqual([]);
    expect(await happened(id)).toContain('"reason":"process_exit"');
  });

  test("nobody answers for two minutes", { timeout: 240_000 }, async () => {
    const id = await inside(get("localhost", "one"));
    await theAsk(id);
    while (came("one") === "") await sleep(1_000);
    expect(came("one")).toBe(`403 localhost:${port} is refused: nobody allowed it within 120 seconds.\n`);
    await expect.poll(() => wallAsks(id)).toEqual([]);
    const all = await happened(id);
    expect(all).toContain('"reason":"expired"');
    expect(all).toContain(`The wall refused localhost:${port}: nobody answered in time.`);
  });
});
