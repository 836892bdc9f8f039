import { expect, test } from "vitest";
import { STATUSES } from "../session/state.js";
import { agentName } from "./agent-names.js";
import { wordsForFailure } from "./failure-words.js";
import { provenWord, shownWord, statusCalled } from "./status-words.js";
import { toolLabel, toolSubject, toolTitle, toolWords } from "./tool-words.js";

const still = { canCancel: false };

test("every status has one word", () => {
  expect(STATUSES.map((status) => provenWord({ status, ui: still }))).toEqual([
    "Not started",
    "Starting",
    "Working",
    "Needs approval",
    "Needs an answer",
    "Done",
    "Paused",
    "Failed",
    "Stopped",
  ]);
  expect(provenWord({ status: "idle", ui: { canCancel: true } })).toBe("Shell");
  expect(shownWord({ status: "streaming", ui: still, certainty: "unknown" })).toBe("Not known");
});

test("a status is found by its word and by the machine's name", () => {
  for (const status of STATUSES) {
    expect(statusCalled(status)).toBe(status);
    expect(statusCalled(provenWord({ status, ui: still }).toUpperCase())).toBe(status);
  }
  expect(statusCalled("needs-an-answer")).toBe("waiting_input");
  expect(statusCalled("asleep")).toBeNull();
});

test.each([
  ["Bash", { command: "npm test", description: "Runs the tests" }, "Running npm test"],
  ["shell", { command: ["bash", "-lc", "npm  test\n"] }, "Running npm test"],
  ["exec", { cmd: ["git", "status"] }, "Running git status"],
  ["Read", { file_path: "src/add.ts" }, "Reading src/add.ts"],
  ["edit_file", '{"path":"src/add.ts"}', "Editing src/add.ts"],
  ["grep", { pattern: "TODO" }, "Searching TODO"],
  ["web_search", { query: "vitest" }, "Searching the web for vitest"],
  ["WebFetch", { url: "https://example.org" }, "Fetching https://example.org"],
  ["Task", { description: "Explore" }, "Running Task: Explore"],
  ["npm run build", null, "Running npm run build"],
  ["Bash", '{"command":"npm', "Running a command"],
  ["execute_shell_command", null, "Running a command"],
  ["", "", "Running a tool"],
])("%s %j", (name, input, words) => {
  expect(toolWords(name, input)).toBe(words);
});

test("a tool has words where its name would mean nothing to a person", () => {
  const names = ["execute_shell_command", "Bash", "commandExecution", "run_shell_command", "read_file"];
  expect(names.map(toolTitle)).toEqual([...Array<string>(4).fill("Run a command"), "Read a file"]);
  const others = ["str_replace_based_edit_tool", "MultiEdit", "web_search", "search_file_content", "Task"];
  expect(others.map(toolTitle)).toEqual([
    ...["Edit a file", "Edit a file", "Search the web", "Search files", "Start a subagent"],
  ]);
  // A title that the agent gave, a tool that nobody knows, none at all.
  expect(["npm run build", "mcp__db__query", " "].map(toolTitle)).toEqual([
    ...["npm run build", "mcp__db__query", "Use a tool"],
  ]);
});

test("a call is labelled by its command, or its name and what it is about", () => {
  expect(toolLabel("Bash", '{"command":"npm test"}')).toBe("npm test");
  expect(toolLabel("Read", { file_path: "a.ts" })).toBe("Read a file: a.ts");
  expect(toolLabel("make", { command: "" })).toBe("make");
  expect(toolLabel("", "")).toBe("Use a tool");
});

test("a line stays a line", () => {
  expect(toolWords("Bash", { command: `echo ${"x".repeat(5_000)}` })).toHaveLength(160);
  expect(toolSubject({ path: "a\nb" })).toBe("a b");
  expect(toolSubject({})).toBe("");
});

test("agents have their products' names, and what a person named keeps its name", () => {
  expect(["claude", "builtin", "mine"].map(agentName)).toEqual(["Claude Code", "Signalbox agent", "mine"]);
});

test("a failure has words and a remedy; no other code has", () => {
  expect(wordsForFailure("login_required")?.what).toBe("The agent is not logged in");
  expect(wordsForFailure("toString")).toBeNull();
});
