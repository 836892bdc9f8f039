/** Counts what is committed. It runs for every event, so a stream event is never parsed here. */
import { STREAM_EVENT_TYPES, type SessionState } from "../../core/index.js";
import type { StateEvent, StatePayload } from "../../protocol/state-event.js";
import { statusSchema } from "../../protocol/state-event.js";
import type { Bus, Committed } from "../../runtime/ports.js";
import type { Counter, Histogram, Metrics } from "./metrics.js";

const LATENCY_BOUNDS_MS = [1, 2, 5, 10, 15, 25, 50, 100, 250, 1_000, 5_000];
const TOOL_BOUNDS_MS = [10, 50, 100, 500, 1_000, 5_000, 15_000, 60_000, 300_000, 1_800_000];

const KNOWN_TYPES: ReadonlySet<string> = new Set(STREAM_EVENT_TYPES);
const TYPE_KEY = '"type":"';

export class MetricsFeed implements Bus {
  readonly #transitions: Counter;
  readonly #forwarded: Counter;
  readonly #errors: Counter;
  readonly #latency: Histogram;
  readonly #toolDuration: Histogram;
  readonly #ignoredFacts: Counter;
  readonly #unknownMessages: Counter;
  readonly #nowMs: () => number;

  constructor(metrics: Metrics, nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
    this.#transitions = metrics.counter("agent_state_transitions_total", "Changes of a session's status.", [
      "from",
      "to",
    ]);
    this.#forwarded = metrics.counter("stream_event_forwarded_total", "Stream events forwarded.", ["type"]);
    this.#errors = metrics.counter("session_errors_total", "Errors of sessions.", ["code"]);
    this.#latency = metrics.histogram(
      "stream_latency_ms",
      "From reading a stream event to making it known.",
      LATENCY_BOUNDS_MS,
    );
    this.#toolDuration = metrics.histogram("tool_run_duration_ms", "How long tools ran.", TOOL_BOUNDS_MS);
    this.#ignoredFacts = metrics.counter("ignored_facts_total", "Facts without effect on a state.", [
      "reason",
    ]);
    this.#unknownMessages = metrics.counter(
      "unknown_agent_messages_total",
      "Messages of an agent that its harness does not know.",
      ["harness"],
    );
  }

  publish(committed: Committed): void {
    const nowMs = this.#nowMs();
    for (const { kind, body, atMs } of committed.entries) {
      if (kind === "stream") {
        this.#forwarded.add(1, typeOf(body));
        this.#latency.observe(Math.max(0, nowMs - atMs));
      } else if (kind === "state") this.#countState((JSON.parse(body) as StateEvent).payload);
    }
  }

  ignoredFact(reason: string): void {
    this.#ignoredFacts.add(1, reason);
  }

  unknownMessage(harness: string): void {
    this.#unknownMessages.add(1, harness);
  }

  #countState(payload: StatePayload): void {
    if (payload.type === "state_changed") this.#transitions.add(1, payload.from, payload.to);
    else if (payload.type === "session_error") this.#errors.add(1, payload.code);
    else if (payload.type === "tool_lifecycle" && payload.finishedAtMs !== undefined) {
      this.#toolDuration.observe(Math.max(0, payload.finishedAtMs - payload.startedAtMs));
    }
  }
}

/**
 * The type of a stream event, from its JSON. The envelope's `type` stands before its payload, and no text can look like
 * a key, because quotes inside a text are escaped: the first match is the right one.
 */
function typeOf(body: string): string {
  const start = body.indexOf(TYPE_KEY) + TYPE_KEY.length;
  const type = body.slice(start, body.indexOf('"', start));
  return KNOWN_TYPES.has(type) ? type : "other";
}

/** How many sessions there are in each status; every status is shown, also with none. */
export function sessionsByStatus(
  sessions: Iterable<{ readonly state: SessionState }>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(statusSchema.options.map((status) => [status, 0]));
  for (const { state } of sessions) counts.set(state.status, (counts.get(state.status) ?? 0) + 1);
  return counts;
}
