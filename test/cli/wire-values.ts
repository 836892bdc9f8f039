/** Whole, valid values of the wire, to be changed where a test needs it. */
import type { EventItem } from "../../src/client/event-item.js";
import { deriveUi, initialSession, type Json } from "../../src/core/index.js";
import type { SessionDetail, SessionSummary } from "../../src/protocol/session.js";
import type { StateEvent, StatePayload } from "../../src/protocol/state-event.js";
import type { StreamEvent, StreamEventType } from "../../src/protocol/stream-event.js";

export function sessionSummary(fields: Partial<SessionSummary> = {}): SessionSummary {
  const status = fields.status ?? "streaming";
  return {
    id: "s1",
    title: "Fix the login",
    harness: "claude",
    cwd: "/project",
    model: null,
    status,
    phase: null,
    ui: deriveUi({ ...initialSession, status, certainty: fields.certainty ?? "known" }),
    asks: [],
    queue: [],
    returned: [],
    addressee: "conversation",
    agent: null,
    certainty: "known",
    unknownSinceMs: null,
    ending: null,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: null },
    error: null,
    run: 1,
    autoApprove: false,
    enforcement: "enforced",
    createdAtMs: 1_000,
    updatedAtMs: 2_000,
    statusSinceMs: 2_000,
    position: 0,
    ...fields,
  };
}

export function sessionDetail(fields: Partial<SessionSummary> = {}): SessionDetail {
  const summary = sessionSummary(fields);
  return { ...summary, state: { ...initialSession, status: summary.status } };
}

export function streamEvent(
  type: StreamEventType,
  payload: Readonly<Record<string, Json>>,
  fields: Partial<StreamEvent> = {},
): StreamEvent {
  return {
    schemaVersion: "1.0",
    eventId: "e1",
    sessionId: "s1",
    harness: "claude",
    streamId: "st1",
    seq: 1,
    timestampMs: 3_000,
    type,
    payload,
    ...fields,
  };
}

export function stateEvent(payload: StatePayload): StateEvent {
  return { eventId: "e2", timestampMs: 3_000, sessionId: "s1", payload };
}

export function stateChanged(from: SessionSummary["status"], to: SessionSummary["status"]): StateEvent {
  return stateEvent({ type: "state_changed", from, to, fromPhase: null, toPhase: null, reason: "test" });
}

/** The event as a client gives it. */
export function streamItem(event: StreamEvent, position = 1): EventItem {
  return { type: "event", channel: "stream", position, event };
}

export function stateItem(event: StateEvent, position = 1): EventItem {
  return { type: "event", channel: "state", position, event };
}

export function metadataItem(payload: Readonly<Record<string, Json>>): EventItem {
  return streamItem(streamEvent("metadata", payload));
}

export function artifactItem(payload: Readonly<Record<string, Json>>): EventItem {
  return streamItem(streamEvent("artifact_delta", payload));
}
