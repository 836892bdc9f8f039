import { afterEach, expect, test, vi } from "vitest";
import type { Client } from "../client/client.js";
import type { EventQuery } from "../client/event-item.js";
import { watchSessions } from "./session-watch.js";

afterEach(() => {
  vi.useRealTimers();
});

test("the list is read again now and then: of a session that was deleted no event tells", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let lists = 0;
  let end: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = reject;
  });
  const client = {
    async *events({ onOpen }: EventQuery = {}) {
      onOpen?.();
      yield await ended;
    },
  } as unknown as Client;
  const list = () => {
    lists += 1;
    return Promise.resolve([]);
  };
  const watching = watchSessions(client, list, true);
  await expect.poll(() => lists, { timeout: 10_000 }).toBe(1);
  vi.advanceTimersByTime(60_000);
  await expect.poll(() => lists, { timeout: 10_000 }).toBe(2);
  end(new Error("refused"));
  await expect(watching).rejects.toThrow("refused");
});
