import type { ChildProcess } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { BoundedText } from "./bounded-text.js";
import { resolvePath } from "./resolve-path.js";
import { ShellPreview } from "./shell-preview.js";
import { signalGroup, spawnGroup } from "./spawn-group.js";
import type { Tool, ToolContext, ToolOutcome } from "./tool.js";

const TIMEOUT_S_MAX = 600;
const TIMEOUT_S_DEFAULT = 30;
const TITLE_LENGTH_MAX = 200;
const OUTPUT_LENGTH_MAX = 400_000;
/** After it was asked to stop, and after it was told to. */
const TERM_DELAY_MS = 2_000;
const KILL_DELAY_MS = 3_000;
/** What it printed last is read in this time, after its end. */
const LAST_OUTPUT_DELAY_MS = 1_000;

const input = z.object({
  command: z.string().min(1),
  dir: z.string().optional().describe("Where to run it, if not in the session's folder"),
  shell: z.enum(["bash", "sh", "zsh", "fish"]).default("bash"),
  timeout: z.number().positive().max(TIMEOUT_S_MAX).default(TIMEOUT_S_DEFAULT).describe("Seconds"),
  description: z.string().optional(),
});
type Input = z.infer<typeof input>;

export const shellCommandTool: Tool<Input> = {
  name: "execute_shell_command",
  capability: "client_v1_execute_shell_command",
  ask: "command",
  description: "Runs a command in a shell of its own, without a terminal, and gives all that it prints.",
  input,
  // The machine keeps the time, and sees the call as the model made it: without what is left to the default.
  timeoutMs: TIMEOUT_S_DEFAULT * 1_000,
  describe: ({ command, dir, description }) =>
    Promise.resolve({
      title: titleOf(command),
      detail: [
        command,
        ...(dir === undefined ? [] : [`(in ${dir})`]),
        ...(description === undefined ? [] : [`Described as: ${description}`]),
      ].join("\n"),
    }),
  async execute(call, context) {
    const cwd = await resolvePath(context.cwd, call.dir ?? ".");
    return new ShellRun(call, cwd, context).outcome();
  },
};

/** Its first line: what the model says of it may be anything. */
function titleOf(command: string): string {
  const whole = command.trim();
  const line = (whole.split("\n", 1)[0] ?? "").slice(0, TITLE_LENGTH_MAX);
  return line.length < whole.length ? `${line}…` : line;
}

/** One command in a process group of its own; when it ends, or must, the whole group ends. */
class ShellRun {
  private readonly output = new BoundedText(OUTPUT_LENGTH_MAX);
  private readonly preview: ShellPreview;
  private readonly child: ChildProcess;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    { command, shell }: Input,
    cwd: string,
    private readonly context: ToolContext,
  ) {
    this.preview = new ShellPreview(context.preview);
    // Both into one pipe, so that what it prints stays in order.
    this.child = spawnGroup("/bin/sh", ["-c", 'exec "$0" -c "$1" 2>&1', shell, command], {
      cwd,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat" },
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => this.take(text));
  }

  async outcome(): Promise<ToolOutcome> {
    const { signal } = this.context;
    const stop = (): void => this.stop();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const ended = await this.ended();
      return { ...ended, content: `${this.text()}${ended.content}` };
    } finally {
      signal.removeEventListener("abort", stop);
      for (const timer of this.timers) clearTimeout(timer);
      this.child.stdout?.destroy();
      await this.preview.close();
    }
  }

  private ended(): Promise<ToolOutcome> {
    return new Promise((resolve) => {
      this.child.once("error", (error) => resolve({ isError: true, content: `\n[${error.message}]` }));
      this.child.once("exit", (code, signal) => {
        const how = signal === null ? `exit code ${code ?? 0}` : `ended by ${signal}`;
        const outcome = { isError: code !== 0, content: `\n[${how}]` };
        // What it left running in the background ends with it. What left the group may hold the pipe open for ever.
        this.signalGroup("SIGKILL");
        this.child.once("close", () => resolve(outcome));
        this.timers.push(setTimeout(() => resolve(outcome), LAST_OUTPUT_DELAY_MS));
      });
    });
  }

  private take(text: string): void {
    this.output.add(text);
    this.preview.write(text);
  }

  private text(): string {
    return stripVTControlCharacters(this.output.text()).replaceAll("\r\n", "\n").trimEnd();
  }

  /** Asked first, then told, then ended. */
  private stop(): void {
    this.signalGroup("SIGINT");
    this.timers.push(
      setTimeout(() => this.signalGroup("SIGTERM"), TERM_DELAY_MS),
      setTimeout(() => this.signalGroup("SIGKILL"), TERM_DELAY_MS + KILL_DELAY_MS),
    );
  }

  private signalGroup(signal: NodeJS.Signals): void {
    signalGroup(this.child, signal);
  }
}
