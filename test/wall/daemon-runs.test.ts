/** Runs of a real daemon behind walls: every kind of run, how it ends, what is done in its place, and what is refused. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { childrenOf } from "../../src/keeper/own-process.js";
import type { WallPlan } from "../../src/protocol/wall.js";
import { AcpLab, create, use, type LabAgent } from "../e2e/acp-lab.js";
import { TestDaemon } from "../e2e/test-daemon.js";
import { isDead } from "../reliability/built-keeper.js";
import { until } from "../reliability/until.js";

/** Not below `/tmp`: that is private inside, and would hide every fault. */
const LABS = fileURLToPath(new URL("../../.artifacts/", import.meta.url));
const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0 || process.env["CI"] !== undefined;

let folder = "";
let home = "";
let project = "";
let daemon: TestDaemon;

beforeEach(() => {
  mkdirSync(LABS, { recursive: true });
  folder = realpathSync(mkdtempSync(join(LABS, "runs-")));
  home = join(folder, "home");
  project = join(home, "project");
  mkdirSync(join(home, ".ssh"), { recursive: true });
  mkdirSync(project);
  writeFileSync(join(home, ".ssh/id"), "SECRET\n");
  writeFileSync(join(folder, "outside"), "as it was\n");
});

afterEach(async () => {
  await daemon.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  daemon = await TestDaemon.start({
    dataDir: join(home, ".local/state/signalbox"),
    env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), SIGNALBOX_WALL: "require", ...env },
  });
}

async function session(id: string) {
  return await daemon.client.getSession(id);
}

/** A program in a terminal, which says in `out` what it found. */
async function inTerminal(script: string, more: object = {}): Promise<string> {
  const { id } = await daemon.client.createSession({
    harness: "terminal",
    cwd: project,
    args: ["bash", "-c", script],
    ...more,
  });
  return id;
}

async function found(name = "out"): Promise<string> {
  await until(() => existsSync(join(project, name)));
  await until(() => readFileSync(join(project, name), "utf8").endsWith("END\n"));
  return readFileSync(join(project, name), "utf8");
}

/** Everybody who descends from a process. */
function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** What the journal has of the plan of a run. */
async function plansOf(id: string): Promise<readonly unknown[]> {
  const { items } = await daemon.client.listEvents(id, { kind: "stream", limit: 1_000 });
  return items.flatMap(({ kind, event }) =>
    kind === "stream" && event.type === "metadata" && "wall" in event.payload ? [event.payload["wall"]] : [],
  );
}

