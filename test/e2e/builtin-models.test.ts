/** Which models there are, which one answers, that the choice is kept, and what it costs: through the real daemon. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { MODEL } from "../agents/model-server/model-server.js";
import { runSignalbox } from "../cli/signalbox.js";
import { BuiltinLab, PROVIDERS, type BuiltinSession } from "./builtin-lab.js";

let lab: BuiltinLab;

beforeAll(async () => {
  lab = await BuiltinLab.start();
});

afterAll(async () => {
  await lab.end();
});

/** Everything that the agent said beside the conversation. */
const notes = (session: BuiltinSession): readonly unknown[] =>
  session.told.flatMap(({ type, note }) => (type === "metadata" && note !== undefined ? [note] : []));

test("/model lists, chooses, and keeps the choice over a restart and for later sessions", async () => {
  const env = PROVIDERS.openai.env(lab.model.url);
  const session = await lab.open("/model", { env });
  await session.reaches("completed");
  const list = String(notes(session)[0]);
  expect(list).toContain(`The model is ${PROVIDERS.anthropic.model}.`);
  expect(list).toContain("* anthropic/claude-sonnet-4-5");
  expect(list).toContain(`  anthropic/${MODEL}`);
  expect(list).toContain("  openai/gpt-5 ");
  expect(list).not.toContain("google/");

  await session.say("/model openai/gpt-5-mini");
  await expect.poll(() => notes(session)[1]).toBe("The model is now openai/gpt-5-mini.");
  await session.reaches("completed");
  await session.say("/model nonsense");
  await expect.poll(() => String(notes(session)[2])).toMatch(/^There is no model "nonsense"/);
  await session.reaches("completed");
  process.kill(await session.pid(), "SIGKILL");
  await session.reaches("error");

  await lab.daemon.client.retry(session.id);
  await session.reaches("completed");
  expect(lab.model.seen.at(-1)).toMatchObject({ path: "/v1/responses", body: { model: "gpt-5-mini" } });

  const { id } = await lab.daemon.client.createSession({
    harness: "builtin",
    cwd: lab.work,
    prompt: "[[text:New.]]",
    env,
  });
  await expect.poll(async () => (await lab.daemon.client.getSession(id)).status).toBe("completed");
  expect(lab.model.seen.at(-1)?.body["model"]).toBe("gpt-5-mini");
});

test("a model that cannot be is refused before there is a session", async () => {
  const { client } = lab.daemon;
  const before = (await client.listSessions({ limit: 1_000 })).items.length;
  const create = (harness: string, model: string) => client.createSession({ harness, model, cwd: lab.work });
  await expect(create("builtin", "opus")).rejects.toThrow(
    'There is no model "opus": it is demo, anthropic/MODEL, openai/MODEL, google/MODEL, compatible/MODEL, ollama/MODEL.',
  );
  await expect(create("demo", "opus")).rejects.toThrow('The demo has no model "opus": leave it out');
  expect((await client.listSessions({ limit: 1_000 })).items.length).toBe(before);
});

test("a session's usage has its cost where the price is known, and none where it is not", async () => {
  const priced = await lab.open("[[text:One.]]", { provider: "openai" });
  const { usage } = await priced.reaches("completed");
  // 400 plain, 800 cached, 25 out.
  expect(usage.costUsd).toBeCloseTo((400 * 1.25 + 800 * 0.125 + 25 * 10) / 1_000_000, 12);
  await priced.say("[[text:Two.]]");
  await expect.poll(async () => (await priced.now).usage.outputTokens).toBe(50);
  expect((await priced.now).usage.costUsd).toBeCloseTo(
    (2 * (400 * 1.25 + 800 * 0.125 + 250)) / 1_000_000,
    12,
  );
  const unknown = await lab.open("[[text:One.]]", { provider: "compatible" });
  expect((await unknown.reaches("completed")).usage).toEqual({
    inputTokens: 1_200,
    outputTokens: 25,
    cachedTokens: 800,
    costUsd: null,
  });
});

test("a model without its key is an error that says what to set", async () => {
  const { id } = await lab.daemon.client.createSession({
    harness: "builtin",
    cwd: lab.work,
    prompt: "Hello",
    model: "google/gemini-2.5-pro",
  });
  await expect
    .poll(async () => (await lab.daemon.client.getSession(id)).error)
    .toMatchObject({
      code: "login_required",
      message: "google/gemini-2.5-pro needs GOOGLE_GENERATIVE_AI_API_KEY to be set.",
    });
});

test("the command line runs it with a model, and says which keys there are", async () => {
  const env = { SIGNALBOX_DATA_DIR: lab.daemon.dataDir, HOME: lab.home, NO_COLOR: "1" };
  const keys = Object.entries(PROVIDERS.anthropic.env(lab.model.url));
  const variables = keys.map(([name, value]) => `--env=${name}=${value}`);
  const run = await runSignalbox(
    [
      "run",
      "builtin",
      "[[text:From the command line.]]",
      "--model",
      "anthropic/claude-opus-4-5",
      ...variables,
    ],
    "",
    env,
  );
  expect([run.code, run.stdout.includes("From the command line."), run.stderr]).toEqual([0, true, ""]);
  expect(lab.model.seen.at(-1)?.body["model"]).toBe("claude-opus-4-5");
  const { stdout } = await runSignalbox(["harnesses"], "", env);
  expect(stdout).toMatch(/^builtin +\S+ +missing +no API key is set *$/m);
  expect(stdout).toMatch(/^builtin: set one of ANTHROPIC_API_KEY, OPENAI_API_KEY,/m);
});
