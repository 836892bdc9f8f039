/** Commands that an agent has us run: the real daemon, keeper and processes, and a scripted agent that speaks ACP. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../reliability/is-alive.js";
import { TestDaemon } from "./test-daemon.js";

const AGENT = new URL("../../dist/test/e2e/programs/acp-agent.js", import.meta.url).pathname;
const LONG = "sleep 1000";

let folder: string;
let daemon: TestDaemon;
const env = () => ({ XDG_CONFIG_HOME: join(folder, "config"), HOME: join(folder, "home") });

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "signalbox-acp-")));
  const rules = join(folder, "config/signalbox/permissions.toml");
  await mkdir(dirname(rules), { recursive: true });
  const allow = ["printf *", "cat *", "true"].map((each) => `Shell(${each})`);
  await writeFile(
    rules,
    `[permissions]\nallow = ${JSON.stringify(allow)}\ndeny = ["Shell(rm *)"]\nask = ["Shell(touch *)"]\n`,
  );
  daemon = await TestDaemon.start({ dataDir: join(folder, "data"), env: env() });
});

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true });
});

type Answer = Readonly<Record<string, unknown>>;

let count = 0;

/** A session whose agent does what it is told. */
class Agent {
  private constructor(
    readonly id: string,
    readonly project: string,
    private readonly reportFile: string,
  ) {}

  static async start(more: { readonly autoApprove?: boolean } = {}): Promise<Agent> {
    count += 1;
    const project = join(folder, `project-${count}`);
    await mkdir(join(project, "inner"), { recursive: true });
    const reportFile = join(folder, `report-${count}`);
    const { id } = await daemon.client.createSession({
      harness: "acp",
      cwd: project,
      args: ["--command", process.execPath, AGENT],
      env: { ACP_AGENT_REPORT: reportFile },
      autoApprove: more.autoApprove ?? false,
    });
    const agent = new Agent(id, project, reportFile);
    await agent.rests();
    return agent;
  }

  async does(...steps: readonly object[]): Promise<void> {
    await daemon.client.sendMessage(this.id, { text: JSON.stringify(steps) });
  }

  async rests(): Promise<void> {
    await expect.poll(async () => (await daemon.client.getSession(this.id)).status).toBe("completed");
  }

  /** What it was answered, but for the greeting. */
  answers(): readonly Answer[] {
    const lines = existsSync(this.reportFile) ? readFileSync(this.reportFile, "utf8").split("\n") : [];
    return lines
      .slice(1)
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Answer);
  }

  /** All that it was answered in a turn. */
  async answersTo(...steps: readonly object[]): Promise<readonly Answer[]> {
    const before = this.answers().length;
    const asked = steps.filter((step) => "send" in step || "begin" in step).length;
    await this.does(...steps);
    await expect.poll(() => this.answers().length).toBe(before + asked);
    await this.rests();
    return this.answers().slice(before);
  }

  async askTitle(): Promise<string> {
    await expect
      .poll(async () => (await daemon.client.getSession(this.id)).asks.filter((ask) => ask.needsHuman).length)
      .toBe(1);
    return (await daemon.client.getSession(this.id)).asks[0]?.askId ?? "";
  }

  /** A pid that a command wrote into a file. */
  async pidIn(file: string): Promise<number> {
    const path = join(this.project, file);
    await expect.poll(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n")).toBe(true);
    return Number(readFileSync(path, "utf8"));
  }
}

function create(command: string, more: object = {}): object {
  return { send: "terminal/create", params: { command, ...more }, as: "t" };
}

function use(what: string): object {
  return { send: `terminal/${what}`, params: { terminalId: "$t" } };
}

/** A line that goes on with a child; their pids are in `file` and `file.child`. */
function lasting(file: string): string {
  return `sh -c '${LONG} & echo $! > ${file}.child; echo $$ > ${file}; wait'`;
}

/** The folders of commands that are left in the keeper's place. */
async function leftFolders(): Promise<readonly string[]> {
  return (await readdir(join(daemon.dataDir, "runs"))).filter((name) => name.includes("-t"));
}

async function isAllGone(...pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await expect.poll(leftFolders).toEqual([]);
}

test("what a rule allows is run in the session's folder, read, waited for and let go", async () => {
  const agent = await Agent.start();
  expect(
    JSON.parse(readFileSync(join(folder, `report-${count}`), "utf8").split("\n")[0] ?? ""),
  ).toMatchObject({
    params: { clientCapabilities: { terminal: true } },
  });
  const answers = await agent.answersTo(
    create("cat", { args: ["a b", "-"], env: [{ name: "LC_ALL", value: "C" }] }),
    use("wait_for_exit"),
    use("output"),
    use("release"),
    use("output"),
  );
  const exit = { exitCode: 1, signal: null };
  const output = "cat: 'a b': No such file or directory\n";
  expect(answers).toEqual([
    { method: "terminal/create", result: { terminalId: "terminal-1" } },
    { method: "terminal/wait_for_exit", result: exit },
    { method: "terminal/output", result: { output, truncated: false, exitStatus: exit } },
    { method: "terminal/release", result: {} },
    {
      method: "terminal/output",
      error: { code: -32_002, message: "There is no such terminal, or it was released." },
    },
  ]);
  await isAllGone();
});

