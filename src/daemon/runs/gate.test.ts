import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Gate } from "./gate.js";

/** Enters one after the other, and notes who was let in. */
function enterAll(gate: Gate, sizes: readonly number[]): number[] {
  const inside: number[] = [];
  for (const size of sizes) void gate.enter(size).then(() => inside.push(size));
  return inside;
}

test("lets in what there is room for, and the next when somebody leaves", async () => {
  const gate = new Gate(10);
  const inside = enterAll(gate, [6, 4, 3]);
  await nextTurn();
  expect(inside).toEqual([6, 4]);
  gate.leave(4);
  await nextTurn();
  expect(inside).toEqual([6, 4, 3]);
});

test("nobody overtakes, however small", async () => {
  const gate = new Gate(10);
  const inside = enterAll(gate, [6, 8, 1]);
  await nextTurn();
  expect(inside).toEqual([6]);
  gate.leave(6);
  await nextTurn();
  expect(inside).toEqual([6, 8, 1]);
});

test("one who leaves makes room for several", async () => {
  const gate = new Gate(10);
  const inside = enterAll(gate, [10, 1, 2, 3, 4, 5]);
  gate.leave(10);
  await nextTurn();
  expect(inside).toEqual([10, 1, 2, 3, 4]);
});
