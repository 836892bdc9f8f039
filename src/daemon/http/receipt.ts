import { createHash } from "node:crypto";
import type { ReceiptDraft } from "../../runtime/submission.js";

/** Null when the client did not ask for one. The same id with another request has another fingerprint. */
export function receiptFor(
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): ReceiptDraft | null {
  const { clientId, ...rest } = body;
  if (typeof clientId !== "string") return null;
  const fingerprint = createHash("sha256")
    .update(`${method} ${path}\n${canonical(rest)}`)
    .digest("hex");
  return { clientId, fingerprint };
}

/** For one of several submissions that one request makes. */
export function partOf(receipt: ReceiptDraft | null, part: string): ReceiptDraft | null {
  if (!receipt) return null;
  return { clientId: `${receipt.clientId}/${part}`, fingerprint: receipt.fingerprint };
}

/** JSON in which the order of keys does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(",")}}`;
}