test("a shell line is run as it is; its variables reach it", async () => {
  const agent = await Agent.start({ autoApprove: true });
  const answers = await agent.answersTo(
    create("printf '%s\\n' a b | cat && printf $CI", {
      env: [{ name: "CI", value: "yes" }],
      cwd: join(agent.project, "inner"),
    }),
    use("wait_for_exit"),
    use("output"),
  );
  expect(answers[2]).toMatchObject({ result: { output: "a\nb\nyes" } });
  const [, end] = await agent.answersTo(create("--version"), use("wait_for_exit"));
  expect(end).toMatchObject({ result: { exitCode: 127 } });
});

test("what a rule denies is refused with the reason", async () => {
  const agent = await Agent.start();
  const [answer] = await agent.answersTo(create("rm", { args: ["-f", "x"] }));
  expect(answer).toMatchObject({ error: { code: -32_000 } });
  expect(JSON.stringify(answer)).toContain("Shell(rm *)");
});

test("a person is asked about what no rule allows, and told exactly what and where", async () => {
  const agent = await Agent.start();
  const inner = join(agent.project, "inner");
  await agent.does(create("touch", { args: ["a b"], cwd: inner }), use("wait_for_exit"));
  const askId = await agent.askTitle();
  const [ask] = (await daemon.client.getSession(agent.id)).asks;
  expect(ask).toMatchObject({ title: "touch 'a b'", detail: `touch 'a b'\n(in ${inner})` });
  expect(existsSync(join(inner, "a b"))).toBe(false);
  await daemon.client.answerAsk(agent.id, askId, { decision: "approve" });
  await agent.rests();
  expect(agent.answers().at(-1)).toEqual({
    method: "terminal/wait_for_exit",
    result: { exitCode: 0, signal: null },
  });
  expect(existsSync(join(inner, "a b"))).toBe(true);
});

test("a person may say no", async () => {
  const agent = await Agent.start();
  await agent.does(create("touch", { args: ["c"] }));
  await daemon.client.answerAsk(agent.id, await agent.askTitle(), {
    decision: "reject",
    message: "not here",
  });
  await agent.rests();
  expect(agent.answers()).toEqual([
    { method: "terminal/create", error: { code: -32_000, message: "not here" } },
  ]);
  expect(existsSync(join(agent.project, "c"))).toBe(false);
});

test("in auto mode, what no rule has asked about is run", async () => {
  const agent = await Agent.start({ autoApprove: true });
  const answers = await agent.answersTo(create("mkdir", { args: ["d"] }), use("wait_for_exit"));
  expect(answers[1]).toMatchObject({ result: { exitCode: 0 } });
  await agent.does(create("touch", { args: ["d/e"] }));
  await agent.askTitle();
});

test("nothing is run outside of the session's folder, links followed", async () => {
  const agent = await Agent.start();
  await symlink(folder, join(agent.project, "away"));
  const cwds = [folder, join(agent.project, "away"), join(agent.project, "inner/../.."), "/nowhere"];
  const answers = await agent.answersTo(...cwds.map((cwd) => create("true", { cwd })));
  expect(answers.map((answer) => (answer["error"] as { readonly message: string }).message)).toEqual([
    ...cwds.slice(0, 3).map((cwd) => `${cwd} is not inside the session's folder`),
    "ENOENT: no such file or directory, realpath '/nowhere'",
  ]);
});

test("of long output the end is kept, cut between characters, and nothing holds up the command", async () => {
  const agent = await Agent.start({ autoApprove: true });
  const lines = "é".repeat(40);
  const answers = await agent.answersTo(
    create(`sh -c 'i=0; while [ $i -lt 3000 ]; do echo ${lines}; i=$((i+1)); done; printf €ä'`, {
      outputByteLimit: 4,
    }),
    use("wait_for_exit"),
    use("output"),
  );
  const exitStatus = { exitCode: 0, signal: null };
  expect(answers[2]).toEqual({
    method: "terminal/output",
    result: { output: "ä", truncated: true, exitStatus },
  });
});

test("killed, it has ended, and can still be read", async () => {
  const agent = await Agent.start({ autoApprove: true });
  const answers = await agent.answersTo(create(LONG), use("kill"), use("wait_for_exit"), use("output"));
  const exit = { exitCode: null, signal: "SIGTERM" };
  expect(answers.slice(1)).toEqual([
    { method: "terminal/kill", result: {} },
    { method: "terminal/wait_for_exit", result: exit },
    { method: "terminal/output", result: { output: "", truncated: false, exitStatus: exit } },
  ]);
});

test("interrupted, it has ended with all that it started", async () => {
  const agent = await Agent.start({ autoApprove: true });
  await agent.does(create(lasting("pid")), { hang: true });
  const pids = [await agent.pidIn("pid"), await agent.pidIn("pid.child")];
  expect(pids.filter(isAlive)).toEqual(pids);
  await daemon.client.interrupt(agent.id);
  // Interrupted, the agent goes on without what it has us run.
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await expect.poll(async () => (await daemon.client.getSession(agent.id)).status).toBe("paused");
  // What it printed can still be read.
  expect((await leftFolders()).filter((each) => each.startsWith(agent.id))).toHaveLength(1);
});

