/** Commands of the person's own that run after a tool: a formatter, a linter, a note to somebody. */
import type { Json } from "../../core/index.js";
import type { PostToolHook } from "../../protocol/agent-config.js";
import { BoundedText } from "../tools/bounded-text.js";
import { signalGroup, spawnGroup } from "../tools/spawn-group.js";
import type { ToolOutcome } from "../tools/tool.js";

/** What hooks inherit: nothing that could be a secret. */
const ENVIRONMENT = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR"] as const;
const OUTPUT_LENGTH_MAX = 10_000;

export interface HookListener {
  readonly started: () => void;
  readonly finished: (ok: boolean) => void;
}

export interface AfterTool {
  readonly outcome: ToolOutcome;
  /** Why the turn must not go on. */
  readonly stop?: string;
}

interface HookResult {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs every hook that fits, one after the other; a failure is told to the model, or stops the turn. */
export async function runPostToolHooks(
  hooks: readonly PostToolHook[],
  call: { readonly name: string; readonly input: Json; readonly outcome: ToolOutcome },
  cwd: string,
  listener: HookListener,
): Promise<AfterTool> {
  const fitting = hooks.filter((hook) => fits(hook, call.name, call.outcome));
  if (fitting.length === 0) return { outcome: call.outcome };
  listener.started();
  let { outcome } = call;
  for (const hook of fitting) {
    const result = await runHook(hook, call, cwd);
    if (result.ok) continue;
    const problem = `The hook ${JSON.stringify(hook.command)} failed:\n${result.output}`;
    outcome = { ...outcome, content: `${outcome.content}\n${problem}` };
    if (hook.on_failure !== "stop") continue;
    listener.finished(false);
    return { outcome, stop: problem };
  }
  listener.finished(outcome === call.outcome);
  return { outcome };
}

function fits({ tools, only_on_success }: PostToolHook, name: string, { isError }: ToolOutcome): boolean {
  if (only_on_success && isError) return false;
  return tools === undefined || tools.some((pattern) => matches(pattern, name));
}

/** `*` stands for any text. */
function matches(pattern: string, name: string): boolean {
  const literal = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`).test(name);
}

async function runHook(
  hook: PostToolHook,
  call: { readonly name: string; readonly input: Json; readonly outcome: ToolOutcome },
  cwd: string,
): Promise<HookResult> {
  const first = await runOnce(hook, call, cwd);
  return first.ok || hook.on_failure !== "retry" ? first : runOnce(hook, call, cwd);
}

/** In a process group of its own, which ends with it or with its time. */
function runOnce(
  hook: PostToolHook,
  { name, input, outcome }: { readonly name: string; readonly input: Json; readonly outcome: ToolOutcome },
  cwd: string,
): Promise<HookResult> {
  const output = new BoundedText(OUTPUT_LENGTH_MAX);
  const stdio = ["pipe", "pipe", "pipe"] as const;
  const child = spawnGroup("/bin/sh", ["-c", hook.command], { cwd, env: environment(), stdio });
  const killGroup = (): void => {
    signalGroup(child, "SIGKILL");
  };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => output.add(text));
  // It may end without reading.
  child.stdin
    ?.on("error", () => undefined)
    .end(JSON.stringify({ tool: name, input, isError: outcome.isError }));
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killGroup();
    }, hook.timeout_s * 1_000);
    const done = (ok: boolean, why: string): void => {
      clearTimeout(timer);
      killGroup();
      resolve({ ok, output: `${output.text().trimEnd()}${why}` });
    };
    child.once("error", (error) => done(false, error.message));
    child.once("exit", (code) => {
      if (isLate) done(false, `\n[It took longer than ${hook.timeout_s} s.]`);
      else done(code === 0, code === 0 ? "" : `\n[exit code ${String(code)}]`);
    });
  });
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
