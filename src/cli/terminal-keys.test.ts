import { EventEmitter } from "node:events";
import type { ReadStream } from "node:tty";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TerminalKeys, type Key } from "./terminal-keys.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function bench() {
  const did: string[] = [];
  const input = Object.assign(new EventEmitter(), {
    setRawMode: (on: boolean) => void did.push(on ? "raw" : "as it was"),
    resume: () => void did.push("resume"),
    pause: () => void did.push("pause"),
  });
  const pressed: Key[] = [];
  const keys = new TerminalKeys(input as unknown as ReadStream, (key) => void pressed.push(key));
  const type = (text: string): boolean => input.emit("data", Buffer.from(text));
  return { keys, type, pressed, did };
}

test("single keys, and Esc only when nothing follows it", async () => {
  const { keys, type, pressed } = bench();
  keys.start();
  for (const text of ["\r", "\n", "\t", "\u0003", "\u0004", "x", "é"]) type(text);
  expect(pressed).toEqual(["enter", "enter", "tab", "interrupt", "interrupt"]);
  type("\u001b");
  await vi.advanceTimersByTimeAsync(49);
  expect(pressed).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(1);
  expect(pressed.at(-1)).toBe("escape");
});

test("what is pasted, and what arrows and function keys send, is no key; Ctrl-C always is", async () => {
  const { keys, type, pressed } = bench();
  keys.start();
  for (const text of ["ls\r", "\r\r", "\u001b[A", "\u001bOP", "\u001b[200~x\r\u001b[201~"]) type(text);
  type("\u001b");
  type("[A");
  type("\u001b");
  type("\r");
  await vi.advanceTimersByTimeAsync(100);
  expect(pressed).toEqual([]);
  type("abc\u0003");
  expect(pressed).toEqual(["interrupt"]);
});

test("the terminal is raw only between start and stop", async () => {
  const { keys, type, pressed, did } = bench();
  type("\r");
  keys.start();
  type("\u001b");
  keys.stop();
  type("\r");
  await vi.advanceTimersByTimeAsync(100);
  expect(pressed).toEqual([]);
  expect(did).toEqual(["raw", "resume", "pause", "as it was"]);
});
