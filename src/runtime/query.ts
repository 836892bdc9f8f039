/** What a codec needs of the daemon while it speaks for its agent, and what it is told. */
import type { AskedTool, Decision, Json } from "../core/index.js";
import type { RunExit } from "../protocol/keeper.js";

export type Query =
  /** What the rules say of a call that its agent may or may not ask a person about. */
  | {
      readonly type: "permission";
      readonly tool: AskedTool;
      /** Fails, whatever the rules say, unless this folder is the session's or inside of it. */
      readonly within?: string;
    }
  /** Files for agents that read and write through us; only inside the session's folder. */
  | {
      readonly type: "read_file";
      readonly path: string;
      /** From this line on, counted from 1. */
      readonly line: number | null;
      readonly limit: number | null;
    }
  | { readonly type: "write_file"; readonly path: string; readonly content: string }
  | TerminalQuery;

/**
 * A command that we run for an agent, outside of it: a run of its own, which ends with the run of its agent. `terminal`
 * is the codec's number for it. That it goes on, and that it has ended, is told as a `TerminalObservation`.
 */
export type TerminalQuery =
  /** One line of bash, in a folder that is the session's or inside of it. */
  | {
      readonly type: "terminal_start";
      readonly terminal: number;
      readonly command: string;
      readonly cwd: string;
    }
  /** The newest of what it printed. */
  | { readonly type: "terminal_output"; readonly terminal: number; readonly limitBytes: number }
  /** Ends it, with everything that it started; its output can still be read. */
  | { readonly type: "terminal_kill"; readonly terminal: number }
  /** Ends it, and deletes all that is kept of it. */
  | { readonly type: "terminal_release"; readonly terminal: number };

export type QueryAnswer =
  | { readonly type: "decided"; readonly decision: Decision }
  | { readonly type: "file"; readonly content: string }
  | { readonly type: "written" }
  | {
      readonly type: "terminal_output";
      readonly text: string;
      /** There was more before it. */
      readonly truncated: boolean;
      /** Null: it goes on. */
      readonly exit: RunExit | null;
    }
  /** It was started, told to end, or let go. */
  | { readonly type: "terminal_done" }
  /** `decision`: the one that denied it. */
  | { readonly type: "failed"; readonly message: string; readonly decision?: Decision };

export function isTerminalQuery(query: Query): query is TerminalQuery {
  return query.type.startsWith("terminal_");
}

/** What the rules said of it, to be written down with its reason; null when they were not asked. */
export function decisionIn(query: Query, answer: QueryAnswer): Readonly<Record<string, Json>> | null {
  const decision = answer.type === "decided" || answer.type === "failed" ? answer.decision : undefined;
  if (!decision) return null;
  return { tool: query.type === "permission" ? query.tool.name : query.type, ...decision };
}
