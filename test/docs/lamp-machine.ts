/** The smallest machine with everything a machine can have: what the command line and the documents are tested with. */
import { count, object, oneOf, optional, parse, text, union, type Infer } from "../../src/core/schema.js";
import { ignored, type Step } from "../../src/core/step.js";
import { compile, describe, type Machine, type Table, type TableNames } from "../../src/core/table.js";

const lampShape = object({ light: oneOf("off", "on", "broken"), presses: count, label: text });
const lampEventShape = union({ press: { by: text }, "power:lost": {}, burn_out: { note: optional(text) } });

export type Lamp = Infer<typeof lampShape>;
export type LampEvent = Infer<typeof lampEventShape>;
export interface LampEffect {
  readonly type: "click";
  readonly by: string;
}

type Take<E extends LampEvent["type"]> = Extract<LampEvent, { type: E }>;
type LampStep = Step<Lamp, LampEffect, "lamp_broken">;

const COLUMNS = ["off", "on", "broken"] as const;

const RULES = {
  switch_on: {
    to: ["on"],
    note: "Lights up.",
    apply: (state: Lamp, event: Take<"press">): LampStep => press(state, event, "on"),
  },
  switch_off: {
    to: ["off"],
    note: "Goes dark.",
    apply: (state: Lamp, event: Take<"press">): LampStep => press(state, event, "off"),
  },
  refuse: {
    to: ["same"],
    note: "A broken lamp | does not switch.",
    apply: (state: Lamp, _event: LampEvent): LampStep => ({
      state,
      effects: [],
      result: "rejected",
      error: { code: "lamp_broken", message: "the lamp is broken" },
    }),
  },
  go_dark: {
    to: ["same", "off"],
    note: "Whatever shone no longer does.",
    apply: (state: Lamp, _event: LampEvent): LampStep =>
      state.light === "off"
        ? { state, effects: [], result: "ok" }
        : { state: { ...state, light: "off" }, effects: [], result: "ok" },
  },
  shatter: {
    to: ["broken"],
    note: "For good.",
    apply: (state: Lamp, _event: LampEvent): LampStep => ({
      state: { ...state, light: "broken" },
      effects: [],
      result: "ok",
    }),
  },
  skip: {
    to: ["same"],
    note: "Means nothing here.",
    apply: (state: Lamp, _event: LampEvent): LampStep => ignored(state, "broken already"),
  },
} as const;

function press(state: Lamp, event: Take<"press">, light: "on" | "off"): LampStep {
  return {
    state: { ...state, light, presses: state.presses + 1 },
    effects: [{ type: "click", by: event.by }],
    result: "ok",
  };
}

type Rows = { readonly [E in LampEvent as E["type"]]: E };

// prettier-ignore
const TABLE = {
  //             off          on            broken
  press:        ["switch_on", "switch_off", "refuse"],
  "power:lost": ["go_dark",   "go_dark",    "skip"],
  burn_out:     ["shatter",   "shatter",    "skip"],
} as const satisfies Table<Rows, typeof COLUMNS, typeof RULES>;

function transitionBy(table: TableNames) {
  const cells = compile<Lamp, LampEvent, LampEffect, "lamp_broken">(table, RULES);
  return (state: Lamp, event: LampEvent): LampStep => {
    const apply = cells.get(event.type)?.[COLUMNS.indexOf(state.light)];
    if (!apply) throw new Error(`no cell for ${event.type} in ${state.light}`);
    return apply(state, event);
  };
}

export const lampMachine: Machine<Lamp, LampEvent, LampEffect, "lamp_broken"> = {
  name: "lamp",
  initial: { light: "off", presses: 0, label: "" },
  parseEvent: (value) => parse(lampEventShape, value),
  parseState: (value) => parse(lampShape, value),
  transition: transitionBy(TABLE),
  transitionBy,
  locate: (state, event) => ({ row: event.type, column: state.light }),
  description: describe("lamp", COLUMNS, ["A lamp has no gates."], TABLE, RULES, (row) =>
    row === "press" ? "request" : "fact",
  ),
};
