import { expect, test } from "vitest";
import { askWords } from "./ask-words.js";

const LONG = `for each in *; do\n  echo "$each"\ndone`;

test.each([
  ["the same twice", "command", "npm test", "npm test", ["npm test", true, ""]],
  ["no details", "command", "npm test", "", ["npm test", true, ""]],
  [
    "what is said of it stays",
    ...["command", "npm test", "npm test\n(in web)\nDescribed as: Tests"],
    ["npm test", true, "(in web)\nDescribed as: Tests"],
  ],
  ["with a verb", "command", "Run npm test", "npm test\n\ntimeout: 5", ["npm test", true, "timeout: 5"]],
  ["its first line", "command", "for each in *; do…", LONG, ["Run a command", false, LONG]],
  ["other spaces", "command", 'echo "a b"', 'echo "a  b"', ["Run a command", false, 'echo "a  b"']],
  [
    "inside a shell",
    ...["command", "Run npm test", "bash -lc 'npm test'\nin /p"],
    ["Run a command", false, "bash -lc 'npm test'\nin /p"],
  ],
  ["a title of its own", "command", "Clean up", "rm -rf build", ["Clean up", false, "rm -rf build"]],
  ["a tool's name", "command", "Bash", "npm test", ["Run a command", false, "npm test"]],
  ["a word before it is no verb", "command", "sudo ls", "ls\n-l", ["sudo ls", false, "ls\n-l"]],
  ["a file", "tool", "Read /etc/hosts", "/etc/hosts", ["Read /etc/hosts", false, ""]],
  ["a change", "tool", "Edit a.ts", "/p/a.ts\n-x\n+y", ["Edit a.ts", false, "/p/a.ts\n-x\n+y"]],
  ["a question", "followup", "Which?", "Which?\n1. red", ["Which?", false, "Which?\n1. red"]],
  ["what is hidden at the end", "command", "ls", "ls\r", ["Run a command", false, "ls\r"]],
] as const)("%s", (_name, ask, title, detail, [heading, isCommand, rest]) => {
  expect(askWords({ ask, title, detail })).toEqual({ heading, isCommand, rest });
});
