/** docs/adding-an-agent.md, its first section: from a line of configuration to a turn, with a scripted agent that speaks ACP. */
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestDaemon } from "./test-daemon.js";

const AGENT = new URL("../../dist/test/e2e/programs/acp-agent.js", import.meta.url).pathname;
const DOCUMENT = new URL("../../docs/adding-an-agent.md", import.meta.url);

let folder: string;
let daemon: TestDaemon;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "signalbox-adding-")));
  const config = join(folder, "config/signalbox");
  await mkdir(config, { recursive: true });
  const [, example = ""] = /```toml\n(.*?)```/s.exec(readFileSync(DOCUMENT, "utf8")) ?? [];
  const own = example
    .replace('command = "my-agent"', `command = ${JSON.stringify(process.execPath)}`)
    .replace('args = ["--acp"]', `args = [${JSON.stringify(AGENT)}, "--login"]`);
  await writeFile(join(config, "config.toml"), own);
  const env = { XDG_CONFIG_HOME: join(folder, "config"), HOME: join(folder, "home") };
  daemon = await TestDaemon.start({ dataDir: join(folder, "data"), env });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true });
});

async function started(steps: readonly object[]): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "my-agent",
    cwd: folder,
    prompt: JSON.stringify(steps),
  });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("waiting_input");
  const [ask] = (await daemon.client.getSession(id)).asks;
  expect(ask).toMatchObject({
    title: "How to log in to An ACP agent?",
    detail: [
      "Authentication required",
      "  1. In a browser: Opens a page",
      "  2. In a terminal: run its own command with login in a terminal",
      "Answer with a number or a name.",
    ].join("\n"),
  });
  return id;
}

test("it is listed, asks how to log in, and does its turn", async () => {
  const { items } = await daemon.client.listHarnesses();
  expect(items.find(({ name }) => name === "my-agent")).toMatchObject({ installed: true });
  const plan = { sessionUpdate: "plan", entries: [{ content: "Look around", status: "in_progress" }] };
  const text = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hello." } };
  const id = await started([{ update: plan }, { update: text }]);
  await daemon.client.sendMessage(id, { text: "in a browser" });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  expect((await daemon.client.getThread(id)).items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "note", kind: "plan", text: "[>] Look around" }),
      expect.objectContaining({ type: "assistant_message", text: "Hello." }),
    ]),
  );
});

test("a login in a terminal is told, and the session says so", async () => {
  const id = await started([]);
  await daemon.client.sendMessage(id, { text: "2" });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("error");
  expect((await daemon.client.getSession(id)).error).toMatchObject({
    code: "login_required",
    message: "It needs a login. Log in with: its own command with login",
  });
});
