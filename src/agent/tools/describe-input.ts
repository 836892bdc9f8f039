import { z } from "zod";
import type { Json } from "../../core/index.js";

/** A tool's input, as models read it. */
export function describeInput(schema: z.ZodType): Readonly<Record<string, Json>> {
  // What zod writes is JSON; fields with a default may be left out.
  return z.toJSONSchema(schema, { io: "input" }) as Readonly<Record<string, Json>>;
}
