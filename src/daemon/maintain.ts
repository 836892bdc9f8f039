#!/usr/bin/env node
/**
 * What is done to a journal while no daemon has it: `restore`, `repair` and `check`. Says one line of JSON on stdout: the
 * result, or `{"error","remedy"}` with exit status 1.
 */
import { existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { JOURNAL_REMEDIES, journalCause } from "../journal/damage-words.js";
import { JournalError } from "../journal/journal-error.js";
import { lockJournal } from "../journal/sqlite/lock.js";
import { rebuildJournal } from "../journal/sqlite/rebuild.js";
import { SqliteJournal } from "../journal/sqlite/sqlite-journal.js";
import { diskCheck, journalCheck, privacyCheck, workspacesCheck, wrong } from "./health/checks.js";
import { readWorkspacesFile, rebuildWorkspaces, WORKSPACES_FILE } from "./workspaces/workspaces-file.js";
import { endKeeper } from "./keeper/end-keeper.js";

class Refusal extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

async function rebuild(dataDir: string, file: string | null, endAgents: boolean): Promise<object> {
  const path = join(dataDir, "journal.db");
  const from = file ?? path;
  if (!existsSync(from))
    throw new Refusal(`there is no file ${from}`, "Name the file that signalbox backup wrote.");
  const lock = lockJournal(path);
  try {
    const living = await endKeeper(dataDir, endAgents);
    if (living.length > 0)
      throw new Refusal(
        `${living.length} agents still run (${living.slice(0, 5).join(", ")})`,
        "End them with signalbox down --all, or add --end-agents.",
      );
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
    const kept = `journal.db.before-${stamp}`;
    const fresh = join(dataDir, "journal.db.new");
    // One that was given up may have left it.
    for (const end of ["", "-wal", "-shm"]) rmSync(`${fresh}${end}`, { force: true });
    const rebuilt = rebuildJournal(from, fresh, 0);
    if (rebuilt.sessions === 0 && rebuilt.problems.length > 0) {
      rmSync(fresh, { force: true });
      throw new Refusal(
        `no session of it can be read: ${rebuilt.problems[0] ?? ""}`,
        "Nothing was changed. signalbox restore FILE brings a backup back.",
      );
    }
    for (const end of ["", "-wal", "-shm"])
      if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, join(dataDir, `${kept}${end}`));
    // What runs of another journal left is none of this one's.
    const runs = join(dataDir, "runs");
    if (file !== null && existsSync(runs)) renameSync(runs, join(dataDir, `runs.before-${Date.now()}`));
    renameSync(fresh, path);
    const workspaces = rebuildWorkspaces(dataDir, file, stamp);
    return { ...rebuilt, kept: join(dataDir, kept), workspaces };
  } finally {
    lock.release();
  }
}

async function check(dataDir: string): Promise<object> {
  const path = join(dataDir, "journal.db");
  const checks = [await diskCheck(dataDir)(), await privacyCheck(dataDir)()];
  if (existsSync(path)) checks.unshift(await checkJournal(path));
  const workspaces = join(dataDir, WORKSPACES_FILE);
  if (existsSync(workspaces)) checks.push(workspacesCheck(readWorkspacesFile(workspaces)?.problems ?? []));
  return { ok: checks.every(({ ok }) => ok), checks };
}

async function checkJournal(path: string): Promise<ReturnType<typeof journalCheck>> {
  try {
    const journal = await SqliteJournal.open(path);
    try {
      await journal.load();
      const { problems, notes } = journal;
      return journalCheck(
        problems.length > 0 ? { problems, damaged: [], damagedCount: 0 } : await journal.examine(),
        { notes },
      );
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return wrong("journal", {
      heading: "The journal cannot be opened",
      detail: journalCause(path, error).replace(/\.$/, ""),
      remedy: JOURNAL_REMEDIES[error.code],
    });
  }
}

async function main(): Promise<object> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "data-dir": { type: "string" },
      file: { type: "string" },
      "end-agents": { type: "boolean" },
    },
  });
  const dataDir = realpathSync(values["data-dir"] ?? ".");
  const endAgents = values["end-agents"] ?? false;
  switch (positionals[0]) {
    case "restore":
      return rebuild(dataDir, values.file ?? "", endAgents);
    case "repair":
      return rebuild(dataDir, null, endAgents);
    case "check":
      return check(dataDir);
    default:
      throw new Error("restore, repair or check?");
  }
}

function failureOf(error: unknown): { readonly error: string; readonly remedy: string } {
  if (error instanceof Refusal) return { error: error.message, remedy: error.remedy };
  if (error instanceof JournalError && error.code === "busy")
    return { error: "the daemon runs, and has the journal", remedy: "End it with signalbox down." };
  if (error instanceof JournalError && error.code === "corrupt")
    return {
      error: `nothing of it can be read: ${error.message}`,
      remedy: "Nothing was changed. signalbox restore FILE brings a backup back.",
    };
  if (error instanceof JournalError) return { error: error.message, remedy: "Nothing was changed." };
  return { error: error instanceof Error ? error.message : String(error), remedy: "Nothing was changed." };
}

process.umask(0o077);
try {
  process.stdout.write(`${JSON.stringify(await main())}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify(failureOf(error))}\n`);
  process.exitCode = 1;
}
