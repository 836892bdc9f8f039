import type { AuditEntry } from "../protocol/audit.js";
import type { Answer, Submission } from "./submission.js";

/** What a submission is called in the audit, and whom it was about. */
export function auditOf(submission: Submission, answer: Answer): Pick<AuditEntry, "operation" | "sessionId"> {
  const name = submission.type === "request" ? submission.request.type : submission.type;
  const asked = "sessionId" in submission ? submission.sessionId : null;
  return {
    operation: answer.ok ? name : `refused:${name}`,
    sessionId: answer.ok ? answer.value.sessionId : asked,
  };
}
