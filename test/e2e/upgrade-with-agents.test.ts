/**
 * An upgrade while agents run: the daemon, the keeper and the journal of an earlier Signalbox, which knew no walls and no
 * secret of the keeper, and then ours. Its agents go on with nothing lost, have no wall, and say so; what is started from
 * then on has one, though the earlier keeper starts it.
 */
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
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClient, type Client } from "../../src/client/index.js";
import { runSignalbox } from "../cli/signalbox.js";
import { until } from "../reliability/until.js";
import { EarlierSignalbox, isInHistory, type EarlierDaemon } from "./earlier-signalbox.js";

/** What was examined as 0.1, whose keeper speaks protocol 1; and the last before walls, with protocol 2. */
const EARLIER = [
  { name: "0.1", commit: "69f25e0c8a7dcb25a4138ac8b71f6f3e18da644a" },
  { name: "the last without walls", commit: "45f24f7c9d79cdadd290f43b6da86a19b8cf897e" },
] as const;
/** Not below `/tmp`: that is private inside a wall. */
const LABS = fileURLToPath(new URL("../../.artifacts/", import.meta.url));
const LINES = 300;
const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0 || process.env["CI"] !== undefined;

const SCRIPTS = {
  writing: [
    { emit: { type: "request" } },
    { emit: { type: "text", text: "line $I;" }, repeat: LINES, everyMs: 20 },
    { emit: { type: "done" } },
  ],
  asking: [
    { emit: { type: "request" } },
    { emit: { type: "ask", askId: "a1", ask: "command", title: "make" } },
    { answer: "a1", approve: [{ emit: { type: "text", text: "made" } }], reject: [] },
    { emit: { type: "done" } },
  ],
};

let folder = "";
let env: Record<string, string> = {};
let earlier: EarlierSignalbox | null = null;

beforeEach(() => {
  mkdirSync(LABS, { recursive: true });
  folder = realpathSync(mkdtempSync(join(LABS, "upgrade-")));
  mkdirSync(join(folder, "home/project"), { recursive: true });
  for (const [name, steps] of Object.entries(SCRIPTS))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ turns: [steps] }));
  env = { HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "home/.config"), SIGNALBOX_WALL: "auto" };
});

afterEach(async () => {
  await runSignalbox(["down", "--all", "--data-dir", dataDir()], "", env);
  earlier?.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const dataDir = () => join(folder, "data");
const project = () => join(folder, "home/project");

async function create(daemon: EarlierDaemon, body: object): Promise<string> {
  const { id } = await daemon.call("POST", "/sessions", { cwd: project(), ...body });
  return String(id);
}

/** As a person does it: the new program's `up` ends the earlier daemon and takes its place. */
async function upgrade(): Promise<Client> {
  const { code, stdout, stderr } = await runSignalbox(["up", "--json", "--data-dir", dataDir()], "", env);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/the daemon was 0\.0\.9 and is now \d/)]);
  return createClient(JSON.parse(stdout) as { url: string; token: string });
}

interface Begun {
  readonly writing: string;
  readonly asking: string;
  readonly shell: string;
  readonly pids: ReadonlyMap<string, number>;
}

/** One agent that writes, one that asks, and a program in a terminal that waits. */
async function begin(old: EarlierDaemon): Promise<Begun> {
  const script = (name: keyof typeof SCRIPTS) => ({
    harness: "script",
    prompt: "Go.",
    args: ["--script", join(folder, `${name}.json`)],
  });
  const writing = await create(old, script("writing"));
  const asking = await create(old, script("asking"));
  const line = "until [ -e go ]; do sleep 0.05; done; echo went on > out; sleep 1000";
  const shell = await create(old, { harness: "terminal", args: ["bash", "-c", line] });
  const statusOf = async (id: string) => (await old.call("GET", `/sessions/${id}`))["status"];
  await expect.poll(() => statusOf(asking)).toBe("waiting_approval");
  await expect.poll(() => statusOf(writing)).toBe("streaming");
  const pids = new Map<string, number>();
  for (const id of [writing, asking, shell]) {
    const explained = await old.call("GET", `/sessions/${id}/explain`);
    pids.set(id, (explained["process"] as { readonly pid: number }).pid);
  }
  return { writing, asking, shell, pids };
}

