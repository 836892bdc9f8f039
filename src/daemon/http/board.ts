import type { RosterState } from "../../core/index.js";
import type { Explanation } from "../../protocol/api-schemas.js";
import type { Principal } from "../../protocol/principal.js";
import type { Harness } from "../../runtime/harness.js";
import type { Journal } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { HarnessSetup } from "../config/harness-setup.js";
import type { Suggest } from "../permissions/session-permissions.js";
import type { Answer, ReceiptDraft, Submission } from "../../runtime/submission.js";

/** What the API can see and ask of the runtime. */
export interface Board {
  /** `by`: who asks for it. */
  submit(submission: Submission, receipt: ReceiptDraft | null, by: Principal): Promise<Answer>;
  /** As it is at `lastPosition`. */
  session(sessionId: string): SessionRecord | null;
  /** In any order, as they are at `lastPosition`. */
  sessions(): Iterable<SessionRecord>;
  /** Of a message that is not settled. */
  messageText(sessionId: string, messageId: string): string | null;
  roster(): RosterState;
  /** The newest position that is committed. */
  lastPosition(): number;
  readonly journal: Pick<Journal, "readEntries" | "readNewest" | "readEntry" | "countAfter" | "readAudit">;
  /** Who does something that is no submission. Rejects when it cannot be written down. */
  audit(by: Principal, operation: string, sessionId: string | null): Promise<void>;
  /** Those of this version. */
  harnesses(): readonly Harness[];
  /** What is configured of them, and beside them. */
  readonly setup?: HarnessSetup;
  readonly suggest: Suggest;
  explain(sessionId: string): Promise<Explanation | null>;
}
