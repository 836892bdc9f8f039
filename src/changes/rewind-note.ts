/** What an agent is told of files that were put back behind its back: once, before the next message that it gets. */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Rewound } from "./rewind.js";

const PATHS_TOLD_MAX = 30;
const PATHS_KEPT_MAX = 1_000;

interface Pending {
  readonly turn: number;
  readonly paths: readonly string[];
}

function fileIn(folder: string): string {
  return join(folder, "rewound.json");
}

/** Several rewinds are told as one: the last says which turn's files are back. */
export async function rememberRewind(folder: string, rewound: Rewound): Promise<void> {
  const changed = [...rewound.restored, ...rewound.removed];
  if (changed.length === 0) return;
  const before = await pendingIn(folder);
  const paths = [...new Set([...(before?.paths ?? []), ...changed])].sort().slice(0, PATHS_KEPT_MAX);
  const pending: Pending = { turn: rewound.turn, paths };
  await writeFile(`${fileIn(folder)}.new`, JSON.stringify(pending), { mode: 0o600 });
  await rename(`${fileIn(folder)}.new`, fileIn(folder));
}

/** Null: there is nothing to tell. */
export async function rewindNote(folder: string): Promise<string | null> {
  const pending = await pendingIn(folder);
  if (pending === null) return null;
  const { turn, paths } = pending;
  const told = paths.slice(0, PATHS_TOLD_MAX).map((path) => `- ${nameIn(path)}`);
  const more = paths.length - told.length;
  const which =
    turn === 0
      ? "the start of this session, before its first turn"
      : `the end of turn ${turn} of this session`;
  return [
    `[Signalbox: the user has put files back to what they were at ${which}. Changed on disk, so read them again:`,
    ...told,
    ...(more > 0 ? [`- and ${more} more`] : []),
    "]",
  ].join("\n");
}

export async function forgetRewind(folder: string): Promise<void> {
  await rm(fileIn(folder), { force: true });
}

async function pendingIn(folder: string): Promise<Pending | null> {
  try {
    return JSON.parse(await readFile(fileIn(folder), "utf8")) as Pending;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** One line, whatever somebody has named a file. */
function nameIn(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path;
}
