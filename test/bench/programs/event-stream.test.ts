import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventsOf, lastPositionOf, openEventStream, type SeenEvent } from "./event-stream.js";

const OPENING = ": connected\nretry: 1000\nid: 6\n\n";
const HEARTBEAT = ": heartbeat\n\n";
const HEALTH = 'event: health\ndata: {"ok":true}\n\n';

function frame(position: number, text: string): string {
  return `id: ${position}\nevent: agent:stream_event\ndata: ${JSON.stringify({ text })}\n\n`;
}

function event(position: number, text: string): SeenEvent {
  return { position, name: "agent:stream_event", body: JSON.stringify({ text }) };
}

let server: Server;
let body: Buffer;
let pieceBytes: number;

beforeEach(async () => {
  server = createServer((request, response) => {
    if (request.headers.authorization !== "Bearer secret") response.writeHead(401).end();
    else sendPiecewise(0);
    function sendPiecewise(at: number): void {
      if (at < body.length)
        response.write(body.subarray(at, at + pieceBytes), () => sendPiecewise(at + pieceBytes));
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function seenEvents(count: number, token: string): Promise<readonly SeenEvent[]> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seen: SeenEvent[] = [];
  let tell = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const stream = await openEventStream({ url, token }, "", (frames) => {
    seen.push(...eventsOf(frames));
    if (seen.length >= count) tell();
  });
  await all;
  await stream.end();
  return seen;
}

test.each([1, 3, 17, 10_000])(
  "events are whole, heartbeats and health are none, in pieces of %i bytes",
  async (size) => {
    pieceBytes = size;
    const some = [OPENING, HEALTH, frame(7, "“a”"), HEARTBEAT, frame(8, ": heartbeat"), HEALTH];
    const frames = [...some, HEARTBEAT, frame(12, "c")];
    body = Buffer.from(frames.join(""));
    expect(await seenEvents(3, "secret")).toEqual([event(7, "“a”"), event(8, ": heartbeat"), event(12, "c")]);
  },
);

test("a refusal is an error", async () => {
  body = Buffer.alloc(0);
  await expect(seenEvents(1, "wrong")).rejects.toThrow("401");
});

test("the last position of frames", () => {
  expect(lastPositionOf(Buffer.from(frame(7, "a")))).toBe(7);
  expect(lastPositionOf(Buffer.from(frame(7, "a") + frame(123_456, "b")))).toBe(123_456);
});
