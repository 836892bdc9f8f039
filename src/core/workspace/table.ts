/** Every decision about a workspace: a row for each event, a column for each status, a rule in each cell. */
import type { Table } from "../table.js";
import type { WorkspaceRows } from "./events.js";
import type { WORKSPACE_RULES } from "./rules.js";
import type { WORKSPACE_STATUSES } from "./state.js";

// prettier-ignore
export const WORKSPACE_TABLE = {
  //             none             preparing          ready           failed           finishing           conflicted         merged          gone
  create:      ["create",        "refuseExists",    "refuseExists", "refuseExists",  "refuseExists",     "refuseExists",    "refuseExists", "refuseGone"],
  adopt:       ["adopt",         "refuseExists",    "refuseExists", "refuseExists",  "refuseExists",     "refuseExists",    "refuseExists", "refuseGone"],
  finish:      ["refuseUnknown", "refuseBusy",      "finish",       "refuseFailed",  "refuseBusy",       "refuseConflict",  "finish",       "refuseGone"],
  discard:     ["refuseUnknown", "refuseBusy",      "discard",      "discardFailed", "refuseBusy",       "refuseConflict",  "discard",      "refuseGone"],
  update:      ["refuseUnknown", "refuseBusy",      "update",       "refuseFailed",  "refuseBusy",       "refuseConflict",  "update",       "refuseGone"],
  retry:       ["refuseUnknown", "refuseBusy",      "refuseRetry",  "retryFailed",   "refuseBusy",       "retryConflicted", "refuseRetry",  "refuseGone"],
  abort:       ["refuseUnknown", "abortPreparing",  "refuseAbort",  "abortFailed",   "abortFinishing",   "abortConflicted", "refuseAbort",  "refuseGone"],
  added:       ["ignoreUnmade",  "added",           "ignoreOther",  "ignoreOther",   "ignoreOther",      "ignoreOther",     "ignoreOther",  "ignoreGone"],
  setup_ended: ["ignoreUnmade",  "setupEnded",      "ignoreOther",  "ignoreOther",   "ignoreOther",      "ignoreOther",     "ignoreOther",  "ignoreGone"],
  observed:    ["ignoreUnmade",  "ignoreOther",     "note",         "noteFailed",    "noteFinishing",    "note",            "noteMerged",   "ignoreGone"],
  step_done:   ["ignoreUnmade",  "ignoreOther",     "ignoreOther",  "ignoreOther",   "goOn",             "ignoreOther",     "ignoreOther",  "ignoreGone"],
  step_failed: ["ignoreUnmade",  "preparingFailed", "ignoreOther",  "ignoreOther",   "stepFailed",       "ignoreOther",     "ignoreOther",  "ignoreGone"],
  conflict:    ["ignoreUnmade",  "ignoreOther",     "ignoreOther",  "ignoreOther",   "conflicting",      "ignoreOther",     "ignoreOther",  "ignoreGone"],
  removed:     ["ignoreUnmade",  "ignoreOther",     "ignoreOther",  "ignoreOther",   "removedFinishing", "ignoreOther",     "ignoreOther",  "ignoreGone"],
  lost:        ["ignoreUnmade",  "lose",            "lose",         "lose",          "loseFinishing",    "lose",            "lose",         "ignoreGone"],
  activity:    ["count",         "count",           "count",        "count",         "countFinishing",   "count",           "count",        "count"],
} as const satisfies Table<WorkspaceRows, typeof WORKSPACE_STATUSES, typeof WORKSPACE_RULES>;
