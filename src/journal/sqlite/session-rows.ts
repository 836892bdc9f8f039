/** A session's record as it lies in three tables: columns for what is worth looking at, JSON for the rest. */
import type { RunProgress, SessionRecord, SessionSettings } from "../../runtime/session-record.js";
import type { Variables } from "./secrets-file.js";
import {
  isIntact,
  isIntactJson,
  numberColumn,
  textColumn,
  textOf,
  type StoredChecksum,
  type StoredText,
} from "./stored-row.js";

/** What seldom changes. */
const DETAILS = ["settings", "askDetails", "openTools", "usage", "grants", "wall"] as const;

type Details = Pick<SessionRecord, (typeof DETAILS)[number]>;
/** The values of its variables are secrets, and elsewhere. */
type WrittenSettings = Omit<SessionSettings, "env"> & { readonly envNames: readonly string[] };
type WrittenDetails = Omit<Details, "settings"> & { readonly settings: WrittenSettings };
type Main = Omit<SessionRecord, keyof Details | "id" | "createdAtMs" | "updatedAtMs" | "seq" | "progress">;
type Progress = Omit<RunProgress, "run" | "outOffset" | "hooksOffset">;

/** A session's rows of three tables and its key, joined, each with its checksum. */
export interface SessionRow {
  readonly session_key: number;
  readonly session_id: StoredText;
  readonly key_crc: StoredChecksum;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly seq: number;
  readonly harness: StoredText;
  readonly status: StoredText;
  readonly record: StoredText;
  readonly record_crc: StoredChecksum;
  readonly details: StoredText;
  readonly details_crc: StoredChecksum;
  readonly run: number;
  readonly out_offset: number;
  readonly hooks_offset: number;
  readonly progress: StoredText;
  readonly progress_crc: StoredChecksum;
}

export const SESSION_COLUMNS = {
  session_keys: [numberColumn("session_key"), textColumn("session_id"), numberColumn("crc", "key_crc")],
  sessions: [
    ...["session_key", "created_at_ms", "updated_at_ms", "seq"].map((column) => numberColumn(column)),
    ...["harness", "status", "record"].map((column) => textColumn(column)),
    numberColumn("crc", "record_crc"),
  ],
  session_details: [numberColumn("session_key"), textColumn("details"), numberColumn("crc", "details_crc")],
  spool_cursors: [
    ...["session_key", "run", "out_offset", "hooks_offset"].map((column) => numberColumn(column)),
    textColumn("progress"),
    numberColumn("crc", "progress_crc"),
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Records are never changed in place: a part that is the same object is the same. */
export function hasSameDetails(before: SessionRecord | undefined, record: SessionRecord): boolean {
  return DETAILS.every((part) => before?.[part] === record[part]);
}

export function mainText(record: SessionRecord): string {
  const { state, statusSinceMs, callCount, seatedRun, removing } = record;
  return JSON.stringify({ state, statusSinceMs, callCount, seatedRun, removing } satisfies Main);
}

/** `missing`: further names of variables, whose values are not there. */
export function detailsText(record: SessionRecord, missing: readonly string[]): string {
  const { settings, askDetails, openTools, usage, grants, wall } = record;
  const { env, ...rest } = settings;
  const envNames = [...new Set([...Object.keys(env), ...missing])];
  const written: WrittenDetails = {
    settings: { ...rest, envNames },
    askDetails,
    openTools,
    usage,
    grants,
    ...(wall ? { wall } : {}),
  };
  return JSON.stringify(written);
}

export function progressText({ skipping, codec }: RunProgress): string {
  return JSON.stringify({ skipping, codec } satisfies Progress);
}

export interface RecordRead {
  readonly record: SessionRecord;
  /** Variables that it was given, and whose values are not there. */
  readonly missing: readonly string[];
}

/** Null when a part of it is not as it was written. */
export function recordFrom(row: SessionRow, envOf: (sessionId: string) => Variables): RecordRead | null {
  if (!isRowIntact(row)) return null;
  // We wrote these texts ourselves, from such parts.
  // A row of an older version does not say since when, and has no grants.
  const main = {
    statusSinceMs: row.updated_at_ms,
    ...(JSON.parse(textOf(row.record)) as Omit<Main, "statusSinceMs">),
  };
  const details = { grants: [], ...(JSON.parse(textOf(row.details)) as Omit<WrittenDetails, "grants">) };
  const { envNames, ...settings } = details.settings;
  const env = envOf(textOf(row.session_id));
  const progress = JSON.parse(textOf(row.progress)) as Progress;
  const record = {
    ...main,
    ...details,
    settings: { ...settings, env },
    id: textOf(row.session_id),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    seq: row.seq,
    progress: { ...progress, run: row.run, outOffset: row.out_offset, hooksOffset: row.hooks_offset },
  };
  return { record, missing: envNames.filter((name) => !Object.hasOwn(env, name)) };
}

function isRowIntact(row: SessionRow): boolean {
  const { session_key, created_at_ms, updated_at_ms, seq, harness, status, record } = row;
  const { run, out_offset, hooks_offset, progress, details } = row;
  return (
    isIntact(row.key_crc, [session_key], [row.session_id]) &&
    isIntactJson(
      row.record_crc,
      [session_key, created_at_ms, updated_at_ms, seq],
      [harness, status, record],
    ) &&
    isIntactJson(row.details_crc, [session_key], [details]) &&
    isIntactJson(row.progress_crc, [session_key, run, out_offset, hooks_offset], [progress])
  );
}
