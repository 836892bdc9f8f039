import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Entry } from "../../core/index.js";
import { Conversation } from "./conversation.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-conversation-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (): Conversation => Conversation.open(folder, "s", "/project", 5);
const said = (content: string): Entry => ({ type: "user_message", messageId: "m", content });
const CALL: Entry = { type: "tool_call", id: "c", name: "read_file", input: { file_path: "a" } };
const RESULT: Entry = { type: "tool_result", toolUseId: "c", content: "1\ta", isError: false, remote: false };

test("a conversation goes on where it was", () => {
  const first = open();
  for (const entry of [said("hi"), CALL, RESULT]) first.append(entry);
  first.aboutToShow("It is ");
  first.aboutToShow("a.");
  first.append({ type: "text", content: "It is a." });
  first.persist();
  first.close();
  const again = open();
  expect(again.entries).toEqual([said("hi"), CALL, RESULT, { type: "text", content: "It is a." }]);
  again.append(said("more"));
  again.close();
  const third = open();
  expect(third.entries.at(-1)).toEqual(said("more"));
  third.close();
});

test("what was shown before a crash is there, and every call has a result", () => {
  const first = open();
  first.append(said("hi"));
  first.aboutToShow("I will ");
  first.append({ type: "text", content: "I will " });
  first.append(CALL);
  first.aboutToShow("look");
  first.close();
  const again = open();
  expect(again.entries.slice(3)).toEqual([
    { type: "text", content: "look\n\n[The agent's process ended here.]" },
    {
      type: "tool_result",
      toolUseId: "c",
      content: expect.stringContaining("may or may not have been done") as string,
      isError: true,
      remote: false,
    },
  ]);
  const { entries } = again;
  again.close();
  const third = open();
  expect(third.entries).toEqual(entries);
  third.close();
});

test("space before a call is no text that broke off", () => {
  const first = open();
  first.append(said("hi"));
  first.aboutToShow("\n\n");
  for (const entry of [CALL, RESULT]) first.append(entry);
  first.aboutToShow("\n");
  first.close();
  const again = open();
  expect(again.entries).toEqual([said("hi"), CALL, RESULT]);
  again.close();
});

test("a line that was cut short is left out, wherever it was cut", () => {
  const first = open();
  first.append(said("hi"));
  first.close();
  const [name = ""] = readdirSync(folder);
  const path = join(folder, name);
  const whole = statSync(path).size;
  appendFileSync(path, `${JSON.stringify({ type: "entry", entry: said("cut") })}\n`);
  for (let size = statSync(path).size - 1; size > whole; size -= 7) {
    truncateSync(path, size);
    const again = open();
    // Only the end of its line is missing: the entry itself is whole.
    expect(again.entries.slice(0, 1)).toEqual([said("hi")]);
    again.close();
    truncateSync(path, size);
  }
  const last = open();
  last.append(said("on"));
  expect(last.entries).toEqual([said("hi"), said("on")]);
  last.close();
});

test("an archived conversation is kept beside the new one", () => {
  const first = open();
  first.append(said("hi"));
  first.archive(9);
  const second = open();
  expect(second.entries).toEqual([]);
  second.close();
  expect(readdirSync(folder).toSorted()).toEqual(["s.9.archived.jsonl", "s.jsonl"]);
  expect(statSync(join(folder, "s.jsonl")).mode & 0o777).toBe(0o600);
});
