/** A session's record as it lies in three tables: columns for what is worth looking at, JSON for the rest. */
import type { RunProgress, SessionRecord } from "../../runtime/session-record.js";

/** What seldom changes. */
const DETAILS = ["settings", "askDetails", "openTools", "usage", "grants"] as const;

type Details = Pick<SessionRecord, (typeof DETAILS)[number]>;
type Main = Omit<SessionRecord, keyof Details | "id" | "createdAtMs" | "updatedAtMs" | "seq" | "progress">;
type Progress = Omit<RunProgress, "run" | "outOffset" | "hooksOffset">;

export interface SessionRow {
  readonly session_id: string;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly seq: number;
  readonly record: string;
  readonly details: string;
  readonly run: number;
  readonly out_offset: number;
  readonly hooks_offset: number;
  readonly progress: string;
}

/** Records are never changed in place: a part that is the same object is the same. */
export function hasSameDetails(before: SessionRecord | undefined, record: SessionRecord): boolean {
  return DETAILS.every((part) => before?.[part] === record[part]);
}

export function mainText(record: SessionRecord): string {
  const { state, statusSinceMs, callCount, seatedRun, removing } = record;
  return JSON.stringify({ state, statusSinceMs, callCount, seatedRun, removing } satisfies Main);
}

export function detailsText({ settings, askDetails, openTools, usage, grants }: SessionRecord): string {
  return JSON.stringify({ settings, askDetails, openTools, usage, grants } satisfies Details);
}

export function progressText({ skipping, codec }: RunProgress): string {
  return JSON.stringify({ skipping, codec } satisfies Progress);
}

export function recordFrom(row: SessionRow): SessionRecord {
  // We wrote these texts ourselves, from such parts.
  // A row of an older version does not say since when, and has no grants.
  const main = {
    statusSinceMs: row.updated_at_ms,
    ...(JSON.parse(row.record) as Omit<Main, "statusSinceMs">),
  };
  const details = { grants: [], ...(JSON.parse(row.details) as Omit<Details, "grants">) };
  const progress = JSON.parse(row.progress) as Progress;
  return {
    ...main,
    ...details,
    id: row.session_id,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    seq: row.seq,
    progress: { ...progress, run: row.run, outOffset: row.out_offset, hooksOffset: row.hooks_offset },
  };
}
