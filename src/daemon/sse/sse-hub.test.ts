import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HealthReport } from "../../protocol/api-schemas.js";
import type { Entry, EntryKind } from "../../runtime/ports.js";
import { call, codeOf, openServer, TOKEN, type TestServer } from "../http/test-server.test.js";
import { isTold } from "./slice.js";
import { SseReader, type ReadEvent } from "./sse-reader.test.js";

function draft(sessionId: string, kind: EntryKind, text: string) {
  return { sessionId, kind, body: JSON.stringify({ text }) };
}

function commitMany(server: TestServer, count: number, text = "x".repeat(100), sessionId = "a"): void {
  server.board.commit(Array.from({ length: count }, () => draft(sessionId, "stream", text)));
}

/** What a reader must have got of these entries. */
function toldOf(entries: readonly Entry[]): readonly ReadEvent[] {
  return entries
    .filter(isTold)
    .map(({ position, kind, body }) => ({ id: position, event: `agent:${kind}_event`, data: body }));
}

describe("from where", () => {
  test("without a position it begins now, and the client knows where that is", async () => {
    const server = await openServer();
    commitMany(server, 7);
    const reader = await SseReader.open(server.port);
    await reader.until(() => reader.lastId !== null);
    expect({ lastId: reader.lastId, events: reader.events }).toEqual({ lastId: 7, events: [] });
    server.board.commit([draft("a", "fact", "own business"), draft("a", "state", "told")]);
    await reader.until(() => reader.events.length > 0);
    expect(reader.events).toEqual(toldOf(server.board.entries.slice(7)));
  });

  test("Last-Event-ID goes before `after`, and an empty one is none", async () => {
    const server = await openServer();
    commitMany(server, 10);
    const cut = await SseReader.open(server.port, "after=2", { "last-event-id": "8" });
    await cut.until(() => cut.events.length === 2);
    expect(cut.events.map((event) => event.id)).toEqual([9, 10]);
    const fresh = await SseReader.open(server.port, "after=7", { "last-event-id": "" });
    await fresh.until(() => fresh.events.length === 3);
    expect(fresh.events.map((event) => event.id)).toEqual([8, 9, 10]);
  });

  test("a position beyond the end is reset, and goes on live from the end", async () => {
    const server = await openServer();
    commitMany(server, 3);
    const reader = await SseReader.open(server.port, "after=1000");
    await reader.until(() => reader.events.length === 1);
    commitMany(server, 1);
    await reader.until(() => reader.events.length === 2);
    expect(reader.events.map(({ id, event }) => ({ id, event }))).toEqual([
      { id: 3, event: "reset" },
      { id: 4, event: "agent:stream_event" },
    ]);
    expect(reader.events[0]?.data).toBe('{"position":3}');
  });

  test.each(["x", "-1", "1.5", "9".repeat(16)])("the Last-Event-ID %s is refused", async (id) => {
    const server = await openServer();
    const answer = await call(server, "GET", "/v1/events", { headers: { "last-event-id": id } });
    expect([answer.status, codeOf(answer)]).toEqual([400, "event_invalid"]);
  });

  test("one session's events come without the others'", async () => {
    const server = await openServer();
    server.board.addSession("a");
    for (let index = 0; index < 500; index += 1)
      server.board.commit([draft(index % 3 === 0 ? "a" : "b", "stream", `${index}`)]);
    const reader = await SseReader.open(server.port, "session=a&after=0");
    commitMany(server, 1, "late", "b");
    commitMany(server, 1, "late", "a");
    const expected = toldOf(server.board.entries.filter((entry) => entry.sessionId === "a"));
    await reader.until(() => reader.events.length === expected.length);
    expect(reader.events).toEqual(expected);
  });
});

