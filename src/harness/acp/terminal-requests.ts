/** `terminal/*`: commands that we run for an agent, under the same rules as any other call. */
import type {
  CreateTerminalResponse,
  KillTerminalResponse,
  ReleaseTerminalResponse,
  TerminalOutputResponse,
  WaitForTerminalExitResponse,
} from "@agentclientprotocol/sdk";
import type { AskedTool } from "../../core/index.js";
import type { RunExit } from "../../protocol/keeper.js";
import type { QueryAnswer } from "../../runtime/query.js";
import type { TerminalObservation } from "../../runtime/terminal-observation.js";
import { INVALID_PARAMS, type RpcId } from "../kit/json-rpc.js";
import { fieldAt, fieldsOf, type JsonObject, listAt, numberAt, stringAt } from "../kit/json.js";
import type { AgentTerminal, Asked } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import { addAsked, askIdOf, openAsk } from "./asks.js";
import { showTerminalOutput } from "./tool-calls.js";

export const TERMINALS_MAX = 16;
/** All of it is shown to the person who is asked. */
export const COMMAND_LENGTH_MAX = 16_000;
export const OUTPUT_BYTES_MAX = 1_000_000;
const WAITS_MAX = 64;
/** Of the output, in a tool call. */
const SHOWN_BYTES = 16 * 1024;

const NOT_FOUND = -32_002;
const FAILED = -32_603;
const NOT_ALLOWED = -32_000;

type AskedTerminal = Extract<Asked, { readonly type: "terminal" }>;
type TerminalUse = Extract<Asked, { readonly type: "terminal_use" }>;
type CommandSeen = Extract<TerminalObservation, { readonly type: "command" }>;

export function takeTerminalCreate(step: AcpStep, id: RpcId, params: JsonObject): void {
  const wanted = readWanted(params);
  const cwd = stringAt(params, "cwd") ?? step.state.cwd;
  if (wanted === null || !cwd.startsWith("/")) {
    step.refuse(
      id,
      INVALID_PARAMS,
      wanted === null ? "The command is not well formed." : "cwd must be absolute.",
    );
    return;
  }
  const command = commandLine(wanted);
  if (command.length > COMMAND_LENGTH_MAX) {
    step.refuse(
      id,
      FAILED,
      `Commands of more than ${COMMAND_LENGTH_MAX} characters are not run for an agent.`,
    );
    return;
  }
  const { terminals, asked: all } = step.state;
  const wantedCount = all.filter((asked) => asked.type === "terminal" && asked.terminal === null).length;
  if (terminals.length + wantedCount >= TERMINALS_MAX) {
    step.refuse(id, FAILED, `There are ${TERMINALS_MAX} terminals already: release some of them first.`);
    return;
  }
  const askId = askIdOf(id);
  const limitBytes = limitIn(params);
  const asked = { askId, id, type: "terminal", command, cwd, limitBytes, terminal: null } as const;
  if (addAsked(step, asked))
    step.query(`${askId}:rules`, { type: "permission", tool: toolOf(asked), within: cwd });
}

export function takeTerminalUse(
  step: AcpStep,
  id: RpcId,
  use: TerminalUse["use"] | "wait",
  params: JsonObject,
): void {
  const found = terminalNamed(step, stringAt(params, "terminalId"));
  if (!found) {
    step.refuse(id, NOT_FOUND, "There is no such terminal, or it was released.");
    return;
  }
  if (use === "wait") {
    waitForExit(step, id, found);
    return;
  }
  const { terminal, limitBytes } = found;
  const asked = { askId: askIdOf(id), id, type: "terminal_use", use, terminal } as const;
  if (!addAsked(step, asked)) return;
  const queryId = `${asked.askId}:terminal`;
  if (use === "output") step.query(queryId, { type: "terminal_output", terminal, limitBytes });
  else step.query(queryId, { type: `terminal_${use}`, terminal });
  if (use === "release") letGo(step, found);
}

/** A command that no rule allows is asked about, unless the agent was just allowed to run this very one. */
export function terminalDecided(step: AcpStep, asked: AskedTerminal, answer: QueryAnswer): void {
  if (answer.type !== "decided") {
    refuseTerminal(
      step,
      asked,
      answer.type === "failed" ? answer.message : "It could not be decided.",
      FAILED,
    );
    return;
  }
  const { verdict, because } = answer.decision;
  if (verdict === "deny") refuseTerminal(step, asked, `Not allowed. ${because}`);
  else if (verdict === "allow" || useApproval(step, asked)) startTerminal(step, asked);
  else {
    const { askId, command, cwd } = asked;
    const detail = `${command}\n(in ${cwd})`;
    openAsk(step, askId, { ask: "command", title: command, detail, tool: { ...toolOf(asked) } });
  }
}

