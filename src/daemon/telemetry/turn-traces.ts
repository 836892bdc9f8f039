/** Traces: one for each turn of a session, with a span for every change of its state. */
import type { Context, Span, Tracer } from "@opentelemetry/api";
import { ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import { openStream, type SessionState } from "../../core/index.js";
import type { ObservedStep } from "../../runtime/ports.js";

const TURNS_MAX = 10_000;

interface Turn {
  readonly span: Span;
  readonly context: Context;
  /** The last stream of the turn before: what happens now is no part of it. */
  readonly earlierStream: string | undefined;
}

export class TurnTraces {
  private readonly turns = new Map<string, Turn>();

  constructor(private readonly tracer: Tracer) {}

  stepped(step: ObservedStep): void {
    const { before, after, sessionId } = step;
    if (before.status === after.status && before.phase === after.phase) return;
    if (isTurn(after) && !this.turns.has(sessionId)) this.begin(step);
    const turn = this.turns.get(sessionId);
    if (!turn) return;
    this.note(step, turn);
    if (!isTurn(after)) this.end(sessionId, turn, step);
  }

  close(): void {
    for (const { span } of this.turns.values()) span.end();
    this.turns.clear();
  }

  private begin({ sessionId, before, after, atMs }: ObservedStep): void {
    if (this.turns.size >= TURNS_MAX) return;
    const attributes = { session_id: sessionId, run: after.run };
    const span = this.tracer.startSpan("turn", { startTime: atMs, attributes, root: true });
    const earlierStream = before.streams.at(-1)?.streamId;
    this.turns.set(sessionId, { span, context: trace.setSpan(ROOT_CONTEXT, span), earlierStream });
  }

  private note({ sessionId, event, before, after, atMs }: ObservedStep, turn: Turn): void {
    const streamId = event.type === "harness_stream" ? event.event.streamId : streamOf(after, turn);
    const attributes = {
      session_id: sessionId,
      event: event.type,
      from: before.status,
      to: after.status,
      ...(before.phase === null ? {} : { from_phase: before.phase }),
      ...(after.phase === null ? {} : { to_phase: after.phase }),
      ...(streamId === undefined ? {} : { stream_id: streamId }),
    };
    this.tracer.startSpan("state_transition", { startTime: atMs, attributes }, turn.context).end(atMs);
  }

  private end(sessionId: string, { span }: Turn, { after, atMs }: ObservedStep): void {
    span.setAttribute("outcome", after.status);
    if (after.error) span.setStatus({ code: SpanStatusCode.ERROR, message: after.error.code });
    span.end(atMs);
    this.turns.delete(sessionId);
  }
}

/** The stream that is open, else the last one of this turn. */
function streamOf(state: SessionState, { earlierStream }: Turn): string | undefined {
  const last = state.streams.at(-1)?.streamId;
  return openStream(state) ?? (last === earlierStream ? undefined : last);
}

function isTurn({ status }: SessionState): boolean {
  return (
    status === "creating" ||
    status === "streaming" ||
    status === "waiting_approval" ||
    status === "waiting_input"
  );
}
