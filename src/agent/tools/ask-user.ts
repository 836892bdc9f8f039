import { z } from "zod";
import type { Tool } from "./tool.js";

const input = z.object({
  question: z.string().min(1),
  choices: z.array(z.string().min(1)).max(10).default([]),
});

/** It only asks, and needs no permission for that. */
export const askUserTool: Tool<z.infer<typeof input>> = {
  name: "ask_user",
  capability: null,
  ask: "none",
  description:
    "Asks the user a question and waits for the answer. Only for what you cannot find out yourself.",
  input,
  describe: ({ question }) => Promise.resolve({ title: question, detail: "" }),
  async execute({ question, choices }, { ask, signal }) {
    const detail = choices.map((choice, index) => `${index + 1}. ${choice}`).join("\n");
    const reply = await ask(question, detail, signal);
    if (reply === null) return { isError: true, content: "The question was withdrawn." };
    const chosen = choices[Number(reply) - 1];
    return { isError: false, content: chosen ?? reply };
  },
};
