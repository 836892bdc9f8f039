/** Notifications of a real daemon: a real program, and a real HTTP server. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notificationSchema } from "../../src/protocol/notify-config.js";
import { DiedAtStart, TestDaemon } from "./test-daemon.js";

let folder = "";
let daemon: TestDaemon;
let server: Server;
const posted: unknown[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-notify-"));
  await mkdir(join(folder, "config", "signalbox"), { recursive: true });
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      posted.push([request.method, request.headers["content-type"], JSON.parse(body)]);
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});

afterAll(async () => {
  await daemon.end();
  server.close();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const env = () => ({ XDG_CONFIG_HOME: join(folder, "config"), MY_SECRET_TOKEN: "not-to-be-told" });

async function configure(text: string): Promise<void> {
  await writeFile(join(folder, "config", "signalbox", "config.toml"), text);
}

test("what is wrong in the file stops the start and is named", async () => {
  await configure('# mine\n[notify]\ndesktop = "yes"\n');
  const died = await TestDaemon.start({ env: env() }).catch((error: unknown) => error);
  expect(died).toBeInstanceOf(DiedAtStart);
  expect((died as Error).message).toContain(`config.toml:3:1: "notify.desktop": expected true or false`);
});

test("a program and a webhook are told of asks and ends, with an environment that has no secrets", async () => {
  const { port } = server.address() as AddressInfo;
  // A second try of this test must not find what the first one left.
  posted.length = 0;
  await rm(join(folder, "told"), { force: true });
  const script = `cat >> ${join(folder, "told")}; env > ${join(folder, "env")}`;
  await configure(`
[notify]
on = ["ask", "completed"]
command = ["sh", "-c", ${JSON.stringify(script)}]
webhook = "http://127.0.0.1:${port}/hook"
cooldown_s = 0
`);
  daemon = await TestDaemon.start({ env: env() });
  const path = join(folder, "agent.json");
  const turn = [
    { emit: { type: "request" } },
    {
      emit: {
        type: "ask",
        askId: "a1",
        ask: "command",
        title: "rm -rf build --key not-to-be-told --other hush-hush",
      },
    },
    { answer: "a1", approve: [{ emit: { type: "text", text: "Done.\n" } }], reject: [] },
    { emit: { type: "done" } },
  ];
  await writeFile(path, JSON.stringify({ turns: [turn] }));
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: folder,
    prompt: "Tidy",
    args: ["--script", path],
    env: { OTHER_KEY: "hush-hush" },
  });
  const told = async () => {
    const text = await readFile(join(folder, "told"), "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as unknown]));
  };
  await expect.poll(told).toHaveLength(1);
  await daemon.client.answerAsk(id, "a1", { decision: "approve" });
  await expect.poll(told).toHaveLength(2);
  const all = (await told()).map((each) => notificationSchema.parse(each));
  const common = { sessionId: id, title: "Tidy", harness: "script", cwd: folder };
  expect(all).toMatchObject([
    {
      ...common,
      type: "ask",
      text: "command: rm -rf build --key [redacted] --other [redacted]",
      askId: "a1",
    },
    { ...common, type: "completed", text: "", askId: null, status: "completed" },
  ]);
  await expect.poll(() => posted).toEqual(all.map((each) => ["POST", "application/json", each]));
  const variables = async () => await readFile(join(folder, "env"), "utf8").catch(() => "");
  // The shell empties the file before `env` has written.
  await expect.poll(variables).toMatch(/^PATH=/m);
  expect(await variables()).not.toMatch(/TOKEN|SIGNALBOX/);
});