describe.runIf(hasBubblewrap)("what runs inside", () => {
  test("a program in a terminal: reads nothing of the person, writes nothing outside, sees no process outside", async () => {
    await start();
    const keeper = await daemon.keeperPid();
    const script = [
      `exec > out.new 2>&1`,
      `cat ${join(daemon.dataDir, "token")} && echo TOKEN`,
      `cat ${home}/.ssh/id && echo KEY`,
      `echo changed > ${folder}/outside && echo OUTSIDE`,
      `kill -0 ${keeper} && echo KEEPER`,
      `ls ${daemon.dataDir}/journal.db && echo JOURNAL`,
      `[ $(ls /proc | grep -c '^[0-9]') -gt 12 ] && echo SEEN`,
      `echo kept > kept`,
      `echo "$HOME $SIGNALBOX_SESSION_ID"`,
      `mv out.new out; echo END`,
    ].join("\n");
    const id = await inTerminal(script);
    const said = await found();
    expect(said.split("\n").filter((line) => /^[A-Z]+$/.test(line))).toEqual(["END"]);
    expect(said).toContain(`${home} ${id}`);
    expect(readFileSync(join(project, "kept"), "utf8")).toBe("kept\n");
    expect(readFileSync(join(folder, "outside"), "utf8")).toBe("as it was\n");
    await expect.poll(async () => (await session(id)).wall?.label).toBe("walled");
    expect((await session(id)).wall?.network).toBe("listed");
    const plans = await plansOf(id);
    expect(plans).toMatchObject([{ run: 1, plan: { cwd: project, network: { mode: "listed" } } }]);
  });

  test("a shell: its prompt, its jobs, and its end", async () => {
    await start();
    const { id } = await daemon.client.createSession({
      harness: "terminal",
      cwd: project,
      env: { SHELL: "/bin/bash" },
    });
    await expect.poll(async () => (await session(id)).status).toBe("idle");
    await daemon.client.typeKeys(id, { text: "sleep 1000 &\rjobs > jobs; echo $$ > pid; echo END > out\r" });
    await found();
    expect(readFileSync(join(project, "jobs"), "utf8")).toContain("Running");
    expect(readFileSync(join(project, "pid"), "utf8")).toBe("2\n");
    await daemon.client.typeKeys(id, { text: "kill %1; exit 3\r" });
    await expect.poll(async () => (await session(id)).status).toBe("completed");
    expect((await session(id)).wall?.label).toBe("walled");
  });

  test("a structured agent, and its hooks", async () => {
    await start();
    const { id } = await daemon.client.createSession({
      harness: "script",
      cwd: project,
      prompt: "hello",
      args: ["--hooks"],
    });
    await expect.poll(async () => (await session(id)).status).toBe("completed");
    expect((await session(id)).wall?.label).toBe("walled");
  });

  test("the built-in agent keeps its conversation in a folder of its own, and goes on with it", async () => {
    await start();
    const { id } = await daemon.client.createSession({ harness: "demo", cwd: project, prompt: "hello" });
    await expect
      .poll(async () => (await session(id)).asks.length + Number((await session(id)).status === "completed"))
      .toBeGreaterThan(0);
    const folderOf = join(daemon.dataDir, "conversations", id);
    expect(readdirSync(folderOf).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
    await daemon.client.cancel(id);
    await expect.poll(async () => (await session(id)).status).toBe("stopped");
    await daemon.client.resume(id);
    await expect.poll(async () => (await session(id)).run).toBe(2);
    await expect.poll(async () => (await session(id)).wall?.label).toBe("walled");
    expect((await session(id)).error).toBeNull();
    expect(readdirSync(folderOf).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
  });

  test("a repository's file can close the network, and cannot open anything", async () => {
    mkdirSync(join(project, ".signalbox"));
    writeFileSync(
      join(project, ".signalbox/config.toml"),
      `[wall]\nmode = "off"\nnetwork = "closed"\nreveal = ["~/.ssh"]\n`,
    );
    await start({ SIGNALBOX_WALL: "auto" });
    const id = await inTerminal(`ls /sys/class/net > out; cat ${home}/.ssh/id >> out 2>&1; echo END >> out`);
    expect(await found()).not.toContain("SECRET");
    await expect.poll(async () => (await session(id)).wall?.label).toBe("walled");
    expect((await session(id)).wall?.network).toBe("closed");
  });
});

describe.runIf(hasBubblewrap)("who answers what no rule decides", () => {
  /** Whether a person is asked before each of these calls. */
  async function askedAbout(
    calls: readonly object[],
    more: object = {},
  ): Promise<{ readonly id: string; readonly asked: readonly boolean[] }> {
    const steps = calls.flatMap((tool, index) => [
      { emit: { type: "ask", askId: `a${index}`, ask: "tool", title: "May I?", tool } },
      { answer: `a${index}`, approve: [], reject: [] },
    ]);
    const turn = [{ emit: { type: "request" } }, ...steps, { emit: { type: "done" } }];
    const { id } = await daemon.client.createSession({
      harness: "script",
      cwd: project,
      args: ["--inline", JSON.stringify({ turns: [turn] })],
      prompt: "go",
      ...more,
    });
    const asked: string[] = [];
    await expect
      .poll(async () => {
        const { asks, status } = await session(id);
        for (const { askId } of asks.filter(({ needsHuman }) => needsHuman)) {
          asked.push(askId);
          await daemon.client.answerAsk(id, askId, { decision: "reject" });
        }
        return status;
      })
      .toBe("completed");
    return { id, asked: calls.map((_, index) => asked.includes(`a${index}`)) };
  }

  const run = (command: string) => ({ name: "Bash", input: { command } });
  const write = (file_path: string) => ({ name: "Write", input: { file_path, content: "x" } });
  const calls = () => [
    run("npm test && echo done > log.txt"),
    write(join(project, "src/a.ts")),
    { name: "TodoWrite", input: {} },
    run("git push origin main"),
    run("git stash push"),
    run(`cat ${home}/.ssh/id`),
    write(join(folder, "outside")),
    { name: "mcp__github__create_issue", input: {} },
    run("rm -rf build"),
  ];

  test("where the network is closed, the wall does, unless the call would leave it or a rule says ask", async () => {
    mkdirSync(join(project, ".signalbox"));
    writeFileSync(join(project, ".signalbox/config.toml"), `[wall]\nnetwork = "closed"\n`);
    writeFileSync(join(project, ".signalbox/permissions.toml"), `[permissions]\nask = ["Shell(rm -rf *)"]\n`);
    await start();
    const { id, asked } = await askedAbout(calls());
    expect(asked).toEqual([false, false, false, true, false, true, true, true, true]);
    expect(await session(id)).toMatchObject({ approve: "contained", autoApprove: false });
    const { items } = await daemon.client.listEvents(id, { kind: "state", limit: 1_000 });
    const closed = items.flatMap(({ kind, event }) =>
      kind === "state" && event.payload.type === "ask_closed" ? [event.payload] : [],
    );
    expect(closed[0]).toMatchObject({ askId: "a0", by: { kind: "wall" } });
    const everything = await askedAbout(calls().slice(0, 3), { approve: "ask" });
    expect(everything.asked).toEqual([true, true, true]);
  });

  test("where it is open, all but files is asked about: it could send anything anywhere", async () => {
    await start();
    const { asked } = await askedAbout(calls().slice(0, 3), { network: "open" });
    expect(asked).toEqual([true, false, true]);
    // It is not unless somebody wants it.
    expect((await askedAbout(calls().slice(0, 3))).asked).toEqual([false, false, false]);
  });
});

describe.runIf(hasBubblewrap)("how it ends", () => {
  test("a stop reaches the agent's own handler, and ends whoever has left its session", async () => {
    await start();
    const script = `trap 'echo handled > handled; exit 0' INT TERM; setsid sleep 1000 & echo READY; echo END > out; while :; do sleep 0.05; done`;
    const id = await inTerminal(script);
    await found();
    await expect.poll(async () => (await daemon.client.explain(id)).process.pid).not.toBeNull();
    const pid = (await daemon.client.explain(id)).process.pid ?? 0;
    const inside = [pid, ...descendantsOf(pid)];
    expect(inside.length).toBeGreaterThanOrEqual(4);
    await daemon.client.cancel(id);
    await until(() => inside.every(isDead));
    expect(readFileSync(join(project, "handled"), "utf8")).toBe("handled\n");
    await expect.poll(async () => (await session(id)).status).toBe("stopped");
  });

  test("a crash of the daemon is not noticed inside, and what the run is kept in is known afterwards", async () => {
    await start();
    const id = await inTerminal(
      `until [ -e go ]; do sleep 0.05; done; echo went on > out; echo END >> out; sleep 1000`,
    );
    await expect.poll(async () => (await session(id)).wall?.label).toBe("walled");
    const before = (await daemon.client.explain(id)).process.pid;
    await daemon.kill("SIGKILL");
    writeFileSync(join(project, "go"), "");
    expect(await found()).toBe("went on\nEND\n");
    await start();
    expect((await daemon.client.explain(id)).process.pid).toBe(before);
    expect((await session(id)).wall?.label).toBe("walled");
  });

  test("a daemon that dies between a start and its commit: the plan of the run is the one that was applied", async () => {
    writeFileSync(join(project, "held"), "held\n");
    const rules = join(home, ".config/signalbox/permissions.toml");
    mkdirSync(dirname(rules), { recursive: true });
    writeFileSync(rules, `[permissions]\ndeny = ["Read(held)", "Read(made-later)"]\n`);
    await start({ SIGNALBOX_CRASH_AT: "after_effect:1" });
    const dataDir = daemon.dataDir;
    await inTerminal(`cat held made-later > out 2>&1; echo END >> out; sleep 1000`).catch(() => null);
    expect(await daemon.exited).toEqual({ code: null, signal: "SIGKILL" });
    await found();
    // A plan that were made now would be another one.
    writeFileSync(join(project, "made-later"), "later\n");
    await start();
    const [{ id } = { id: "" }] = (await daemon.client.listSessions()).items;
    await expect.poll(async () => (await session(id)).wall?.label).toBe("walled");
    const plans = (await plansOf(id)) as readonly { readonly plan: WallPlan }[];
    const hiddenBy = plans.map(({ plan }) => plan.hidden.flatMap(({ path, rule }) => (rule ? [path] : [])));
    expect(hiddenBy).toEqual([[join(project, "held")]]);
    await daemon.client.cancel(id);
    await expect.poll(async () => (await session(id)).state.alive).toBe(false);
    await until(() => !readdirSync(join(dataDir, "wall")).some((name) => name.endsWith(".json")));
  });

  test("what was made for a run goes with it, also when there was no daemon, or it ends with the daemon", async () => {
    const made = join(project, ".git/commondir");
    spawnSync("git", ["init", "-q", project]);
    await start();
    const id = await inTerminal(`echo END > out; until [ -e go ]; do sleep 0.05; done; rm go`);
    await found();
    expect(existsSync(made)).toBe(true);
    await expect.poll(async () => (await session(id)).wall?.label).toBe("walled");
    await daemon.kill("SIGKILL");
    writeFileSync(join(project, "go"), "");
    await until(() => !existsSync(join(project, "go")));
    expect(existsSync(made)).toBe(true);
    await start();
    await expect.poll(() => existsSync(made)).toBe(false);
    for (const name of ["one", "two"]) {
      await inTerminal(`echo END > ${name}; sleep 1000`);
      await found(name);
    }
    expect(existsSync(made)).toBe(true);
    await daemon.client.shutdown({ agents: true });
    await daemon.exited;
    expect(existsSync(made)).toBe(false);
  });

  test("an end by a signal is told as that", async () => {
    await start();
    const id = await inTerminal("kill -SEGV $$");
    await expect.poll(async () => (await session(id)).status).toBe("error");
    expect((await session(id)).error?.message).toContain("SIGSEGV");
  });
});

describe.runIf(hasBubblewrap)("what is done for an agent", () => {
  let lab: AcpLab;
  let agent: LabAgent;

  beforeEach(async () => {
    lab = await AcpLab.open({ SIGNALBOX_WALL: "require" }, LABS);
    ({ daemon } = lab);
    mkdirSync(join(lab.folder, "home"), { recursive: true });
    const rules = join(lab.folder, "config/signalbox/permissions.toml");
    writeFileSync(
      rules,
      `[permissions]\nallow = ["Shell(*)", "Read(**)", "Write(**)"]\ndeny = ["Read(secret/**)", "Write(held.txt)"]\n`,
    );
    // The first agent's folder, with what its wall keeps from it.
    const first = join(lab.folder, "project-1");
    mkdirSync(join(first, "secret"), { recursive: true });
    writeFileSync(join(first, "secret/key"), "SECRET\n");
    writeFileSync(join(first, "held.txt"), "held\n");
    writeFileSync(join(lab.folder, "beyond"), "BEYOND\n");
    agent = await lab.startAgent();
  });

  afterEach(async () => {
    await lab.close();
  });

  const read = (path: string) => ({ send: "fs/read_text_file", params: { path: join(agent.project, path) } });
  const write = (path: string) => ({
    send: "fs/write_text_file",
    params: { path: join(agent.project, path), content: "written" },
  });

  test("commands have the same wall, in the folder that was asked for", async () => {
    const command = `pwd; cat ${agent.project}/secret/key; echo x > ${agent.project}/held.txt; echo y > made; echo done`;
    const cwd = join(agent.project, "inner");
    const answers = await agent.answersTo(create(command, { cwd }), use("wait_for_exit"), use("output"));
    const output = JSON.stringify(answers.at(-1));
    expect(output).toContain(cwd);
    expect(output).toContain("done");
    expect(output).not.toContain("SECRET");
    expect(readFileSync(join(agent.project, "held.txt"), "utf8")).toBe("held\n");
    expect(readFileSync(join(cwd, "made"), "utf8")).toBe("y\n");
  });

  test("files obey the plan: hidden, read-only, and no link leads out", async () => {
    symlinkSync(join(lab.folder, "beyond"), join(agent.project, "link"));
    symlinkSync(join(agent.project, "secret"), join(agent.project, "inner/way"));
    const answers = await agent.answersTo(
      ...[read("secret/key"), read("inner/way/key"), read("link"), write("held.txt"), write("link")],
      ...[write("new/folder/file.txt"), read("new/folder/file.txt")],
    );
    const isRefused = answers.map((answer) => "error" in answer);
    expect(isRefused).toEqual([true, true, true, true, true, false, false]);
    expect(JSON.stringify(answers)).not.toMatch(/SECRET|BEYOND/);
    expect(readFileSync(join(lab.folder, "beyond"), "utf8")).toBe("BEYOND\n");
    expect(readFileSync(join(agent.project, "new/folder/file.txt"), "utf8")).toBe("written");
  });

  test("also after a crash of the daemon", async () => {
    await lab.killDaemon();
    ({ daemon } = lab);
    const answers = await agent.answersTo(read("secret/key"), read("held.txt"));
    expect(answers.map((answer) => "error" in answer)).toEqual([true, false]);
  });
});

describe.runIf(hasBubblewrap)("never without", () => {
  /** One that cannot make a wall. */
  function brokenBubblewrap(): string {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    const lines = ["#!/bin/sh", `[ "$1" = --version ] && echo "bubblewrap 0.8.0" && exit 0`, "exit 1"];
    writeFileSync(join(bin, "bwrap"), `${lines.join("\n")}\n`);
    chmodSync(join(bin, "bwrap"), 0o755);
    return `${bin}:${process.env["PATH"] ?? ""}`;
  }

  const codeOf = (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => "created",
      (error: unknown) => (error as { code?: unknown }).code,
    );

  test("where it is required and cannot be built, nothing starts, and what mends it is said", async () => {
    await start({ PATH: brokenBubblewrap() });
    expect(await codeOf(inTerminal("echo ran > ran"))).toBe("wall_unavailable");
    expect(existsSync(join(project, "ran"))).toBe(false);
    const { checks } = await daemon.client.getHealth();
    expect(checks.find(({ name }) => name === "wall")).toMatchObject({ ok: false });
  });

  test("in auto it starts without, and says so", async () => {
    await start({ PATH: brokenBubblewrap(), SIGNALBOX_WALL: "auto" });
    const id = await inTerminal("echo END > out");
    await found();
    await expect.poll(async () => (await session(id)).wall?.sentence).toContain("no wall can be built here");
    expect((await session(id)).wall?.label).toBe("none");
    expect(await codeOf(inTerminal("true", { wall: "on" }))).toBe("wall_unavailable");
  });

  test("a folder that no wall can stand around is refused; a person can leave it away, unless it is required", async () => {
    await start();
    const asHome = { harness: "terminal", cwd: home, args: ["true"] };
    expect(await codeOf(daemon.client.createSession(asHome))).toBe("wall_refused");
    expect(await codeOf(inTerminal("true", { wall: "off" }))).toBe("wall_refused");
    await daemon.kill("SIGKILL");
    await start({ SIGNALBOX_WALL: "auto" });
    const id = await inTerminal(`cat ${home}/.ssh/id > out; echo END >> out`, { wall: "off" });
    expect(await found()).toContain("SECRET");
    await expect.poll(async () => (await session(id)).wall?.sentence).toContain("a person wanted none");
    expect((await session(id)).wall?.label).toBe("none");
  });

  test("a folder that has become unfit after the session was made", async () => {
    await start();
    const { id } = await daemon.client.createSession({ harness: "script", cwd: project, prompt: "hello" });
    await expect.poll(async () => (await session(id)).status).toBe("completed");
    await daemon.client.cancel(id);
    await expect.poll(async () => (await session(id)).state.alive).toBe(false);
    rmSync(project, { recursive: true });
    await daemon.client.resume(id);
    await expect.poll(async () => (await session(id)).status).toBe("error");
    expect((await session(id)).error?.message).toMatch(/folder/);
  });
});
