import { join } from "node:path";
import type { Changes } from "../../changes/changes.js";
import type { Runtime } from "../../runtime/runtime.js";
import { newId } from "../new-id.js";
import { ReviewStore } from "./review-store.js";
import { Reviews } from "./reviews.js";

export function openReviews(
  dataDir: string,
  runtime: Runtime,
  changes: Changes,
  onProblem: (what: string, error: unknown) => void,
): Reviews {
  const store = new ReviewStore(join(dataDir, "reviews.db"), (what) =>
    onProblem("reviews.db is damaged", new Error(what)),
  );
  return new Reviews({
    ...{ store, changes, newId, onProblem },
    nowMs: Date.now,
    submit: (submission, receipt, by) => runtime.submit(submission, receipt, by),
    readReceipt: (principal, clientId) => runtime.journal.readReceipt(principal, clientId),
  });
}
