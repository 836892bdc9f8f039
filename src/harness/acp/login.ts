/**
 * Nobody is logged in. The ways that the agent offers are offered to the person: those that it can go by itself, with
 * `authenticate`; those that need a terminal are told by their very command.
 */
import type { AuthenticateRequest } from "@agentclientprotocol/sdk";
import type { Json } from "../../core/index.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import { fieldsOf, isObject, objectAt, objectsAt, textAt, textsAt, type JsonObject } from "../kit/json.js";
import type { AcpAgent } from "./acp-agents.js";
import type { Asked, LoginMethod } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import { commandLine } from "./terminal-requests.js";
import { ping } from "./turn.js";

const METHODS_MAX = 16;
/** Then it is over: whoever answers anything does not get through. */
const ATTEMPTS_MAX = 5;

type AskedLogin = Extract<Asked, { readonly type: "login" }>;

/** As a person would type it; null: only the configuration knows it. */
export function invocationOf({ args }: SessionSettings, agent: AcpAgent): string | null {
  if (agent.program !== "") return lineOf([agent.program, ...agent.args]);
  return args[0] === "--command" ? lineOf(args.slice(1)) : null;
}

/** Of `initialize`. */
export function loginMethods(result: JsonObject, invocation: string | null): readonly LoginMethod[] {
  return objectsAt(result, "authMethods")
    .slice(0, METHODS_MAX)
    .flatMap((method) => {
      const id = textAt(method, "id");
      if (id === null) return [];
      const [name, description] = [textAt(method, "name") ?? id, textAt(method, "description")];
      return [{ id, name, description, command: commandOf(method, invocation) }];
    });
}

/** Null: the agent does it by itself. */
function commandOf(method: JsonObject, invocation: string | null): string | null {
  const meta = objectAt(method, "_meta");
  const told = objectAt(meta, "terminal-auth");
  const program = textAt(told, "command");
  if (program !== null) return lineOf([program, ...textsAt(told, "args")], envOf(told));
  const terminal = [method, meta].find((place) => textAt(place, "type") === "terminal");
  if (terminal) {
    const more = lineOf(textsAt(terminal, "args"));
    const assignments = lineOf(["x"], envOf(terminal)).slice(0, -1);
    return `${assignments}${invocation ?? "its own command with"}${more === "" ? "" : ` ${more}`}`;
  }
  // OpenCode and others say so in words.
  return /^Run `([^`]+)`/.exec(textAt(method, "description") ?? "")?.[1] ?? null;
}

function lineOf([command = "", ...args]: readonly string[], env: readonly Variable[] = []): string {
  return command === "" ? "" : commandLine({ command, args, env });
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

function envOf(method: JsonObject | null): readonly Variable[] {
  return Object.entries(objectAt(method, "env") ?? {}).flatMap(([name, value]) =>
    /^[A-Za-z_]\w*$/.test(name) && typeof value === "string" ? [{ name, value }] : [],
  );
}

/** What a person types to log in. */
export function loginCommand({ agent, state }: AcpStep): string {
  const commands = state.logins.flatMap(({ command }) => command ?? []);
  if (commands.length > 0) return [...new Set(commands)].join(" or ");
  if (agent.login.command !== "" || state.invocation === null) return agent.login.command || "its own login";
  return `${state.invocation}, in a terminal`;
}

/** It opens no session without a login. False: there is nothing that a person could choose here. */
export function offerLogin(step: AcpStep, problem: string): boolean {
  const { logins, loginAttempts, run } = step.state;
  if (loginAttempts >= ATTEMPTS_MAX || logins.every(({ command }) => command !== null)) return false;
  const askId = `run-${run}-login-${loginAttempts + 1}`;
  const asked: AskedLogin = { askId, id: askId, type: "login" };
  step.set({
    phase: "logging_in",
    loginAttempts: loginAttempts + 1,
    asked: [...step.state.asked, asked],
  });
  const input = { methods: logins.map(({ id, name }) => ({ id, name })) };
  step.ask({
    askId,
    ask: "followup",
    title: `How to log in to ${step.agent.title === "" ? "the agent" : step.agent.title}?`,
    detail: [problem, ...logins.map(choiceLine), "Answer with a number or a name."].join("\n"),
    tool: { name: "authenticate", input },
  });
  return true;
}

function choiceLine({ name, description, command }: LoginMethod, index: number): string {
  const how = command === null ? description : `run ${command} in a terminal`;
  return `  ${index + 1}. ${name}${how === null || how === name ? "" : `: ${how}`}`;
}

/**
 * What is not handed to the agent is told with the answer to a ping: an effect itself tells nothing.
 */
export function answerLogin(step: AcpStep, { askId }: AskedLogin, text: string | null): void {
  step.dropAsked(askId);
  const method = text === null ? null : chosen(step.state.logins, text.trim());
  if (method?.command === null)
    step.request("authenticate", { methodId: method.id } satisfies AuthenticateRequest, method.name);
  else ping(step, { login: text === null ? null : (method?.id ?? ""), said: text });
}

function chosen(logins: readonly LoginMethod[], text: string): LoginMethod | null {
  const lower = text.toLowerCase();
  const named = logins.find(({ id, name }) => id.toLowerCase() === lower || name.toLowerCase() === lower);
  return named ?? logins[/^\d+$/.test(text) ? Number(text) - 1 : -1] ?? null;
}

/** The agent has heard of no login: the person refused, meant a terminal, or said what is none of the choices. */
export function loginAnswered(step: AcpStep, note: Json): void {
  if (step.state.phase !== "logging_in") return;
  const { login, said } = fieldsOf(note);
  const method = step.state.logins.find(({ id }) => id === login);
  const isUnclear = typeof login === "string" && !method;
  if (isUnclear && offerLogin(step, `There is no ${JSON.stringify(said)} among these.`)) return;
  step.set({ phase: "failed" });
  const command = method?.command ?? loginCommand(step);
  step.loginRequired(`It needs a login. Log in with: ${command}`);
}

export function isLoginNote(note: Json): boolean {
  return isObject(note) && "login" in note;
}
