import type { AskedTool, Decision, Json, SessionFact } from "../../core/index.js";
import type { PermissionScope } from "../../permissions/permission-scope.js";
import type { SessionRecord } from "../../runtime/session-record.js";

/** What the driver needs of the permission rules. */
export interface PermissionPort {
  /** Never rejects: what cannot be decided is asked. */
  decide(record: SessionRecord, tool: AskedTool): Promise<Decision>;
  /** Keeps what a person granted, where `scope` says; resolves with the rules that the session itself is to keep. */
  grant(
    record: SessionRecord,
    scope: Exclude<PermissionScope, "once">,
    tool: Json,
  ): Promise<readonly string[]>;
}

/** Nothing is decided: a person is asked. */
export const NO_RULES: PermissionPort = {
  decide: () =>
    Promise.resolve({ verdict: "none", rule: null, file: null, because: "There are no rules yet." }),
  grant: () => Promise.resolve([]),
};

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
