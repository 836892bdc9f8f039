import { expect, test } from "vitest";
import { ThreadLink } from "./thread-link.js";

/** A thread that opens at once, and does `onCall` with each call and its number. */
function script(onCall: string): URL {
  const code = `
    import { parentPort, workerData } from "node:worker_threads";
    let count = 0;
    parentPort.on("message", (call) => { count += 1; ${onCall} });
    parentPort.postMessage({ id: "opening", failure: null });`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

const CLOSE = { type: "close" } as const;

test("every call gets the answer that carries its number, in whatever order", async () => {
  const link = await ThreadLink.start(
    script(`
      if (count === 1) { globalThis.first = call; }
      else {
        parentPort.postMessage({ id: call.id, failure: { code: "full", message: workerData } });
        parentPort.postMessage({ id: first.id, failure: null });
        parentPort.close();
      }`),
    "no room",
  );
  const first = link.call(CLOSE);
  const second = link.call(CLOSE);
  await expect(second).rejects.toMatchObject({ name: "JournalError", code: "full", message: "no room" });
  await expect(first).resolves.toBeUndefined();
  await link.ended;
});

test.each([
  ["throws", `if (count === 2) throw new Error("broken");`, /died: broken/],
  ["exits", `if (count === 2) process.exit(1);`, /is closed/],
])("a thread that %s has all open and all later calls rejected", async (_how, onCall, message) => {
  const link = await ThreadLink.start(script(onCall), "");
  const calls = [link.call(CLOSE), link.call(CLOSE)];
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: "closed" });
  await link.ended;
  await expect(link.call(CLOSE)).rejects.toThrow(message);
});

test("a thread that dies before it opens rejects the start", async () => {
  const broken = new URL(`data:text/javascript,${encodeURIComponent('throw new Error("no disk");')}`);
  await expect(ThreadLink.start(broken, "")).rejects.toMatchObject({
    code: "closed",
    message: "The journal's commit thread died: no disk",
  });
});

test("what cannot be sent is refused, and the thread goes on", async () => {
  const link = await ThreadLink.start(
    script("parentPort.postMessage({ id: call.id, failure: null }); parentPort.close();"),
    "",
  );
  const strange = { type: "close", strange: () => undefined } as const;
  await expect(link.call(strange)).rejects.toThrow(/could not be cloned/);
  await expect(link.call(CLOSE)).resolves.toBeUndefined();
  await link.ended;
});
