/** Who gets the message (004), with real processes that start, end and crash. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SignalboxError } from "../../src/client/index.js";
import { TestDaemon } from "./test-daemon.js";

let folder: string;
let daemon: TestDaemon;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-roster-"));
  daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** An agent that repeats what it is told, and writes down what it heard. */
async function open(name: string, args: readonly string[] = []): Promise<string> {
  const report = ["--report", join(folder, name)];
  const { id } = await daemon.client.createSession({
    harness: "script",
    cwd: folder,
    prompt: "hello",
    title: name,
    args: [...report, ...args],
  });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
  return id;
}

interface Reported {
  readonly pid: number;
  readonly heard?: { readonly type: string; readonly text?: string };
}

async function reportOf(name: string): Promise<readonly Reported[]> {
  const text = await readFile(join(folder, name), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Reported);
}

async function heard(name: string): Promise<readonly (string | undefined)[]> {
  return (await reportOf(name)).flatMap(({ heard: told }) => (told?.type === "prompt" ? [told.text] : []));
}

/** Each session's place, by title. */
async function places(): Promise<Readonly<Record<string, string>>> {
  const { seats } = await daemon.client.getRoster();
  const titles = new Map((await daemon.client.listSessions()).items.map(({ id, title }) => [id, title]));
  return Object.fromEntries(seats.map(({ sessionId, status }) => [titles.get(sessionId) ?? "", status]));
}

test("messages follow the agents as they start, end and crash", async () => {
  const first = await open("first");
  const second = await open("second");
  const third = await open("third", [
    "--inline",
    JSON.stringify({ turns: [[{ emit: { type: "request" } }, { emit: { type: "done" } }], [{ exit: 0 }]] }),
  ]);
  expect(await places()).toEqual({ first: "disconnected", second: "disconnected", third: "connected" });

  // It ends by itself: the one that started before it is promoted.
  expect((await daemon.client.routeMessage({ text: "bye" })).sessionId).toBe(third);
  await expect.poll(places).toEqual({ first: "disconnected", second: "connected", third: "none" });

  // A person chooses; a message says who got it, and files become references.
  await daemon.client.connect({ sessionId: first });
  expect(await places()).toEqual({ first: "connected", second: "disconnected", third: "none" });
  const files = [{ path: "src/a.ts", startLine: 1, endLine: 5 }, { path: "b.md" }];
  expect((await daemon.client.routeMessage({ text: "look", files })).sessionId).toBe(first);
  await expect.poll(() => heard("first")).toEqual(["hello", "look\n@src/a.ts#L1-L5\n@b.md"]);

  // A named agent gets it without being connected.
  expect((await daemon.client.routeMessage({ text: "you", sessionId: second })).sessionId).toBe(second);
  await expect.poll(() => heard("second")).toEqual(["hello", "you"]);
  expect(await places()).toEqual({ first: "connected", second: "disconnected", third: "none" });

  // Killed from outside: the other one is promoted.
  const [{ pid }] = (await reportOf("first")) as [Reported];
  process.kill(pid, "SIGKILL");
  await expect.poll(places).toEqual({ first: "none", second: "connected", third: "none" });
  await expect(daemon.client.connect({ sessionId: first })).rejects.toThrow(SignalboxError);

  // One that is not there gives way to the connected one only when that is wanted.
  const toFirst = { text: "either of you", sessionId: first };
  await expect(daemon.client.routeMessage(toFirst)).rejects.toMatchObject({ status: 409, code: "no_agent" });
  expect((await daemon.client.routeMessage({ ...toFirst, fallback: true })).sessionId).toBe(second);
  await expect.poll(() => heard("second")).toEqual(["hello", "you", "either of you"]);
  const slip = daemon.client.routeMessage({ text: "who", sessionId: "nobody", fallback: true });
  await expect(slip).rejects.toMatchObject({ status: 404 });

  // The last one ends: nobody is left, and a message says so.
  await daemon.client.cancel(second);
  await expect.poll(places).toEqual({ first: "none", second: "none", third: "none" });
  await expect(daemon.client.routeMessage({ text: "anybody" })).rejects.toMatchObject({
    status: 409,
    code: "no_active_agent",
  });

  // Resumed is started again.
  await daemon.client.resume(second);
  await expect.poll(places).toEqual({ first: "none", second: "connected", third: "none" });
});
