/** The built-in agent with each provider's own wire, against the scripted model server, through the real daemon. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BuiltinLab, PROVIDER_NAMES } from "./builtin-lab.js";

let lab: BuiltinLab;

beforeAll(async () => {
  lab = await BuiltinLab.start();
});

afterAll(async () => {
  await lab.end();
  expect(lab.model.mistakes).toEqual([]);
});

test("Gemini gets its signatures back, after a restart too", async () => {
  const session = await lab.open("[[shell:true]][[shell:false]][[text:Signed.]]", { provider: "google" });
  await session.answer("approve");
  await expect.poll(async () => (await session.asks())[0]?.title).toBe("false");
  process.kill(await session.pid(), "SIGKILL");
  await session.reaches("error");
  await lab.daemon.client.retry(session.id);
  await session.reaches("completed");
  const sent = JSON.stringify(lab.model.seen.at(-1)?.body);
  expect(sent.match(/"thoughtSignature":"signed-sb\d+"/g)).toHaveLength(2);
});

describe.each(PROVIDER_NAMES)("%s", (provider) => {
  const id = (name: string): string => `[[id:${provider}-${name}]]`;

  test("text, thinking and usage", async () => {
    const session = await lab.open(`${id("text")}[[think:Let me see.]][[text:Four little words here.]]`, {
      provider,
    });
    const { usage } = await session.reaches("completed");
    expect([session.words("thinking_delta"), session.words("text_delta")]).toEqual([
      "Let me see.",
      "Four little words here.",
    ]);
    // Anthropic counts what it read from its cache apart; here it is always among the input.
    const inputTokens = provider === "anthropic" ? 2_000 : 1_200;
    expect(usage).toMatchObject({ inputTokens, outputTokens: 25, cachedTokens: 800 });
  });

  test("a tool that is approved, then one that is rejected with a message", async () => {
    const file = join(lab.work, "made.txt");
    await rm(file, { force: true });
    const session = await lab.open(
      `${id("tools")}[[write:made.txt=one line]][[shell:rm made.txt]][[text:So be it.]]`,
      { provider },
    );
    const { title, detail } = await session.answer("approve");
    expect([title, detail.split("\n").at(-2)]).toEqual(["Write made.txt", "\\ No newline at end of file"]);
    await expect.poll(async () => (await session.asks())[0]?.ask).toBe("command");
    await session.answer("reject", "Keep it.");
    await session.reaches("completed");
    expect(await readFile(file, "utf8")).toBe("one line");
    const { body } = lab.model.seen.at(-1) ?? {};
    expect(JSON.stringify(body)).toContain("The user says: Keep it.");
    expect(session.words("text_delta")).toContain("So be it.");
    expect(session.told.filter(({ type }) => type === "tool_call_completed")).toMatchObject([
      { isError: false },
      { isError: true },
    ]);
  });

  test("calls in parallel are asked for at once and answered one by one", async () => {
    const session = await lab.open(
      `${id("parallel")}[[parallel]][[shell:echo first]][[shell:echo second]][[text:Both.]]`,
      { provider },
    );
    for (const ask of (await session.asks(2)).toReversed()) await session.answerTo(ask, "approve");
    await session.reaches("completed");
    const outputs = session.told.flatMap(({ type, output }) =>
      type === "tool_call_completed" ? [String(output)] : [],
    );
    expect(outputs.toSorted()).toEqual(["first\n[exit code 0]", "second\n[exit code 0]"]);
    // One request for the calls and one with both results.
    expect(lab.model.truth.timeline(`${provider}-parallel`).map(({ what }) => what)).toEqual([
      "request",
      "streaming",
      "tool_call_sent",
      "request",
      "streaming",
      "done",
    ]);
  });

  test("a question is answered", async () => {
    const session = await lab.open(`${id("question")}[[ask:Which colour?|red|green]][[text:I see.]]`, {
      provider,
    });
    const { asks } = await session.reaches("waiting_input");
    expect(asks.map(({ ask, title, detail }) => [ask, title, detail])).toEqual([
      ["followup", "Which colour?", "1. red\n2. green"],
    ]);
    await session.say("2");
    await session.reaches("completed");
    expect(session.told.find(({ type }) => type === "tool_call_completed")).toMatchObject({
      output: "green",
      isError: false,
    });
  });

  test.each([
    [400, "api_req_failed"],
    [401, "login_required"],
    [402, "payment_required_prompt"],
    [404, "invalid_model"],
  ])("HTTP %i is an error at once, and is not tried again", async (status, code) => {
    const session = await lab.open(`${id(`error-${status}`)}[[error:${status}]]`, { provider });
    const { error, ui } = await session.reaches("error");
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(`scripted failure ${status}`);
    expect(ui.showSpinner).toBe(false);
    const asked = lab.model.truth.timeline(`${provider}-error-${status}`);
    expect(asked.filter(({ what }) => what === "request")).toHaveLength(1);
  });

  test("a rate limit is retried twice, which shows, and then it goes on", async () => {
    const session = await lab.open(`${id("limit")}[[errorn:2:429]][[text:At last.]]`, { provider });
    await session.reaches("completed");
    expect(session.words("text_delta")).toBe("At last.");
    const entries = await lab.daemon.client.listEvents(session.id, { limit: 500 });
    const retries = entries.items.flatMap((entry) =>
      entry.kind === "fact" && entry.event.type === "retry_scheduled" ? [entry.event] : [],
    );
    expect(retries.map((retry) => (retry as { attempt?: unknown }).attempt)).toEqual([1, 2]);
  });

  test("a server that stays broken is an error after two retries, and a person may try again", async () => {
    const name = `${provider}-broken`;
    const session = await lab.open(`[[id:${name}]][[error:503]][[text:Mended.]]`, { provider });
    const { error } = await session.reaches("error");
    expect(error).toMatchObject({ code: "api_req_failed", retryable: true });
    expect(lab.model.truth.timeline(name).filter(({ what }) => what === "error")).toHaveLength(3);
    lab.model.mend(name);
    await lab.daemon.client.retry(session.id);
    await session.reaches("completed");
    expect(session.words("text_delta")).toBe("Mended.");
  });

  test.each(["drop", "cut"])("a stream that ends early (%s) is an error, never a spinner", async (how) => {
    const session = await lab.open(`${id(how)}[[${how}]][[slow:20]][[text:One two three four.]]`, {
      provider,
    });
    const { error, ui } = await session.reaches("error");
    expect(error?.code).toBe("api_req_failed");
    expect(ui.showSpinner).toBe(false);
    // What was said stays.
    expect(session.words("text_delta")).toMatch(/^One t/);
  });

  test("an interrupt in the middle of a stream ends it, and the session can go on", async () => {
    const session = await lab.open(`${id("hang")}[[hang]][[text:Word by word by word.]]`, { provider });
    await expect.poll(() => session.words("text_delta")).not.toBe("");
    await lab.daemon.client.interrupt(session.id);
    await session.reaches("paused");
    await lab.model.truth.until(`${provider}-hang`, "hung_up", AbortSignal.timeout(10_000));
    await session.say(`${id("after")}[[text:Here again.]]`);
    await session.reaches("completed");
    expect(session.words("text_delta")).toMatch(/Here again\.$/);
  });
});
