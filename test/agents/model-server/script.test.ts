import { expect, test } from "vitest";
import { hasDirectives, NO_SCRIPT, parseScript, ScriptError } from "./script.js";

test("reads every directive, and nothing else", () => {
  const text = `Please [[id:A1]] look [[wait:5]] and [[think]] then
    [[shell:echo "[x]" && [[ -f a ]] && ls]] [[write:a/b.txt=one=two
three]] [[read:c.txt]] [[ask:Which?|red|blue]] [[tool:Task={"list":[[1],[2]],"text":"]] {"}]]
    [[parallel]] [[slow:20]] [[chunks:3]] [[text:All done.]]`;
  expect(parseScript(text)).toEqual({
    ...NO_SCRIPT,
    id: "A1",
    waitMs: 5,
    think: "pondering",
    steps: [
      { type: "shell", command: 'echo "[x]" && [[ -f a ]] && ls' },
      { type: "write", path: "a/b.txt", content: "one=two\nthree" },
      { type: "read", path: "c.txt" },
      { type: "ask", question: "Which?", options: ["red", "blue"] },
      { type: "tool", name: "Task", input: { list: [[1], [2]], text: "]] {" } },
    ],
    parallel: true,
    slowMs: 20,
    chunks: 3,
    text: "All done.",
  });
});

test("reads what goes wrong", () => {
  expect(parseScript("[[error:529]]").error).toEqual({ status: 529, times: Infinity });
  expect(parseScript("[[errorn:2:503]]").error).toEqual({ status: 503, times: 2 });
  expect(parseScript("[[hang]][[drop]]")).toEqual({ ...NO_SCRIPT, hang: true, drop: true });
  expect(parseScript("[[cut]]")).toEqual({ ...NO_SCRIPT, cut: true });
});

test("a second id begins anew", () => {
  const text = "One. [[id:A]] [[error:400]] [[text:a]]\n\nTwo. [[id:B]] [[text:b]]";
  expect(parseScript(text)).toEqual({ ...NO_SCRIPT, id: "B", text: "b" });
});

test("a value may hold directives of its own", () => {
  const text = '[[tool:Agent={"prompt":"go [[shell:ls]] [[text:found]]"}]] [[text:say [[x]] twice]]';
  expect(parseScript(text)).toEqual({
    ...NO_SCRIPT,
    steps: [{ type: "tool", name: "Agent", input: { prompt: "go [[shell:ls]] [[text:found]]" } }],
    text: "say [[x]] twice",
  });
});

test("words without directives have none", () => {
  expect(parseScript("a [b] and [[ -f x ]] and [[text:open")).toEqual(NO_SCRIPT);
  expect(hasDirectives("if [[ $a == b ]]")).toBe(false);
  expect(hasDirectives("go [[hang]]")).toBe(true);
});

test("a mistake is told", () => {
  expect(() => parseScript("[[shel:ls]]")).toThrow(new ScriptError("no such directive: shel"));
  expect(() => parseScript("[[slow:soon]]")).toThrow(new ScriptError('slow wants a number, not "soon"'));
  expect(() => parseScript("[[tool:X={1}]]")).toThrow(ScriptError);
});
