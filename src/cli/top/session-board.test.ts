import { expect, test } from "vitest";
import { sessionSummary, stateEvent, streamEvent } from "../../../test/cli/wire-values.js";
import type { Client } from "../../client/client.js";
import { doingWords } from "../../core/words/doing.js";
import { SessionBoard } from "./session-board.js";

const RUNNING = {
  type: "tool_lifecycle",
  callId: "c",
  toolName: "make",
  status: "running",
  startedAtMs: 1,
} as const;

test("what began before anybody listened is known, and a text that was recalled is a line of its own", async () => {
  let recalled: () => void = () => undefined;
  const isRecalled = new Promise<void>((resolve) => {
    recalled = resolve;
  });
  const client = {
    listEvents: (_id: string, { kind }: { readonly kind: string }) =>
      Promise.resolve({
        items: [
          kind === "stream"
            ? { kind, position: 1, event: streamEvent("tool_call_delta", { callId: "c", name: "make" }) }
            : { kind, position: 2, event: stateEvent(RUNNING) },
        ],
      }),
    listSessions: () => Promise.resolve({ items: [sessionSummary({ phase: "executing_tools" })] }),
    getRoster: () => Promise.resolve({ connected: null, position: 0, seats: [] }),
    getThread: () => Promise.resolve({ items: [{ type: "assistant_message", text: "You decide." }] }),
    async *events({ onOpen }: { readonly onOpen: () => void }) {
      onOpen();
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
  const doing = () => doingWords("streaming", "executing_tools", board.doingOf("s1"));
  await expect.poll(doing).toBe("Running make");
  recalled();
  await following;
  expect(board.linesOf("s1", 5)).toEqual(["You decide.", "Now a file."]);
  expect(doing()).toBe("Writing");
});