test("of a command that prints much, only the newest is kept on the disk", async () => {
  const agent = await Agent.start({ autoApprove: true });
  const [, , answer] = await agent.answersTo(
    create("yes 0123456789 | head -c 30000000; printf end", { outputByteLimit: 3 }),
    use("wait_for_exit"),
    use("output"),
  );
  expect(answer).toMatchObject({ result: { output: "end", truncated: true } });
  const [name = ""] = (await leftFolders()).filter((each) => each.startsWith(agent.id));
  const segments = (await readdir(join(daemon.dataDir, "runs", name))).filter((each) =>
    each.startsWith("out-"),
  );
  expect(segments.length).toBeLessThanOrEqual(2);
});

test("a terminal in a tool call shows what it prints, while it runs and at the end", async () => {
  const agent = await Agent.start({ autoApprove: true });
  const content = [{ type: "terminal", terminalId: "$t" }];
  await agent.does(
    create(`sh -c 'echo first; until [ -e go ]; do sleep 0.05; done; echo second'`),
    { update: { sessionUpdate: "tool_call", toolCallId: "c1", title: "run", kind: "execute", content } },
    use("wait_for_exit"),
    { update: { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed", content } },
  );
  const shown = async () => {
    const { items } = await daemon.client.getThread(agent.id);
    const calls = (items as readonly Answer[]).filter((item) => item["type"] === "tool_call");
    return calls.map((call) => [call["output"], call["state"]]);
  };
  await expect.poll(shown).toEqual([["first\n", "running"]]);
  await writeFile(join(agent.project, "go"), "");
  await expect.poll(shown).toEqual([["first\nsecond\n", "succeeded"]]);
});

test("a command outlives the daemon, and its end is told to who has waited for it since before", async () => {
  const agent = await Agent.start({ autoApprove: true });
  await agent.does(
    create(`sh -c 'echo $$ > pid; until [ -e go ]; do sleep 0.05; done; exit 5'`),
    create(`sh -c 'echo $$ > other; until [ -e go ]; do sleep 0.05; done; exit 6'`),
    use("wait_for_exit"),
    use("output"),
  );
  const pid = await agent.pidIn("pid");
  await agent.pidIn("other");
  await daemon.kill("SIGKILL");
  expect(isAlive(pid)).toBe(true);
  const { dataDir } = daemon;
  daemon = await TestDaemon.start({ dataDir, env: env() });
  await writeFile(join(agent.project, "go"), "");
  await agent.rests();
  expect(agent.answers().slice(2)).toMatchObject([
    { method: "terminal/wait_for_exit", result: { exitCode: 6 } },
    { method: "terminal/output", result: { exitStatus: { exitCode: 6 } } },
  ]);
});

test("one that ended while there was no daemon is told when there is one again", async () => {
  const agent = await Agent.start({ autoApprove: true });
  await agent.does(
    create(`sh -c 'echo $$ > pid; until [ -e go ]; do sleep 0.05; done; exit 7'`),
    use("wait_for_exit"),
  );
  const pid = await agent.pidIn("pid");
  await daemon.kill("SIGKILL");
  await writeFile(join(agent.project, "go"), "");
  await expect.poll(() => isAlive(pid)).toBe(false);
  const { dataDir } = daemon;
  daemon = await TestDaemon.start({ dataDir, env: env() });
  await agent.rests();
  expect(agent.answers()[1]).toEqual({
    method: "terminal/wait_for_exit",
    result: { exitCode: 7, signal: null },
  });
});

test.each(["killed", "cancelled", "deleted", "killed while there is no daemon", "lost with its keeper"])(
  "of an agent that is %s no command is left",
  async (how) => {
    for (const { id } of (await daemon.client.listSessions()).items) await daemon.client.deleteSession(id);
    await expect.poll(leftFolders).toEqual([]);
    const agent = await Agent.start({ autoApprove: true });
    await agent.does(create(lasting("pid")), create(lasting("other")), use("wait_for_exit"));
    const files = ["pid", "pid.child", "other", "other.child"];
    const pids = await Promise.all(files.map((file) => agent.pidIn(file)));
    const { pid: agentPid } = (await daemon.client.explain(agent.id)).process;
    switch (how) {
      case "killed":
        process.kill(agentPid ?? 0, "SIGKILL");
        break;
      case "cancelled":
        await daemon.client.cancel(agent.id);
        break;
      case "deleted":
        await daemon.client.deleteSession(agent.id);
        break;
      case "lost with its keeper":
        process.kill(await daemon.keeperPid(), "SIGKILL");
        break;
      default: {
        const { dataDir } = daemon;
        await daemon.kill("SIGKILL");
        process.kill(agentPid ?? 0, "SIGKILL");
        daemon = await TestDaemon.start({ dataDir, env: env() });
      }
    }
    await isAllGone(...pids);
  },
);