/** The same process in the same run, of which it is said that it has no wall, and what gives it one. */
async function expectAdopted(client: Client, { pids }: Begun): Promise<void> {
  for (const [id, pid] of pids) {
    const sentence = async () => (await client.getSession(id)).wall?.sentence;
    await expect.poll(sentence).toContain("started by a Signalbox without walls; stop and resume it");
    const { state, run, wall } = await client.getSession(id);
    expect([state.alive, run, wall?.label]).toEqual([true, 1, "none"]);
    expect((await client.explain(id)).process.pid).toBe(pid);
    expect(JSON.stringify(await client.getThread(id))).toContain("This agent has no wall");
  }
  const { checks } = await client.getHealth();
  expect(checks.find(({ name }) => name === "wall")).toMatchObject({
    ok: true,
    detail: expect.stringContaining("3 agents of before the upgrade have none") as string,
    remedy: expect.stringContaining("resume") as string,
  });
  expect(checks.find(({ name }) => name === "keeper")?.detail).toContain("older Signalbox");
}

/** What they say is whole, and what they are told arrives. */
async function expectNothingLost(client: Client, { writing, asking }: Begun): Promise<void> {
  writeFileSync(join(project(), "go"), "");
  await client.answerAsk(asking, "a1", { decision: "approve" });
  await expect.poll(async () => (await client.getSession(asking)).status).toBe("completed");
  expect(JSON.stringify(await client.getThread(asking))).toContain("made");
  await until(() => existsSync(join(project(), "out")));
  await expect.poll(async () => (await client.getSession(writing)).status).toBe("completed");
  const said = JSON.stringify(await client.getThread(writing));
  const lines = [...said.matchAll(/line (\d+);/g)].map(([, number]) => Number(number));
  expect(lines).toEqual(Array.from({ length: LINES }, (_, index) => index + 1));
}

/** A restart walls it. The earlier keeper, which still has the others, starts that and what is new. */
async function expectLaterWalled(client: Client, { writing }: Begun): Promise<void> {
  await client.cancel(writing);
  await expect.poll(async () => (await client.getSession(writing)).state.alive).toBe(false);
  await client.resume(writing);
  await expect.poll(async () => (await client.getSession(writing)).wall?.label).toBe("walled");
  const { id } = await client.createSession({
    harness: "terminal",
    cwd: project(),
    args: ["bash", "-c", `cat ${dataDir()}/token > found 2>&1; echo $$ > inside; kill -SEGV $$`],
  });
  await expect.poll(async () => (await client.getSession(id)).status).toBe("error");
  expect(readFileSync(join(project(), "inside"), "utf8")).toBe("2\n");
  expect(readFileSync(join(project(), "found"), "utf8")).toContain("No such file");
  expect(await client.getSession(id)).toMatchObject({
    wall: { label: "walled" },
    error: { message: expect.stringContaining("SIGSEGV") as string },
  });
}

// Without history there is nothing to build: then it is skipped.
describe.each(EARLIER)("from $name", ({ commit }) => {
  test.runIf(hasBubblewrap && isInHistory(commit))(
    "agents go on, without a wall and saying so; later runs have one",
    async () => {
      earlier = await EarlierSignalbox.build(commit, "0.0.9");
      const old = await earlier.start(dataDir(), env);
      const begun = await begin(old);
      const client = await upgrade();
      await old.exited;
      await expectAdopted(client, begun);
      await expectNothingLost(client, begun);
      await expectLaterWalled(client, begun);
    },
  );
});
