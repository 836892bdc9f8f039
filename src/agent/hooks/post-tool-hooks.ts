/** Commands of the person's own that run after a tool: a formatter, a linter, a note to somebody. */
import type { Json } from "../../core/index.js";
import type { PostToolHook } from "../../protocol/agent-config.js";
import { runCommand } from "../tools/run-command.js";
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

export interface DoneCall {
  readonly name: string;
  readonly input: Json;
  readonly outcome: ToolOutcome;
  /** Aborted when the turn is to end, or what runs in it. */
  readonly signal: AbortSignal;
}

/** Runs every hook that fits, one after the other; a failure is told to the model, or stops the turn. */
export async function runPostToolHooks(
  hooks: readonly PostToolHook[],
  call: DoneCall,
  cwd: string,
  listener: HookListener,
): Promise<AfterTool> {
  const fitting = hooks.filter((hook) => fits(hook, call.name, call.outcome));
  if (fitting.length === 0) return { outcome: call.outcome };
  listener.started();
  let { outcome } = call;
  for (const hook of fitting) {
    const failure = await runHook(hook, call, cwd);
    if (failure === null) continue;
    const problem = `The hook ${JSON.stringify(hook.command)} failed:\n${failure}`;
    outcome = { ...outcome, content: `${outcome.content}\n${problem}` };
    if (call.signal.aborted) break;
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

/** What it said when it failed, or null. */
async function runHook(hook: PostToolHook, call: DoneCall, cwd: string): Promise<string | null> {
  const failure = await runOnce(hook, call, cwd);
  const isOver = failure === null || hook.on_failure !== "retry" || call.signal.aborted;
  return isOver ? failure : runOnce(hook, call, cwd);
}

async function runOnce(
  { command, timeout_s }: PostToolHook,
  { name, input, outcome, signal }: DoneCall,
  cwd: string,
): Promise<string | null> {
  const { failure, output } = await runCommand(command, {
    cwd,
    env: environment(),
    timeoutMs: timeout_s * 1_000,
    outputLengthMax: OUTPUT_LENGTH_MAX,
    input: JSON.stringify({ tool: name, input, isError: outcome.isError }),
    signal,
  });
  return failure === null ? null : `${output}\n[${failure}]`;
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
