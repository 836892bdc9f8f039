/** Named places where the reliability tests end the daemon, as a crash would. Nothing happens there otherwise. */
export const CRASH_POINTS = [
  "after_spool_write",
  "before_commit",
  "after_commit",
  "before_effect",
  "after_effect",
  "during_compaction",
  "during_start",
  "during_shutdown",
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

export type PassCrashPoint = (point: CrashPoint) => void;