test("how the daemon is: told to who comes, and to everybody when it changes", async () => {
  let health: HealthReport = { ok: true, readOnly: false, checks: [] };
  const server = await openServer({ hub: { health: () => health } });
  server.board.addSession("a");
  const readers = [await SseReader.open(server.port), await SseReader.open(server.port, "session=a")];
  for (const reader of readers) await reader.until(() => reader.events.length === 1);
  health = { ok: false, readOnly: true, checks: [] };
  server.hub.tellHealth(health);
  commitMany(server, 1);
  for (const reader of readers) {
    await reader.until(() => reader.events.length === 3);
    expect(reader.events.map(({ event, data }) => (event === "health" ? data : event))).toEqual([
      '{"ok":true,"readOnly":false,"checks":[]}',
      '{"ok":false,"readOnly":true,"checks":[]}',
      "agent:stream_event",
    ]);
    expect(reader.lastId).toBe(1);
  }
});

/** One client's life: what it listens to, where it begins, and after how many events it is cut off, again and again. */
interface Life {
  readonly session: string | null;
  readonly startShare: number;
  readonly cuts: readonly number[];
}

const lives: fc.Arbitrary<Life> = fc.record({
  session: fc.constantFrom(null, "a", "b"),
  startShare: fc.double({ min: 0, max: 1, noNaN: true }),
  cuts: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 4, size: "max" }),
});
const batchesOf = (lengthMax: number) =>
  fc.array(
    fc.array(
      fc.tuple(
        fc.constantFrom("a", "b", "c"),
        fc.constantFrom<EntryKind>("stream", "stream", "stream", "state", "fact", "request"),
        fc.nat(lengthMax),
      ),
      { minLength: 1, maxLength: 40, size: "max" },
    ),
    { minLength: 1, maxLength: 50, size: "max" },
  );

const tick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test.each([
  ["small", 20],
  ["large", 5_000],
])(
  "resuming from anywhere, cut off at any time, %s events: each once, in order",
  async (_name, lengthMax) => {
    const clients = fc.array(lives, { minLength: 1, maxLength: 6, size: "max" });
    const run = fc.asyncProperty(
      batchesOf(lengthMax),
      clients,
      fc.infiniteStream(fc.nat(3)),
      async (commits, all, delays) => {
        // So little is kept for a client that it must often read the journal.
        const server = await openServer({ hub: { bufferBytesMax: 1 } });
        for (const session of ["a", "b"]) server.board.addSession(session);
        const bodies = commits.map((batch) =>
          batch.map(([sessionId, kind, length]) => draft(sessionId, kind, "y".repeat(length))),
        );
        const half = Math.floor(bodies.length / 2);
        for (const batch of bodies.slice(0, half)) server.board.commit(batch);
        const total = bodies.flat().length;
        const reading = all.map((life) => live(server, life, total));
        for (const batch of bodies.slice(half)) {
          const wait = async (): Promise<void> => {
            for (let ticks = delays.next().value as number; ticks > 0; ticks -= 1) await tick();
          };
          const entries = server.board.write(batch);
          await wait();
          server.board.acknowledge(entries);
          await wait();
          server.board.tell(entries);
          await wait();
        }
        for (const { got, wanted } of await Promise.all(reading)) expect(got).toEqual(wanted());
        await server.http.close();
      },
    );
    await fc.assert(run, { numRuns: 20, endOnFailure: true });
  },
);

/** Reads until it has all, resuming by the last event's position whenever it is cut off. */
async function live(server: TestServer, { session, startShare, cuts }: Life, total: number) {
  const { board } = server;
  const start = Math.floor(startShare * board.lastPosition());
  const toldAfter = (position: number): readonly ReadEvent[] =>
    toldOf(board.entries.slice(position).filter((entry) => session === null || entry.sessionId === session));
  const isAllThere = (): boolean => board.lastPosition() === total;
  const got: ReadEvent[] = [];
  const left = [...cuts];
  const deadlineMs = Date.now() + 20_000;
  for (let position = start; ; position = got.at(-1)?.id ?? start) {
    if (isAllThere() && toldAfter(position).length === 0) return { got, wanted: () => toldAfter(start) };
    const query = session === null ? `after=${position}` : `session=${session}&after=${position}`;
    const reader = await SseReader.open(server.port, query);
    const cut = left.shift() ?? Infinity;
    while (
      reader.events.length < cut &&
      !(isAllThere() && reader.events.length >= toldAfter(position).length)
    ) {
      if (Date.now() > deadlineMs) throw new Error(`only ${reader.events.length} events after ${position}`);
      await tick();
    }
    reader.close();
    got.push(...reader.events);
  }
}

