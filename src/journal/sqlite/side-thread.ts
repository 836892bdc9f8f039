/** A thread for what reads all of a journal: nobody waits for it, commits least of all. */
import { rmSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { JournalError, type JournalErrorCode } from "../journal-error.js";
import { Database } from "./database.js";
import { checkStructure, examine, type Examination } from "./examine.js";
import { createPrivateFile } from "./private-file.js";
import { prepareForReading } from "./schema.js";

export type SideRequest =
  /** Only the structure. */
  | { readonly path: string; readonly type: "quick" }
  | { readonly path: string; readonly type: "examine" }
  | { readonly path: string; readonly type: "backup"; readonly file: string };

export interface SideResult {
  readonly failure: { readonly code: JournalErrorCode; readonly message: string } | null;
  readonly examination: Examination;
}

const BUSY_TIMEOUT_MS = 5_000;
const NOTHING: Examination = { problems: [], damaged: [], damagedCount: 0 };

function act(database: Database, request: SideRequest): Examination {
  if (request.type === "backup") {
    backUp(database, request.file);
    return NOTHING;
  }
  prepareForReading(database);
  if (request.type === "examine") return examine(database);
  return { ...NOTHING, problems: checkStructure(database, "quick_check") };
}

/** All of it or nothing. */
function backUp(database: Database, file: string): void {
  createPrivateFile(file);
  try {
    database.exec(`VACUUM INTO '${file.replaceAll("'", "''")}'`);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function run(request: SideRequest): SideResult {
  const database = new Database(request.path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return { failure: null, examination: act(database, request) };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { failure: { code: error.code, message: error.message }, examination: NOTHING };
  } finally {
    database.close();
  }
}

parentPort?.postMessage(run(workerData as SideRequest));
