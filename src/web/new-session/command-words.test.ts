import { expect, test } from "vitest";
import { commandWords } from "./command-words.js";

test.each([
  ["", []],
  ["  ", []],
  ["my-agent", ["my-agent"]],
  [" my-agent  --acp ", ["my-agent", "--acp"]],
  [`sh -c 'echo "a  b"'`, ["sh", "-c", 'echo "a  b"']],
  [`a "" ''b`, ["a", "", "b"]],
  [String.raw`/my\ tools/run "a\"b" 'c\d'`, ["/my tools/run", 'a"b', String.raw`c\d`]],
  ["$HOME/*", ["$HOME/*"]],
  ["a\\", ["a\\"]],
])("the words of %j", (line, words) => {
  expect(commandWords(line)).toEqual(words);
});

test.each([`a "b`, "it's"])("a quote is open in %j", (line) => {
  expect(commandWords(line)).toBeNull();
});
