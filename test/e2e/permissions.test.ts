/** Permission rules at work: the real daemon, real files, and a scripted agent that asks before every command. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { SignalboxError } from "../../src/client/index.js";
import type { JournalEntry } from "../../src/protocol/api-schemas.js";
import { runSignalbox } from "../cli/signalbox.js";
import { TestDaemon } from "./test-daemon.js";

let folder: string;
let daemon: TestDaemon;
let globalFile: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "signalbox-permissions-")));
  globalFile = join(folder, "config/signalbox/permissions.toml");
  daemon = await TestDaemon.start({
    dataDir: join(folder, "data"),
    env: { XDG_CONFIG_HOME: join(folder, "config"), HOME: join(folder, "home") },
  });
});

afterEach(() => rm(dirname(globalFile), { recursive: true, force: true, maxRetries: 5 }));

afterAll(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function rules(lists: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(lists).map(([name, texts]) => `${name} = ${JSON.stringify(texts)}`);
  return `[permissions]\n${lines.join("\n")}\n`;
}

let projects = 0;

async function newProject(): Promise<string> {
  projects += 1;
  const project = join(folder, "home", `project-${projects}`);
  await mkdir(join(project, ".git"), { recursive: true });
  return project;
}

const REQUEST = { emit: { type: "request" } };
const DONE = { emit: { type: "done" } };

/** A turn that asks before it runs the command that it is told. */
function askingTurn(askId: string): readonly unknown[] {
  const tool = { name: "Bash", input: { command: "$TEXT" } };
  const ask = { type: "ask", askId, ask: "command", title: "$TEXT", tool };
  return [REQUEST, { emit: ask }, { answer: askId, approve: [], reject: [] }, DONE];
}

/** A session whose agent asks before each command, and what becomes of the asks. */
class Asking {
  private count = 0;

  private constructor(
    readonly id: string,
    readonly project: string,
    private readonly reportFile: string,
  ) {}

  static async start(
    more: {
      readonly project?: string;
      readonly autoApprove?: boolean;
      readonly turns?: readonly unknown[];
    } = {},
  ): Promise<Asking> {
    const project = more.project ?? (await newProject());
    projects += 1;
    const report = join(folder, `report-${projects}`);
    const turns = more.turns ?? ["a1", "a2", "a3", "a4", "a5"].map(askingTurn);
    const { id } = await daemon.client.createSession({
      harness: "script",
      cwd: project,
      args: ["--report", report, "--inline", JSON.stringify({ turns })],
      autoApprove: more.autoApprove ?? false,
    });
    await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("completed");
    return new Asking(id, project, report);
  }

  /** What came of the ask for this command: its answer, or that a person is asked. */
  async asksFor(command: string): Promise<"approve" | "reject" | "asked"> {
    this.count += 1;
    const askId = `a${this.count}`;
    await daemon.client.sendMessage(this.id, { text: command });
    const outcomes: ("approve" | "reject" | "asked")[] = [];
    await expect
      .poll(async () => {
        const { asks } = await daemon.client.getSession(this.id);
        const isShown = asks.some((ask) => ask.askId === askId && ask.needsHuman);
        const outcome = isShown ? "asked" : (await this.heard(askId))?.decision;
        if (outcome) outcomes.push(outcome);
        return outcomes.length;
      })
      .toBe(1);
    return outcomes[0] ?? "asked";
  }

  /** Answers the open ask, and waits until the turn is over. */
  async answer(answer: Parameters<typeof daemon.client.answerAsk>[2]): Promise<void> {
    await daemon.client.answerAsk(this.id, `a${this.count}`, answer);
    await expect.poll(async () => (await daemon.client.getSession(this.id)).status).toBe("completed");
  }

  /** What the agent was told about an ask. */
  async heard(
    askId: string,
  ): Promise<{ readonly decision: "approve" | "reject"; readonly text: string | null } | null> {
    if (!existsSync(this.reportFile)) return null;
    const lines = (await readFile(this.reportFile, "utf8")).trim().split("\n");
    const told = lines.map((line) => (JSON.parse(line) as { heard?: Record<string, unknown> }).heard);
    const answers = told.filter((each) => each?.["type"] === "answer" && each["askId"] === askId);
    expect(answers.length).toBeLessThanOrEqual(1);
    return (answers[0] ?? null) as Awaited<ReturnType<Asking["heard"]>>;
  }

