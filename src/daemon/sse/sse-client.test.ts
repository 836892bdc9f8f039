/** When a client is cut off, with a connection that takes exactly as much as the test lets it take. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import type { Entry } from "../../runtime/ports.js";
import { slicesOf } from "./slice.js";
import { PAGE_LENGTH, SseClient } from "./sse-client.js";

const LAG_EVENTS_MAX = 100;

/** Keeps what is written to it until the test takes it. */
class HeldSocket extends Socket {
  /** Of the events written to it. */
  readonly ids: number[] = [];
  readonly notices: string[] = [];
  #done: (() => void)[] = [];

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.#keep(chunk.toString());
    this.#done.push(done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer | string }[], done: () => void): void {
    for (const { chunk } of chunks) this.#keep(chunk.toString());
    this.#done.push(done);
  }

  #keep(text: string): void {
    this.ids.push(...[...text.matchAll(/^id: (\d+)\nevent: agent/gm)].map(([, id]) => Number(id)));
    this.notices.push(...[...text.matchAll(/^id: \d+\nevent: lagged\n.*/gm)].map(([notice]) => notice));
  }

  /** Takes what is being written; when there is no more of it, the client may write again. */
  async takeOne(): Promise<void> {
    this.#done.shift()?.();
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let ticks = 0; ticks < 3; ticks += 1) await new Promise((resolve) => void setImmediate(resolve));
}

/** A client at position 0 of a journal that has some entries already, each too large to wait beside another. */
function openClient(entryCount: number) {
  const socket = new HeldSocket();
  const response = new ServerResponse(new IncomingMessage(socket));
  response.assignSocket(socket);
  // As a server does.
  socket.on("drain", () => response.emit("drain"));
  response.useChunkedEncodingByDefault = false;
  const entries: Entry[] = [];
  const body = JSON.stringify("x".repeat(20_000));
  const add = (): Entry => {
    const position = entries.length + 1;
    const entry = { position, sessionId: "a", seq: position, atMs: 0, kind: "stream", run: 1, body } as const;
    entries.push(entry);
    return entry;
  };
  for (let count = 0; count < entryCount; count += 1) add();
  const past = {
    end: () => entries.length,
    read: (position: number) => Promise.resolve(entries.slice(position, position + PAGE_LENGTH)),
    recent: null,
  };
  const limits = {
    bufferBytesMax: response.writableHighWaterMark,
    lagEventsMax: LAG_EVENTS_MAX,
    goodbyeDelayMs: 60_000,
  };
  const client = new SseClient(response, null, 0, past, limits);
  let catchingUp = client.start(false);
  const publish = (): void => {
    const entry = add();
    const slices = slicesOf([entry], entry.position - 1, entry.position);
    if (client.offer(slices)) catchingUp = client.catchUp();
  };
  return { socket, entries, publish, isCut: () => response.writableEnded, end: () => catchingUp };
}

test("one that takes less than there is, step by step, is cut off, though it never stops taking", async () => {
  const { socket, publish, isCut, end } = openClient(0);
  await settle();
  let steps = 0;
  for (; !isCut() && steps < 1_000; steps += 1) {
    for (let events = 0; events < 30; events += 1) publish();
    await settle();
    await socket.takeOne();
  }
  expect(isCut()).toBe(true);
  // One that takes nothing would be cut off sooner.
  expect(steps).toBeGreaterThan(Math.ceil(LAG_EVENTS_MAX / 30));
  while (socket.notices.length === 0) await socket.takeOne();
  await end();
  const last = socket.ids.length;
  expect(socket.ids).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  expect(socket.notices).toEqual([`id: ${last}\nevent: lagged\ndata: {"position":${last}}`]);
});

test("one that gains is not cut off, though more than it may miss passes on its way", async () => {
  const { socket, entries, publish, isCut, end } = openClient(500);
  let published = 0;
  for (; socket.ids.length < 500; published += 2) {
    expect(isCut()).toBe(false);
    publish();
    publish();
    await settle();
    await socket.takeOne();
  }
  while (socket.ids.length < entries.length) await socket.takeOne();
  await Promise.all([socket.takeOne(), end()]);
  expect(published).toBeGreaterThan(LAG_EVENTS_MAX);
  expect({ isCut: isCut(), ids: socket.ids }).toEqual({
    isCut: false,
    ids: entries.map((entry) => entry.position),
  });
});
