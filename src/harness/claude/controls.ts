/** What Claude offers to choose: its models and commands, as `initialize` and `init` list them. */
import type { Json } from "../../core/index.js";
import { CONTROL_KINDS, type ControlKind, type Controls, type ControlWish } from "../../protocol/controls.js";
import type { Controlled } from "../../runtime/harness.js";
import {
  changedNote,
  type Choice,
  choicesOf,
  commandsOf,
  controlsOf,
  NO_OFFER,
  type Offer,
  skillsOf,
  unchangedNote,
  type Wanted,
  wantedOf,
  withCurrent,
} from "../kit/controls.js";
import { fieldsAt, type JsonObject, listAt, objectsAt, textAt, textsAt } from "../kit/json.js";
import { toJson } from "../kit/step.js";
import { type ClaudeState, fromJson } from "./claude-state.js";
import type { ClaudeStep } from "./claude-step.js";
import { CONTROL_ID, requestLine } from "./told-line.js";

const EFFORTS_MAX = 16;

function offerOf({ offer = NO_OFFER }: Pick<ClaudeState, "offer">): Offer {
  return offer;
}

/** It does not list its modes, and tells only the one that it is in. */
export function noteOffer(step: ClaudeStep, answer: JsonObject): void {
  const offer = withCurrent(offerOf(step.state), "mode", textAt(answer, "current_permission_mode"));
  const listed = objectsAt(answer, "models");
  const efforts = new Map(
    listed.map((model) => [
      textAt(model, "value"),
      textsAt(model, "supportedEffortLevels").slice(0, EFFORTS_MAX),
    ]),
  );
  const models = choicesOf(listed, "value", "displayName").map((choice): Choice => ({
    ...choice,
    efforts: efforts.get(choice.id) ?? [],
  }));
  step.set({ offer: { ...offer, models } });
  noteCommands(step, answer);
}

export function noteCommands(step: ClaudeStep, message: JsonObject): void {
  const commands = commandsOf(listAt(message, "commands"), (command) => textAt(command, "argumentHint"));
  if (commands.length > 0) step.set({ offer: { ...offerOf(step.state), commands } });
}

/** Before every turn: which model and mode it really is, and which skills there are. */
export function noteInit(step: ClaudeStep, message: JsonObject): void {
  const offer = offerOf(step.state);
  const mode = textAt(message, "permissionMode") ?? offer.current.mode;
  const about = new Map(offer.commands.map(({ name, description }) => [name, description]));
  const named = textsAt(message, "skills").map((name) => ({ name, description: about.get(name) ?? "" }));
  // The name that was chosen says more than what it stands for.
  const model = offer.current.model ?? textAt(message, "model");
  step.set({ offer: { ...offer, skills: skillsOf(named), current: { ...offer.current, mode, model } } });
}

const SETTABLE: readonly ControlKind[] = CONTROL_KINDS;

export function claudeControls(json: Json): Controls {
  return controlsOf(offerOf(fromJson(json)), SETTABLE);
}

export function controlClaude(json: Json, wish: ControlWish): Controlled {
  const state = fromJson(json);
  const wanted = wantedOf(wish, offerOf(state), SETTABLE);
  if (typeof wanted === "string") return { state: json, writes: [], failure: wanted };
  const writes = wanted.map((one, index) =>
    requestLine(`${CONTROL_ID}-${state.sent + index + 1}:${one.kind}:${one.id}`, requestFor(one)),
  );
  const model = wanted.find(({ kind }) => kind === "model")?.id;
  const sent = state.sent + wanted.length;
  return { state: toJson({ ...state, sent }), writes, ...(model === undefined ? {} : { model }) };
}

function requestFor({ kind, id }: Wanted): Json {
  switch (kind) {
    case "model":
      return { subtype: "set_model", model: id };
    case "mode":
      return { subtype: "set_permission_mode", mode: id };
    case "effort":
      return { subtype: "apply_flag_settings", settings: { effortLevel: id } };
  }
}

/** The request's id says what it was about. */
export function readControlled(step: ClaudeStep, requestId: string, response: JsonObject): void {
  const [, asked, id] = new RegExp(`^${CONTROL_ID}-\\d+:(\\w+):(.*)$`).exec(requestId) ?? [];
  const kind = CONTROL_KINDS.find((one) => one === asked);
  if (kind === undefined || id === undefined) return;
  if (textAt(response, "subtype") === "error") {
    const why = textAt(response, "error") ?? "Claude Code refused it.";
    return step.metadata({ problem: unchangedNote({ kind, id }, why) });
  }
  const told = textAt(fieldsAt(response, "response"), kind) ?? id;
  step.set({ offer: withCurrent(offerOf(step.state), kind, told) });
  step.metadata({ note: changedNote({ kind, id: told }) });
}
