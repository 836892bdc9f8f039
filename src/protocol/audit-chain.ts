/** How the entries of the audit hang together. */
import type { AuditEntry } from "./audit.js";

/** In hexadecimal. */
export type Sha256 = (text: string) => string;

export function auditDigest(entry: Omit<AuditEntry, "digest">, sha256: Sha256): string {
  const { n, atMs, principal, operation, sessionId, previous } = entry;
  const { kind, id, name } = principal;
  return sha256(JSON.stringify([previous, n, atMs, kind, id, name, operation, sessionId]));
}

export interface BrokenLink {
  readonly n: number;
  readonly because: string;
}

/** Follows the chain, entry by entry, from its first. */
export class AuditVerifier {
  private last: AuditEntry | null = null;

  constructor(private readonly sha256: Sha256) {}

  /** The next entry. Null: it hangs where it should. */
  take(entry: AuditEntry): BrokenLink | null {
    const { n, previous, digest } = entry;
    const { n: lastN, digest: lastDigest } = this.last ?? { n: 0, digest: "" };
    if (n !== lastN + 1) return { n: lastN + 1, because: `it is missing: after ${lastN} comes ${n}` };
    if (previous !== lastDigest) return { n, because: "it does not follow the entry before it" };
    if (digest !== auditDigest(entry, this.sha256)) return { n, because: "it is not as it was written" };
    this.last = entry;
    return null;
  }
}
