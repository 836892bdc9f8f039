/** From the first word to being ready: `initialize`, a conversation, its mode and model, and what it replays. */
import type {
  LoadSessionRequest,
  NewSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
} from "@agentclientprotocol/sdk";
import type { Json } from "../../core/index.js";
import { withCurrent } from "../kit/controls.js";
import { METHOD_NOT_FOUND, type RpcError } from "../kit/json-rpc.js";
import {
  fieldAt,
  fieldsOf,
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  stringAt,
} from "../kit/json.js";
import type { AcpStep } from "./acp-step.js";
import { failureOf, readable } from "./failure.js";
import { isLoginNote, loginAnswered, loginCommand, loginMethods, offerLogin } from "./login.js";
import { flatOptions, noteOptions, noteOpened } from "./controls.js";
import { beginTurn, PING, ping } from "./turn.js";

export const PROTOCOL_VERSION = 1;

/** What came back on one of our requests. */
export type Reply =
  { readonly ok: true; readonly result: Json } | { readonly ok: false; readonly error: RpcError };

/** The run cannot go on: nothing was taken of it that would be lost with it. */
function giveUp(step: AcpStep, problem: string): void {
  step.set({ phase: "failed" });
  step.fact({ type: "process_error", error: problem });
}

function giveUpOn(step: AcpStep, error: RpcError, doing: string): void {
  const failure = failureOf(error, loginCommand(step));
  step.set({ phase: "failed" });
  if (failure.type === "login") {
    step.loginRequired(failure.text);
    return;
  }
  step.fact({ type: "process_error", error: `${doing}: ${readable(error)}` });
}

export function initialized(step: AcpStep, reply: Reply): void {
  if (!reply.ok) {
    giveUpOn(step, reply.error, "The agent refused to begin");
    return;
  }
  const result = fieldsOf(reply.result);
  const version = numberAt(result, "protocolVersion");
  if (version !== null && version !== PROTOCOL_VERSION) {
    giveUp(step, `The agent speaks version ${version} of ACP; only ${PROTOCOL_VERSION} is known.`);
    return;
  }
  const capabilities = objectAt(result, "agentCapabilities");
  const canResume = isObject(fieldAt(objectAt(capabilities, "sessionCapabilities"), "resume"));
  const canLoad = fieldAt(capabilities, "loadSession") === true;
  const logins = loginMethods(result, step.state.invocation);
  step.set({ canLoad, canResume: canResume || canLoad, logins });
  open(step, canResume);
}

/** What is loaded is replayed, and shows whether the last prompt was kept: where that is not sure, it is not resumed. */
function open(step: AcpStep, canResume: boolean): void {
  const { cwd, resume, canLoad, unkept } = step.state;
  step.set({ phase: "opening" });
  if (resume === null) {
    step.request("session/new", { cwd, mcpServers: [] } satisfies NewSessionRequest);
    return;
  }
  const params = { sessionId: resume, cwd, mcpServers: [] } satisfies LoadSessionRequest;
  if (canResume && !(canLoad && unkept !== null)) step.request("session/resume", params);
  else if (canLoad) step.request("session/load", params);
  else giveUp(step, "This agent cannot go on with an earlier conversation.");
}

export function opened(step: AcpStep, method: string, reply: Reply): void {
  const { canLoad, resume, isAllUnkept } = step.state;
  if (!reply.ok) {
    // Qwen Code says that it can resume, and cannot.
    const canTryToLoad = method === "session/resume" && canLoad && reply.error.code === METHOD_NOT_FOUND;
    if (canTryToLoad) open(step, false);
    else if (isAllUnkept) {
      step.set({ resume: null, isAllUnkept: false });
      open(step, false);
    } else notOpened(step, reply.error, resume === null ? "No session" : "The session could not be resumed");
    return;
  }
  const result = fieldsOf(reply.result);
  const sessionId = stringAt(result, "sessionId") ?? resume;
  if (sessionId === null || sessionId === "") {
    giveUp(step, "The agent opened a session without an id.");
    return;
  }
  const isReplaying = method === "session/load" && step.agent.quirks.replaysLate === true;
  step.set({ sessionId, phase: "preparing", replayed: isReplaying });
  noteOpened(step, result);
  prepare(step, sessionId, result);
  proceed(step);
}

function notOpened(step: AcpStep, error: RpcError, doing: string): void {
  const isLogin = failureOf(error, "").type === "login";
  if (!isLogin || !offerLogin(step, readable(error))) giveUpOn(step, error, doing);
}

/** It has logged in, or could not. */
export function authenticated(step: AcpStep, how: Json, reply: Reply): void {
  if (step.state.phase !== "logging_in") return;
  if (reply.ok) open(step, step.state.canResume === true);
  else if (
    !offerLogin(step, `${typeof how === "string" ? how : "The login"} failed: ${readable(reply.error)}`)
  )
    step.loginRequired(`${readable(reply.error).replace(/\.?$/, ".")} Log in with: ${loginCommand(step)}`);
}

