import { expect, test } from "vitest";
import { stateEvent, stateItem, streamEvent, streamItem } from "../../test/cli/wire-values.js";
import type { Client } from "../client/client.js";
import type { EventItem, EventQuery } from "../client/event-item.js";
import type { MessageStatus } from "../protocol/state-event.js";
import { answerEvents } from "./answer-events.js";

const text = (said: string): EventItem => streamItem(streamEvent("text_delta", { text: said }));
const status = (messageId: string, now: MessageStatus): EventItem =>
  stateItem(stateEvent({ type: "message_status", messageId, status: now }));

/** A client whose events are these, once its stream is open. */
function clientWith(items: readonly EventItem[], sent: Promise<unknown>): Client {
  const did: string[] = [];
  const client = {
    did,
    async *events({ onOpen, signal }: EventQuery) {
      did.push("open");
      onOpen?.();
      yield* items;
      await new Promise<void>((resolve) => {
        if (signal?.aborted === true) resolve();
        signal?.addEventListener("abort", () => resolve());
      });
    },
    sendMessage: (id: string, body: { readonly text: string }) => {
      did.push(`send ${id} ${body.text}`);
      return sent;
    },
  };
  return client as unknown as Client & { readonly did: string[] };
}

async function gather(client: Client, upTo: number): Promise<readonly EventItem[]> {
  const abort = new AbortController();
  const got: EventItem[] = [];
  for await (const item of answerEvents(client, "s1", "hello", abort.signal)) {
    got.push(item);
    if (got.length === upTo) abort.abort();
  }
  return got;
}

test("the message is sent once the stream is open, and what was before it is somebody else's", async () => {
  const items = [
    text("theirs"),
    status("m1", "queued"),
    status("m0", "sent"),
    text("theirs too"),
    status("m1", "sending"),
    text("mine"),
  ];
  const client = clientWith(items, Promise.resolve({ messageId: "m1", status: "queued" }));
  expect(await gather(client, 2)).toEqual([status("m1", "sending"), text("mine")]);
  expect((client as unknown as { did: string[] }).did).toEqual(["open", "send s1 hello"]);
});

test("a message that is refused ends it, even when nothing happens in the session", async () => {
  const refused = Promise.reject(new Error("refused"));
  await expect(gather(clientWith([], refused), 1)).rejects.toThrow("refused");
});
