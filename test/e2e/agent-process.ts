/** The built-in agent's own program, without a daemon: what it is told, and every line that it says. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { fromAgentSchema, type FromAgent, type ToAgent } from "../../src/protocol/agent-wire.js";
import type { ModelServer } from "../agents/model-server/model-server.js";
import { builtProgram } from "../built-program.js";

const MAIN = builtProgram("agent/main.js");

type LineOf<T extends FromAgent["type"]> = Extract<FromAgent, { readonly type: T }>;

/** A home, a project and a folder for conversations, for one test. */
export class AgentHome {
  private readonly folder = mkdtempSync(join(tmpdir(), "signalbox-agent-"));
  private readonly agents: AgentProcess[] = [];
  /** Of the agent, beside those that it always has. */
  readonly variables: Record<string, string> = {};

  constructor(private readonly model: ModelServer) {
    for (const name of ["home", "work", "talks"]) mkdirSync(join(this.folder, name));
  }

  get home(): string {
    return join(this.folder, "home");
  }

  /** Where the agent works. */
  get work(): string {
    return join(this.folder, "work");
  }

  get talks(): string {
    return join(this.folder, "talks");
  }

  /** Relative to the project. */
  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.work, path)), { recursive: true });
    writeFileSync(join(this.work, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.work, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.work, path));
  }

  /** The person's `config.toml`. */
  configure(config: string): void {
    const folder = join(this.home, ".config", "signalbox");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.toml"), config);
  }

  /** The lines of a conversation's file. */
  talk(sessionId: string): readonly { readonly type: string; readonly entry?: { readonly type: string } }[] {
    return readFileSync(join(this.talks, `${sessionId}.jsonl`), "utf8")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as { type: string }]));
  }

  async start(...args: readonly string[]): Promise<AgentProcess> {
    const { PATH = "" } = process.env;
    const child = spawn(
      process.execPath,
      [MAIN, "--conversations", this.talks, "--model", "anthropic/claude-sonnet-4-5", ...args],
      {
        cwd: this.work,
        env: {
          PATH,
          HOME: this.home,
          ANTHROPIC_API_KEY: "key",
          ANTHROPIC_BASE_URL: `${this.model.url}/v1`,
          ...this.variables,
        },
      },
    );
    const agent = new AgentProcess(child);
    this.agents.push(agent);
    await agent.until("ready");
    return agent;
  }

  async end(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.kill()));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class AgentProcess {
  readonly lines: FromAgent[] = [];
  private readonly exited: Promise<unknown>;
  private stderr = "";
  private prompts = 0;

  constructor(private readonly child: ChildProcessWithoutNullStreams) {
    this.exited = once(child, "exit");
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.lines.push(fromAgentSchema.parse(JSON.parse(line)));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    // It may be killed while it is spoken to.
    child.stdin.on("error", () => undefined);
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error("it never started");
    return pid;
  }

  get sessionId(): string {
    return this.of("ready").at(-1)?.sessionId ?? "";
  }

  of<T extends FromAgent["type"]>(type: T): readonly LineOf<T>[] {
    return this.lines.filter((line): line is LineOf<T> => line.type === type);
  }

  hear(line: ToAgent): void {
    this.child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  prompt(text: string): void {
    this.prompts += 1;
    this.hear({ type: "prompt", messageId: `m${this.prompts}`, text });
  }

  answer(askId: string, decision: "approve" | "reject" | "reply", text: string | null = null): void {
    this.hear({ type: "answer", askId, decision, by: "user", text });
  }

  /** Once there are so many lines of this kind; the newest of them. */
  async until<T extends FromAgent["type"]>(type: T, count = 1): Promise<LineOf<T>> {
    await expect
      .poll(() => this.of(type).length, { message: `${type}\n${this.stderr}`, interval: 10 })
      .toBeGreaterThanOrEqual(count);
    const line = this.of(type)[count - 1];
    if (!line) throw new Error(`no ${type}`);
    return line;
  }

  /** Approves what is asked for next, and gives the ask. */
  async approve(count: number): Promise<LineOf<"ask">> {
    const ask = await this.until("ask", count);
    this.answer(ask.askId, "approve");
    return ask;
  }

  /** Prompts, approves everything, and gives the results once the turn is over. */
  async turn(text: string): Promise<readonly string[]> {
    const [done, results] = [this.of("done").length, this.of("tool_result").length];
    const answered = new Set(this.of("ask").map(({ askId }) => askId));
    this.prompt(text);
    await expect
      .poll(
        () => {
          for (const { askId } of this.of("ask").filter((ask) => !answered.has(ask.askId))) {
            answered.add(askId);
            this.answer(askId, "approve");
          }
          return this.of("done").length + this.of("failed").length;
        },
        { message: this.stderr, interval: 10 },
      )
      .toBeGreaterThan(done);
    return this.of("tool_result")
      .slice(results)
      .map(({ content }) => content);
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exited;
  }
}

/** A call of a tool, as a prompt for the scripted model. */
export function call(name: string, input: Readonly<Record<string, unknown>>): string {
  return `[[tool:${name}=${JSON.stringify(input)}]]`;
}