describe("slow clients", () => {
  /** Asks, and does not read the answer. `response` is the server's side of it. */
  async function openDeaf(
    server: TestServer,
    query = "",
  ): Promise<{ socket: Socket; response: ServerResponse }> {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    onTestFinished(() => void socket.destroy());
    socket.pause();
    const responded = new Promise<ServerResponse>((resolve) => {
      server.http.server.once("request", (_request, response) => resolve(response));
    });
    const lines = [`host: 127.0.0.1:${server.port}`, `authorization: Bearer ${TOKEN}`];
    socket.write(`GET /v1/events${query} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    const response = await responded;
    while (server.hub.clientCount === 0) await tick();
    return { socket, response };
  }

  /** Publishes until the client is cut off; the most that ever waited for it in our memory. */
  async function publishUntilCut(server: TestServer, response: ServerResponse): Promise<number> {
    let largest = 0;
    while (!response.writableEnded) {
      commitMany(server, 100, "z".repeat(1_000));
      await tick();
      largest = Math.max(largest, response.writableLength);
    }
    return largest;
  }

  test("one that never reads costs little, is cut off, and can go on by position", async () => {
    const server = await openServer({ hub: { lagEventsMax: 2_000 } });
    const { socket, response } = await openDeaf(server);
    const largest = await publishUntilCut(server, response);
    // More than a mebibyte waited, so it was slow indeed; and not much more than that.
    expect(largest).toBeGreaterThan(1024 * 1024);
    expect(largest).toBeLessThan(1.5 * 1024 * 1024);

    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (text += chunk)).resume();
    await new Promise((resolve) => void socket.once("close", resolve));
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    const last = ids.at(-1) ?? 0;
    expect(text.slice(-60)).toContain(`id: ${last}\nevent: lagged\ndata: {"position":${last}}\n\n`);
    // Without a hole up to where it was cut off; the opening block and the last one have an id of their own.
    expect(ids.slice(1, -1)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    // It missed more than it may, and not much more: it was cut off in time.
    const missed = server.board.entries.length - last;
    expect(missed).toBeGreaterThan(2_000);
    expect(missed).toBeLessThan(2_400);

    const resumed = await SseReader.open(server.port, `after=${last}`);
    await resumed.until(() => resumed.events.length === missed);
    expect(resumed.events).toEqual(toldOf(server.board.entries.slice(last)));
  });

  test("one that does not even take the notice is gone soon after", async () => {
    const server = await openServer({ hub: { lagEventsMax: 100, goodbyeDelayMs: 20 } });
    const { response } = await openDeaf(server);
    await publishUntilCut(server, response);
    while (server.hub.clientCount > 0) await new Promise((resolve) => void setTimeout(resolve, 5));
    expect(response.destroyed).toBe(true);
  });

  test("one that reads again in time misses nothing", async () => {
    const server = await openServer({ hub: { lagEventsMax: 1_000_000 } });
    const reader = await SseReader.open(server.port, "after=0");
    reader.response.pause();
    for (let rounds = 0; rounds < 300; rounds += 1) {
      commitMany(server, 50, "z".repeat(1_000));
      await tick();
    }
    reader.response.resume();
    await reader.until(() => reader.events.length === 15_000);
    expect(reader.events).toEqual(toldOf(server.board.entries));
  });

  test("one that has a long way to go is not cut off while it gains", async () => {
    const server = await openServer({ hub: { lagEventsMax: 100, bufferBytesMax: 1 } });
    commitMany(server, 20_000, "z".repeat(500));
    const reader = await SseReader.open(server.port, "after=0");
    let isBehind = true;
    let published = 0;
    for (; isBehind || published < 1_000; published += 1) {
      commitMany(server, 1);
      await tick();
      isBehind = reader.events.length < 20_000;
    }
    await reader.until(() => reader.events.length === 20_000 + published);
    expect(reader.events).toEqual(toldOf(server.board.entries));
  });

  test("one that has a long way to go, and does not go, is cut off all the same", async () => {
    const server = await openServer({ hub: { lagEventsMax: 500 } });
    commitMany(server, 20_000, "z".repeat(1_000));
    const { response } = await openDeaf(server, "?after=0");
    while (response.writableLength <= 1024 * 1024) await tick();
    await publishUntilCut(server, response);
    const published = server.board.entries.length - 20_000;
    expect(published).toBeGreaterThan(500);
    expect(published).toBeLessThan(2_000);
  });
});

describe("while it lasts", () => {
  test("a heartbeat comes when nothing else does", async () => {
    const server = await openServer({ hub: { heartbeatDelayMs: 5 } });
    const reader = await SseReader.open(server.port);
    await reader.until(() => reader.comments.length >= 4);
    expect(reader.comments.slice(0, 4)).toEqual([": connected", ": heartbeat", ": heartbeat", ": heartbeat"]);
    expect(reader.events).toEqual([]);
  });

  test("two hundred clients get the same bytes", async () => {
    const server = await openServer();
    server.board.addSession("a");
    const opening = Array.from({ length: 200 }, (_, index) =>
      SseReader.open(server.port, index % 2 === 0 ? "" : "session=a"),
    );
    const readers = await Promise.all(opening);
    for (let rounds = 0; rounds < 20; rounds += 1) {
      commitMany(server, 5);
      await tick();
    }
    const expected = toldOf(server.board.entries);
    for (const reader of readers) {
      await reader.until(() => reader.events.length === 100);
      expect(reader.events).toEqual(expected);
    }
    expect(server.hub.clientCount).toBe(200);
  });

  test("clients that leave are forgotten, and no more than allowed are taken", async () => {
    const server = await openServer({ hub: { clientsMax: 2 } });
    const first = await SseReader.open(server.port);
    await SseReader.open(server.port);
    const third = await call(server, "GET", "/v1/events");
    expect([third.status, codeOf(third), third.headers["retry-after"]]).toEqual([503, "internal", "5"]);
    first.close();
    while (server.hub.clientCount > 1) await tick();
    const fourth = await SseReader.open(server.port);
    expect(fourth.isClosed).toBe(false);
  });

  test("the stream of a session that is deleted ends", async () => {
    const server = await openServer();
    server.board.addSession("a");
    const reader = await SseReader.open(server.port, "session=a");
    await call(server, "DELETE", "/v1/sessions/a");
    await reader.closed();
    expect(server.hub.clientCount).toBe(0);
  });

  test("closing ends every stream", async () => {
    const server = await openServer();
    const readers = await Promise.all([SseReader.open(server.port), SseReader.open(server.port)]);
    server.hub.close();
    await Promise.all(readers.map((reader) => reader.closed()));
    expect(server.hub.clientCount).toBe(0);
  });

  test("a client of a journal that cannot be read is cut off, and the others are not", async () => {
    const server = await openServer();
    commitMany(server, 5);
    const live = await SseReader.open(server.port);
    server.board.journal.readEntries = () => Promise.reject(new Error("broken disk"));
    const behind = await SseReader.open(server.port, "after=0");
    await behind.closed();
    commitMany(server, 1);
    await live.until(() => live.events.length === 1);
    expect(behind.events).toEqual([]);
  });
});
