import { expect, test } from "vitest";
import { initialSession } from "../../core/index.js";
import type { Entry } from "../../runtime/ports.js";
import { call, openServer } from "../http/test-server.test.js";
import { MetricsFeed, sessionsByStatus } from "./feed.js";
import { Metrics } from "./metrics.js";

test("counters, gauges and histograms in the text format", async () => {
  const metrics = new Metrics();
  const plain = metrics.counter("plain_total", "Plain.");
  const labelled = metrics.counter("labelled_total", "Labelled.", ["from", "to"]);
  const histogram = metrics.histogram("took_ms", "Took.", [1, 10]);
  metrics.gauge("depth", "Depth.", () => 3);
  metrics.gauge("by_status", "By status.", () => Promise.resolve(new Map([["idle", 2]])), "status");
  plain.add(2);
  labelled.add(1, "a", "b");
  labelled.add(1, "a", "b");
  labelled.add(1, 'quo"te\\', "line\nbreak");
  for (const value of [0.5, 1, 5, 100]) histogram.observe(value);
  expect(await metrics.text()).toBe(
    [
      "# HELP plain_total Plain.",
      "# TYPE plain_total counter",
      "plain_total 2",
      "# HELP labelled_total Labelled.",
      "# TYPE labelled_total counter",
      'labelled_total{from="a",to="b"} 2',
      'labelled_total{from="quo\\"te\\\\",to="line\\nbreak"} 1',
      "# HELP took_ms Took.",
      "# TYPE took_ms histogram",
      'took_ms_bucket{le="1"} 2',
      'took_ms_bucket{le="10"} 3',
      'took_ms_bucket{le="+Inf"} 4',
      "took_ms_sum 106.5",
      "took_ms_count 4",
      "# HELP depth Depth.",
      "# TYPE depth gauge",
      "depth 3",
      "# HELP by_status By status.",
      "# TYPE by_status gauge",
      'by_status{status="idle"} 2',
      "",
    ].join("\n"),
  );
});

test("whatever values a label gets, there are never more than 201 of them", async () => {
  const metrics = new Metrics();
  const counter = metrics.counter("many_total", "Many.", ["code"]);
  for (let index = 0; index < 1_000; index += 1) counter.add(1, `c${index}`);
  counter.add(1, "c5");
  const lines = (await metrics.text()).trim().split("\n").slice(2);
  expect(lines).toHaveLength(201);
  expect(lines.filter((line) => /"c5"|"other"/.test(line))).toEqual([
    'many_total{code="c5"} 2',
    'many_total{code="other"} 800',
  ]);
});

test("a name is given once", () => {
  const metrics = new Metrics();
  metrics.counter("a", "A.");
  expect(() => metrics.counter("a", "A.")).toThrow("two metrics named a");
});

function entry(kind: Entry["kind"], body: object, atMs = 0): Entry {
  return { position: 1, sessionId: "s", seq: 1, atMs, kind, run: 1, body: JSON.stringify(body) };
}

/** In the order in which the runtime writes it. */
function stream(type: string, payload: object = {}, streamId = "t") {
  const head = {
    schemaVersion: "1.0",
    eventId: "e",
    sessionId: "s",
    harness: "h",
    streamId,
    seq: 1,
    timestampMs: 0,
  };
  return { ...head, type, payload };
}

const state = (payload: object) => ({ eventId: "e", timestampMs: 0, sessionId: "s", payload });

test("committed entries are counted by what they are", async () => {
  const metrics = new Metrics();
  const feed = new MetricsFeed(metrics, () => 100);
  const tool = { type: "tool_lifecycle", callId: "c", toolName: "t", startedAtMs: 1_000 };
  const entries = [
    entry("stream", stream("text_delta", { text: '"type":"error"', type: "error" }), 97),
    entry("stream", stream("text_delta", {}, '"type":"error"'), 100),
    entry("stream", stream("completed", { type: "status" }), 200),
    entry("stream", stream("brand_new"), 100),
    entry("state", state({ type: "state_changed", from: "idle", to: "creating" })),
    entry("state", state({ type: "state_changed", from: "idle", to: "creating" })),
    entry("state", state({ type: "session_error", code: "harness_failed" })),
    entry("state", state({ ...tool, status: "running" })),
    entry("state", state({ ...tool, status: "succeeded", finishedAtMs: 1_070 })),
    entry("fact", { type: "api_req_started" }),
    entry("request", { type: "retry" }),
  ];
  feed.publish({ sync: "normal", entries, sessionIds: ["s"], removedSessionIds: [] });
  feed.ignoredFact("stale run");
  feed.unknownMessage("claude");
  const lines = (await metrics.text())
    .split("\n")
    .filter((line) => !line.startsWith("#") && !line.endsWith(" 0"));
  expect(lines).toEqual([
    'agent_state_transitions_total{from="idle",to="creating"} 2',
    'stream_event_forwarded_total{type="text_delta"} 2',
    'stream_event_forwarded_total{type="completed"} 1',
    'stream_event_forwarded_total{type="other"} 1',
    'session_errors_total{code="harness_failed"} 1',
    'stream_latency_ms_bucket{le="1"} 3',
    'stream_latency_ms_bucket{le="2"} 3',
    ...["5", "10", "15", "25", "50", "100", "250", "1000", "5000", "+Inf"].map(
      (bound) => `stream_latency_ms_bucket{le="${bound}"} 4`,
    ),
    "stream_latency_ms_sum 3",
    "stream_latency_ms_count 4",
    ...["100", "500", "1000", "5000", "15000", "60000", "300000", "1800000", "+Inf"].map(
      (bound) => `tool_run_duration_ms_bucket{le="${bound}"} 1`,
    ),
    "tool_run_duration_ms_sum 70",
    "tool_run_duration_ms_count 1",
    'ignored_facts_total{reason="stale run"} 1',
    'unknown_agent_messages_total{harness="claude"} 1',
    "",
  ]);
});

test("sessions are counted by status, also where there are none", () => {
  const counts = sessionsByStatus([
    { state: initialSession },
    { state: { ...initialSession, status: "error" } },
  ]);
  expect(Object.fromEntries(counts)).toEqual({
    idle: 1,
    creating: 0,
    streaming: 0,
    waiting_approval: 0,
    waiting_input: 0,
    completed: 0,
    paused: 0,
    error: 1,
    stopped: 0,
  });
});

test("they are served to whoever has the token", async () => {
  const server = await openServer();
  server.metrics.counter("seen_total", "Seen.").add(1);
  const answer = await call(server, "GET", "/metrics");
  expect([answer.status, answer.headers["content-type"]]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  expect(answer.text).toContain("seen_total 1\n");
});
