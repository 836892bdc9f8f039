/** Why a session is in its state: the evidence, from the journal. */
import type { Explanation } from "../protocol/api-schemas.js";
import { byWords } from "../protocol/principal-words.js";
import type { Cause, StateEvent } from "../protocol/state-event.js";
import { attributed } from "./answered-by.js";
import type { Entry, Journal } from "./ports.js";
import type { SessionRecord } from "./session-record.js";
import { STATUS_WORDS } from "../core/words/status-words.js";

const CHANGES_MAX = 10;
/** Tools and phases may have told much since the status changed. */
const ENTRIES_READ_MAX = 1_000;

type Change = Explanation["changes"][number];
type Body = NonNullable<Change["evidence"]>["body"];

export async function explain(
  journal: Journal,
  record: SessionRecord,
  pid: number | null,
): Promise<Explanation> {
  const entries = await journal.readNewest(record.id, ["state"], ENTRIES_READ_MAX);
  const all = entries.flatMap(toChanged);
  const newest = all.slice(0, CHANGES_MAX);
  const turning = all.find(({ from, to }) => from !== to) ?? all[0];
  // What put it there is told, however many phases it went through since.
  const told = turning && !newest.includes(turning) ? [...newest, turning] : newest;
  const changes = await Promise.all(told.map((changed) => withEvidence(journal, record.id, changed)));
  const { state } = record;
  const entered = turning && changes[told.indexOf(turning)];
  return {
    sessionId: record.id,
    status: state.status,
    sinceMs: entered?.atMs ?? record.createdAtMs,
    because: sentence(record, entered ?? null),
    process: { run: state.run, alive: state.alive, pid },
    changes,
    waitingFor: waitingFor(record),
  };
}

type Changed = Omit<Change, "evidence"> & { readonly cause: Cause | null };

function toChanged(entry: Entry): Changed[] {
  // We wrote it ourselves.
  const { payload, cause, timestampMs } = JSON.parse(entry.body) as StateEvent;
  if (payload.type !== "state_changed") return [];
  const { from, to, reason } = payload;
  const source = cause?.source ?? "daemon";
  return [{ atMs: timestampMs, from, to, reason, source, ...attributed(cause?.by), cause: cause ?? null }];
}

async function withEvidence(journal: Journal, sessionId: string, changed: Changed): Promise<Change> {
  const { cause, ...change } = changed;
  const found = cause && (await journal.readEntry(sessionId, cause.seq));
  if (!found) return { ...change, evidence: null };
  return { ...change, evidence: { seq: cause.seq, type: cause.type, body: JSON.parse(found.body) as Body } };
}

const SOURCES: Readonly<Record<string, string>> = {
  request: "a request",
  protocol: "the agent's own protocol",
  hooks: "the agent's hooks",
  screen: "the terminal's screen",
  process: "the agent's process",
  timer: "a timer",
  rule: "a permission rule",
  daemon: "the daemon",
};

/** We wrote it ourselves; but an older version may have known other names. */
function wordFor(status: string): string {
  return new Map(Object.entries(STATUS_WORDS)).get(status) ?? status;
}

function sentence({ state }: SessionRecord, change: Change | null): string {
  if (!change) return "Nothing has happened yet.";
  const source = `${SOURCES[change.source] ?? change.source}${change.by ? ` (${byWords(change.by)})` : ""}`;
  const error = state.error ? ` The error: ${state.error.message}` : "";
  const verb = change.source === "request" ? "asked for" : "reported";
  return `${STATUS_WORDS[state.status]} since ${source} ${verb} ${change.reason}; before: ${wordFor(change.from)}.${error}`;
}

/** What could change it next. */
function waitingFor({ state }: SessionRecord): string[] {
  const asks = state.asks.map(({ askId, ask, needsHuman }) =>
    needsHuman
      ? `an answer to the ${ask === "followup" ? "question" : "approval"} ${askId}`
      : `what the rules say about ${askId}`,
  );
  const hosts = state.wallAsks.map(({ askId, host }) => `whether the wall lets it reach ${host} (${askId})`);
  const timers = [state.readyTimer, state.settle?.timerId ?? null, state.interruptTimer]
    .filter((timerId) => timerId !== null)
    .map((timerId) => `the timer ${timerId}`);
  const process = state.alive ? ["the agent's output, or its end"] : [];
  const queue =
    state.queue.length > 0
      ? [
          state.queue.length === 1
            ? "a queued message to be delivered"
            : `${state.queue.length} queued messages to be delivered`,
        ]
      : [];
  const retry = state.retry ? [`the agent's own attempt ${state.retry.attempt + 1}`] : [];
  return [...asks, ...hosts, ...timers, ...process, ...queue, ...retry];
}
