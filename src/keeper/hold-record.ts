/** `hold.json` in a run's folder: enough to let go of whom a keeper that died has left frozen. */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findMarked, type MarkedProcess, thaw } from "./frozen-processes.js";
import { HOLD_FILE, runFolder, runsFolder } from "./paths.js";
import { isGone } from "./process-table.js";
import { TerminalDrain } from "./terminal-drain.js";

export interface HoldRecord {
  readonly addressee: MarkedProcess;
  /** Where the terminal is. */
  readonly terminal: string;
  /** In the order in which they were frozen. */
  readonly frozen: readonly MarkedProcess[];
}

/** There before anybody is frozen. Not synced to the disk: who is frozen does not outlive the system. */
export function writeHoldRecord(folder: string, record: HoldRecord): void {
  const path = join(folder, HOLD_FILE);
  writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function removeHoldRecord(folder: string): void {
  rmSync(join(folder, HOLD_FILE), { force: true });
}

/** Drains and thaws what a dead keeper has left frozen. Never throws: who cannot be helped is named to `log`. */
export function endLeftHolds(dataDir: string, log: (message: string) => void): void {
  if (process.platform !== "linux") return;
  for (const runId of readdirSync(runsFolder(dataDir))) {
    const folder = runFolder(dataDir, runId);
    try {
      const record = readHoldRecord(folder);
      if (record === null) continue;
      takeBack(record);
      thaw(record.frozen);
      removeHoldRecord(folder);
      log(`thawed what an earlier keeper has left frozen in ${runId}`);
    } catch (error) {
      log(`cannot thaw what an earlier keeper has left frozen in ${runId}: ${String(error)}`);
    }
  }
}

/** A terminal mostly goes with its keeper, and all that waited in it; another one may have its name by now. */
function takeBack({ terminal, frozen }: HoldRecord): void {
  const device = statSync(terminal, { throwIfNoEntry: false })?.rdev;
  if (device === undefined || !frozen.some((each) => findMarked(each)?.terminalDevice === device)) return;
  const drain = TerminalDrain.open(terminal);
  try {
    drain.takeAll();
  } finally {
    drain.close();
  }
}

function readHoldRecord(folder: string): HoldRecord | null {
  let text: string;
  try {
    text = readFileSync(join(folder, HOLD_FILE), "utf8");
  } catch (error) {
    if (isGone(error) || isNoFolder(error)) return null;
    throw error;
  }
  return checked(JSON.parse(text));
}

function isNoFolder(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOTDIR";
}

/** Only a keeper writes it; but pids that are signalled are worth a look. */
function checked(value: unknown): HoldRecord {
  const record = value as Partial<HoldRecord> | null;
  const { addressee, terminal, frozen } = record ?? {};
  const isWhole =
    typeof terminal === "string" && isMarked(addressee) && Array.isArray(frozen) && frozen.every(isMarked);
  if (!isWhole) throw new Error(`${HOLD_FILE} is not whole`);
  return { addressee, terminal, frozen };
}

function isMarked(value: unknown): value is MarkedProcess {
  const { pid, start } = (value ?? {}) as Partial<MarkedProcess>;
  return Number.isSafeInteger(pid) && Number(pid) > 1 && typeof start === "string";
}
