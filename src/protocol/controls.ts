/** What an agent offers beside the conversation, by its own lists, and what a person wants of it. */
import { z } from "zod";

/** What can be chosen during a session, where its agent lets it. */
export const CONTROL_KINDS = ["model", "mode", "effort"] as const;
export type ControlKind = (typeof CONTROL_KINDS)[number];

const choiceSchema = z.object({ id: z.string(), name: z.string(), current: z.boolean() });
const skillSchema = z.object({ name: z.string(), description: z.string() });

export const controlsSchema = z.object({
  /** What can be set; the lists of the others, if there are any, are only to be read. */
  settable: z.array(z.enum(CONTROL_KINDS)),
  models: z.array(choiceSchema),
  modes: z.array(choiceSchema),
  /** Of the current model. */
  efforts: z.array(choiceSchema),
  /** Without the slash; `hint`: what may follow. */
  commands: z.array(skillSchema.extend({ hint: z.string().nullable() })),
  skills: z.array(skillSchema),
});
export type Controls = z.infer<typeof controlsSchema>;

const name = z.string().min(1).max(200).optional();

export const setControlsBody = z.strictObject({
  model: name,
  mode: name,
  effort: name,
  clientId: z.string().min(1).max(200).optional(),
});
export interface ControlWish {
  readonly model?: string;
  readonly mode?: string;
  readonly effort?: string;
}

export const NO_CONTROLS: Controls = {
  settable: [],
  models: [],
  modes: [],
  efforts: [],
  commands: [],
  skills: [],
};
