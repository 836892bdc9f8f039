import { expect, test } from "vitest";
import { sessionDetail, stateChanged } from "../../test/cli/wire-values.js";
import type { EventStreamItem } from "./event-stream.js";
import { followSession } from "./follow-session.js";
import { SignalboxError, UnreachableError } from "./signalbox-error.js";

async function* from(items: readonly EventStreamItem[]): AsyncGenerator<EventStreamItem> {
  for (const item of items) yield await Promise.resolve(item);
}

const CHANGE: EventStreamItem = {
  type: "event",
  channel: "state",
  position: 1,
  event: stateChanged("creating", "streaming"),
};

async function collect(
  read: () => Promise<ReturnType<typeof sessionDetail>>,
  items: readonly EventStreamItem[],
) {
  const given: unknown[] = [];
  for await (const item of followSession(read, from(items))) given.push(item);
  return given;
}

test("a daemon that does not answer now is asked again when the stream goes on", async () => {
  let reads = 0;
  const read = () => {
    reads += 1;
    return reads === 1
      ? Promise.reject(new UnreachableError("http://x", "ECONNREFUSED", null))
      : Promise.resolve(sessionDetail());
  };
  expect(await collect(read, [{ type: "open" }, { type: "open" }, CHANGE])).toEqual([
    { type: "session", session: sessionDetail() },
    CHANGE,
  ]);
  expect(reads).toBe(3);
});

test("a session that is gone ends it", async () => {
  const gone = new SignalboxError({ code: "session_not_found", status: 404, detail: "gone" });
  await expect(collect(() => Promise.reject(gone), [{ type: "open" }])).rejects.toBe(gone);
});
