import { expect, test } from "vitest";
import type { StreamEvent } from "../core/index.js";
import { COMPACTED_LENGTH_MAX, readWriting, StreamCompaction } from "./stream-compaction.js";

function bodyOf(seq: number, parts: Partial<StreamEvent>): string {
  return JSON.stringify({
    schemaVersion: "1.0",
    eventId: `e${seq}`,
    sessionId: "a",
    harness: "claude",
    streamId: "s1",
    seq,
    timestampMs: 1_000 + seq,
    type: "text_delta",
    ...parts,
  });
}

function compacted(...bodies: readonly string[]) {
  const compaction = new StreamCompaction();
  for (const [position, body] of bodies.entries()) {
    const event = readWriting(body);
    if (event) compaction.take(position, event);
  }
  return compaction.finish();
}

const piece = (seq: number, text: string) => bodyOf(seq, { payload: { text } });

test("pieces become one text on the last piece's envelope", () => {
  expect(compacted(piece(3, "a"), piece(5, "b"))).toEqual({
    rewritten: [
      {
        position: 1,
        body: bodyOf(5, { payload: { text: "ab", replace: true, startedSeq: 3, startedAtMs: 1_003 } }),
      },
    ],
    removedPositions: [0],
  });
});

test("a text of one piece, of no text, or that was taken back, is left alone", () => {
  const nothing = { rewritten: [], removedPositions: [] };
  expect(compacted()).toEqual(nothing);
  expect(compacted(piece(1, "a"))).toEqual(nothing);
  expect(compacted(piece(1, ""), piece(2, ""))).toEqual(nothing);
  const takenBack = bodyOf(2, { payload: { text: "", replace: true } });
  expect(compacted(piece(1, "a"), takenBack)).toEqual(nothing);
});

test("what follows the end of its stream is shown nowhere, and is left alone", () => {
  const end = bodyOf(2, { type: "completed", payload: {} });
  expect(compacted(piece(1, "a"), end, piece(3, "b"))).toEqual({ rewritten: [], removedPositions: [] });
});

test("a text beyond the bound stays in pieces, beside others that do not", () => {
  const long = "x".repeat(COMPACTED_LENGTH_MAX - 1);
  const other = (seq: number) => bodyOf(seq, { messageId: "m2", payload: { text: "y" } });
  const fitting = compacted(piece(1, long), piece(2, "x"));
  expect(fitting.removedPositions).toEqual([0]);
  const beyond = compacted(piece(1, long), piece(2, "xx"), other(3), piece(4, "x"), other(5));
  expect(beyond.removedPositions).toEqual([2]);
  expect(beyond.rewritten.map(({ position }) => position)).toEqual([4]);
});

test("other events are told apart, also when they speak of deltas", () => {
  expect(
    readWriting(bodyOf(1, { type: "tool_call_delta", payload: { callId: "c", name: "text_delta" } })),
  ).toBe(null);
  expect(readWriting(bodyOf(1, { type: "user_message", payload: { text: "hello" } }))).toBe(null);
  expect(readWriting(bodyOf(1, { type: "completed", payload: {} }))?.type).toBe("completed");
});
