import { expect, test } from "vitest";
import { SETTINGS } from "../../../test/sim/runtime-fixture.js";
import { builtinHarness, demoHarness } from "./builtin-harness.js";

const settings = { ...SETTINGS, model: "ollama/x", args: ["--inline"] };

test("is launched with its folder, model, conversation, trust, and what the session adds", async () => {
  const start = { dataDir: "/data", resume: null, prompt: null };
  const argsOf = async (launching: ReturnType<typeof builtinHarness.launch>): Promise<readonly string[]> =>
    (await launching).args.slice(1);
  expect(await argsOf(builtinHarness.launch({ ...settings, model: null, args: [] }, start))).toEqual([
    "--conversations",
    "/data/conversations",
  ]);
  const whole = { ...start, resume: "c1", trusted: true };
  const more = ["--resume", "c1", "--trusted", "--inline"];
  expect(await argsOf(builtinHarness.launch(settings, whole))).toEqual([
    "--conversations",
    "/data/conversations",
    "--model",
    "ollama/x",
    ...more,
  ]);
  expect(await argsOf(demoHarness.launch(settings, { ...whole, trusted: false }))).toEqual([
    "--conversations",
    "/data/conversations",
    "--model",
    "demo",
    "--resume",
    "c1",
    "--inline",
  ]);
});

test("has the keys that are configured for it, not only those that are inherited", async () => {
  const report = await builtinHarness.probe({ program: null, env: { OPENAI_API_KEY: "k" } });
  expect(report).toMatchObject({ login: "ok", hint: null });
  expect(report.note).toContain("openai");
});
