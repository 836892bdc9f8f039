/** What an agent offers to choose: its `models` and `modes`, and the options of the kinds that stand for the same. */
import type { SetSessionConfigOptionRequest, SetSessionModeRequest } from "@agentclientprotocol/sdk";
import type { Json } from "../../core/index.js";
import { CONTROL_KINDS, type ControlKind, type Controls, type ControlWish } from "../../protocol/controls.js";
import type { Controlled } from "../../runtime/harness.js";
import {
  changedNote,
  choicesOf,
  commandsOf,
  controlsOf,
  type Offer,
  unchangedNote,
  wantedOf,
  withCurrent,
  type Wanted,
} from "../kit/controls.js";
import {
  fieldAt,
  fieldsOf,
  isList,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  stringAt,
  textAt,
} from "../kit/json.js";
import { type AcpState, type AcpWays, fromJson } from "./acp-state.js";
import { AcpStep } from "./acp-step.js";
import { readable } from "./failure.js";
import type { Reply } from "./handshake.js";

const CATEGORIES = { model: "model", mode: "mode", effort: "thought_level" } as const satisfies Record<
  ControlKind,
  string
>;
const LISTS = { model: "models", mode: "modes", effort: "efforts" } as const satisfies Record<
  ControlKind,
  keyof Offer
>;

/** The conversation is open. Options supersede what older agents offer in lists of their own. */
export function noteOpened(step: AcpStep, opened: JsonObject): void {
  const models = objectAt(opened, "models");
  const modes = objectAt(opened, "modes");
  step.set({
    offer: {
      ...step.state.offer,
      models: choicesOf(listAt(models, "availableModels"), "modelId"),
      modes: choicesOf(listAt(modes, "availableModes"), "id"),
      current: {
        model: textAt(models, "currentModelId"),
        mode: textAt(modes, "currentModeId"),
        effort: null,
      },
    },
    ways: { ...(models ? { model: null } : {}), ...(modes ? { mode: null } : {}) },
  });
  noteOptions(step, opened);
}

/** All of its options, as they are now. */
export function noteOptions(step: AcpStep, told: JsonObject): void {
  for (const kind of CONTROL_KINDS) {
    const option = objectsAt(told, "configOptions").find(
      (one) => textAt(one, "category") === CATEGORIES[kind] && fieldAt(one, "type") !== "boolean",
    );
    const configId = option ? textAt(option, "id") : null;
    if (!option || configId === null) continue;
    const listed = { ...step.state.offer, [LISTS[kind]]: choicesOf(flatOptions(option), "value") };
    const offer = withCurrent(listed, kind, textAt(option, "currentValue"));
    step.set({ offer, ways: { ...step.state.ways, [kind]: configId } satisfies AcpWays });
  }
}

export function noteCommands(step: AcpStep, commands: readonly Json[]): void {
  const listed = commandsOf(commands, (command) => textAt(objectAt(command, "input"), "hint"));
  step.set({ offer: { ...step.state.offer, commands: listed } });
}

/** Options stand in a list, or in groups of lists. */
export function flatOptions(config: JsonObject): readonly Json[] {
  return listAt(config, "options").flatMap((option) => {
    const group = fieldAt(fieldsOf(option), "options");
    return isList(group) ? group : [option];
  });
}

function settableOf({ ways }: AcpState): readonly ControlKind[] {
  return CONTROL_KINDS.filter((kind) => ways[kind] !== undefined);
}

export function acpControls(json: Json): Controls {
  const state = fromJson(json);
  return controlsOf(state.offer, settableOf(state));
}

const NOT_READY = "The agent is still starting: it can be told when it is ready.";

export function controlAcp(json: Json, wish: ControlWish): Controlled {
  const step = new AcpStep(fromJson(json));
  const { phase, sessionId, offer } = step.state;
  if (phase !== "ready" || sessionId === null) return { state: json, writes: [], failure: NOT_READY };
  const wanted = wantedOf(wish, offer, settableOf(step.state));
  if (typeof wanted === "string") return { state: json, writes: [], failure: wanted };
  for (const one of wanted) choose(step, sessionId, one);
  const model = wanted.find(({ kind }) => kind === "model")?.id;
  return { ...step.encoded(), ...(model === undefined ? {} : { model }) };
}

function choose(step: AcpStep, sessionId: string, wanted: Wanted): void {
  const { kind, id } = wanted;
  const configId = step.state.ways[kind] ?? null;
  const note = { control: kind, id };
  if (configId !== null) {
    const params = { sessionId, configId, value: id } satisfies SetSessionConfigOptionRequest;
    step.request("session/set_config_option", params, note);
  } else if (kind === "mode") {
    step.request("session/set_mode", { sessionId, modeId: id } satisfies SetSessionModeRequest, note);
  } else step.request("session/set_model", { sessionId, modelId: id }, note);
}

export function isControlNote(note: Json): note is JsonObject {
  return isObject(note) && CONTROL_KINDS.some((kind) => note["control"] === kind);
}

/** It has done as it was told, or not. */
export function controlled(step: AcpStep, note: JsonObject, reply: Reply): void {
  const kind = CONTROL_KINDS.find((one) => one === note["control"]) ?? "model";
  const wanted: Wanted = { kind, id: stringAt(note, "id") ?? "" };
  if (!reply.ok) {
    step.metadata({ problem: unchangedNote(wanted, readable(reply.error)) });
    return;
  }
  step.set({ offer: withCurrent(step.state.offer, kind, wanted.id) });
  noteOptions(step, fieldsOf(reply.result));
  step.metadata({ note: changedNote(wanted) });
}
