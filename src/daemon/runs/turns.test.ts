import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { FULL_TURN, SMALL_TURN, Turns, type Allowance, type Share } from "./turns.js";

/** Time that the test moves; who rests is woken by it. */
function bench() {
  let nowMs = 0;
  const resting: { readonly delayMs: number; readonly wake: () => void }[] = [];
  const turns = new Turns({
    nowMs: () => nowMs,
    sleep: (delayMs) => new Promise<void>((wake) => void resting.push({ delayMs, wake })),
  });
  const log: string[] = [];
  /** A turn that lasts `lastsMs`, and takes all that it may. */
  const take = async (name: string, share: Share, lastsMs = 0): Promise<void> => {
    await turns.take(share, (allowed) => {
      nowMs += lastsMs;
      log.push(`${name} ${allowed === SMALL_TURN ? "small" : "full"}`);
      return Promise.resolve(allowed);
    });
  };
  const wake = (): void => {
    for (const { wake: go } of resting.splice(0)) go();
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { turns, take, log, resting, wake, pass };
}

/** Each says so much that it is too much; then nobody speaks for a while. */
async function flood({ turns, pass }: ReturnType<typeof bench>, ...shares: readonly Share[]): Promise<void> {
  const much: Allowance = { bytes: 1024 * 1024, lines: 0 };
  for (const share of shares) await turns.take(share, () => Promise.resolve(much));
  pass(100);
}

test("one alone takes much at once, however much it says", async () => {
  const all = bench();
  const share = all.turns.newShare();
  await flood(all, share);
  await all.take("it", share);
  expect(all.log).toEqual(["it full"]);
});

test("beside one who speaks, who says too much takes little, and then rests twice as long as that took", async () => {
  const all = bench();
  const [loud, quiet] = [all.turns.newShare(), all.turns.newShare()];
  await flood(all, loud);
  await all.take("quiet", quiet);
  const taken = all.take("loud", loud, 4);
  await nextTurn();
  expect(all.resting.map(({ delayMs }) => delayMs)).toEqual([8]);
  // Meanwhile the other goes on, and does not wait.
  await all.take("quiet", quiet);
  await all.take("quiet", quiet);
  all.wake();
  await taken;
  expect(all.log).toEqual(["quiet full", "loud small", "quiet full", "quiet full"]);
});

test("however many say too much, one of them goes at a time", async () => {
  const all = bench();
  const loud = Array.from({ length: 50 }, () => all.turns.newShare());
  await flood(all, ...loud);
  await all.take("quiet", all.turns.newShare());
  const taken = loud.map((share, index) => all.take(`${index}`, share));
  await nextTurn();
  expect(all.log).toEqual(["quiet full", "0 small"]);
  all.wake();
  await nextTurn();
  expect(all.log).toEqual(["quiet full", "0 small", "1 small"]);
  // Nobody has spoken for a while: all others go at once.
  all.pass(100);
  all.wake();
  await Promise.all(taken);
  expect(all.log.slice(3)).toEqual(loud.slice(2).map((_, index) => `${index + 2} full`));
});

test("two who say no more than agents do take little each, and never rest", async () => {
  const all = bench();
  const [one, other] = [all.turns.newShare(), all.turns.newShare()];
  await all.take("one", one);
  await all.take("other", other);
  await all.take("one", one);
  expect([all.log, all.resting]).toEqual([["one full", "other small", "one small"], []]);
});

test("who was quiet for some seconds is like any other", async () => {
  const all = bench();
  const [loud, quiet] = [all.turns.newShare(), all.turns.newShare()];
  await flood(all, loud);
  all.pass(2_000);
  await all.take("quiet", quiet);
  await all.take("loud", loud);
  expect([all.log, all.resting]).toEqual([["quiet full", "loud small"], []]);
});

test("short lines cost more than their bytes", async () => {
  const all = bench();
  const [loud, quiet] = [all.turns.newShare(), all.turns.newShare()];
  for (let turn = 0; turn < 3; turn += 1)
    await all.turns.take(loud, () => Promise.resolve({ bytes: 1_000, lines: FULL_TURN.lines }));
  await all.take("quiet", quiet);
  const taken = all.take("loud", loud);
  await nextTurn();
  expect(all.resting.length).toBe(1);
  all.wake();
  await taken;
});

test("one that fails leaves the way to the next", async () => {
  const all = bench();
  const loud = all.turns.newShare();
  await flood(all, loud);
  await all.take("quiet", all.turns.newShare());
  await expect(all.turns.take(loud, () => Promise.reject(new Error("full")))).rejects.toThrow("full");
  const taken = all.take("loud", loud);
  await nextTurn();
  all.wake();
  await taken;
  expect(all.log).toEqual(["quiet full", "loud small"]);
});
