import type { Access, AskedTool, Decision, Json, SessionFact } from "../../core/index.js";
import type { GrantOutcome } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";

/** What the driver needs of the permission rules. Nothing here rejects: what cannot be decided is asked. */
export interface PermissionPort {
  decide(record: SessionRecord, tool: AskedTool): Promise<Decision>;
  decideAccess(record: SessionRecord, access: Access): Promise<Decision>;
  /** Whether what the session's folder brings along may run something. */
  isTrusted(record: SessionRecord): boolean;
  /** Keeps what a person granted, where `scope` says. */
  grant(record: SessionRecord, scope: GrantOutcome["scope"], tool: AskedTool): Promise<GrantOutcome>;
}

/** The tool that an ask is about; a harness that says nothing of it gives it no name. */
export function askedTool(detail: Json | undefined): AskedTool {
  if (detail !== null && typeof detail === "object" && !Array.isArray(detail) && "name" in detail)
    // Harnesses keep it in this form; `name` is what tells it from anything else.
    return detail as unknown as AskedTool;
  return { name: "unknown", input: detail ?? null };
}

export async function resolvePermission(
  permissions: PermissionPort,
  record: SessionRecord,
  { run, askId }: { readonly run: number; readonly askId: string },
): Promise<SessionFact> {
  const tool = askedTool(record.askDetails[askId]?.tool);
  const { verdict, rule, file, because } = await permissions.decide(record, tool);
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
