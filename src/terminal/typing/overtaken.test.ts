import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SmallAgent, type Prompt } from "../../../test/golden/terminal/small-terminal.js";
import type { Typing } from "../../runtime/terminal-observation.js";
import type { Typed } from "./typed-terminal.js";

const OVERTAKEN: Typed = { isTaken: false, reason: "The session was interrupted or stopped before." };
const MESSAGE: Typing = { type: "message", text: "hello", force: false, addressee: null };
const APPROVAL: Typing = {
  type: "choice",
  fingerprint: "f1",
  addressee: null,
  choice: { type: "meaning", meaning: "approve" },
};
const PROMPT: Prompt = {
  fingerprint: "f1",
  title: "Run it?",
  detail: "",
  choices: [{ label: "Yes", keys: "1", meaning: "approve" }],
};

let agent: SmallAgent;

beforeEach(() => {
  vi.useFakeTimers();
  agent = new SmallAgent();
});

afterEach(() => {
  vi.useRealTimers();
});

/** What has come of a typing a second after it was overtaken; `afterMs` 0: before it began. */
async function overtaken(typing: Typing, afterMs: number): Promise<Typed | "still typing"> {
  const controller = new AbortController();
  if (afterMs === 0) controller.abort();
  const typed = agent.begin(typing, 0, controller.signal);
  await vi.advanceTimersByTimeAsync(afterMs);
  controller.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  return await Promise.race([typed, Promise.resolve("still typing" as const)]);
}

test("an agent that is not ready is waited for no longer", async () => {
  agent.activity = "unknown";
  expect(await overtaken(MESSAGE, 1_000)).toEqual(OVERTAKEN);
  expect(agent.sent).toEqual([]);
});

test("what was overtaken before it began presses nothing", async () => {
  expect(await overtaken(MESSAGE, 0)).toEqual(OVERTAKEN);
  agent.ask(PROMPT);
  expect(await overtaken(APPROVAL, 0)).toEqual(OVERTAKEN);
  expect(agent.sent).toEqual([]);
});

test("a message that stands in the box is not entered any more", async () => {
  expect(await overtaken(MESSAGE, 100)).toEqual(OVERTAKEN);
  expect(agent.sent.map(([part]) => part)).toEqual([1]);
});

test("one that was entered is taken, unless the box still has it", async () => {
  agent.onKeys = (keys) => {
    agent.edit(keys);
    agent.activity = "idle";
  };
  expect(await overtaken(MESSAGE, 500)).toEqual({ isTaken: true });
  expect(agent.sent.map(([part]) => part)).toEqual([1, 2]);
  const deaf = (agent = new SmallAgent());
  deaf.onKeys = (keys) => {
    if (keys !== "\r") deaf.edit(keys);
  };
  expect(await overtaken(MESSAGE, 1_000)).toEqual(OVERTAKEN);
  expect(deaf.sent.map(([part]) => part)).toEqual([1, 2]);
});

test("an answer that was pressed is taken; should its prompt be there, it is asked anew", async () => {
  agent.ask(PROMPT);
  agent.onKeys = () => undefined;
  expect(await overtaken(APPROVAL, 500)).toEqual({ isTaken: true });
  expect(agent.sent).toEqual([[2, "1"]]);
});

test("keys that interrupt are given up too", async () => {
  agent.activity = "working";
  agent.onKeys = () => undefined;
  expect(await overtaken({ type: "keys", keys: ["\x1b", "\x1b"] }, 100)).toEqual({ isTaken: true });
  expect(agent.sent).toEqual([[1, "\x1b"]]);
});
