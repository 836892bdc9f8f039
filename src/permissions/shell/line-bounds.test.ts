/** What is too much of a line is not read, and no rule allows it. What was seen before still counts. */
import { describe, expect, test } from "vitest";
import { analyzeShell } from "./analyze-shell.js";
import { holdsAssignment } from "./variable-risk.js";

function analyze(line: string) {
  return analyzeShell(line, "bash", "/srv/app");
}

describe("bounds", () => {
  test.each([
    [
      "substitutions",
      `rm -rf x; echo ${"$(echo ".repeat(200)}ls${")".repeat(200)}`,
      "it is nested too deeply",
    ],
    ["sums", `rm -rf x; echo $((${"1+".repeat(500)}1))`, "it is nested too deeply"],
    ["functions", `rm -rf x; ${"f() ".repeat(8_000)}`, "it is nested too deeply"],
    ["braces", `rm -rf x; echo ${"{".repeat(2_000)}`, "it has too many braces"],
    ["braces in another shell", `rm -rf x; sh -c '${"{".repeat(2_000)}'`, "it has too many braces"],
    ["words", `rm -rf x; ls ${"a ".repeat(1_001)}`, "a command has more than 1000 words"],
    ["assignments", `rm -rf x; ${"a=1 ".repeat(1_001)} ls`, "a command has more than 1000 words"],
    ["a long word", `rm -rf x; ls ${"a".repeat(16_385)}`, "a word has more than 16384 characters"],
    ["redirections", `rm -rf x; ls ${">a ".repeat(5_000)}`, "it takes too long to read"],
    ["counting", `rm -rf x; let a${"a".repeat(2_000)}`, "it counts with a very long text"],
  ])("%s", (_, line, opaque) => {
    const analysis = analyze(line);
    expect(analysis.opaque).toBe(opaque);
    const seen = [...analysis.commands.map(({ words }) => words), ...analysis.glimpses];
    expect(seen.some(([program, option]) => program === "rm" && option === "-rf")).toBe(true);
  });

  test("a long here-document is read", () => {
    const text = "const a = { b: [`$c`] };\n".repeat(1_200);
    expect(analyze(`cat > a.ts <<'EOF'\n${text}EOF`).opaque).toBe(null);
  });
});

test("find deletes once, however often it is told to", () => {
  const programs = (line: string) => analyze(line).commands.map(({ words }) => words[0]);
  expect(programs("find a b -delete -delete -delete")).toEqual(["find", "rm"]);
});

test("one word of many parts is one of which nothing is known", () => {
  const [command] = analyze(`ls ${"'a'".repeat(5_000)}`).commands;
  expect(command?.unknown).toEqual([1]);
});

test.each([
  ["PATH=1", true],
  ["1PATH=1", true],
  ["a1PATH=1", false],
  ["a+PATH += 1", true],
  ["PATH", false],
  ["é PATH\t|=2", true],
])("%j assigns to what chooses programs: %s", (text, expected) => {
  expect(holdsAssignment(text)).toBe(expected);
});

test("hosts behind a scheme, wherever it stands", () => {
  const hosts = (word: string) => analyze(`tool ${word}`).hosts.map(({ host }) => host);
  expect(hosts("https://a.example/x")).toEqual(["a.example"]);
  expect(hosts("--to=git+ssh://b.example,http://c.example")).toEqual(["b.example,http:"]);
  expect(hosts("'x http://a.example y HTTP://b.example'")).toEqual(["a.example", "b.example"]);
  expect(hosts("://a.example")).toEqual([]);
});
