/**
 * What the keeper and the daemon must agree on besides the messages of `keeper.ts`.
 *
 * This file imports nothing at all: the keeper loads it, and must not load zod, which takes 12 MiB of memory.
 */

export const KEEPER_PROTOCOL_VERSION = 3;
/** Keepers of before cannot hold a terminal's shell; agents outlive an upgrade, and so do their keepers. */
export const HOLDS_SINCE_VERSION = 2;

/** Keepers of before start what is behind a wall as anything else, and tell its end as bubblewrap does. */
export const WALLS_SINCE_VERSION = 3;
/** Keepers since then ask for the secret of their data folder, and a daemon of before does not know it. */
export const SECRET_SINCE_VERSION = 3;
/** Tells a keeper its data folder: a command line is for everybody to read. */
export const KEEPER_FOLDER_VARIABLE = "SIGNALBOX_KEEPER_DATA_DIR";

/** Whoever holds a terminal's shell names the hold so. */
export const HOLD_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;
/** A hold that nobody has released by then ends by itself. */
export const HOLD_MS_MAX = 60_000;

/** A run's folder is named so: session and number. */
export const RUN_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}\.[0-9]{1,9}$/;

/** `seq.index`: rises within a session, so that the keeper need remember only the newest one of each run. */
export const EFFECT_ID_PATTERN = /^[0-9]{1,15}\.[0-9]{1,9}$/;

export const RUN_SIGNALS = ["SIGINT", "SIGTERM", "SIGKILL", "SIGHUP"] as const;
export type RunSignal = (typeof RUN_SIGNALS)[number];

/** Of a terminal, either way. */
export const TERMINAL_SIZE_MAX = 1_000;

export const UMASK_MAX = 0o777;
/** Of one process: no system allows more. */
export const OPEN_FILES_MAX = 2 ** 30;

/** A connection that sends a longer line is closed. */
export const KEEPER_LINE_BYTES_MAX = 32 * 1024 * 1024;

/** A spool is a row of files named by the offset of their first byte, so that what is consumed can go. */
export const SPOOL_SEGMENT_BYTES = 4 * 1024 * 1024;
/** Unconsumed output at which the keeper stops reading and the agent waits. */
export const SPOOL_BYTES_MAX = 128 * 1024 * 1024;
/** What may wait for one agent to read it. */
export const INPUT_QUEUE_BYTES_MAX = 16 * 1024 * 1024;

export function spoolSegmentName(startOffset: number): string {
  return `out-${String(startOffset).padStart(15, "0")}`;
}

/** The offset of a segment's first byte, or null for any other file's name. */
export function spoolSegmentStart(name: string): number | null {
  const digits = /^out-([0-9]{15})$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
