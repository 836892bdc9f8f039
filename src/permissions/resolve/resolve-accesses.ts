/** Follows what a call names to where it leads. */
import type { Access, ResolvedAccess } from "../../core/index.js";

export interface ResolveContext {
  readonly cwd: string;
  readonly projectDir: string;
  readonly homeDir: string;
}

export function resolveAccesses(
  accesses: readonly Access[],
  _context: ResolveContext,
): readonly ResolvedAccess[] {
  return accesses.map((access) => ({ category: "Tool", name: access.category }));
}
