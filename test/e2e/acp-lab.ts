/** A daemon whose agents are scripted and speak ACP, with the rules of the tests about commands that it runs for them. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { TestDaemon } from "./test-daemon.js";

const AGENT = new URL("../../dist/test/e2e/programs/acp-agent.js", import.meta.url).pathname;

const RULES = `[permissions]
allow = ["Shell(printf *)", "Shell(cat *)", "Shell(true)"]
deny = ["Shell(rm *)"]
ask = ["Shell(touch *)"]
`;

type Env = Readonly<Record<string, string>>;
export type Answer = Readonly<Record<string, unknown>>;

export class AcpLab {
  private agents = 0;

  /** `env`: for the daemon. `below`: where its folder is. */
  static async open(env: Env = {}, below = tmpdir()): Promise<AcpLab> {
    const folder = await realpath(await mkdtemp(join(below, "signalbox-acp-")));
    const rules = join(folder, "config/signalbox/permissions.toml");
    await mkdir(dirname(rules), { recursive: true });
    await writeFile(rules, RULES);
    return new AcpLab(folder, await startDaemon(folder, env), env);
  }

  private constructor(
    readonly folder: string,
    public daemon: TestDaemon,
    private readonly env: Env,
  ) {}

  async close(): Promise<void> {
    await this.daemon.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** `meanwhile` happens while there is no daemon. */
  async killDaemon(meanwhile: () => Promise<void> | void = () => undefined): Promise<void> {
    await this.daemon.kill("SIGKILL");
    await meanwhile();
    this.daemon = await startDaemon(this.folder, this.env);
  }

  async startAgent(more: { readonly autoApprove?: boolean } = {}): Promise<LabAgent> {
    this.agents += 1;
    const project = join(this.folder, `project-${this.agents}`);
    await mkdir(join(project, "inner"), { recursive: true });
    // Where the agent can write to, also behind a wall.
    const reportFile = join(project, ".report");
    const { id } = await this.daemon.client.createSession({
      harness: "acp",
      cwd: project,
      args: ["--command", process.execPath, AGENT],
      env: { ACP_AGENT_REPORT: reportFile },
      autoApprove: more.autoApprove ?? false,
    });
    const agent = new LabAgent(this, id, project, reportFile);
    await agent.rests();
    return agent;
  }

  /** Where the keeper has what it keeps of commands, of this session or of all. */
  async leftFolders(sessionId = ""): Promise<readonly string[]> {
    const names = await readdir(join(this.daemon.dataDir, "runs"));
    return names.filter((name) => name.startsWith(sessionId) && name.includes("-t"));
  }
}

function startDaemon(folder: string, more: Env): Promise<TestDaemon> {
  const env = { XDG_CONFIG_HOME: join(folder, "config"), HOME: join(folder, "home"), ...more };
  return TestDaemon.start({ dataDir: join(folder, "data"), env });
}

/** A session whose agent does what it is told. */
export class LabAgent {
  constructor(
    private readonly lab: AcpLab,
    readonly id: string,
    readonly project: string,
    private readonly reportFile: string,
  ) {}

  async does(...steps: readonly object[]): Promise<void> {
    await this.lab.daemon.client.sendMessage(this.id, { text: JSON.stringify(steps) });
  }

  async rests(): Promise<void> {
    await expect.poll(() => this.status()).toBe("completed");
  }

  async status(): Promise<string> {
    return (await this.lab.daemon.client.getSession(this.id)).status;
  }

  /** What it was told first of all. */
  greeting(): Answer {
    return this.reported()[0] ?? {};
  }

  /** What it was answered. */
  answers(): readonly Answer[] {
    return this.reported().slice(1);
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

  /** The one thing that it asks a person, when it does. */
  async asks() {
    const open = async () =>
      (await this.lab.daemon.client.getSession(this.id)).asks.filter((ask) => ask.needsHuman);
    await expect.poll(async () => (await open()).length).toBe(1);
    const [ask] = await open();
    if (!ask) throw new Error("it was answered");
    return ask;
  }

  /** A pid that a command wrote into a file. */
  async pidIn(file: string): Promise<number> {
    const path = join(this.project, file);
    await expect.poll(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n")).toBe(true);
    return Number(readFileSync(path, "utf8"));
  }

  private reported(): readonly Answer[] {
    const lines = existsSync(this.reportFile) ? readFileSync(this.reportFile, "utf8").split("\n") : [];
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Answer);
  }
}

/** A step of the agent: a command, whose terminal is the newest from then on. */
export function create(command: string, more: object = {}): object {
  return { send: "terminal/create", params: { command, ...more }, as: "t" };
}

/** A step of the agent with its newest terminal. */
export function use(what: string): object {
  return { send: `terminal/${what}`, params: { terminalId: "$t" } };
}

/** A line that goes on with a child; their pids are in `file` and `file.child`. */
export function lasting(file: string): string {
  return `sh -c 'sleep 1000 & echo $! > ${file}.child; echo $$ > ${file}; wait'`;
}
