import { z } from "zod";
import type { ToolDescription } from "../models/model.js";
import { describeInput } from "./describe-input.js";

/** Never executed: the call itself is the suggestion, and ends the turn. */
export const suggestCommand: ToolDescription = {
  name: "suggest_command",
  description:
    "Suggests one command for the user's own shell, and ends your turn. The user decides whether to run it.",
  inputSchema: describeInput(
    z.object({
      command: z.string().min(1),
      description: z.string(),
      danger: z.enum(["low", "medium", "high"]).describe("medium or high is confirmed twice"),
      danger_notes: z.string().optional(),
      confidence: z.enum(["low", "medium", "high"]),
      confidence_notes: z.string().optional(),
    }),
  ),
};
