import { expect, test } from "vitest";
import { askForEverything } from "./acp-launch.js";

function parsed(variables: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, JSON.parse(value) as unknown]),
  );
}

test("everything is asked about, from the first rule on", () => {
  expect(parsed(askForEverything("OPENCODE", {}))).toEqual({
    OPENCODE_CONFIG_CONTENT: { tools: { "**": true, todowrite: true, todoread: true } },
    OPENCODE_PERMISSION: { "**": "ask", task: "deny", question: "deny", suggest: "deny" },
  });
});

test("what a person has in the same variables stays, and comes after", () => {
  const own = {
    KILO_CONFIG_CONTENT: '{"model":"a/b","tools":{"bash":false}}',
    KILO_PERMISSION: '{"bash":{"git *":"allow"},"question":"allow"}',
  };
  const variables = askForEverything("KILO", own);
  expect(parsed(variables)).toEqual({
    KILO_CONFIG_CONTENT: {
      model: "a/b",
      tools: { "**": true, todowrite: true, todoread: true, bash: false },
    },
    KILO_PERMISSION: {
      "**": "ask",
      bash: { "git *": "allow" },
      question: "deny",
      task: "deny",
      suggest: "deny",
    },
  });
  expect(variables["KILO_PERMISSION"]).toMatch(/^\{"\*\*":"ask","bash"/);
});

test("what is more than JSON is left as it is", () => {
  expect(Object.keys(askForEverything("KILO", { KILO_CONFIG_CONTENT: "{ // a comment\n}" }))).toEqual([
    "KILO_PERMISSION",
  ]);
});
