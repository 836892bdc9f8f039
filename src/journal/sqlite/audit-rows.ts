/** The audit, as it is read from a file that may be damaged. */
import { principalSchema, type Principal } from "../../protocol/principal.js";
import type { AuditEntry } from "../../protocol/audit.js";
import type { AuditQuery, Loaded } from "../../runtime/ports.js";
import { READ_LENGTH_MAX } from "../bounds.js";
import type { Database } from "./database.js";
import { numberColumn, textColumn, textOf, type StoredText } from "./stored-row.js";

export const AUDIT_COLUMNS = [
  numberColumn("n"),
  numberColumn("at_ms"),
  ...["principal", "operation", "session_id", "digest", "previous"].map((column) => textColumn(column)),
];

export interface AuditRow {
  readonly n: number;
  readonly at_ms: number;
  readonly principal: StoredText;
  readonly operation: StoredText;
  readonly session_id: StoredText;
  readonly digest: StoredText;
  readonly previous: StoredText;
}

/** As it is there: whether it is as it was written, its digest tells. */
export function auditFrom(row: AuditRow): AuditEntry {
  const sessionId = textOf(row.session_id);
  return {
    n: row.n,
    atMs: row.at_ms,
    principal: principalFrom(textOf(row.principal)),
    operation: textOf(row.operation),
    sessionId: sessionId === "" ? null : sessionId,
    digest: textOf(row.digest),
    previous: textOf(row.previous),
  };
}

export function readAudit(database: Database, { sinceMs, after, limit }: AuditQuery): readonly AuditEntry[] {
  const rows = database
    .prepare(
      `SELECT ${AUDIT_COLUMNS.join(", ")} FROM audit WHERE audit.n > ? AND audit.at_ms >= ? ORDER BY audit.n LIMIT ?`,
    )
    .all([after, sinceMs, Math.max(0, Math.min(limit, READ_LENGTH_MAX))]);
  return (rows as readonly AuditRow[]).map(auditFrom);
}

export function auditHead(database: Database): Pick<Loaded, "auditHead"> {
  const [row] = database.rows(
    `SELECT ${numberColumn("n")}, ${textColumn("digest")} FROM audit ORDER BY audit.n DESC LIMIT 1`,
  ) as readonly Pick<AuditRow, "n" | "digest">[];
  return row ? { auditHead: { n: row.n, digest: textOf(row.digest) } } : {};
}

/** A damaged one is nobody's: then the digest does not fit either. */
function principalFrom(text: string): Principal {
  const nobody: Principal = { kind: "host", id: "", name: "damaged" };
  try {
    return principalSchema.safeParse(JSON.parse(text)).data ?? nobody;
  } catch (error) {
    if (error instanceof SyntaxError) return nobody;
    throw error;
  }
}
