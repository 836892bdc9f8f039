/** What Codex offers to choose, and the commands that are calls of its protocol, never text for its model. */
import type { Json } from "../../core/index.js";
import type { ControlKind, Controls, ControlWish } from "../../protocol/controls.js";
import type { Controlled } from "../../runtime/harness.js";
import {
  type Choice,
  choicesOf,
  controlsOf,
  NO_OFFER,
  type Offer,
  skillsOf,
  slashIn,
  unchangedNote,
  wantedOf,
  type Wanted,
} from "../kit/controls.js";
import { type RpcId, request } from "../kit/json-rpc.js";
import { fieldsOf, type JsonObject, listAt, objectsAt, textAt } from "../kit/json.js";
import { type CodexState, fromJson } from "./codex-state.js";
import { CodexStep } from "./codex-step.js";
import { startTurn } from "./turns.js";

const SETTABLE: readonly ControlKind[] = ["model", "effort"];
const EFFORTS_MAX = 16;
const LISTED_MAX = 100;

/** Each is a call of its protocol. */
const COMMANDS: Offer["commands"] = [
  { name: "compact", description: "Make the conversation shorter", hint: null },
  { name: "model", description: "Use another model from the next turn on", hint: "MODEL" },
];

export function codexMessageFlaw(text: string): string | null {
  const slash = slashIn(text);
  if (!slash || COMMANDS.some(({ name }) => name === slash.name)) return null;
  const names = COMMANDS.map(({ name }) => `/${name}`).join(", ");
  return `Codex has no command /${slash.name} here. It has: ${names}. With a space before it, it is text for the model.`;
}

function offerOf({ offer = NO_OFFER }: Pick<CodexState, "offer">): Offer {
  return offer;
}

export function noteOpened(step: CodexStep, opened: JsonObject): void {
  const current = { model: textAt(opened, "model"), mode: null, effort: textAt(opened, "reasoningEffort") };
  step.set({ offer: { ...offerOf(step.state), commands: COMMANDS, current } });
}

const MODELS_ID = "models";
const SKILLS_ID = "skills";

/** After the prompt, which does not wait for it; nothing else does either. */
export function askForOffer(step: CodexStep): void {
  step.write(request(MODELS_ID, "model/list", { limit: LISTED_MAX }));
  step.write(request(SKILLS_ID, "skills/list", { cwds: [step.state.cwd] }));
}

/** An older Codex, which knows neither, says so with null. False: it answers something else. */
export function offerAnswered(step: CodexStep, id: RpcId | null, result: Json): boolean {
  if (id === MODELS_ID) modelsListed(step, fieldsOf(result), {});
  else if (id === SKILLS_ID) skillsListed(step, fieldsOf(result));
  else return false;
  return true;
}

/** A command, or text for the model. */
export function say(step: CodexStep, text: string, messageId: string | null): void {
  const slash = slashIn(text);
  const { conversationId: threadId } = step.state;
  switch (slash?.name) {
    case "compact":
      step.set({ starting: "", interrupting: false, over: null });
      return step.request("thread/compact/start", { threadId }, { messageId, optional: false });
    case "model":
      return step.request("model/list", { limit: LISTED_MAX }, { wanted: slash.rest });
    default:
      return startTurn(step, text, { messageId });
  }
}

/** `wanted`: a person said `/model`, and waits for what comes of it; that was a turn, in which no model was asked. */
export function modelsListed(step: CodexStep, result: JsonObject, { wanted }: JsonObject): void {
  const listed = objectsAt(result, "data").filter((model) => model["hidden"] !== true);
  const efforts = new Map(listed.map((model) => [textAt(model, "model"), effortsIn(model)]));
  const models = choicesOf(listed, "model", "displayName").map((choice): Choice => ({
    ...choice,
    efforts: efforts.get(choice.id) ?? [],
  }));
  if (models.length > 0) step.set({ offer: { ...offerOf(step.state), models } });
  if (typeof wanted !== "string") return;
  step.fact({ type: "api_req_started" });
  step.metadata(modelNote(step, wanted));
  step.turnEnded({ askId: `${step.streamId}:command-${step.state.requests.next}:end` });
}

function effortsIn(model: JsonObject): readonly string[] {
  return objectsAt(model, "supportedReasoningEfforts")
    .flatMap((effort) => textAt(effort, "reasoningEffort") ?? [])
    .slice(0, EFFORTS_MAX);
}

function modelNote(step: CodexStep, name: string): JsonObject {
  const offer = offerOf(step.state);
  if (name === "") {
    const ids = offer.models.map(({ id }) => id).join(", ");
    return { note: `The model is ${offer.current.model ?? "not known"}. It offers: ${ids}.` };
  }
  const wanted = wantedOf({ model: name }, offer, SETTABLE);
  if (typeof wanted === "string") return { problem: unchangedNote({ kind: "model", id: name }, wanted) };
  choose(step, wanted);
  return { note: chosenNote(wanted) };
}

function skillsListed(step: CodexStep, result: JsonObject): void {
  const skills = skillsOf(objectsAt(result, "data").flatMap((folder) => listAt(folder, "skills")));
  step.set({ offer: { ...offerOf(step.state), skills } });
}

export function codexControls(json: Json): Controls {
  return controlsOf(offerOf(fromJson(json)), SETTABLE);
}

/** Codex takes it with the next turn, and keeps to it. */
export function controlCodex(json: Json, wish: ControlWish): Controlled {
  const step = new CodexStep(fromJson(json));
  const wanted = wantedOf(wish, offerOf(step.state), SETTABLE);
  if (typeof wanted === "string") return { state: json, writes: [], failure: wanted };
  choose(step, wanted);
  const model = wanted.find(({ kind }) => kind === "model")?.id;
  return { ...step.encoded(), note: chosenNote(wanted), ...(model === undefined ? {} : { model }) };
}

function choose(step: CodexStep, wanted: readonly Wanted[]): void {
  const chosen = Object.fromEntries(wanted.map(({ kind, id }) => [kind, id]));
  const offer = offerOf(step.state);
  step.set({
    chosen: { ...step.state.chosen, ...chosen },
    offer: { ...offer, current: { ...offer.current, ...chosen } },
  });
}

function chosenNote(wanted: readonly Wanted[]): string {
  return `From the next turn on: ${wanted.map(({ kind, id }) => `${kind} ${id}`).join(", ")}.`;
}
