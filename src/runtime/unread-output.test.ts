import { expect, test } from "vitest";
import { agentLines } from "../../test/sim/runtime-fixture.js";
import { loopBench, written } from "../../test/sim/loop-fixture.js";
import { UNREAD_KEPT_MAX } from "./unread-output.js";

test("a program that prints what nobody can read fills no disk; it is counted, and what can be read is kept", () => {
  const { started, fed, unknown } = loopBench();
  started();
  const junk = Array.from({ length: UNREAD_KEPT_MAX + 100 }, (_, index) => `junk ${index}\n`);
  const told = fed(
    ...junk.map((line) => Buffer.from(line)),
    agentLines(1, { type: "ready", sessionId: "S" }, { type: "text", text: "words" }),
  );
  const payloads = written(told)
    .filter(([kind]) => kind === "stream")
    .map(([, , body]) => (body as { readonly payload: unknown }).payload);
  expect(payloads.slice(0, UNREAD_KEPT_MAX)).toEqual(
    junk.slice(0, UNREAD_KEPT_MAX).map((line) => ({ unknown: line.trim() })),
  );
  const rest = JSON.stringify(payloads.slice(UNREAD_KEPT_MAX));
  expect(rest).toContain("could not be read");
  expect(rest).toContain("words");
  expect(rest).not.toContain("junk");
  expect(unknown).toHaveLength(junk.length);
});
