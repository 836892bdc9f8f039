/** A reader of `GET /v1/events`, for the tests beside this file. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { openServer, TOKEN } from "../http/test-server.test.js";

export interface ReadEvent {
  readonly id: number;
  readonly event: string;
  readonly data: string;
}

export class SseReader {
  readonly events: ReadEvent[] = [];
  comments: string[] = [];
  /** Of the last block that had one, also without an event. */
  lastId: number | null = null;
  isClosed = false;
  #rest = "";
  readonly #waiting = new Set<() => void>();

  static async open(
    port: number,
    query = "",
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SseReader> {
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      path: `/v1/events${query === "" ? "" : `?${query}`}`,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      agent: false,
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on("response", resolve).on("error", reject).end();
    });
    expect([response.statusCode, response.headers["content-type"]]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    const reader = new SseReader(response);
    onTestFinished(() => reader.close());
    return reader;
  }

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#take(text));
    response.on("error", () => undefined);
    response.on("close", () => {
      this.isClosed = true;
      this.#changed();
    });
  }

  /** Resolves when it holds. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.isClosed) throw new Error(`closed after ${this.events.length} events`);
      await new Promise<void>((resolve) => void this.#waiting.add(resolve));
    }
  }

  async closed(): Promise<void> {
    while (!this.isClosed) await new Promise<void>((resolve) => void this.#waiting.add(resolve));
  }

  close(): void {
    this.response.destroy();
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) this.#block(block.split("\n"));
    this.#changed();
  }

  #block(lines: readonly string[]): void {
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const id = field("id");
    if (id !== undefined) this.lastId = Number(id);
    this.comments.push(...lines.filter((line) => line.startsWith(":")));
    const data = field("data");
    if (data !== undefined) this.events.push({ id: Number(id), event: field("event") ?? "", data });
  }

  #changed(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

test("the reader of these tests reads what comes in pieces", async () => {
  const server = await openServer();
  const reader = await SseReader.open(server.port);
  server.board.commit([{ sessionId: "a", kind: "stream", body: `"${"ü".repeat(200_000)}"` }]);
  await reader.until(() => reader.events.length === 1);
  expect(reader.events).toEqual([{ id: 1, event: "agent:stream_event", data: `"${"ü".repeat(200_000)}"` }]);
});
