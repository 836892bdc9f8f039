import { afterEach, expect, test } from "vitest";
import {
  problem,
  ScriptedServer,
  sse,
  startEventStream,
  type Exchange,
  type Script,
} from "../../test/cli/scripted-server.js";
import {
  destroyed,
  EVENT_COUNT,
  seeded,
  startOf,
  textAt,
  unreliable,
} from "../../test/cli/unreliable-events.js";
import { stateChanged } from "../../test/cli/wire-values.js";
import { ANSWER_CHECKS } from "./answer-checks.js";
import { Connection } from "./connection.js";
import type { EventQuery } from "./event-item.js";
import { readEventStream, type EventStreamItem, type Patience } from "./event-stream.js";
import { SignalboxError, UnreachableError } from "./signalbox-error.js";

const HASTY: Patience = { delayMinMs: 1, delayMaxMs: 4, silenceMaxMs: 10_000 };

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(script);
  servers.push(server);
  return server;
}

function read(server: ScriptedServer, query: EventQuery = {}, patience: Patience = HASTY) {
  return readEventStream(new Connection({ url: server.url, token: "t" }), ANSWER_CHECKS, query, patience);
}

/** The next items that are not about the connection. */
async function take(stream: AsyncGenerator<EventStreamItem>, count: number): Promise<readonly unknown[]> {
  const items: EventStreamItem[] = [];
  for await (const item of stream) {
    if (item.type !== "open") items.push(item);
    if (items.length === count) break;
  }
  return items;
}

const item = (position: number) => ({ type: "event", channel: "stream", position, event: textAt(position) });

test("gives events of both channels, checked, and asks for what was wanted", async () => {
  const state = stateChanged("streaming", "completed");
  const server = await serve((_exchange, response) => {
    startEventStream(response);
    response.write(": heartbeat\n\n");
    response.write(sse("agent:stream_event", { ...textAt(4), unknown: true }, 4));
    response.write(sse("agent:future_event", {}, 5));
    response.write(sse("agent:state_event", state, 6));
    return null;
  });
  expect(await take(read(server, { session: "s 1", after: 3 }), 2)).toEqual([
    item(4),
    { type: "event", channel: "state", position: 6, event: state },
  ]);
  expect(server.lines).toEqual(["GET /v1/events?session=s+1&after=3"]);
  expect(server.exchanges[0]?.headers).toMatchObject({
    accept: "text/event-stream",
    authorization: "Bearer t",
  });
  expect(server.exchanges[0]?.headers).not.toHaveProperty("last-event-id");
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "every event comes once and in order, wherever connections are cut (seed %i)",
  async (seed) => {
    const server = await serve(unreliable(seeded(seed)));
    const items = await take(read(server, { after: 0 }), EVENT_COUNT);
    expect(items).toEqual(Array.from({ length: EVENT_COUNT }, (_, index) => item(index + 1)));
    expect(server.exchanges.length).toBeGreaterThan(3);
  },
);

test("a position alone says where to go on, before anything came", async () => {
  const server = await serve((exchange, response) => {
    startEventStream(response);
    const again = exchange.headers["last-event-id"] !== undefined;
    response.end(again ? sse("agent:stream_event", textAt(8), 8) : "id: 7\n\n");
    return null;
  });
  expect(await take(read(server), 1)).toEqual([item(8)]);
  expect(server.exchanges.map((exchange) => exchange.headers["last-event-id"])).toEqual([undefined, "7"]);
});

test("how the daemon is comes beside the events, and moves no position", async () => {
  const full = {
    ok: false,
    readOnly: false,
    checks: [{ name: "disk", ok: false, detail: "it is full", remedy: "Make room." }],
  };
  const server = await serve((exchange, response) => {
    startEventStream(response);
    const again = exchange.headers["last-event-id"] !== undefined;
    const health = sse("health", again ? { ok: true, readOnly: false, checks: [] } : full);
    response.end(`${health}${sse("agent:stream_event", textAt(again ? 8 : 7), again ? 8 : 7)}`);
    return null;
  });
  const told: unknown[] = [];
  expect(await take(read(server, { onHealth: (health) => told.push(health) }), 2)).toEqual([
    item(7),
    item(8),
  ]);
  expect(told).toEqual([full, { ok: true, readOnly: false, checks: [] }]);
});

test("a reset is told, and the stream begins anew from the start", async () => {
  const server = await serve((exchange, response) => {
    startEventStream(response);
    if (startOf(exchange) === 9) response.end(sse("reset", {}));
    else response.write(sse("agent:stream_event", textAt(1), 1));
    return null;
  });
  expect(await take(read(server, { after: 9 }), 2)).toEqual([{ type: "reset" }, item(1)]);
  expect(server.exchanges[1]?.headers["last-event-id"]).toBe("0");
});

test("a reset with a position goes on from there, on the same connection", async () => {
  const server = await serve((_exchange, response) => {
    startEventStream(response);
    response.write(sse("reset", {}, 4) + sse("agent:stream_event", textAt(5), 5));
    return null;
  });
  expect(await take(read(server, { after: 9 }), 2)).toEqual([{ type: "reset" }, item(5)]);
  expect(server.exchanges).toHaveLength(1);
});

test("one that fell behind is cut off, and goes on from the last event that it had", async () => {
  const server = await serve((exchange, response) => {
    startEventStream(response);
    const again = startOf(exchange) === 1;
    // It is not the server that ends the connection.
    if (again) response.write(sse("agent:stream_event", textAt(2), 2));
    else response.write(sse("agent:stream_event", textAt(1), 1) + sse("lagged", { position: 9 }, 9));
    return null;
  });
  expect(await take(read(server), 2)).toEqual([item(1), item(2)]);
  expect(server.exchanges).toHaveLength(2);
});

test("silence counts as a broken connection", async () => {
  const server = await serve((exchange, response) => {
    startEventStream(response);
    const start = startOf(exchange);
    response.write(sse("agent:stream_event", textAt(start + 1), start + 1));
    return null;
  });
  expect(await take(read(server, {}, { ...HASTY, silenceMaxMs: 50 }), 3)).toEqual([
    item(1),
    item(2),
    item(3),
  ]);
  expect(server.exchanges).toHaveLength(3);
});

test.each([
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "session_not_found"],
  [410, "stream_gap"],
])("a refusal with %i ends it", async (status, code) => {
  const server = await serve(() => problem(status, code, "no"));
  await expect(take(read(server), 1)).rejects.toEqual(new SignalboxError({ status, code, detail: "no" }));
  expect(server.exchanges).toHaveLength(1);
});

