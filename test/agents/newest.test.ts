import { expect, test } from "vitest";
import { newestOf, NotAnswered } from "./newest.js";
import { chosenPackage, inVersion, VERSIONS, versionsOf } from "./packages.js";

test("the registry names the newest version, and its folder follows", async () => {
  const asked: (readonly string[])[] = [];
  const newest = await newestOf("codex", (args) => {
    asked.push(args);
    return Promise.resolve('"0.170.0"\n');
  });
  expect(asked).toEqual([["view", "@openai/codex", "version", "--json"]]);
  expect(newest).toEqual({
    folder: "codex-0.170.0",
    package: "@openai/codex",
    version: "0.170.0",
    program: "codex",
  });
});

test("a registry that is not there, or names none, is an error that says so", async () => {
  const silent = newestOf("claude", () => Promise.reject(new Error("ENOTFOUND\nmore")));
  await expect(silent).rejects.toThrow(
    new NotAnswered("the registry does not say which @anthropic-ai/claude-code is the newest: ENOTFOUND"),
  );
  const odd = newestOf("claude", () => Promise.resolve("[]"));
  await expect(odd).rejects.toThrow(
    new NotAnswered("the registry names no version of @anthropic-ai/claude-code: []"),
  );
});

test("tests run with the pin, or with the version that the environment names", () => {
  const env = { SIGNALBOX_AGENT_VERSIONS: "codex@0.154.0, claude-acp@0.81.2,qwen@" };
  expect(chosenPackage("codex", env)).toEqual(VERSIONS.codex.older);
  expect(chosenPackage("claude", env)).toEqual(VERSIONS.claude.pinned);
  expect(chosenPackage("claude-acp", env)).toEqual(inVersion("claude-acp", "0.81.2"));
  expect(chosenPackage("qwen", env)).toEqual(VERSIONS.qwen.pinned);
});

test("an agent's versions are the pin and what is older, each once", () => {
  expect(versionsOf("claude").map(({ version }) => version)).toEqual(["2.1.326", "2.1.325", "2.1.300"]);
  expect(versionsOf("gemini").map(({ version }) => version)).toEqual(["0.61.0", "0.57.0"]);
});
