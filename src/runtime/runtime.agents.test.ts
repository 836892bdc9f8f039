/** What an agent asks for in its own name. */
import { expect, test } from "vitest";
import { agentLines, create, startedBench } from "../../test/sim/runtime-fixture.js";
import { agentPrincipal, TOKEN_PRINCIPAL } from "../protocol/principal.js";

test("an agent's message is never taken for a person's answer, though it does not say unlessAsked", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  const question = { type: "ask", askId: "q", ask: "followup", title: "Which?", detail: "" };
  const lines = [{ type: "ready", sessionId: "S" }, { type: "request" }, question];
  await bench.runtime.feed(id, 1, agentLines(1, ...lines));
  const submission = {
    type: "request",
    sessionId: id,
    request: { type: "send_message", text: "that one" },
  } as const;
  expect(await bench.runtime.submit(submission, null, agentPrincipal("other"))).toMatchObject({
    ok: false,
    code: "conflict",
  });
  expect((await bench.runtime.submit(submission, null, TOKEN_PRINCIPAL)).ok).toBe(true);
});
