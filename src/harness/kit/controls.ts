/**
 * What an agent has said that it offers: part of a codec's state, which is kept with every commit, and therefore short.
 * Types, not interfaces: they are JSON as they stand.
 */
import type { Json } from "../../core/index.js";
import { CONTROL_KINDS, type ControlKind, type Controls, type ControlWish } from "../../protocol/controls.js";
import { isObject, type JsonObject, stringAt, textAt } from "./json.js";
import { cut } from "./words.js";

const CHOICES_MAX = 100;
const COMMANDS_MAX = 100;
const ID_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 100;

export type Choice = {
  readonly id: string;
  readonly name: string;
  /** Of a model whose efforts are its own. */
  readonly efforts?: readonly string[];
};
type Skill = { readonly name: string; readonly description: string };

export type Offer = {
  readonly models: readonly Choice[];
  readonly modes: readonly Choice[];
  /** Of every model. */
  readonly efforts: readonly Choice[];
  readonly commands: readonly (Skill & { readonly hint: string | null })[];
  readonly skills: readonly Skill[];
  /** By id, as far as it is known. */
  readonly current: Readonly<Record<ControlKind, string | null>>;
};

export const NO_OFFER: Offer = {
  models: [],
  modes: [],
  efforts: [],
  commands: [],
  skills: [],
  current: { model: null, mode: null, effort: null },
};

/** `key`: which field of each names it. What has no name, or too long a one, cannot be chosen. */
export function choicesOf(listed: readonly Json[], key: string, nameKey = "name"): readonly Choice[] {
  return listed
    .filter(isObject)
    .flatMap((item) => choiceOf(item, key, nameKey) ?? [])
    .slice(0, CHOICES_MAX);
}

function choiceOf(item: JsonObject, key: string, nameKey: string): Choice | null {
  const id = textAt(item, key);
  if (id === null || id.length > ID_LENGTH_MAX) return null;
  return { id, name: cut(textAt(item, nameKey) ?? id, TEXT_LENGTH_MAX) };
}

export function commandsOf(
  listed: readonly Json[],
  hintOf: (command: JsonObject) => string | null,
): Offer["commands"] {
  return skillsOf(listed, (item, skill) => {
    const hint = hintOf(item);
    return { ...skill, hint: hint === null ? null : cut(hint, TEXT_LENGTH_MAX) };
  });
}

export function skillsOf(listed: readonly Json[]): readonly Skill[];
export function skillsOf<T extends Skill>(
  listed: readonly Json[],
  more: (item: JsonObject, skill: Skill) => T,
): readonly T[];
export function skillsOf(
  listed: readonly Json[],
  more = (_item: JsonObject, skill: Skill): Skill => skill,
): readonly Skill[] {
  return listed
    .filter(isObject)
    .flatMap((item) => {
      const name = textAt(item, "name");
      if (name === null || name.length > TEXT_LENGTH_MAX) return [];
      return [more(item, { name, description: cut(stringAt(item, "description") ?? "", TEXT_LENGTH_MAX) })];
    })
    .slice(0, COMMANDS_MAX);
}

export function withCurrent(offer: Offer, kind: ControlKind, id: string | null): Offer {
  return { ...offer, current: { ...offer.current, [kind]: id } };
}

/** As they are to be shown. */
export function controlsOf(offer: Offer, settable: readonly ControlKind[]): Controls {
  const { current, commands, skills } = offer;
  const shown = (choices: readonly Choice[], id: string | null) =>
    choices.map((choice) => ({ id: choice.id, name: choice.name, current: choice.id === id }));
  return {
    settable: [...settable],
    models: shown(withKnown(offer.models, current.model), current.model),
    modes: shown(withKnown(offer.modes, current.mode), current.mode),
    efforts: shown(withKnown(effortsOf(offer, current.model), current.effort), current.effort),
    commands: [...commands],
    skills: [...skills],
  };
}

/** What is in use is there, whether or not it was listed. */
function withKnown(choices: readonly Choice[], id: string | null): readonly Choice[] {
  return id === null || choices.some((choice) => choice.id === id) ? choices : [{ id, name: id }, ...choices];
}

export function effortsOf({ models, efforts }: Offer, model: string | null): readonly Choice[] {
  const of = models.find(({ id }) => id === model) ?? models[0];
  return of?.efforts?.map((id) => ({ id, name: id })) ?? efforts;
}

/** `wanted` by its id, its name, or its only id after a provider's name; null: no list has it. */
export function chosenFrom(choices: readonly Choice[], wanted: string): string | null {
  if (choices.some(({ id }) => id === wanted)) return wanted;
  const lower = wanted.toLowerCase();
  const fitting = choices.filter(
    ({ id, name }) => name.toLowerCase() === lower || id.toLowerCase().endsWith(`/${lower}`),
  );
  return fitting.length === 1 ? (fitting[0]?.id ?? null) : null;
}

/** A list that is full was cut: there may be more than it has. */
export function isWhole(choices: readonly Choice[]): boolean {
  return choices.length < CHOICES_MAX;
}

export type Wanted = { readonly kind: ControlKind; readonly id: string };

/** What a wish means by the agent's own lists, in the order in which it is told; or why it cannot be granted. */
export function wantedOf(
  wish: ControlWish,
  offer: Offer,
  settable: readonly ControlKind[],
): readonly Wanted[] | string {
  const wanted: Wanted[] = [];
  for (const kind of CONTROL_KINDS) {
    const asked = wish[kind];
    if (asked === undefined) continue;
    if (!settable.includes(kind))
      return `This agent does not let its ${kind} be chosen. ${offered(settable)}`;
    const model = wanted.find((one) => one.kind === "model")?.id ?? offer.current.model;
    const choices =
      kind === "effort" ? effortsOf(offer, model) : kind === "mode" ? offer.modes : offer.models;
    const id = chosenFrom(choices, asked) ?? (choices.length === 0 || !isWhole(choices) ? asked : null);
    if (id === null) {
      const ids = choices.map((choice) => choice.id).join(", ");
      return `This agent has no ${kind} ${JSON.stringify(asked)}. It offers: ${ids}.`;
    }
    wanted.push({ kind, id });
  }
  return wanted;
}

function offered(settable: readonly ControlKind[]): string {
  return settable.length === 0 ? "Nothing of it can be chosen now." : `It offers: ${settable.join(", ")}.`;
}

/** What is noted in the thread once the agent has said yes. */
export function changedNote({ kind, id }: Wanted): string {
  return `The ${kind} is now ${id}.`;
}

export function unchangedNote({ kind, id }: Wanted, why: string): string {
  return `The ${kind} is not ${id}: ${cut(why, 1_000)}`;
}

/** A text that is a command of the agent's, and not for the model. A path is none. */
export function slashIn(text: string): { readonly name: string; readonly rest: string } | null {
  const [, name, rest = ""] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text.trimEnd()) ?? [];
  return name === undefined ? null : { name, rest: rest.trim() };
}
