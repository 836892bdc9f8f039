import { expect, test } from "vitest";
import { streamEvent } from "../../../test/cli/wire-values.js";
import type { Client } from "../../client/client.js";
import { SessionBoard } from "./session-board.js";

test("what comes after a text that was recalled begins a line of its own", async () => {
  let recalled: () => void = () => undefined;
  const isRecalled = new Promise<void>((resolve) => {
    recalled = resolve;
  });
  const client = {
    getThread: () => Promise.resolve({ items: [{ type: "assistant_message", text: "You decide." }] }),
    async *events() {
      await isRecalled;
      const event = streamEvent("text_delta", { text: "Now a file." }, { messageId: "m2" });
      yield { type: "event", channel: "stream", position: 1, event };
    },
  } as unknown as Client;
  const board = new SessionBoard(
    client,
    () => undefined,
    (error) => {
      throw error;
    },
  );
  const following = board.follow(new AbortController().signal);
  await board.recall("s1");
  recalled();
  await following;
  expect(board.linesOf("s1", 5)).toEqual(["You decide.", "Now a file."]);
});
