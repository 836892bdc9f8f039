/** One line of a permission file: what it says, and where it stands. */
import type { Category } from "./access.js";

/** Where a rule comes from. */
export interface RuleOrigin {
  /** Null for grants of a session and for what is built in. */
  readonly file: string | null;
  readonly line: number | null;
  readonly kind: "global" | "project" | "grant" | "builtin";
  /**
   * The folder that relative path patterns start from: a real path, without links. Null: the session's project.
   */
  readonly root: string | null;
}

export interface Rule {
  readonly effect: "allow" | "ask" | "deny" | "grant";
  readonly category: Category;
  /** Null: `Shell` without parentheses, which is everything of that category. */
  readonly pattern: string | null;
  /** As it is written. */
  readonly text: string;
  readonly origin: RuleOrigin;
}

export type ParsedRule =
  | { readonly ok: true; readonly category: Category; readonly pattern: string | null }
  | { readonly ok: false; readonly message: string };

/** Reads `Category(pattern)`; what is wrong is said in words, with what was expected. */
export function parseRule(text: string): ParsedRule {
  return { ok: false, message: `not yet read: ${text}` };
}
