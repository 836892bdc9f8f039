import { z } from "zod";
import type { Json } from "../core/index.js";
import type { FromAgent } from "../protocol/agent-wire.js";

const input = z.object({
  command: z.string().min(1),
  description: z.string().catch(""),
  // What is not known to be harmless is not called so; `med` is what some models say.
  danger: z
    .enum(["low", "medium", "med", "high"])
    .catch("low")
    .transform((danger) => (danger === "med" ? "medium" : danger)),
  danger_notes: z.string().optional().catch(undefined),
});

/** A suggested command as a person sees it; null when it names none. */
export function suggestionLine(call: Json): FromAgent | null {
  const parsed = input.safeParse(call);
  if (!parsed.success) return null;
  const { command, description, danger, danger_notes: dangerNotes } = parsed.data;
  const notes = dangerNotes === undefined ? {} : { dangerNotes };
  return { type: "suggestion", command, description, danger, ...notes };
}
