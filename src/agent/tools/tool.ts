/** What the agent can do, and what each tool may use. */
import type { z } from "zod";
import type { Json } from "../../core/index.js";
import type { FileMemory } from "./file-memory.js";

export interface ToolOutcome {
  readonly isError: boolean;
  /** For the model. */
  readonly content: string;
  /** A unified diff of what it changed, for the person. */
  readonly diff?: string;
}

export interface ToolContext {
  /** The session's folder: relative paths start here. */
  readonly cwd: string;
  /** What was read in this conversation, so that nothing is edited unseen. */
  readonly files: FileMemory;
  /** Aborted when the tool is to end; it then still resolves. */
  readonly signal: AbortSignal;
  /** Asks the person something; null: the question was withdrawn. */
  readonly ask: (question: string, detail: string, signal: AbortSignal) => Promise<string | null>;
  /** What it shows just now: at most ten lines of 120 columns. */
  readonly preview: (lines: readonly string[]) => void;
}

/** What a person sees before it is allowed. */
export interface ToolDescriptionForPerson {
  readonly title: string;
  readonly detail: string;
}

export interface Tool<Input = unknown> {
  readonly name: string;
  /** What the client must be able to do; null: nothing. */
  readonly capability: string | null;
  /** As what a person is asked for permission; `none`: it does nothing that needs any. */
  readonly ask: "tool" | "command" | "use_mcp_server" | "none";
  /** For the model. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** As the model reads it, where that is not what `input` says. */
  readonly inputSchema?: Readonly<Record<string, Json>>;
  readonly timeoutMs?: number;
  /** Never throws: what cannot be previewed is described as it is. */
  describe(input: Input, context: Pick<ToolContext, "cwd" | "files">): Promise<ToolDescriptionForPerson>;
  /** Rejects only when something of ours is broken; a failure of the tool is an outcome. */
  execute(input: Input, context: ToolContext): Promise<ToolOutcome>;
}
