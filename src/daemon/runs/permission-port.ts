import type { Access, AskedTool, Decision, Json, ResolvedAccess, SessionFact } from "../../core/index.js";
import type { WallPlan } from "../../protocol/wall.js";
import type { GrantOutcome } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { leavesWall } from "../../wall/leaves-wall.js";

/** What the driver needs of the permission rules. Nothing here rejects: what cannot be decided is asked. */
export interface PermissionPort {
  decide(record: SessionRecord, tool: AskedTool): Promise<Decision>;
  decideAccess(record: SessionRecord, access: Access): Promise<Decision>;
  /** What the call would do; null: that cannot be told. */
  accesses(record: SessionRecord, tool: AskedTool): readonly ResolvedAccess[] | null;
  /** Whether what the session's folder brings along may run something. */
  isTrusted(record: SessionRecord): boolean;
  /** Keeps what a person granted, where `scope` says. */
  grant(
    record: SessionRecord,
    scope: GrantOutcome["scope"],
    tool: AskedTool,
    source?: "wall",
  ): Promise<GrantOutcome>;
}

/** The tool that an ask is about; a harness that says nothing of it gives it no name. */
export function askedTool(detail: Json | undefined): AskedTool {
  if (detail !== null && typeof detail === "object" && !Array.isArray(detail) && "name" in detail)
    // Harnesses keep it in this form; `name` is what tells it from anything else.
    return detail as unknown as AskedTool;
  return { name: "unknown", input: detail ?? null };
}

/** What no rule decides need not be asked where the wall holds all that the call could do. */
function besideWall(
  plan: WallPlan,
  { because }: Decision,
  accesses: readonly ResolvedAccess[] | null,
): { readonly verdict: "contained" | "none"; readonly because: string } {
  const why = accesses === null ? "nobody can tell what it does" : leavesWall(plan, accesses);
  if (why === null)
    return { verdict: "contained", because: `${because} The wall holds all that it could do.` };
  return { verdict: "none", because: `${because} The wall does not answer it: ${why}.` };
}

export async function resolvePermission(
  permissions: PermissionPort,
  record: SessionRecord,
  { run, askId }: { readonly run: number; readonly askId: string },
  plan: WallPlan | null,
): Promise<SessionFact> {
  const tool = askedTool(record.askDetails[askId]?.tool);
  const decision = await permissions.decide(record, tool);
  const { rule, file } = decision;
  const { verdict, because } =
    decision.verdict === "none" && plan !== null
      ? besideWall(plan, decision, permissions.accesses(record, tool))
      : decision;
  return {
    type: "permission_resolved",
    run,
    askId,
    verdict,
    because,
    ...(rule === null ? {} : { rule }),
    ...(file === null ? {} : { file }),
  };
}
