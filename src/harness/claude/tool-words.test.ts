import { expect, test } from "vitest";
import { DETAIL_LENGTH_MAX, mcpName, TITLE_LENGTH_MAX, toolWords } from "./tool-words.js";

test("a command is shown as it is, and whatever else was asked for", () => {
  const input = { command: "rm -rf build\nmake", description: "Build anew", run_in_background: true };
  expect(toolWords("Bash", input, "/proj", ["Why it asks: rule"])).toEqual({
    title: "Run rm -rf build make",
    detail: "rm -rf build\nmake\n\ndescription: Build anew\nrun_in_background: true\n\nWhy it asks: rule",
  });
});

test("an edit is shown as a diff", () => {
  const input = {
    file_path: "/proj/src/a.ts",
    old_string: "a\nb\nc",
    new_string: "a\nB\nc",
    replace_all: true,
  };
  expect(toolWords("Edit", input, "/proj", [])).toEqual({
    title: "Edit src/a.ts",
    detail: "/proj/src/a.ts\n a\n-b\n+B\n c\n\nreplace_all: true",
  });
});

test("several edits of one file", () => {
  const edits = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "", replace_all: true },
  ];
  expect(toolWords("MultiEdit", { file_path: "/else/x", edits }, "/proj", [])).toEqual({
    title: "Edit /else/x",
    detail: "/else/x\n-a\n+b\neverywhere:\n-c",
  });
});

test("a new file is shown line by line", () => {
  expect(toolWords("Write", { file_path: "/proj/n.txt", content: "one\ntwo\n" }, "/proj", [])).toEqual({
    title: "Write n.txt",
    detail: "/proj/n.txt\n+one\n+two",
  });
});

test.each([
  ["Read", { file_path: "/proj/a", limit: 3 }, "Read a", "/proj/a\n\nlimit: 3"],
  [
    "WebFetch",
    { url: "https://a.b/c", prompt: "sum" },
    "Fetch https://a.b/c",
    "url: https://a.b/c\nprompt: sum",
  ],
  ["Agent", { description: "look", prompt: "x" }, "Start a subagent: look", "description: look\nprompt: x"],
  ["ExitPlanMode", { plan: "# Plan" }, "Go on with the plan", "# Plan"],
  ["ExitPlanMode", {}, "Go on with the plan", ""],
  ["mcp__git_hub__get__issue", { n: 1 }, "Use git_hub/get__issue", "n: 1"],
  ["Unheard", { a: [1, { b: 2 }] }, "Use Unheard", 'a: [1,{"b":2}]'],
  ["Unheard", "text", "Use Unheard", "input: text"],
  ["Bash", null, "Run", "input: null"],
  ["constructor", {}, "Use constructor", ""],
])("%s with %j", (name, input, title, detail) => {
  expect(toolWords(name, input, "/proj", [])).toEqual({ title, detail });
});

test("what is too long is cut, and says so", () => {
  const { title, detail } = toolWords("Bash", { command: "x".repeat(DETAIL_LENGTH_MAX + 5) }, "/", []);
  expect(title).toBe(`Run ${"x".repeat(TITLE_LENGTH_MAX - 5)}…`);
  expect(detail).toBe(`${"x".repeat(DETAIL_LENGTH_MAX)}\n… 5 more characters are not shown`);
});

test.each([
  ["mcp__server__tool", "server/tool"],
  ["mcp__server", null],
  ["mcp____tool", null],
  ["Bash", null],
])("the MCP name of %s", (name, expected) => {
  expect(mcpName(name)).toBe(expected);
});