  async entries(): Promise<readonly JournalEntry[]> {
    return (await daemon.client.listEvents(this.id, { limit: 1_000 })).items;
  }

  async verdicts(): Promise<readonly unknown[]> {
    return (await this.entries()).flatMap((entry) =>
      entry.kind === "fact" && entry.event.type === "permission_resolved" ? [entry.event] : [],
    );
  }

  async metadata(): Promise<readonly unknown[]> {
    return (await this.entries()).flatMap((entry) =>
      entry.kind === "stream" && entry.event.type === "metadata" ? [entry.event.payload] : [],
    );
  }
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "granted";
  } catch (error) {
    return error instanceof SignalboxError ? `${error.status} ${error.code}` : String(error);
  }
}

test("deny rejects and allow approves, without a person; the agent and the journal are told the rule", async () => {
  await put(globalFile, rules({ allow: ["Shell(git status)"], deny: ["Shell(rm *)"] }));
  const session = await Asking.start();
  expect(await session.asksFor("rm -rf build")).toBe("reject");
  expect(await session.asksFor("git status")).toBe("approve");
  expect((await session.heard("a1"))?.text).toContain("Shell(rm *)");
  expect((await session.heard("a2"))?.text).toBe(null);
  const known = {
    type: "permission_resolved",
    run: 1,
    file: globalFile,
    because: expect.any(String) as string,
  };
  expect(await session.verdicts()).toEqual([
    { ...known, askId: "a1", verdict: "deny", rule: "Shell(rm *)" },
    { ...known, askId: "a2", verdict: "allow", rule: "Shell(git status)" },
  ]);
});

test("auto mode answers only what no rule decides, and only in its own session", async () => {
  await put(globalFile, rules({ ask: ["Shell(git push *)"], deny: ["Shell(rm *)"] }));
  const auto = await Asking.start({ autoApprove: true });
  expect(await auto.asksFor("npm test")).toBe("approve");
  expect(await auto.asksFor("rm x")).toBe("reject");
  expect(await auto.asksFor("git push origin main")).toBe("asked");
  const careful = await Asking.start();
  expect(await careful.asksFor("npm test")).toBe("asked");
});

test("an agent in auto mode reaches neither our files nor our approvals", async () => {
  await put(globalFile, rules({ allow: ["Shell"], grants: ["Shell"] }));
  const session = await Asking.start({ autoApprove: true });
  expect(await session.asksFor(`cat ${join(daemon.dataDir, "token")}`)).toBe("reject");
  expect(await session.asksFor("signalbox approve")).toBe("reject");
  expect(await session.asksFor("echo | signalbox permissions trust .")).toBe("reject");
  expect(await session.asksFor(`echo x > ${globalFile}`)).toBe("reject");
});

test("an edit counts for the next decision, without a restart; a broken file makes it ask", async () => {
  const session = await Asking.start();
  await put(globalFile, rules({ allow: ["Shell(npm test)"] }));
  expect(await session.asksFor("npm test")).toBe("approve");
  await put(globalFile, rules({ deny: ["Shell(npm test)"] }));
  expect(await session.asksFor("npm test")).toBe("reject");
  await put(globalFile, `${rules({ allow: ["Shell(npm test)"] })}oops\n`);
  expect(await session.asksFor("npm test")).toBe("asked");
  expect((await session.verdicts()).at(-1)).toMatchObject({
    verdict: "ask",
    file: globalFile,
    because: expect.stringMatching(/line 3, column \d+/) as string,
  });
});

