import { z } from "zod";
import type { Tool } from "./tool.js";

const input = z.object({ name: z.string().min(1) });

/** Reading a skill changes nothing; what it tells the model to do is asked for like everything else. */
export function loadSkillTool(
  load: (name: string, signal: AbortSignal) => Promise<string>,
): Tool<z.infer<typeof input>> {
  return {
    name: "load_skill",
    capability: null,
    ask: "none",
    description: "Loads the instructions of a skill by its name.",
    input,
    describe: ({ name }) => Promise.resolve({ title: `Load the skill ${name}`, detail: "" }),
    execute: async ({ name }, { signal }) => ({ isError: false, content: await load(name, signal) }),
  };
}
