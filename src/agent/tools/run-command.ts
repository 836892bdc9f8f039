import { BoundedText } from "./bounded-text.js";
import { signalGroup, spawnGroup } from "./spawn-group.js";

/** What it printed last is read in this time, after its end. */
const LAST_OUTPUT_DELAY_MS = 1_000;

export interface CommandOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly outputLengthMax: number;
  /** On its stdin, which then ends. */
  readonly input?: string;
  readonly signal: AbortSignal;
}

export interface CommandEnd {
  /** Why it is none that went well, or null. */
  readonly failure: string | null;
  readonly stdout: string;
  /** All that it printed. */
  readonly output: string;
}

/** One line for `sh`, in a process group of its own, which ends with it, with its time, or when it is aborted. */
export function runCommand(command: string, options: CommandOptions): Promise<CommandEnd> {
  const { cwd, env, timeoutMs, outputLengthMax, input = "", signal } = options;
  const [stdout, output] = [new BoundedText(outputLengthMax), new BoundedText(outputLengthMax)];
  const child = spawnGroup("/bin/sh", ["-c", command], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => stdout.add(text));
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => output.add(text));
  // It may end without reading.
  child.stdin?.on("error", () => undefined).end(input);
  return new Promise((resolve) => {
    let ended: string | null = null;
    const timers: NodeJS.Timeout[] = [];
    const kill = (why: string): void => {
      ended ??= why;
      signalGroup(child, "SIGKILL");
    };
    const abort = (): void => kill("It was interrupted.");
    const done = (failure: string | null): void => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ failure, stdout: stdout.text().trimEnd(), output: output.text().trimEnd() });
    };
    child.once("error", (error) => done(error.message));
    child.once("exit", (code, by) => {
      const failure =
        ended ?? (code === 0 ? null : by === null ? `exit code ${String(code)}` : `ended by ${by}`);
      // What it left running ends with it. What left the group may hold the pipes open for ever.
      signalGroup(child, "SIGKILL");
      child.once("close", () => done(failure));
      timers.push(setTimeout(() => done(failure), LAST_OUTPUT_DELAY_MS));
    });
    timers.push(setTimeout(() => kill(`It took longer than ${timeoutMs / 1_000} s.`), timeoutMs));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
}
