/** What a path is to a run: for everything that the daemon does in an agent's place. */
import type { WallPlan } from "../protocol/wall.js";
import { isWithin } from "./layers.js";

export interface PlanAccess {
  /** `private`: the run has something of its own there, which is not what this machine has. */
  readonly access: "writable" | "readOnly" | "hidden" | "private";
  /** The path of the entry that says so; null: the system. */
  readonly entry: string | null;
  readonly why: string;
  readonly rule?: string;
}

/** `path`: real, of this machine, without links; for a file that is to be made, that of its folder and its name. */
export function planAccess(plan: WallPlan, path: string): PlanAccess {
  const all: readonly (PlanAccess & { readonly at: string })[] = [
    ...plan.scratch.map(({ path: at, why }) => ({ at, access: "private" as const, entry: at, why })),
    ...plan.copied.map(({ path: at, why }) => ({ at, access: "private" as const, entry: at, why })),
    ...plan.writable.map(({ path: at, why }) => ({ at, access: "writable" as const, entry: at, why })),
    ...plan.readOnly.map(({ path: at, why }) => ({ at, access: "readOnly" as const, entry: at, why })),
    ...plan.sockets.map(({ path: at, why }) => ({ at, access: "hidden" as const, entry: at, why })),
    ...plan.hidden.map(({ path: at, why, rule }) => ({
      at,
      access: "hidden" as const,
      entry: at,
      why,
      ...(rule === undefined ? {} : { rule }),
    })),
  ];
  let found: (PlanAccess & { readonly at: string }) | null = null;
  for (const each of all)
    if (isWithin(path, each.at) && each.at.length >= (found?.at.length ?? 0)) found = each;
  if (!found) return { access: "readOnly", entry: null, why: "the system" };
  const { at: _at, ...access } = found;
  return access;
}
