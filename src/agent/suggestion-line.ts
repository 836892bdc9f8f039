import { z } from "zod";
import type { Json } from "../core/index.js";
import type { FromAgent } from "../protocol/agent-wire.js";

/** `med` is what some models say. */
const level = z
  .string()
  .transform((given) => given.trim().toLowerCase())
  .pipe(z.enum(["low", "medium", "med", "high"]))
  .transform((given) => (given === "med" ? "medium" : given));

const input = z.object({
  command: z.string().min(1),
  description: z.string().catch(""),
  // A word that we do not know is not taken for harmless.
  danger: level.catch(({ value }) => (typeof value === "string" ? "high" : "low")),
  danger_notes: z.string().optional().catch(undefined),
  confidence: level.optional().catch(undefined),
  confidence_notes: z.string().optional().catch(undefined),
});

/** As the turn machine knows dangers; null when no command is named. */
export function suggestedCommand(call: Json): Json | null {
  const parsed = input.safeParse(call);
  return parsed.success ? { ...fieldsOf(call), danger: parsed.data.danger } : null;
}

function fieldsOf(call: Json): Readonly<Record<string, Json>> {
  // What fits is an object.
  return call as Readonly<Record<string, Json>>;
}

/** A suggested command as a person sees it; null when it names none. */
export function suggestionLine(call: Json): FromAgent | null {
  const parsed = input.safeParse(call);
  if (!parsed.success) return null;
  const { command, description, danger, confidence } = parsed.data;
  const { danger_notes: dangerNotes, confidence_notes: confidenceNotes } = parsed.data;
  return {
    type: "suggestion",
    command,
    description,
    danger,
    ...(dangerNotes === undefined ? {} : { dangerNotes }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(confidenceNotes === undefined ? {} : { confidenceNotes }),
  };
}
