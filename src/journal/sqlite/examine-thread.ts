/** A thread that reads all of a journal, so that nobody waits for it. */
import { parentPort, workerData } from "node:worker_threads";
import { Database } from "./database.js";
import { checkStructure, examine, type Examination } from "./examine.js";
import { prepareForReading } from "./schema.js";

export interface ExamineTask {
  readonly path: string;
  /** `quick`: only the structure. */
  readonly depth: "quick" | "whole";
}

const BUSY_TIMEOUT_MS = 5_000;

const { path, depth } = workerData as ExamineTask;
const database = new Database(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
try {
  prepareForReading(database);
  const examination: Examination =
    depth === "whole"
      ? examine(database)
      : { problems: checkStructure(database, "quick_check"), damaged: [], damagedCount: 0 };
  parentPort?.postMessage(examination);
} finally {
  database.close();
}
