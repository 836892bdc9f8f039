/** A tool of `signalbox mcp`. */
import { z } from "zod";
import type { Client } from "../../client/client.js";
import type { Caller } from "./caller.js";

/** It would be refused by nobody: what is typed into a shell is run. */
export const UNRULED_HARNESS = "terminal";

/** The caller's fault; the model reads why. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
}

export interface SessionTool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly description: string;
  readonly input: Shape;
  readonly isReadOnly: boolean;
  readonly run: (client: Client, caller: Caller, input: z.output<z.ZodObject<Shape>>) => Promise<unknown>;
}

export function tool<Shape extends z.ZodRawShape>(definition: SessionTool<Shape>): SessionTool {
  return definition as unknown as SessionTool;
}

export const sessionId = z
  .string()
  .min(1)
  .max(200)
  .describe("The session's id, or a beginning that means only it");
