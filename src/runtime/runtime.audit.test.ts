/** The audit: who asked for what, in one chain, in the transaction of what was asked for. */
import { expect, test } from "vitest";
import { create, request, startedBench, type Bench } from "../../test/sim/runtime-fixture.js";
import { AuditVerifier } from "../protocol/audit-chain.js";
import { agentPrincipal, TOKEN_PRINCIPAL, type Principal } from "../protocol/principal.js";
import { sha256 } from "./audit-trail.js";

const PHONE: Principal = { kind: "device", id: "d1", name: "Safari on iPhone" };

const all = (bench: Bench) => bench.journal.readAudit({ sinceMs: 0, after: 0, limit: 1_000 });

test("every submission is in it, refused ones too, and the chain holds", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  await request(bench, id, { type: "interrupt" });
  await bench.runtime.submit({ type: "remove", sessionId: id }, null, PHONE);
  await bench.runtime.audit(PHONE, "addRule", null);
  const entries = await all(bench);
  expect(
    entries.map(({ n, principal, operation, sessionId }) => [n, principal, operation, sessionId]),
  ).toEqual([
    [1, TOKEN_PRINCIPAL, "create", id],
    [2, TOKEN_PRINCIPAL, "refused:interrupt", id],
    [3, PHONE, "remove", id],
    [4, PHONE, "addRule", null],
  ]);
  const verifier = new AuditVerifier(sha256);
  expect(entries.map((entry) => verifier.take(entry))).toEqual([null, null, null, null]);
  expect(JSON.stringify(entries)).not.toContain("hello");
});

test("whatever is changed or left out breaks it, at its place", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  for (let index = 0; index < 3; index += 1) await request(bench, id, { type: "interrupt" });
  const entries = await all(bench);
  const firstBroken = (tampered: typeof entries) => {
    const verifier = new AuditVerifier(sha256);
    for (const entry of tampered) {
      const broken = verifier.take(entry);
      if (broken) return broken;
    }
    return null;
  };
  const [first, second, ...rest] = entries;
  if (!first || !second) throw new Error("there are four");
  expect(firstBroken([first, ...rest])).toEqual({ n: 2, because: "it is missing: after 1 comes 3" });
  expect(firstBroken([first, { ...second, operation: "remove" }, ...rest])).toEqual({
    n: 2,
    because: "it is not as it was written",
  });
  expect(firstBroken([{ ...first, principal: PHONE }, second, ...rest])?.n).toBe(1);
  // Written anew with a digest that fits, it no longer fits what follows.
  const forged = { ...second, operation: "remove" };
  const digest = sha256(
    JSON.stringify([forged.previous, 2, forged.atMs, "token", "token", "the token", "remove", id]),
  );
  expect(firstBroken([first, { ...forged, digest }, ...rest])).toEqual({
    n: 3,
    because: "it does not follow the entry before it",
  });
});

test("what was not committed is not in it, and leaves no gap", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  bench.journal.failNext();
  await request(bench, id, { type: "send_message", text: "more" });
  await request(bench, id, { type: "send_message", text: "more" });
  const entries = await all(bench);
  const verifier = new AuditVerifier(sha256);
  expect(entries.map((entry) => [entry.operation, verifier.take(entry)])).toEqual([
    ["create", null],
    ["send_message", null],
  ]);
});

test("what an agent tried is in it, and in the conversation that it came from", async () => {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  bench.runtime.attempted(agentPrincipal(id), "addRule", null, "Refused: it tried to.");
  await request(bench, id, { type: "interrupt" });
  const entries = await all(bench);
  expect(entries[1]).toMatchObject({
    principal: agentPrincipal(id),
    operation: "refused:addRule",
    sessionId: id,
  });
  const told = await bench.journal.readEntries({ sessionId: id, after: 0, limit: 1_000 });
  const bodies = told.map(({ body }) => body);
  expect(bodies.filter((body) => body.includes("Refused: it tried to.")).length).toBe(2);
  expect(bodies.some((body) => body.includes('"code":"agent_may_not"'))).toBe(true);
});
