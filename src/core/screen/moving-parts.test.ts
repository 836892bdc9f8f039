import { expect, test } from "vitest";
import { showsSameWork } from "./moving-parts.js";
import type { Screen } from "./screen.js";

function screen(rows: readonly string[], title = "⠋ proj"): Screen {
  return { rows, cols: 80, cursor: { row: 0, col: 0, visible: true }, title, altScreen: false };
}

const WORKING = ["• Working (3s • esc to interrupt)", "", "› typed", "", "  model · ~/proj"];
const changed = (row: string) => screen([row, ...WORKING.slice(1)]);

test("the spinner and the time may move", () => {
  expect(showsSameWork(screen(WORKING), changed("◦ Working (12s • esc to interrupt)"))).toBe(true);
  expect(showsSameWork(screen(WORKING), screen(WORKING, "⠙ proj"))).toBe(true);
  expect(
    showsSameWork(screen(["✻ Musing… (3s · ↓ 1.2k tokens)"]), screen(["✽ Musing… (4s · ↓ 1.31k tokens)"])),
  ).toBe(true);
});

test("everything else is something new", () => {
  expect(showsSameWork(screen(WORKING), changed(""))).toBe(false);
  expect(showsSameWork(screen(WORKING), changed("  Worked for 3s"))).toBe(false);
  expect(showsSameWork(screen(WORKING), screen(WORKING, "proj"))).toBe(false);
  expect(showsSameWork(screen(WORKING), screen([...WORKING, ""]))).toBe(false);
  expect(showsSameWork(screen(WORKING), { ...screen(WORKING), cols: 60 })).toBe(false);
  expect(showsSameWork(screen(WORKING), { ...screen(WORKING), altScreen: true })).toBe(false);
});

test("the next try is another one", () => {
  const retrying = (attempt: number) => screen([`✻ Retrying in 5s · attempt ${attempt}/10`]);
  expect(showsSameWork(retrying(1), retrying(2))).toBe(false);
  expect(showsSameWork(retrying(1), retrying(1))).toBe(true);
});
