import { expect, test } from "vitest";
import { HeldJournal } from "../../test/sim/runtime-fixture.js";
import { settleMicrotasks } from "../../test/sim/scheduler.js";
import { Batch } from "./batch.js";
import { Receipts } from "./receipts.js";
import type { Answer, ReceiptDraft } from "./submission.js";

const OWNER = "token:token";
const DRAFT: ReceiptDraft = { clientId: "c", fingerprint: "f" };
const GRANTED: Answer = { ok: true, value: { sessionId: "s" } };
const CONFLICT: Answer = {
  ok: false,
  code: "conflict",
  message: "This clientId was used for another request.",
};

function bench() {
  const journal = new HeldJournal();
  const receipts = new Receipts(journal);
  let count = 0;
  const finish: ((answer: Answer) => void)[] = [];
  const carryOut = (): Promise<Answer> => {
    count += 1;
    return new Promise((resolve) => void finish.push(resolve));
  };
  const keep = async (draft: ReceiptDraft, answer: Answer): Promise<void> => {
    const batch = new Batch();
    batch.receipts.push({ ...draft, principal: OWNER, atMs: 1, result: JSON.stringify(answer) });
    await journal.commit(batch.toCommit());
  };
  return { journal, receipts, carryOut, finish, keep, count: () => count };
}

test("the same request at the same time is carried out once", async () => {
  const { receipts, carryOut, finish, count } = bench();
  const answers = [1, 2, 3].map(() => receipts.answer(OWNER, DRAFT, carryOut));
  await settleMicrotasks();
  const late = receipts.answer(OWNER, DRAFT, carryOut);
  finish[0]?.(GRANTED);
  expect(await Promise.all([...answers, late])).toEqual([GRANTED, GRANTED, GRANTED, GRANTED]);
  expect(count()).toBe(1);
});

test("another request with the same id is a conflict, while the first runs and after", async () => {
  const { receipts, carryOut, finish, keep, count } = bench();
  const other = { ...DRAFT, fingerprint: "g" };
  const first = receipts.answer(OWNER, DRAFT, carryOut);
  const meanwhile = receipts.answer(OWNER, other, carryOut);
  await keep(DRAFT, GRANTED);
  await settleMicrotasks();
  finish[0]?.(GRANTED);
  expect(await Promise.all([first, meanwhile])).toEqual([GRANTED, CONFLICT]);
  expect(await receipts.answer(OWNER, other, carryOut)).toEqual(CONFLICT);
  expect(count()).toBe(1);
});

test("a repeated request gets its answer also while another one with its id is turned away", async () => {
  const { receipts, carryOut, keep } = bench();
  await keep(DRAFT, GRANTED);
  const other = receipts.answer(OWNER, { ...DRAFT, fingerprint: "g" }, carryOut);
  const repeated = receipts.answer(OWNER, DRAFT, carryOut);
  expect(await Promise.all([other, repeated])).toEqual([CONFLICT, GRANTED]);
});

test("an id whose request came to nothing is free for another", async () => {
  const { receipts, carryOut, finish } = bench();
  const failing = receipts.answer(OWNER, DRAFT, () => Promise.reject(new Error("broken")));
  const other = receipts.answer(OWNER, { ...DRAFT, fingerprint: "g" }, carryOut);
  await expect(failing).rejects.toThrow("broken");
  await settleMicrotasks();
  finish[0]?.(GRANTED);
  expect(await other).toEqual(GRANTED);
});

test("a request that was answered before gets that answer, a refusal too", async () => {
  const { receipts, carryOut, keep, count } = bench();
  const refused: Answer = { ok: false, code: "queue_full", message: "100 messages wait already" };
  await keep(DRAFT, refused);
  expect(await receipts.answer(OWNER, DRAFT, carryOut)).toEqual(refused);
  expect(count()).toBe(0);
});

test("what was not kept is carried out when it comes again", async () => {
  const { receipts, carryOut, finish, count } = bench();
  const unavailable: Answer = { ok: false, code: "internal", message: "not now", unavailable: true };
  const first = receipts.answer(OWNER, DRAFT, carryOut);
  await settleMicrotasks();
  finish[0]?.(unavailable);
  expect(await first).toEqual(unavailable);
  const second = receipts.answer(OWNER, DRAFT, carryOut);
  await settleMicrotasks();
  finish[1]?.(GRANTED);
  expect(await second).toEqual(GRANTED);
  expect(count()).toBe(2);
});

test("a request that throws can be sent again", async () => {
  const { receipts, carryOut, finish } = bench();
  await expect(receipts.answer(OWNER, DRAFT, () => Promise.reject(new Error("broken")))).rejects.toThrow(
    "broken",
  );
  const second = receipts.answer(OWNER, DRAFT, carryOut);
  await settleMicrotasks();
  finish[0]?.(GRANTED);
  expect(await second).toEqual(GRANTED);
});

test("the same id of another principal is another request", async () => {
  const { receipts, carryOut, finish, keep, count } = bench();
  await keep(DRAFT, GRANTED);
  const theirs = receipts.answer("device:d", { ...DRAFT, fingerprint: "g" }, carryOut);
  await settleMicrotasks();
  const refused: Answer = { ok: false, code: "ask_stale", message: "gone" };
  finish[0]?.(refused);
  expect(await theirs).toEqual(refused);
  expect(await receipts.answer(OWNER, DRAFT, carryOut)).toEqual(GRANTED);
  expect(count()).toBe(1);
});
