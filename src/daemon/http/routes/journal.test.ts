import { describe, expect, test } from "vitest";
import { getThread } from "./journal.js";
import { call, flawsIn, openServer, valueOf } from "../test-server.test.js";

describe("journal", () => {
  test("pages of events end where the next begins, and bodies stay byte for byte", async () => {
    const server = await openServer();
    server.board.addSession("a");
    const bodies = Array.from(
      { length: 250 },
      (_, index) => `{"n":${index},  "deep":${"[".repeat(50)}${"]".repeat(50)}}`,
    );
    for (const body of bodies) {
      server.board.commit([
        { sessionId: "a", kind: "stream", body },
        { sessionId: "b", kind: "stream", body: "{}" },
      ]);
    }
    const seen: string[] = [];
    let after = "0";
    for (let pages = 0; pages < 4; pages += 1) {
      const { text } = await call(server, "GET", `/v1/sessions/a/events?after=${after}&limit=100`);
      const page = JSON.parse(text) as { items: { position: number }[]; nextCursor?: string };
      for (const [index, body] of bodies.entries())
        if (text.includes(`"event":${body}}`)) seen.push(`${index}`);
      if (page.nextCursor === undefined) break;
      expect(page.items).toHaveLength(100);
      after = page.nextCursor;
    }
    expect(seen).toEqual(bodies.map((_, index) => `${index}`));
  });

  test("facts and requests have their time", async () => {
    const server = await openServer();
    server.board.addSession("a");
    server.board.commit([{ sessionId: "a", kind: "fact", body: '{"type":"api_req_started"}' }]);
    const value = valueOf("listEvents", await call(server, "GET", "/v1/sessions/a/events"));
    expect(value).toMatchObject({
      items: [{ kind: "fact", position: 1, event: { type: "api_req_started" } }],
    });
  });

  test("a page of large entries ends early, and says so", async () => {
    const server = await openServer();
    server.board.addSession("a");
    const body = JSON.stringify({ type: "x", text: "y".repeat(3 * 1024 * 1024) });
    for (let index = 0; index < 3; index += 1) server.board.commit([{ sessionId: "a", kind: "fact", body }]);
    const value = valueOf("listEvents", await call(server, "GET", "/v1/sessions/a/events"));
    expect(value).toMatchObject({ items: [{ position: 1 }, { position: 2 }], nextCursor: "2" });
  });

  test("the newest come first, of one kind when asked for, and have no cursor", async () => {
    const server = await openServer();
    server.board.addSession("a");
    for (const type of ["one", "two", "three"])
      server.board.commit([
        { sessionId: "a", kind: "fact", body: JSON.stringify({ type }) },
        { sessionId: "a", kind: "request", body: JSON.stringify({ type: `${type} asked` }) },
      ]);
    const typesOf = async (query: string) => {
      const { items, ...rest } = JSON.parse(
        (await call(server, "GET", `/v1/sessions/a/events?${query}`)).text,
      ) as { items: { event: { type: string } }[] };
      return [items.map(({ event }) => event.type), rest];
    };
    expect(await typesOf("order=newest&limit=2")).toEqual([["three asked", "three"], {}]);
    expect(await typesOf("order=newest&kind=fact&limit=2")).toEqual([["three", "two"], {}]);
    expect(await typesOf("kind=fact")).toEqual([["one", "two", "three"], {}]);
    const refused = await call(server, "GET", "/v1/sessions/a/events?order=newest&after=1");
    expect([refused.status, flawsIn(refused)]).toEqual([400, ["after"]]);
  });

  test("the thread is what was said, and its position is where an event stream goes on", async () => {
    const server = await openServer();
    server.board.addSession("a");
    const delta = (seq: number, text: string) =>
      JSON.stringify({
        schemaVersion: "1.0",
        eventId: `e${seq}`,
        sessionId: "a",
        harness: "demo",
        streamId: "s",
        seq,
        timestampMs: seq,
        type: "text_delta",
        payload: { text },
        messageId: "m",
      });
    for (let seq = 1; seq <= 205; seq += 1)
      server.board.commit([{ sessionId: "a", kind: "stream", body: delta(seq, `${seq} `) }]);
    server.board.commit([{ sessionId: "b", kind: "stream", body: "{}" }]);
    const value = valueOf("getThread", await call(server, "GET", "/v1/sessions/a/thread"));
    const text = Array.from({ length: 205 }, (_, index) => `${index + 1} `).join("");
    expect(value).toMatchObject({
      items: [{ type: "assistant_message", id: "m", text }],
      position: 206,
      dropped: 0,
    });
  });

  test("of a long session no more than a stride is read before others have their turn", async () => {
    const body = (seq: number) =>
      JSON.stringify({
        streamId: "s",
        seq,
        timestampMs: seq,
        type: "text_delta",
        payload: { text: seq > 400 && seq <= 500 ? "x".repeat(64 * 1024) : "x" },
        messageId: `m${seq % 100}`,
      });
    const entries = Array.from({ length: 1_020 }, (_, index) => ({
      position: index + 1,
      kind: "stream",
      body: body(index + 1),
    }));
    let turn = 0;
    let isOver = false;
    const count = () => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const reads: { readonly turn: number; readonly limit: number }[] = [];
    // As the real journal does: it reads at once.
    const readEntries = ({ after, limit }: { readonly after: number; readonly limit: number }) => {
      reads.push({ turn, limit });
      return Promise.resolve(entries.slice(after, after + limit));
    };
    const board = { session: () => ({}), lastPosition: () => 1_020, journal: { readEntries } };
    const input = { params: { id: "a" } } as unknown as Parameters<typeof getThread>[0];
    const reply = await getThread(input, { board } as unknown as Parameters<typeof getThread>[1]);
    isOver = true;
    expect(
      "pieces" in reply && (JSON.parse(reply.pieces.join("")) as { items: unknown[] }).items.length,
    ).toBe(100);
    expect(new Set(reads.map((read) => read.turn)).size).toBe(reads.length);
    expect(reads.map(({ limit }) => limit)).toEqual([
      ...Array.from({ length: 5 }, () => 100),
      3,
      ...Array.from({ length: 6 }, () => 100),
    ]);
  });

  test("explain says why", async () => {
    const server = await openServer();
    server.board.addSession("a");
    const value = valueOf("explain", await call(server, "GET", "/v1/sessions/a/explain"));
    expect(value).toMatchObject({ sessionId: "a", because: "so" });
  });
});
