import type { ObservedStep, Observer } from "../runtime/ports.js";
import type { Log } from "./log/log.js";
import type { MetricsFeed } from "./metrics/feed.js";
import type { TurnTraces } from "./telemetry/turn-traces.js";

/** Every step, for the log, the metrics and the traces. */
export class DaemonObserver implements Observer {
  constructor(
    private readonly log: Log,
    private readonly metrics: MetricsFeed,
    private readonly traces: TurnTraces | null,
  ) {}

  stepped(step: ObservedStep): void {
    if (step.result === "ignored") this.ignored(step);
    else this.traces?.stepped(step);
  }

  unknownMessage(sessionId: string, harness: string, kind: string): void {
    this.metrics.unknownMessage(harness);
    this.log.debug("unknown message of an agent", { session_id: sessionId, harness, kind });
  }

  failed(what: string, error: unknown): void {
    this.log.error(`failed: ${what}`, { error: error instanceof Error ? error.message : String(error) });
  }

  private ignored({ sessionId, event, because, after }: ObservedStep): void {
    const reason = because ?? "";
    this.metrics.ignoredFact(reason);
    if (!this.log.isOn("debug")) return;
    this.log.debug("fact ignored", { session_id: sessionId, type: event.type, status: after.status, reason });
  }
}
