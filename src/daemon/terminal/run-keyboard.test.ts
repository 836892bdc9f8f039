import { expect, test } from "vitest";
import type { FrontProcess } from "../../core/index.js";
import { AddresseeGone, InputRefused } from "../../terminal/typing/typed-terminal.js";
import { KeeperClosed, KeeperRefusal } from "../keeper/keeper-client.js";
import { runKeyboard, type RunKeyboardOptions } from "./run-keyboard.js";

const AGENT = { pid: 8, start: "8@boot" };
const OWN: FrontProcess = {
  pid: 7,
  start: "7@boot",
  command: "aider",
  agent: "aider",
  isShell: false,
  isOwn: true,
};
const OTHER: FrontProcess = { ...OWN, ...AGENT, isOwn: false };

/** A keeper that writes down what it is asked. */
class NotingKeeper {
  canHold = true;
  refusal: Error | null = null;
  readonly asked: (readonly [string, object])[] = [];

  hold(fields: object): Promise<void> {
    return this.note("hold", fields);
  }

  async release(fields: object): Promise<{ isGone: boolean; unreadBytes: number }> {
    await this.note("release", fields);
    return { isGone: false, unreadBytes: 3 };
  }

  input(fields: object): Promise<void> {
    return this.note("input", fields);
  }

  private note(what: string, fields: object): Promise<void> {
    this.asked.push([what, fields]);
    return this.refusal ? Promise.reject(this.refusal) : Promise.resolve();
  }
}

function keyboardOf(keeper: NotingKeeper | null, more: Partial<RunKeyboardOptions> = {}) {
  const sent: string[] = [];
  const keyboard = runKeyboard({
    runId: "s.1",
    effectId: "4.2",
    keeper: () => keeper,
    front: () => OTHER,
    leaderPid: 7,
    isOfShell: true,
    onSent: (part) => sent.push(part),
    ...more,
  });
  return { keyboard, sent };
}

const input = (effectId: string | null, data: string) => ({
  runId: "s.1",
  effectId,
  data,
  encoding: "utf8",
});

test("what is sent in a hold names it, and the hold is named by its effect", async () => {
  const keeper = new NotingKeeper();
  const { keyboard, sent } = keyboardOf(keeper);
  await keyboard.send(null, "x");
  const held = await keyboard.hold(AGENT);
  await held.send(1, "hello");
  await held.send(null, "\x15");
  expect(await held.release(true)).toEqual({ isGone: false, unreadBytes: 3 });
  const hold = { runId: "s.1", holdId: "4.2" };
  expect(keeper.asked).toEqual([
    ["input", input(null, "x")],
    ["hold", { ...hold, ...AGENT }],
    ["input", { ...input("4.129", "hello"), hold: "4.2" }],
    ["input", { ...input(null, "\x15"), hold: "4.2" }],
    ["release", { ...hold, isTaken: true }],
  ]);
  expect(sent).toEqual(["4.129"]);
});

test("a terminal with a program of its own is held for whatever of it is in front", async () => {
  const keeper = new NotingKeeper();
  await keyboardOf(keeper, { isOfShell: false }).keyboard.hold(null);
  await keyboardOf(keeper, { isOfShell: false, front: () => null }).keyboard.hold(null);
  expect(keeper.asked).toEqual([
    ["hold", { runId: "s.1", holdId: "4.2", ...AGENT }],
    ["hold", { runId: "s.1", holdId: "4.2", pid: 7, start: "" }],
  ]);
  await expect(keyboardOf(keeper).keyboard.hold(null)).rejects.toThrow(AddresseeGone);
});

test.each([
  ["an older keeper", { canHold: false, refusal: null }],
  ["a system on which nothing can be frozen", { canHold: true, refusal: new KeeperRefusal("no_hold", "no") }],
])("%s types for a program that has nobody behind it, and for no other", async (_, how) => {
  const alone = Object.assign(new NotingKeeper(), how);
  const { keyboard } = keyboardOf(alone, { isOfShell: false, front: () => OWN });
  const held = await keyboard.hold(null);
  alone.refusal = null;
  await held.send(1, "hello");
  expect(alone.asked.at(-1)).toEqual(["input", input("4.129", "hello")]);
  expect(await held.release(false)).toEqual({ isGone: false, unreadBytes: 0 });
  for (const more of [{ front: () => OTHER, isOfShell: false }, { front: () => OWN }]) {
    const keeper = Object.assign(new NotingKeeper(), how);
    const refused = keyboardOf(keeper, more).keyboard.hold(AGENT);
    await expect(refused).rejects.toThrow(InputRefused);
    await expect(refused).rejects.not.toThrow(AddresseeGone);
    expect(keeper.asked.filter(([what]) => what === "input")).toEqual([]);
  }
});

test("who is gone is told from what is refused, and from a keeper that cannot be asked", async () => {
  const keeper = new NotingKeeper();
  const { keyboard } = keyboardOf(keeper);
  keeper.refusal = new KeeperRefusal("agent_gone", "It is gone.");
  await expect(keyboard.hold(AGENT)).rejects.toThrow(AddresseeGone);
  keeper.refusal = null;
  const held = await keyboard.hold(AGENT);
  keeper.refusal = new KeeperRefusal("agent_gone", "It is gone.");
  await expect(held.send(1, "x")).rejects.toThrow(AddresseeGone);
  keeper.refusal = new KeeperRefusal("input_full", "Too much.");
  await expect(held.send(1, "x")).rejects.toThrow(InputRefused);
  keeper.refusal = new KeeperRefusal("unknown_run", "There is no run s.1.");
  expect(await held.release(true)).toEqual({ isGone: true, unreadBytes: 0 });
  keeper.refusal = new KeeperClosed("closed");
  await expect(held.release(true)).rejects.toThrow(KeeperClosed);
  await expect(keyboard.hold(AGENT)).rejects.toThrow(KeeperClosed);
  await expect(keyboardOf(null).keyboard.hold(AGENT)).rejects.toThrow("there is no keeper");
});