test("a repository's rules: deny at once, allow only when trusted, and only as they were", async () => {
  const project = await newProject();
  const file = join(project, ".signalbox/permissions.toml");
  await put(file, rules({ allow: ["Shell(make)"], deny: ["Shell(rm *)"] }));
  const session = await Asking.start({ project });
  expect(await session.asksFor("rm x")).toBe("reject");
  expect(await session.asksFor("make")).toBe("asked");
  await session.answer({ decision: "reject", message: "not yet" });
  expect(await daemon.client.trustFolder({ dir: project })).toMatchObject({
    state: "trusted",
    allows: ["Shell(make)"],
  });
  expect(await session.asksFor("make")).toBe("approve");
  await put(file, rules({ allow: ["Shell(make)", "Shell"] }));
  expect(await session.asksFor("make")).toBe("asked");
});

test("for the session: the same ask is approved in it, another is not, nor the same elsewhere", async () => {
  const session = await Asking.start();
  expect(await session.asksFor("npm test")).toBe("asked");
  const [ask] = (await daemon.client.getSession(session.id)).asks;
  expect([ask?.tool, ask?.suggestions]).toEqual(["Bash", ["Shell(npm test)"]]);
  await session.answer({ decision: "approve", scope: "session" });
  expect(await session.asksFor("npm test")).toBe("approve");
  expect((await session.verdicts()).at(-1)).toMatchObject({ verdict: "allow", rule: "Shell(npm test)" });
  expect(await session.asksFor("npm test -- --watch")).toBe("asked");
  const other = await Asking.start({ project: session.project });
  expect(await other.asksFor("npm test")).toBe("asked");
  const grant = { scope: "session", rules: ["Shell(npm test)"], file: null, problem: null };
  expect(await session.metadata()).toEqual([{ grant }]);
});

test("for the project: every session in it, no other, and nothing in the repository", async () => {
  const session = await Asking.start();
  expect(await session.asksFor("npm test")).toBe("asked");
  await session.answer({ decision: "approve", scope: "project" });
  const same = await Asking.start({ project: session.project });
  expect(await same.asksFor("npm test")).toBe("approve");
  expect(await same.asksFor("npm run test")).toBe("asked");
  const elsewhere = await Asking.start();
  expect(await elsewhere.asksFor("npm test")).toBe("asked");
  expect(existsSync(join(session.project, ".signalbox"))).toBe(false);
});

test("always: every session, kept once beside what was there", async () => {
  await put(globalFile, '# mine\n[permissions]\nask = ["Shell(npm *)"] # careful\n');
  const session = await Asking.start();
  expect(await session.asksFor("npm test")).toBe("asked");
  await session.answer({ decision: "approve", scope: "always" });
  const elsewhere = await Asking.start();
  expect(await elsewhere.asksFor("npm test")).toBe("approve");
  expect(await elsewhere.asksFor("npm ci")).toBe("asked");
  await elsewhere.answer({ decision: "approve", scope: "always" });
  expect(await readFile(globalFile, "utf8")).toBe(
    '# mine\n[permissions]\nask = ["Shell(npm *)"] # careful\ngrants = ["Shell(npm test)", "Shell(npm ci)"]\n',
  );
});

test("many who grant at once lose nothing", async () => {
  const commands = Array.from({ length: 8 }, (_each, index) => `make target-${index}`);
  const sessions = await Promise.all(commands.map(() => Asking.start()));
  await Promise.all(sessions.map((session, index) => session.asksFor(commands[index] ?? "")));
  const answers = sessions.map(({ id }) => ({
    sessionId: id,
    askId: "a1",
    decision: "approve" as const,
    scope: "always" as const,
  }));
  const added = commands.map((command) =>
    daemon.client.addRule({ rule: `Shell(${command} now)`, effect: "allow", scope: "always", cwd: folder }),
  );
  await Promise.all([daemon.client.answerAsks({ answers }), ...added]);
  await expect
    .poll(async () => {
      const { rules: all } = await daemon.client.getPermissions({ cwd: folder });
      return all
        .filter(({ kind }) => kind !== "builtin")
        .map(({ rule }) => rule)
        .toSorted();
    })
    .toEqual(commands.flatMap((command) => [`Shell(${command})`, `Shell(${command} now)`]).toSorted());
});

