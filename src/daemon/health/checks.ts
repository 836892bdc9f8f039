/** What can be wrong with an installation, each a check of its own: ok, or what to do. Further ones are added to a list. */
import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { HealthCheck } from "../../protocol/api-schemas.js";
import { CUT_LOG_REMEDY, damagedDetail, READ_ONLY_SENTENCE } from "../../journal/damage-words.js";
import type { Examination } from "../../journal/sqlite/examine.js";

export type Check = () => Promise<HealthCheck>;

/** What the system says of a full disk, and SQLite in its place. */
export const FULL_DISK = /\b(?:ENOSPC|EDQUOT)\b|disk is full|no room/i;

/** With less nothing can be written down. */
const FULL_BYTES_MAX = 1024 * 1024;
const FREE_BYTES_MIN = 256 * 1024 * 1024;
const PRIVATE_FILES = [
  "token",
  "devices.json",
  "secrets.json",
  "keeper.secret",
  "journal.db",
  "journal.db-wal",
  "workspaces.db",
  "workspaces.db-wal",
  "reviews.db",
  "reviews.db-wal",
  "daemon.json",
];
const NAMED_MAX = 10;

export function ok(name: string, detail: string): HealthCheck {
  return { name, ok: true, detail, remedy: null };
}

/** What is wrong carries its own heading: nobody has to guess one from the details. */
export interface Matter {
  readonly heading: string;
  readonly detail: string;
  readonly remedy: string;
}

export function wrong(name: string, matter: Matter): HealthCheck {
  return { name, ok: false, ...matter };
}

/** No fault, and worth knowing. */
export function noted(name: string, matter: Matter): HealthCheck {
  return { name, ok: true, ...matter };
}

export interface JournalNews {
  /** Why it could not be written just now; null: it could, or nobody tried. */
  readonly writeFailure?: string | null;
  /** What is worth saying of how it ended the last time, and is no fault. */
  readonly notes?: readonly string[];
}

export function journalCheck(
  { problems, damaged, damagedCount }: Examination,
  { writeFailure = null, notes = [] }: JournalNews = {},
): HealthCheck {
  if (problems.length > 0)
    return wrong("journal", {
      heading: "The journal is damaged",
      detail: damagedDetail(problems),
      remedy: READ_ONLY_SENTENCE,
    });
  // A full disk is told by its own check.
  if (writeFailure !== null && !FULL_DISK.test(writeFailure))
    return wrong("journal", {
      heading: "The journal cannot be written",
      detail: writeFailure,
      remedy: "Agents wait; nothing is lost. See daemon.log in the data folder.",
    });
  if (damagedCount === 0 && notes.length > 0)
    return noted("journal", {
      heading: "The journal was cut short",
      detail: notes.join(" ").replace(/\.$/, ""),
      remedy: CUT_LOG_REMEDY,
    });
  if (damagedCount === 0) return ok("journal", "nothing is known to be damaged");
  const places = damaged
    .slice(0, NAMED_MAX)
    .map(({ sessionId, position, messageId }) =>
      [
        sessionId ?? "unknown session",
        messageId === undefined ? `position ${position ?? "?"}` : `message ${messageId}`,
      ].join(" "),
    );
  return wrong("journal", {
    heading: "Part of the journal is damaged",
    detail: `${damagedCount} damaged: ${places.join(", ")}`,
    remedy:
      "The rest can be read. signalbox restore FILE brings a backup back; signalbox repair writes a new journal that names what is lost.",
  });
}

/** `writeFailure`: why the journal could not be written just now. A quota is full before its disk is. */
export function diskCheck(dataDir: string, writeFailure: string | null = null): Check {
  return async () => {
    const { bavail, bsize } = await statfs(dataDir);
    const mebibytes = Math.floor((bavail * bsize) / 1024 / 1024);
    const isRefused = writeFailure !== null && FULL_DISK.test(writeFailure);
    if (bavail * bsize <= FULL_BYTES_MAX || isRefused)
      return wrong("disk", {
        heading: "The disk is full",
        detail: `there is no room left on the disk of ${dataDir}: agents wait, and nothing can be changed`,
        remedy: "Make room there. Nothing is lost, and no restart is needed.",
      });
    return bavail * bsize >= FREE_BYTES_MIN
      ? ok("disk", `${mebibytes} MiB free`)
      : wrong("disk", {
          heading: "The disk is nearly full",
          detail: `only ${mebibytes} MiB free for ${dataDir}`,
          remedy: "Make room: agents wait while the disk is full.",
        });
  };
}

export function privacyCheck(dataDir: string): Check {
  return async () => {
    const open: string[] = [];
    for (const name of ["", ...PRIVATE_FILES]) {
      const path = join(dataDir, name);
      const mode = await modeOf(path);
      if (mode !== null && (mode & 0o077) !== 0) open.push(`${path} (${(mode & 0o777).toString(8)})`);
    }
    if (open.length === 0) return ok("files", "only you can read them");
    return wrong("files", {
      heading: "Private files are open to others",
      detail: `others may read ${open.join(", ")}`,
      remedy: `chmod go= ${open.map((name) => name.split(" (")[0]).join(" ")}`,
    });
  };
}

async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

const SAID_MAX = 5;

/** `problems`: what of `workspaces.db` cannot be read. `nearlyFull`: projects that take nearly what they may of the disk. */
export function workspacesCheck(
  problems: readonly string[],
  nearlyFull: readonly string[] = [],
): HealthCheck {
  if (problems.length === 0 && nearlyFull.length > 0)
    return noted("workspaces", {
      heading: "Workspaces take much of the disk",
      detail: nearlyFull.slice(0, SAID_MAX).join("; "),
      remedy:
        "At the bound no more are made: signalbox workspaces clean, or signalbox projects set PROJECT --disk GIB.",
    });
  if (problems.length === 0) return ok("workspaces", "all that is kept of them can be read");
  const more = problems.length > SAID_MAX ? `, and ${problems.length - SAID_MAX} more` : "";
  return wrong("workspaces", {
    heading: "What is kept of workspaces is damaged",
    detail: `${problems.slice(0, SAID_MAX).join("; ")}${more}`,
    remedy:
      "Their directories are as they were. signalbox down, then signalbox repair writes workspaces.db anew from what can be read; signalbox restore FILE adds what a backup has.",
  });
}