export function startTerminal(step: AcpStep, asked: AskedTerminal): void {
  const { askId, command, cwd, limitBytes } = asked;
  const terminal = step.state.terminalCount + 1;
  const opened: AgentTerminal = {
    terminal,
    limitBytes,
    turn: step.state.turn,
    exit: null,
    released: false,
    call: null,
  };
  step.set({
    terminalCount: terminal,
    terminals: [...step.state.terminals, opened],
    asked: step.state.asked.map((other) => (other.askId === askId ? { ...asked, terminal } : other)),
  });
  step.query(`${askId}:terminal`, { type: "terminal_start", terminal, command, cwd });
}

export function refuseTerminal(
  step: AcpStep,
  { askId, id }: Pick<Asked, "askId" | "id">,
  why: string,
  code = NOT_ALLOWED,
): void {
  step.refuse(id, code, why);
  step.dropAsked(askId);
}

/** What is on its way is answered when it is done: a process that was started must not be lost sight of. */
export function cancelTerminal(step: AcpStep, asked: AskedTerminal | TerminalUse): void {
  if (asked.terminal === null) refuseTerminal(step, asked, "It was cancelled.");
}

export function killTerminals(step: AcpStep): void {
  for (const { terminal, exit } of step.state.terminals)
    if (!exit) step.query(`terminal-${terminal}:kill`, { type: "terminal_kill", terminal });
}

export function terminalServed(step: AcpStep, asked: AskedTerminal | TerminalUse, answer: QueryAnswer): void {
  const { askId, id, terminal } = asked;
  if (terminal === null) return;
  step.dropAsked(askId);
  const use = asked.type === "terminal" ? "start" : asked.use;
  const isFailed = answer.type !== "terminal_done" && answer.type !== "terminal_output";
  if (use === "release" || (use === "start" && isFailed)) dropTerminal(step, terminal);
  if (isFailed) {
    step.refuse(id, FAILED, answer.type === "failed" ? answer.message : "It could not be done.");
  } else if (use === "start") {
    step.respond(id, { terminalId: terminalId(terminal) } satisfies CreateTerminalResponse);
  } else if (answer.type === "terminal_output") {
    const { text, truncated } = answer;
    const exit = answer.exit ?? terminalAt(step, terminal)?.exit ?? null;
    const exitStatus = exit === null ? {} : { exitStatus: exitOf(exit) };
    step.respond(id, { output: text, truncated, ...exitStatus } satisfies TerminalOutputResponse);
  } else step.respond(id, {} satisfies KillTerminalResponse & ReleaseTerminalResponse);
}

/** A terminal that the agent shows in a call: what it prints is what the call puts out. */
export function embedTerminals(
  step: AcpStep,
  callId: string,
  terminalIds: readonly string[],
  ok: boolean | null,
): void {
  for (const name of terminalIds) {
    const found = terminalNamed(step, name);
    if (!found) continue;
    const { terminal, call } = found;
    putTerminal(step, { ...found, call: { callId, ok } });
    if (call?.callId === callId) continue;
    step.query(`terminal-${terminal}:shown`, { type: "terminal_output", terminal, limitBytes: SHOWN_BYTES });
  }
}

export function terminalShown(step: AcpStep, terminal: number, answer: QueryAnswer): void {
  const call = terminalAt(step, terminal)?.call;
  if (call && answer.type === "terminal_output") showTerminalOutput(step, call, answer.text);
}

export function commandSeen(step: AcpStep, { terminal, output, exit }: CommandSeen): void {
  const found = terminalAt(step, terminal);
  if (!found) {
    // It was let go, and that got lost.
    step.query(`terminal-${terminal}:gone`, { type: "terminal_release", terminal });
    return;
  }
  // After the end of a call its result stands.
  if (found.call?.ok === null && output !== null && output !== "")
    showTerminalOutput(step, found.call, output);
  if (exit === null || found.exit) return;
  putTerminal(step, { ...found, exit });
  for (const wait of step.state.waits)
    if (wait.terminal === terminal) step.respond(wait.id, exitOf(exit) satisfies WaitForTerminalExitResponse);
  step.set({ waits: step.state.waits.filter((wait) => wait.terminal !== terminal) });
}

/** Commands that have outlived the turn in which they were started. */
export function tellBackground(step: AcpStep): void {
  const { terminals, turn, turnOpen, background } = step.state;
  const count = terminals.filter(
    (each) => !each.exit && !each.released && !(turnOpen && each.turn === turn),
  ).length;
  if (count === background) return;
  step.set({ background: count });
  step.fact({ type: "background_changed", count });
}

/** False: the agent does not wait so for the end of a command. */
export function withdrawWait(step: AcpStep, id: RpcId): boolean {
  const waits = step.state.waits.filter((wait) => wait.id !== id);
  if (waits.length === step.state.waits.length) return false;
  step.set({ waits });
  return true;
}

function waitForExit(step: AcpStep, id: RpcId, { terminal, exit }: AgentTerminal): void {
  if (exit) step.respond(id, exitOf(exit) satisfies WaitForTerminalExitResponse);
  else if (step.state.waits.length >= WAITS_MAX)
    step.refuse(id, FAILED, "Too many requests wait for the end of a command.");
  else step.set({ waits: [...step.state.waits, { id, terminal }] });
}

