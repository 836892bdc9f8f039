/** What is known of programs by their command lines, beside what the reading of screens knows. */
import { agentOf, isShell } from "../screen/agent-programs.js";

/** What runs in the terminal: an agent that we know, a shell at whose prompt commands are typed, or anything else. */
export type Program =
  | { readonly type: "agent"; readonly agent: string }
  | { readonly type: "shell" }
  | { readonly type: "other"; readonly command: string };

/** The program in the terminal's foreground; `agent` when it is one that we know. */
export interface FrontProcess {
  readonly pid: number;
  /** When its process group's leader was started, as the keeper marks it; empty where that is not known. */
  readonly start: string;
  readonly command: string;
  readonly agent: string | null;
  /** At whose prompt commands are typed. */
  readonly isShell: boolean;
  /** It is the process that we started. */
  readonly isOwn: boolean;
}

/** The process in front that something is typed for; null: the run itself, and nothing else can be in front of it. */
export type Addressee = { readonly pid: number; readonly start: string } | null;

const ESCAPE = "\x1b";
const CTRL_C = "\x03";

/** Options of shells after which a word stands that is nothing to run. */
const TAKES_VALUE = /^(?:--rcfile|--init-file|[-+][oO])$/;

/** A shell that was given something to run is no shell to type at. */
export function isInteractiveShell(command: string, args: readonly string[]): boolean {
  if (!isShell(command)) return false;
  const isOption = (arg: string, at: number) => /^[-+]/.test(arg) || TAKES_VALUE.test(args[at - 1] ?? "");
  return args.every((arg, at) => isOption(arg, at) && !/^-[a-zA-Z]*c$/.test(arg));
}

/** What a session starts, by its arguments; without any it is a shell. */
export function launchedProgram([command, ...args]: readonly string[]): Program {
  return command === undefined ? { type: "shell" } : programOf(command, args);
}

/** Whom messages are for: whichever agent is in front of a shell, or else the one conversation that was started. */
export function addresseeOf(args: readonly string[]): "conversation" | "agent" {
  return launchedProgram(args).type === "shell" ? "agent" : "conversation";
}

function programOf(command: string, args: readonly string[]): Program {
  const agent = agentOf(command, args);
  if (agent !== null) return { type: "agent", agent };
  return isInteractiveShell(command, args) ? { type: "shell" } : { type: "other", command };
}

/** What we started is what it is, whatever its process calls itself; unless it has become an agent by itself. */
export function frontProgram(
  { command, agent, isShell: isAtPrompt, isOwn }: Omit<FrontProcess, "pid" | "start">,
  launched: Program,
): Program {
  if (agent !== null) return { type: "agent", agent };
  if (isOwn && launched.type !== "other") return launched;
  return isAtPrompt ? { type: "shell" } : { type: "other", command };
}

export function isSameProgram(one: Program, other: Program): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Agents whose first Esc only asks whether they are meant. */
const ESCAPES_TWICE: ReadonlySet<string> = new Set(["opencode", "kilo", "copilot"]);

export function interruptKeys(program: Program): readonly string[] {
  if (program.type !== "agent") return [CTRL_C];
  return ESCAPES_TWICE.has(program.agent) ? [ESCAPE, ESCAPE] : [ESCAPE];
}