test.each([
  ["not a stream", (_exchange: Exchange) => [200, {}] as const, "not a stream of events: application/json"],
  ["no JSON", "event: agent:stream_event\nid: 1\ndata: {\n\n", "an event is not JSON"],
  ["no position", "event: agent:stream_event\ndata: {}\n\n", "an event has no position"],
  ["no number", "id: x1\n\n", 'not a position: "x1"'],
  ["no event", "event: agent:state_event\nid: 1\ndata: {}\n\n", "a state event: eventId: Invalid input"],
])("what is against the protocol ends it: %s", async (_name, script, detail) => {
  const server = await serve((exchange, response) => {
    if (typeof script !== "string") return script(exchange);
    startEventStream(response);
    response.write(script);
    return null;
  });
  const error: unknown = await take(read(server), 1).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SignalboxError);
  expect(error).toMatchObject({ code: "protocol_error", status: 200 });
  expect((error as SignalboxError).detail.startsWith(detail), (error as SignalboxError).detail).toBe(true);
});

test.each([
  ["while it waits for an event", true],
  ["while it waits to connect again", false],
])("ends when aborted %s, and leaves no connection", async (_name, stays) => {
  const server = await serve((_exchange, response) => {
    if (!stays) return destroyed(response);
    startEventStream(response);
    response.write(sse("agent:stream_event", textAt(1), 1));
    return null;
  });
  const abort = new AbortController();
  const seen: unknown[] = [];
  const patience = { ...HASTY, delayMinMs: 60_000, delayMaxMs: 60_000 };
  setTimeout(() => abort.abort(), 50);
  for await (const given of read(server, { signal: abort.signal }, patience)) seen.push(given);
  expect(seen).toEqual(stays ? [{ type: "open" }, item(1)] : []);
  await expect.poll(() => server.openAnswers).toBe(0);
});

test("a reader that stops reading closes the connection", async () => {
  const server = await serve((_exchange, response) => {
    startEventStream(response);
    response.write(sse("agent:stream_event", textAt(1), 1));
    return null;
  });
  expect(await take(read(server), 1)).toEqual([item(1)]);
  await expect.poll(() => server.openAnswers).toBe(0);
});

test("an aborted signal connects to nothing", async () => {
  const server = await serve(() => [500]);
  expect(await take(read(server, { signal: AbortSignal.abort() }), 1)).toEqual([]);
  expect(server.exchanges).toEqual([]);
});

test("says when a connection is lost, or could not be made, and not when nobody wants it any more", async () => {
  let connections = 0;
  const server = await serve((_exchange, response) => {
    connections += 1;
    if (connections === 2) return [503, {}];
    startEventStream(response);
    response.write(sse("agent:stream_event", textAt(connections), connections));
    if (connections === 1) response.end();
    return null;
  });
  let lost = 0;
  const abort = new AbortController();
  const query = { signal: abort.signal, onLost: () => void (lost += 1) };
  const stream = read(server, query);
  expect(await take(stream, 2)).toEqual([item(1), item(3)]);
  abort.abort();
  expect(lost).toBe(2);
});

test("gives up when the daemon stays away for too long, and not when it comes back before", async () => {
  let connections = 0;
  const server = await serve((_exchange, response) => {
    connections += 1;
    if (connections % 2 === 0) return problem(503, "conflict", "starting");
    startEventStream(response);
    response.end(sse("agent:stream_event", textAt(connections), connections));
    return null;
  });
  const connection = new Connection({ url: server.url, token: "t", awayMaxMs: 0.001 });
  const stream = readEventStream(connection, ANSWER_CHECKS, {}, HASTY);
  // Lost once, and back with the next attempt; then lost, and still away.
  const items: unknown[] = [];
  const reading = (async () => {
    for await (const next of stream) if (next.type !== "open") items.push(next);
  })();
  await expect(reading).rejects.toThrow(UnreachableError);
  await expect(reading).rejects.toThrow("it went away and was not back within 0.000001 s");
  expect(items).toEqual([item(1)]);
});
