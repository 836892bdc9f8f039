import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DetachKeys } from "./detach-keys.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function told(...typed: readonly (string | number)[]): readonly string[] {
  const said: string[] = [];
  const keys = new DetachKeys({ typed: (text) => said.push(text), detach: () => said.push("DETACH") });
  for (const each of typed) {
    if (typeof each === "number") vi.advanceTimersByTime(each);
    else keys.take(each);
  }
  keys.close();
  return said;
}

const KITTY = "\u001b[92;5u";
const KITTY_DOWN = "\u001b[92;5:1u";
const KITTY_UP = "\u001b[92;5:3u";
const CTRL_UP = "\u001b[57442;5:3u";
const OTHER_KEYS = "\u001b[27;5;92~";

test.each([
  ["keys pass", ["ls\r", "\u0003"], ["ls\r", "\u0003"]],
  ["twice leaves", ["\u001c", "\u001c"], ["DETACH"]],
  ["twice at once leaves", ["\u001c\u001c"], ["DETACH"]],
  ["what comes before is typed", ["ab\u001c\u001ccd"], ["ab", "DETACH"]],
  ["once is for the program, a moment later", ["\u001c", 600], ["\u001c"]],
  ["once is for the program when another key follows", ["\u001c", "q"], ["\u001cq"]],
  ["once before another key in one piece", ["a\u001cb"], ["a\u001cb"]],
  ["slowly twice is twice for the program", ["\u001c", 700, "\u001c", 700], ["\u001c", "\u001c"]],
  ["the longer forms are known", [KITTY, KITTY], ["DETACH"]],
  ["releases between do not matter", [KITTY_DOWN + KITTY_UP, CTRL_UP, KITTY_DOWN], ["DETACH"]],
  ["a held release goes along", [KITTY_DOWN, KITTY_UP, 600], [KITTY_DOWN + KITTY_UP]],
  ["xterm's other keys", [OTHER_KEYS + OTHER_KEYS], ["DETACH"]],
  ["other sequences pass whole", ["\u001b[A\u001b[92;6u"], ["\u001b[A\u001b[92;6u"]],
])("%s", (_name, typed, said) => {
  expect(told(...typed)).toEqual(said);
});