test("a file with a flaw is not written to: the answer holds once, and the session says so", async () => {
  const session = await Asking.start();
  const text = "[permissions]\nallow = [\n";
  await put(globalFile, text);
  expect(await session.asksFor("npm test")).toBe("asked");
  await session.answer({ decision: "approve", scope: "always" });
  expect((await session.heard("a1"))?.decision).toBe("approve");
  expect(await readFile(globalFile, "utf8")).toBe(text);
  await expect
    .poll(async () =>
      (await session.entries()).flatMap((entry) =>
        entry.kind === "state" && entry.event.payload.type === "session_error" ? [entry.event.payload] : [],
      ),
    )
    .toEqual([
      {
        type: "session_error",
        code: "conflict",
        retryable: false,
        source: "orchestrator",
        message: expect.stringContaining("has a flaw and is left as it is, line 3") as string,
      },
    ]);
  await rm(globalFile);
  expect(await session.asksFor("npm test")).toBe("asked");
});

test("of two answers at once one wins, and the other is stale", async () => {
  const session = await Asking.start();
  expect(await session.asksFor("npm test")).toBe("asked");
  const answers = await Promise.all([
    refusal(daemon.client.answerAsk(session.id, "a1", { decision: "approve" })),
    refusal(daemon.client.answerAsk(session.id, "a1", { decision: "reject" })),
  ]);
  expect(answers.toSorted()).toEqual(["409 ask_stale", "granted"]);
  await expect
    .poll(async () => (await session.heard("a1"))?.decision)
    .toBe(answers[0] === "granted" ? "approve" : "reject");
});

test("asks close everywhere when the turn ends, and when the process dies", async () => {
  const tool = { name: "Bash", input: { command: "$TEXT" } };
  const ask = { emit: { type: "ask", askId: "a1", ask: "command", title: "x", tool } };
  const ends = [
    [DONE, "completed"],
    [{ kill: "SIGKILL" }, "error"],
  ] as const;
  for (const [end, status] of ends) {
    const session = await Asking.start({ turns: [[REQUEST, ask, { waitMs: 1_000 }, end]] });
    expect(await session.asksFor("npm test")).toBe("asked");
    await expect.poll(async () => (await daemon.client.getSession(session.id)).status).toBe(status);
    expect((await daemon.client.getSession(session.id)).asks).toEqual([]);
    const { items } = await daemon.client.listAsks();
    expect(items.filter(({ sessionId }) => sessionId === session.id)).toEqual([]);
    expect(await refusal(daemon.client.answerAsk(session.id, "a1", { decision: "approve" }))).toBe(
      "409 ask_stale",
    );
  }
});

test("the command line explains, adds and trusts", async () => {
  const project = await newProject();
  const run = (...args: readonly string[]) =>
    runSignalbox(["permissions", ...args, "--data-dir", daemon.dataDir], "", { NO_COLOR: "1" });
  await put(join(project, ".signalbox/permissions.toml"), rules({ allow: ["Shell(make *)"] }));
  const test = async (call: string): Promise<unknown> =>
    JSON.parse((await run("test", "--json", "--cwd", project, call)).stdout);
  expect(await test("Shell(make all)")).toMatchObject({
    decision: "none",
    rule: null,
    file: null,
    because: expect.stringContaining("not trusted") as string,
  });
  expect((await run("trust", "--yes", project)).code).toBe(0);
  expect(await test("Shell(make all)")).toMatchObject({ decision: "allow", rule: "Shell(make *)" });
  expect((await run("add", "--deny", "--cwd", project, "Shell(rm)")).code).toBe(0);
  expect(await test("Shell(git status && rm x)")).toMatchObject({ decision: "deny", rule: "Shell(rm)" });
  expect((await run("trust", "--revoke", project)).code).toBe(0);
  const listed = await run("ls", "--cwd", project);
  expect(listed.stdout).toContain("Shell(make *)");
  expect(listed.stdout).toContain("does not count: not trusted");
  expect(await run("test", "make all")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining('"make all" is no call: expected Shell(') as string,
  });
});
