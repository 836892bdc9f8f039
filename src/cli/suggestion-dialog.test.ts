import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { metadataItem } from "../../test/cli/wire-values.js";
import type { Suggestion } from "./suggestion.js";
import { SuggestionDialog, type Choice } from "./suggestion-dialog.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HARMLESS: Suggestion = {
  command: "ls",
  description: "",
  danger: "low",
  dangerNotes: "",
  confidence: null,
  confidenceNotes: "",
};
const DANGEROUS: Suggestion = { ...HARMLESS, command: "rm x", danger: "medium" };
const CONFIRM = metadataItem({ confirm: { command: "rm x", withinMs: 5_000 } });
const exit = (type: string, command?: string) =>
  metadataItem({ exit: { type, ...(command ? { command } : {}) } });

function bench(suggestion: Suggestion, failure: Error | null = null) {
  const requests: string[] = [];
  const hints: string[] = [];
  const said: string[] = [];
  const dialog = new SuggestionDialog(suggestion, {
    request: (command) => {
      requests.push(command);
      return failure ? Promise.reject(failure) : Promise.resolve();
    },
    hint: (text) => void hints.push(text),
    say: (text) => void said.push(text),
  });
  /** What was chosen so far. */
  const chosen = async (): Promise<Choice | null> => Promise.race([dialog.choice, Promise.resolve(null)]);
  return { dialog, requests, hints, said, chosen };
}

test("Enter asks the agent, and what it answers is the choice", async () => {
  const { dialog, requests, hints, chosen } = bench(HARMLESS);
  dialog.press("enter");
  expect([requests, await chosen()]).toEqual([["execute"], null]);
  dialog.hear(exit("execute", "ls"));
  expect(await chosen()).toEqual({ type: "execute", command: "ls" });
  expect(hints).toEqual(["Enter runs it, Tab inserts it, Esc leaves."]);
});

test("a dangerous one is asked for twice, and when the time is up, from the beginning", async () => {
  const { dialog, requests, hints, chosen } = bench(DANGEROUS);
  const usual = "Enter, twice, runs it, Tab inserts it, Esc leaves.";
  const again = "It is dangerous: Enter once more within 5 s runs it. Esc leaves.";
  dialog.press("enter");
  dialog.hear(CONFIRM);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(hints).toEqual([usual, again]);
  await vi.advanceTimersByTimeAsync(1);
  expect(hints).toEqual([usual, again, usual]);
  dialog.press("enter");
  dialog.hear(CONFIRM);
  dialog.press("enter");
  expect([requests, await chosen()]).toEqual([["execute", "execute", "execute"], null]);
  dialog.hear(exit("execute", "rm x"));
  expect(await chosen()).toEqual({ type: "execute", command: "rm x" });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(hints).toEqual([usual, again, usual, again]);
});

test("Tab inserts; Esc and Ctrl-C leave without a word to the agent", async () => {
  const inserted = bench(DANGEROUS);
  inserted.dialog.press("tab");
  inserted.dialog.hear(exit("insert", "rm x"));
  expect([inserted.requests, await inserted.chosen()]).toEqual([
    ["insert"],
    { type: "insert", command: "rm x" },
  ]);
  for (const [key, isInterrupted] of [
    ["escape", false],
    ["interrupt", true],
  ] as const) {
    const left = bench(DANGEROUS);
    left.dialog.press(key);
    expect([left.requests, await left.chosen()]).toEqual([[], { type: "leave", isInterrupted }]);
  }
});

test("what another person wants of the same agent is not this one's choice", async () => {
  const { dialog, hints, chosen } = bench(DANGEROUS);
  dialog.hear(CONFIRM);
  dialog.hear(exit("execute", "rm x"));
  dialog.hear(metadataItem({ refused: { command: "new", message: "not now" } }));
  expect([await chosen(), hints.length]).toEqual([null, 1]);
});

test.each([
  ["another command", exit("execute", "rm -rf /"), "the agent suggests something else by now; ask again"],
  ["none any more", exit("cancel"), "the agent suggests something else by now; ask again"],
  ["a refusal", metadataItem({ refused: { command: "execute", message: "not now" } }), "not now"],
])("%s in its place is never run", async (_name, item, reason) => {
  const { dialog, said, chosen } = bench(HARMLESS);
  dialog.press("enter");
  dialog.hear(item);
  expect([await chosen(), said]).toEqual([{ type: "leave", isInterrupted: false }, [`Not run: ${reason}`]]);
});

test("an agent that cannot be told is a failure", async () => {
  const { dialog } = bench(HARMLESS, new Error("gone"));
  dialog.press("enter");
  await expect(dialog.choice).rejects.toThrow("gone");
});
