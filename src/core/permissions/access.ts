/** What a tool call would do, in the words of the permission language, whichever agent makes it. */
import type { Json } from "../schema.js";

export const CATEGORIES = ["Read", "Write", "Shell", "Mcp", "Web", "Tool"] as const;
export type Category = (typeof CATEGORIES)[number];

/** A tool call as its agent names it; harnesses keep it with the ask that it is about. */
export interface AskedTool {
  readonly name: string;
  readonly input: Json;
  /** What the agent's protocol says that the tool does, such as ACP's `kind`. */
  readonly kind?: string;
  /** Files that it names beside the input. */
  readonly paths?: readonly string[];
  /** Where it would run, when that is not the session's folder. */
  readonly cwd?: string;
}

/** One thing that a call would do. A call may do several: each of them must be permitted. */
export type Access =
  | { readonly category: "Read" | "Write"; readonly path: string }
  | { readonly category: "Shell"; readonly command: string; readonly shell: string; readonly cwd?: string }
  | { readonly category: "Mcp"; readonly server: string; readonly tool: string }
  | { readonly category: "Web"; readonly host: string }
  | { readonly category: "Tool"; readonly name: string };

/** `ask`: a rule says that a person decides; `none`: no rule says anything. */
export type Verdict = "allow" | "deny" | "ask" | "none";

export interface Decision {
  readonly verdict: Verdict;
  /** The rule that made it, as it is written; null when none did. */
  readonly rule: string | null;
  /** The file that holds the rule; null for grants of a session and for what is built in. */
  readonly file: string | null;
  /** In one or two sentences, for a person. */
  readonly because: string;
}
