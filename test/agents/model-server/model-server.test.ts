import { afterEach, beforeEach, expect, test } from "vitest";
import { ModelServer } from "./model-server.js";
import { ask } from "./read-stream.js";
import type { TruthEntry } from "./truth.js";

let server: ModelServer;
beforeEach(async () => {
  server = await ModelServer.start();
});
afterEach(() => server.close());

const tools = [{ type: "function", function: { name: "bash", parameters: { properties: { command: {} } } } }];
const path = () => `${server.url}/v1/chat/completions`;
const request = (...messages: readonly object[]) => ({ model: "m", tools, stream: true, messages });
const user = (content: string) => ({ role: "user", content });
const kinds = (timeline: readonly TruthEntry[]) => timeline.map(({ what, detail }) => [what, detail]);

test("the truth about a conversation, in order, in this process and over HTTP", async () => {
  const prompt = user("[[id:T]] [[errorn:1:503]] [[shell:ls]] [[text:done]]");
  await ask(path(), request(prompt));
  await ask(path(), request(prompt));
  await ask(path(), request(prompt, { role: "tool", content: "a" }));
  await ask(path(), request(user("[[text:somebody else]]")));
  expect(kinds(server.truth.timeline("T"))).toEqual([
    ["request", undefined],
    ["error", "503"],
    ["request", undefined],
    ["streaming", undefined],
    ["tool_call_sent", "bash"],
    ["request", undefined],
    ["streaming", undefined],
    ["done", undefined],
  ]);
  const told: unknown = await (await fetch(`${server.url}/truth`)).json();
  expect(told).toEqual({ T: server.truth.timeline("T") });
});

test("a stream that hangs goes on until the agent hangs up", async () => {
  const abort = new AbortController();
  const body = JSON.stringify(request(user("[[id:H]] [[hang]] [[text:some words]]")));
  const response = await fetch(path(), { method: "POST", body, signal: abort.signal });
  const reader = response.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  abort.abort();
  await server.truth.until("H", "hung_up", AbortSignal.timeout(10_000));
  expect(kinds(server.truth.timeline("H")).map(([what]) => what)).toEqual([
    "request",
    "streaming",
    "hung_up",
  ]);
});

test("a stream that drops breaks in the middle", async () => {
  await expect(ask(path(), request(user("[[id:D]] [[drop]] [[text:many words]]")))).rejects.toThrow();
  await server.truth.until("D", "dropped", AbortSignal.timeout(10_000));
  expect(kinds(server.truth.timeline("D")).map(([what]) => what)).toEqual([
    "request",
    "streaming",
    "dropped",
  ]);
});

test("waiting for what does not happen ends", async () => {
  await expect(server.truth.until("N", "done", AbortSignal.timeout(10))).rejects.toThrow(/timeout/);
});

test("what fails always does so until it is mended", async () => {
  const prompt = request(user("[[id:M]] [[error:500]] [[text:done]]"));
  expect((await ask(path(), prompt)).status).toBe(500);
  server.mend("M");
  expect((await ask(path(), prompt)).status).toBe(200);
});

test("a mistake in a script is answered, and kept for the test to see", async () => {
  expect((await ask(path(), request(user("[[jump]]")))).status).toBe(400);
  expect(server.mistakes).toEqual(["no such directive: jump"]);
});

test("what is not there is not found", async () => {
  expect((await ask(`${server.url}/v1/dance`, {})).status).toBe(404);
});
