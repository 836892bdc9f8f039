/** `signalbox audit`: who asked for what. */
import { createHash } from "node:crypto";
import type { Client } from "../../client/client.js";
import { AuditVerifier } from "../../protocol/audit-chain.js";
import type { AuditEntry } from "../../protocol/audit.js";
import { byWords } from "../../protocol/principal-words.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

const PAGE_LENGTH = 1_000;
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const auditCommand: Command = {
  help: `Usage: signalbox audit [verify | export] [options]

Prints who asked for what, oldest first: devices, the token, agents, and what was refused to them. Of what was said
there is nothing in it, and it outlives the sessions of which it tells. Each entry holds a digest of itself and of the
one before it.

verify   follows that chain from its first entry, and names the first link that is broken
export   prints every entry as a line of JSON, to be kept elsewhere: whoever can write the journal can write a new chain

Options:
  --since WHEN     only entries since then: 2026-01-31, 2026-01-31T12:00, or 30m, 12h, 7d ago
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("audit", args, {
    ...CLIENT_OPTIONS,
    since: { type: "string" },
  });
  const [what] = takeWords("audit", positionals, ["[verify or export]"]);
  if (what !== undefined && what !== "verify" && what !== "export")
    throw new UsageError(
      `${JSON.stringify(what)} is neither verify nor export`,
      "See signalbox audit --help.",
    );
  if (what === "verify" && values.since !== undefined)
    throw new UsageError("a chain is followed from its first entry", "Leave --since out.");
  const since = values.since === undefined ? 0 : sinceMs(values.since, Date.now());
  const client = await openClient(values);
  if (what === "verify") return verify(client, values.json === true);
  const asJson = what === "export" || values.json === true;
  for await (const entries of pages(client, since))
    await print(entries.map((entry) => (asJson ? `${JSON.stringify(entry)}\n` : line(entry))).join(""));
  return EXIT.ok;
}

/** A date, or how long ago. */
export function sinceMs(typed: string, nowMs: number): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(typed) ?? [];
  const unitMs = UNITS_MS[unit ?? ""];
  if (count !== undefined && unitMs !== undefined) return Math.max(0, nowMs - Number(count) * unitMs);
  const date = /^\d{4}-\d\d-\d\d/.test(typed) ? Date.parse(typed) : NaN;
  if (!Number.isNaN(date)) return Math.max(0, date);
  throw new UsageError(`--since ${typed}: not a time`, "Examples: 2026-01-31, 30m, 12h, 7d.");
}

async function* pages(client: Client, since: number): AsyncGenerator<readonly AuditEntry[]> {
  let after = 0;
  for (;;) {
    const { items, nextCursor } = await client.listAudit({ since, after, limit: PAGE_LENGTH });
    yield items;
    if (nextCursor === undefined) return;
    after = Number(nextCursor);
  }
}

async function verify(client: Client, json: boolean): Promise<ExitCode> {
  const verifier = new AuditVerifier((text) => createHash("sha256").update(text).digest("hex"));
  let last: AuditEntry | null = null;
  for await (const entries of pages(client, 0)) {
    for (const entry of entries) {
      const broken = verifier.take(entry);
      if (!broken) {
        last = entry;
        continue;
      }
      if (json) await printJson({ ok: false, ...broken });
      throw new CommandFailure(
        `the chain is broken at entry ${broken.n}: ${broken.because}`,
        "What stands before it is as it was written. Compare with what signalbox audit export gave earlier.",
        EXIT.refused,
      );
    }
  }
  const { n, digest } = last ?? { n: 0, digest: "" };
  if (json) await printJson({ ok: true, entries: n, digest });
  else
    await print(n === 0 ? "nothing is in it yet\n" : `${n} entries, none changed; the last is ${digest}\n`);
  return EXIT.ok;
}

function line({ n, atMs, principal, operation, sessionId }: AuditEntry): string {
  const at = new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
  return `${n}  ${at}Z  ${oneLine(operation)}  ${oneLine(byWords(principal))}${sessionId === null ? "" : `  ${oneLine(sessionId)}`}\n`;
}
