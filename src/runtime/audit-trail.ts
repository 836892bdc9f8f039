import { createHash } from "node:crypto";
import { auditDigest } from "../protocol/audit-chain.js";
import type { AuditEntry } from "../protocol/audit.js";
import type { Batch } from "./batch.js";

/** The newest entry of the audit. */
export interface AuditHead {
  readonly n: number;
  readonly digest: string;
}

const NOTHING: AuditHead = { n: 0, digest: "" };

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Appends to the audit, in the transaction of what is told there. */
export class AuditTrail {
  private head: AuditHead;
  private durable: AuditHead;

  constructor(loaded: AuditHead | undefined) {
    this.head = loaded ?? NOTHING;
    this.durable = this.head;
  }

  append(batch: Batch, told: Pick<AuditEntry, "atMs" | "principal" | "operation" | "sessionId">): void {
    const entry = { ...told, n: this.head.n + 1, previous: this.head.digest };
    const digest = auditDigest(entry, sha256);
    batch.audit.push({ ...entry, digest });
    this.head = { n: entry.n, digest };
  }

  committed({ audit }: Batch): void {
    this.durable = audit.at(-1) ?? this.durable;
  }

  /** What was not committed never was. */
  restore(): void {
    this.head = this.durable;
  }
}
