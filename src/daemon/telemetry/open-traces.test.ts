import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { initialSession, transitionSession, type SessionEvent } from "../../core/index.js";
import { openTraces, wantsTraces } from "./open-traces.js";

test("there are no traces unless the standard variables ask for them", () => {
  const wanted = [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1" },
    { OTEL_TRACES_EXPORTER: "otlp" },
    { OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" },
    { OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" },
  ].map(wantsTraces);
  expect(wanted).toEqual([false, true, true, true, false, false]);
});

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

const EVENTS: readonly SessionEvent[] = [
  { type: "start_session" },
  { type: "session_created", run: 1 },
  { type: "api_req_started", run: 1 },
  { type: "harness_stream", run: 1, event: streamEvent("completed", 1) },
  { type: "ask:completion_result", run: 1, askId: "end" },
  { type: "send_message", messageId: "m" },
  { type: "harness_stream", run: 1, event: streamEvent("ask", 2, "stream-2") },
  { type: "ask:tool", run: 1, askId: "a1" },
  { type: "approve_action", askId: "a1" },
  { type: "ask:completion_result", run: 1, askId: "end2" },
];

function streamEvent(
  type: "completed" | "ask",
  seq: number,
  streamId = "stream-1",
): Extract<SessionEvent, { type: "harness_stream" }>["event"] {
  return {
    schemaVersion: "1.0",
    eventId: `s:${seq}`,
    sessionId: "s",
    harness: "script",
    streamId,
    seq,
    timestampMs: 1,
    type,
    payload: {},
  };
}

test("every turn is one trace on the wire, and its spans name the stream", async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      bodies.push(body);
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const variable = "OTEL_EXPORTER_OTLP_ENDPOINT";
  process.env[variable] = `http://127.0.0.1:${port}`;
  try {
    const open = await openTraces(process.env, "0.0.0");
    let state = initialSession;
    for (const [index, event] of EVENTS.entries()) {
      const { state: after, result } = transitionSession(state, event);
      open?.traces.stepped({
        sessionId: "s",
        event,
        result,
        because: null,
        before: state,
        after,
        atMs: 1_000 + index,
      });
      state = after;
    }
    await open?.close();
  } finally {
    Reflect.deleteProperty(process.env, variable);
    server.close();
  }
  const spans = bodies.flatMap((body) => {
    const { resourceSpans } = JSON.parse(body) as {
      readonly resourceSpans: readonly {
        readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
      }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
  const turns = spans.filter(({ name }) => name === "turn");
  const shown = turns.map((turn) =>
    spans
      .filter((span) => span.parentSpanId === turn.spanId && span.traceId === turn.traceId)
      .map(describeSpan),
  );
  expect(shown).toEqual([
    [
      "idle>creating start_session -",
      "creating>streaming api_req_started -",
      "streaming>streaming harness_stream stream-1",
      "streaming>completed ask:completion_result stream-1",
    ],
    [
      "completed>streaming send_message -",
      "streaming>waiting_approval ask:tool stream-2",
      "waiting_approval>streaming approve_action stream-2",
      "streaming>completed ask:completion_result stream-2",
    ],
  ]);
  expect(new Set(turns.map(({ traceId }) => traceId)).size).toBe(2);
});

function describeSpan(span: WireSpan): string {
  const value = (key: string): string =>
    span.attributes.find((attribute) => attribute.key === key)?.value.stringValue ?? "-";
  return `${value("from")}>${value("to")} ${value("event")} ${value("stream_id")}`;
}
