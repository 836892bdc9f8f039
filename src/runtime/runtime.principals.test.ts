/** Who did it stands in the journal, and in all that is told of it. */
import { expect, test } from "vitest";
import { agentLines, create, request, startedBench, type Bench } from "../../test/sim/runtime-fixture.js";
import { TOKEN_PRINCIPAL, type Principal } from "../protocol/principal.js";
import type { StateEvent } from "../protocol/state-event.js";
import { explain } from "./explain.js";
import type { PersonRequest } from "./submission.js";

const PHONE: Principal = { kind: "device", id: "d1", name: "Safari on iPhone" };
const RULE: Principal = { kind: "rule", id: "/etc/rules.toml", name: "Shell(ls)" };

async function asking(): Promise<{ readonly bench: Bench; readonly id: string }> {
  const bench = await startedBench();
  const id = await create(bench, "hello");
  const ask = { type: "ask", askId: "q", ask: "command", title: "ls", detail: "ls" };
  const lines = [{ type: "ready", sessionId: "S" }, { type: "request" }, ask];
  await bench.runtime.feed(id, 1, agentLines(1, ...lines));
  return { bench, id };
}

const submit = (bench: Bench, sessionId: string, wish: PersonRequest, by: Principal) =>
  bench.runtime.submit({ type: "request", sessionId, request: wish }, null, by);

async function closings(bench: Bench): Promise<readonly unknown[]> {
  const entries = await bench.journal.readEntries({ after: 0, limit: 1_000, kinds: ["state"] });
  return entries
    .map(({ body }) => JSON.parse(body) as StateEvent)
    .flatMap(({ payload, cause }) => (payload.type === "ask_closed" ? [[payload, cause?.by]] : []));
}

test("a request's entry names whoever made it", async () => {
  const { bench, id } = await asking();
  await submit(bench, id, { type: "approve_action", askId: "q" }, PHONE);
  const entries = await bench.journal.readEntries({ after: 0, limit: 1_000, kinds: ["request"] });
  const told = entries.map(({ body }) => JSON.parse(body) as { type: string; by: Principal });
  expect(told.map(({ type, by }) => [type, by])).toEqual([
    ["start_session", TOKEN_PRINCIPAL],
    ["approve_action", PHONE],
  ]);
});

test("an ask that a person answered says who", async () => {
  const { bench, id } = await asking();
  await submit(bench, id, { type: "approve_action", askId: "q" }, PHONE);
  expect(await closings(bench)).toEqual([
    [{ type: "ask_closed", askId: "q", reason: "approve_action", by: PHONE }, PHONE],
  ]);
});

test("an ask that a rule answered names the rule, and its file", async () => {
  const { bench, id } = await asking();
  const { id: file, name: rule } = RULE;
  const fact = { type: "permission_resolved", run: 1, askId: "q", verdict: "allow", rule, file } as const;
  bench.runtime.fact(id, fact, "rule");
  await request(bench, id, { type: "interrupt" });
  expect(await closings(bench)).toEqual([
    [{ type: "ask_closed", askId: "q", reason: "permission_resolved", by: RULE }, RULE],
  ]);
});

test("an ask that auto mode answered says so", async () => {
  const { bench, id } = await asking();
  await submit(bench, id, { type: "set_approve", approve: "auto" }, PHONE);
  const fact = { type: "permission_resolved", run: 1, askId: "q", verdict: "none" } as const;
  bench.runtime.fact(id, fact, "rule");
  await request(bench, id, { type: "interrupt" });
  const by = { kind: "auto", id: "auto", name: "auto-approve" };
  expect(await closings(bench)).toEqual([
    [{ type: "ask_closed", askId: "q", reason: "permission_resolved", by }, by],
  ]);
});

test("an ask that its agent withdrew names nobody", async () => {
  const { bench, id } = await asking();
  bench.runtime.fact(id, { type: "ask_closed", run: 1, askId: "q" }, "protocol");
  await request(bench, id, { type: "interrupt" });
  expect(await closings(bench)).toEqual([
    [{ type: "ask_closed", askId: "q", reason: "ask_closed" }, undefined],
  ]);
});

test("what put a session into its state is explained with who did it", async () => {
  const { bench, id } = await asking();
  await submit(bench, id, { type: "cancel_session" }, PHONE);
  const record = bench.runtime.session(id);
  if (!record) throw new Error("there is no session");
  const { because, changes } = await explain(bench.journal, record, null);
  expect(because).toBe(
    "Stopped since a request (by Safari on iPhone) asked for cancel_session; before: Needs approval.",
  );
  expect(changes[0]?.by).toEqual(PHONE);
});