/** From now on the agent has no such terminal; it is known until it is gone. */
function letGo(step: AcpStep, found: AgentTerminal): void {
  putTerminal(step, { ...found, released: true });
  const { waits } = step.state;
  for (const wait of waits)
    if (wait.terminal === found.terminal) step.refuse(wait.id, FAILED, "The terminal was released.");
  step.set({ waits: waits.filter((wait) => wait.terminal !== found.terminal) });
}

/** The agent asked about this very command before, and was allowed: it is not asked about twice. */
function useApproval(step: AcpStep, { command, cwd }: AskedTerminal): boolean {
  const { approvedCommands } = step.state;
  const line = innerLine(command);
  const index = approvedCommands.findIndex((other) => innerLine(other.command) === line && other.cwd === cwd);
  if (index < 0) return false;
  step.set({ approvedCommands: approvedCommands.toSpliced(index, 1) });
  return true;
}

/** What bash is handed: `bash -lc 'npm test'` is `npm test`, which agents ask about in the one form and run in the other. */
function innerLine(line: string): string {
  const [, quotedLine, word] =
    /^(?:\/(?:usr\/)?bin\/)?bash -l?c (?:'((?:[^']|'\\'')*)'|([\w@%+=:,./-]+))$/.exec(line) ?? [];
  return quotedLine?.replaceAll(`'\\''`, "'") ?? word ?? line;
}

function toolOf({ command, cwd }: Pick<AskedTerminal, "command" | "cwd">): AskedTool {
  return { name: "terminal/create", kind: "execute", input: { command, cwd } };
}

/** Null: something in it is of another type, or cannot be handed to a process. */
function readWanted(params: JsonObject): WantedCommand | null {
  const command = stringAt(params, "command") ?? "";
  const args = listAt(params, "args");
  const env = listAt(params, "env").map((variable) => {
    const fields = fieldsOf(variable);
    return { name: stringAt(fields, "name") ?? "", value: stringAt(fields, "value") };
  });
  const isList = (key: string): boolean => Array.isArray(fieldAt(params, key) ?? []);
  const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0");
  if (command.trim() === "" || !isText(command) || !args.every(isText) || !isList("args") || !isList("env"))
    return null;
  const named = env.flatMap(({ name, value }) =>
    /^[A-Za-z_]\w*$/.test(name) && isText(value) ? [{ name, value }] : [],
  );
  return named.length === env.length ? { command, args, env: named } : null;
}

function limitIn(params: JsonObject): number {
  const limit = numberAt(params, "outputByteLimit") ?? OUTPUT_BYTES_MAX;
  return Math.min(OUTPUT_BYTES_MAX, Math.max(0, Math.floor(limit)));
}

function exitOf({ code, signal }: RunExit): {
  readonly exitCode: number | null;
  readonly signal: string | null;
} {
  return { exitCode: code, signal };
}

function terminalId(terminal: number): string {
  return `terminal-${terminal}`;
}

/** One that the agent may use. */
function terminalNamed({ state }: AcpStep, name: string | null): AgentTerminal | null {
  const found = state.terminals.find(({ terminal, released }) => !released && terminalId(terminal) === name);
  return found ?? null;
}

function terminalAt({ state }: AcpStep, terminal: number): AgentTerminal | null {
  return state.terminals.find((each) => each.terminal === terminal) ?? null;
}

function putTerminal(step: AcpStep, changed: AgentTerminal): void {
  const { terminals } = step.state;
  step.set({ terminals: terminals.map((each) => (each.terminal === changed.terminal ? changed : each)) });
}

function dropTerminal(step: AcpStep, terminal: number): void {
  step.set({ terminals: step.state.terminals.filter((each) => each.terminal !== terminal) });
}

/** What an agent wants run in a terminal, as one line of bash: this very text is judged, shown to a person, and run. */

export interface WantedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** What bash reads as nothing but a word; in front, where an assignment could stand, without an equals sign. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;
const PLAIN_PROGRAM = /^[\w@%+:,./-]+$/;
const KEYWORDS: ReadonlySet<string> = new Set(
  "case coproc do done elif else esac fi for function if in select then time until while".split(" "),
);

/**
 * With arguments, `command` is a program. Alone it is whatever a shell makes of it: the protocol leaves that open, some
 * agents put a whole line there, and editors hand it to a shell. Variables stand in front, so that they are judged too.
 */
export function commandLine({ command, args, env }: WantedCommand): string {
  const assignments = env.map(({ name, value }) => `${name}=${quoted(value)} `).join("");
  if (args.length > 0) return `${assignments}${[programWord(command), ...args.map(quoted)].join(" ")}`;
  const isProgram = PLAIN_PROGRAM.test(command);
  return isProgram || assignments === "" ? assignments + command : `${assignments}bash -c ${quoted(command)}`;
}

function programWord(program: string): string {
  return PLAIN_PROGRAM.test(program) && !KEYWORDS.has(program) ? program : inQuotes(program);
}

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : inQuotes(word);
}

function inQuotes(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
