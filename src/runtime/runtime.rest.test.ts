/** Idle agents rest: their seats, their processes and their next message. */
import { expect, test } from "vitest";
import { TOKEN_PRINCIPAL } from "../protocol/principal.js";
import { agentLines, feed, READY, request, SETTINGS, startedBench } from "../../test/sim/runtime-fixture.js";
import type { Bench } from "../../test/sim/runtime-fixture.js";
import { settleMicrotasks } from "../../test/sim/scheduler.js";

const DONE = agentLines(3, { type: "text", text: "yes" }, { type: "done" });

/** One that is done with its first turn. */
async function idle(bench: Bench): Promise<string> {
  const create = { type: "create", settings: SETTINGS, text: "hello", approve: "ask" } as const;
  const answer = await bench.runtime.submit({ ...create, idleAfterMs: 60_000 }, null, TOKEN_PRINCIPAL);
  if (!answer.ok) throw new Error(answer.message);
  await settleMicrotasks();
  const { sessionId } = answer.value;
  await feed(bench, sessionId, 1, READY);
  await feed(bench, sessionId, 1, DONE);
  return sessionId;
}

/** Nothing but agents live in their runs. */
async function restingBench(isAlone = true): Promise<Bench> {
  const bench = await startedBench();
  bench.driver.act = ({ call }) => {
    if (call.type !== "check_rest") return { facts: [], started: call.type === "spawn" };
    const { run, timerId } = call;
    return { facts: [{ fact: { type: "rest_checked", run, timerId, mayRest: isAlone }, source: "process" }] };
  };
  return bench;
}

async function wait({ clock }: Bench): Promise<void> {
  clock.advance(60_000);
  for (let turn = 0; turn < 5; turn += 1) await settleMicrotasks();
}

function stops({ driver }: Bench): readonly string[] {
  return driver.items.flatMap(({ sessionId, call }) => (call.type === "stop" ? [sessionId] : []));
}

function seats({ runtime }: Bench): readonly string[] {
  return runtime.roster().seats.map(({ seat, status }) => `${seat} ${status}`);
}

test("who is idle and not connected is ended, keeps the seat, and is resumed by the next message in it", async () => {
  const bench = await restingBench();
  const { runtime } = bench;
  const first = await idle(bench);
  const second = await idle(bench);
  const both = [`${first} disconnected`, `${second} connected`];
  await wait(bench);
  expect([stops(bench), seats(bench)]).toEqual([[first], both]);
  await runtime.exit(first, 1, { code: null, signal: "SIGTERM" });
  const { state, seatedRun } = runtime.session(first) ?? {};
  expect([state?.status, state?.rest?.step, state?.alive, seatedRun]).toEqual([
    "completed",
    "resting",
    false,
    1,
  ]);
  expect(seats(bench)).toEqual(both);
  expect((await request(bench, first, { type: "send_message", text: "again" })).ok).toBe(true);
  const resumed = bench.driver.items.at(-1);
  expect(bench.driver.items.find(({ call }) => call.type === "spawn" && call.run === 2)?.call).toEqual({
    type: "spawn",
    run: 2,
    resume: "S",
    prompt: null,
  });
  expect([resumed?.sessionId, runtime.session(first)?.seatedRun, seats(bench)]).toEqual([first, 2, both]);
  // The resumed run ends like any other.
  await runtime.exit(first, 2, { code: 0, signal: null });
  expect(seats(bench)).toEqual([`${first} none`, `${second} connected`]);
});

test("a run that cannot be started any more leaves the seat", async () => {
  const bench = await restingBench();
  const first = await idle(bench);
  const second = await idle(bench);
  await wait(bench);
  await bench.runtime.exit(first, 1, { code: 0, signal: null });
  bench.driver.act = ({ call }) =>
    call.type === "spawn"
      ? { facts: [{ fact: { type: "process_exit", run: call.run, code: null }, source: "process" }] }
      : { facts: [] };
  await request(bench, first, { type: "send_message", text: "again" });
  expect(seats(bench)).toEqual([`${first} none`, `${second} connected`]);
});

test("who rests and is stopped leaves the seat, and another is promoted", async () => {
  const bench = await restingBench();
  const first = await idle(bench);
  const second = await idle(bench);
  await wait(bench);
  await bench.runtime.exit(first, 1, { code: 0, signal: null });
  await bench.runtime.submit({ type: "connect", sessionId: first }, null, TOKEN_PRINCIPAL);
  await request(bench, first, { type: "cancel_session" });
  expect(seats(bench)).toEqual([`${first} none`, `${second} connected`]);
  expect(bench.runtime.session(first)?.seatedRun).toBe(0);
});

test("neither the connected one is ended, nor one in whose run somebody else lives", async () => {
  const bench = await restingBench(false);
  const first = await idle(bench);
  const second = await idle(bench);
  await wait(bench);
  await wait(bench);
  expect(stops(bench)).toEqual([]);
  const looked = bench.driver.items.filter(({ call }) => call.type === "check_rest");
  expect(looked.map(({ sessionId }) => sessionId)).toEqual([first, second, first, second]);
});
