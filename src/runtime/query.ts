/** What a codec needs of the daemon while it speaks for its agent, and what it is told. */
import type { AskedTool, Decision, Json } from "../core/index.js";

export type Query =
  /** What the rules say of a call that its agent may or may not ask a person about. */
  | { readonly type: "permission"; readonly tool: AskedTool }
  /** Files for agents that read and write through us; only inside the session's folder. */
  | {
      readonly type: "read_file";
      readonly path: string;
      /** From this line on, counted from 1. */
      readonly line: number | null;
      readonly limit: number | null;
    }
  | { readonly type: "write_file"; readonly path: string; readonly content: string };

export type QueryAnswer =
  | { readonly type: "decided"; readonly decision: Decision }
  | { readonly type: "file"; readonly content: string }
  | { readonly type: "written" }
  /** `decision`: the one that denied it. */
  | { readonly type: "failed"; readonly message: string; readonly decision?: Decision };

/** What the rules said of it, to be written down with its reason; null when they were not asked. */
export function decisionIn(query: Query, answer: QueryAnswer): Readonly<Record<string, Json>> | null {
  const decision = answer.type === "decided" || answer.type === "failed" ? answer.decision : undefined;
  if (!decision) return null;
  return { tool: query.type === "permission" ? query.tool.name : query.type, ...decision };
}