/** Everything that a prompt must wait for is asked for at once. */
function prepare(step: AcpStep, sessionId: string, opened: JsonObject): void {
  const { mode, options = {} } = step.agent;
  const { model } = step.state;
  if (mode !== undefined && stringAt(objectAt(opened, "modes"), "currentModeId") !== mode)
    setMode(step, sessionId, mode);
  const configs = listAt(opened, "configOptions").map(fieldsOf);
  for (const config of configs) {
    const configId = stringAt(config, "id") ?? "";
    const value = Object.hasOwn(options, configId) ? options[configId] : undefined;
    if (value !== undefined && stringAt(config, "currentValue") !== value)
      step.request("session/set_config_option", { sessionId, configId, value } satisfies SetOption, "mode");
  }
  if (model !== null) chooseModel(step, sessionId, model, opened, configs);
}

function setMode(step: AcpStep, sessionId: string, mode: string): void {
  step.request("session/set_mode", { sessionId, modeId: mode } satisfies SetSessionModeRequest, "mode");
  // Without it there is no run.
  step.set({ offer: withCurrent(step.state.offer, "mode", mode) });
}

type SetOption = SetSessionConfigOptionRequest & { readonly value: string };

/** Some agents offer their models in two places, under different names: the place that knows this one is asked. */
function chooseModel(
  step: AcpStep,
  sessionId: string,
  model: string,
  opened: JsonObject,
  configs: readonly JsonObject[],
): void {
  const config = configs.find((option) => stringAt(option, "category") === "model");
  const configId = config ? stringAt(config, "id") : null;
  const models = fieldAt(opened, "models");
  const value = config && offeredName(model, flatOptions(config), "value");
  const modelId = isObject(models) ? offeredName(model, listAt(models, "availableModels"), "modelId") : null;
  // It may know more than it offers: then it is asked for what was said.
  if (isObject(models) && (modelId !== null || configId === null || !value)) {
    step.request("session/set_model", { sessionId, modelId: modelId ?? model }, "model");
    step.set({ offer: withCurrent(step.state.offer, "model", modelId ?? model) });
  } else if (configId !== null) {
    const params = { sessionId, configId, value: value ?? model } satisfies SetOption;
    step.request("session/set_config_option", params, "model");
  } else giveUp(step, `This agent does not let its model be chosen: leave out ${JSON.stringify(model)}.`);
}

/** The agent's own id of what a person calls so: the id itself, its name, or its only id after a provider's name. */
function offeredName(wanted: string, offered: readonly Json[], key: string): string | null {
  const named = offered.map(
    (option) => [stringAt(fieldsOf(option), key), stringAt(fieldsOf(option), "name")] as const,
  );
  if (named.some(([id]) => id === wanted)) return wanted;
  const lower = wanted.toLowerCase();
  const fitting = named.flatMap(([id, name]) => {
    const fits = name?.toLowerCase() === lower || id?.toLowerCase().endsWith(`/${lower}`) === true;
    return id !== null && fits ? [id] : [];
  });
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

export function prepared(step: AcpStep, what: Json, reply: Reply): void {
  if (step.state.phase !== "preparing") return;
  if (!reply.ok) {
    const doing =
      what === "model"
        ? "The model could not be chosen"
        : "The agent could not be made to ask before it acts";
    giveUpOn(step, reply.error, doing);
    return;
  }
  noteOptions(step, fieldsOf(reply.result));
  proceed(step);
}

/** On to the next phase, once nothing is missing for this one. */
function proceed(step: AcpStep): void {
  const { phase, requests, replayed } = step.state;
  if (phase !== "preparing" || Object.keys(requests.pending).length > 0) return;
  if (!replayed) {
    becomeReady(step);
    return;
  }
  step.set({ phase: "settling" });
  ping(step, "replay");
}

/**
 * While an agent replays, it always has something more to write; so its replay is over when it has answered us twice
 * with nothing in between.
 */
export function pinged(step: AcpStep, note: Json): void {
  const { phase, replayed, turn, turnOpen, taken } = step.state;
  if (isLoginNote(note)) return loginAnswered(step, note);
  if (note === "replay") {
    if (phase !== "settling") return;
    step.set({ replayed: false });
    if (replayed) ping(step, "replay");
    else becomeReady(step);
    return;
  }
  if (note !== turn || !turnOpen || taken) return;
  step.set({ taken: true });
  step.fact({ type: "api_req_started" });
}

function becomeReady(step: AcpStep): void {
  const { sessionId, prompt, continues, interrupting, run } = step.state;
  step.set({ phase: "ready", prompt: null });
  if (sessionId !== null) step.fact({ type: "session_created", sessionId });
  if (interrupting) {
    step.set({ interrupting: false });
    step.fact({ type: "turn_interrupted" });
  } else if (prompt !== null) beginTurn(step, prompt);
  else if (!continues) step.turnEnded({ askId: `run-${run}-turn-0:end` });
}

export { PING };
