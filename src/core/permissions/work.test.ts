/** How the work of a decision grows, in steps: never in time, which depends on the machine. */
import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { FileAccess, ShellAccess } from "./resolved-access.js";
import { parseRule, type Rule } from "./rule.js";
import type { SimpleCommand } from "./shell-analysis.js";
import { ruleGroups } from "./rule-groups.js";
import { countWork, spend, unlessTooMuch } from "./work.js";

const TOO_MUCH = {
  verdict: "ask",
  rule: null,
  file: null,
  because: "It takes too long to judge: there is too much in it, or there are too many rules.",
};

function rules(effect: Rule["effect"], count: number, text: (index: number) => string): readonly Rule[] {
  return Array.from({ length: count }, (_, index) => {
    const parsed = parseRule(text(index));
    if (!parsed.ok) throw new Error(parsed.message);
    const origin = { file: "permissions.toml", line: 1, kind: "project", root: "/srv/app" } as const;
    return { effect, category: parsed.category, pattern: parsed.pattern, text: text(index), origin };
  });
}

function line(words: readonly string[], hints: readonly (readonly string[])[] = []): ShellAccess {
  const command: SimpleCommand = {
    words,
    text: words.join(" "),
    unknown: [],
    assignments: [],
    dynamic: false,
    wrappers: [],
    outer: null,
    needsAllow: true,
    elsewhere: [],
  };
  const analysis = {
    commands: [command],
    files: [],
    hosts: [],
    glimpses: [],
    hints: hints.map((each) => ({ words: each, isText: false })),
    opaque: null,
  };
  return { category: "Shell", command: command.text, analysis, files: [], hosts: [] };
}

const FILE: FileAccess = {
  category: "Read",
  path: "f",
  paths: ["/srv/app/f"],
  targets: ["/srv/app/f"],
  exact: true,
  project: "/srv/app",
  home: "/var/people/ann",
};

const ALLOW = rules("allow", 1, () => "Shell(ls *)");

describe("what takes too long is asked", () => {
  const braces = `{${Array.from({ length: 64 }, (_, index) => `a${index}`).join(",")}}`;
  const stars = `Shell(ls ${"* a ".repeat(16)}* b)`;
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`);

  test.each([
    ["many rules with braces", [FILE], rules("deny", 1_000, (n) => `Read(${braces}/${n})`)],
    [
      "many stars, in many rules",
      [line(["ls", ...Array<string>(900).fill("a")])],
      rules("deny", 500, () => stars),
    ],
    [
      "many rules that name no program, and many words",
      [line(["x"], Array<typeof words>(64).fill(words))],
      rules("deny", 1_000, (n) => `Shell(*a${n}*)`),
    ],
  ])("%s", (_, accesses, denies) => {
    expect(decide(accesses, [...ALLOW, ...denies], [])).toEqual(TOO_MUCH);
  });

  test("also when it was decided before: what is kept changes nothing", () => {
    const all = rules("deny", 1_000, (n) => `Read(${braces}/${n})`);
    expect([1, 2].map(() => decide([FILE], all, []))).toEqual([TOO_MUCH, TOO_MUCH]);
  });

  test("but what was denied before is denied", () => {
    const all = [
      ...rules("deny", 1, () => "Shell(rm)"),
      ...rules("deny", 1_000, (n) => `Read(${braces}/${n})`),
    ];
    expect(decide([line(["rm", "x"]), FILE], all, []).verdict).toBe("deny");
    expect(decide([line(["ls", "x"]), FILE], all, []).verdict).toBe("ask");
  });
});

describe("steps", () => {
  const stepsOf = (words: readonly string[], all: readonly Rule[]) =>
    countWork(Infinity, () => words.map((word) => ruleGroups(all).shellFor(word))).steps;

  test("rules that name another program take none", () => {
    const few = rules("deny", 10, (n) => `Shell(tool${n} x)`);
    const many = rules("deny", 5_000, (n) => `Shell(tool${n} x)`);
    expect(stepsOf(["ls", "tool3"], many)).toBe(stepsOf(["ls", "tool3"], few));
  });

  test("rules stand as they were given", () => {
    const all = ["rm a", "* b", "rm c", "r* d", "ls e", "/bin/rm f"].flatMap((pattern) =>
      rules("deny", 1, () => `Shell(${pattern})`),
    );
    expect(
      ruleGroups(all)
        .shellFor("RM")
        .deny.map(({ pattern }) => pattern),
    ).toEqual(["rm a", "* b", "rm c", "r* d", "/bin/rm f"]);
  });

  test("are counted, and end", () => {
    const run = () =>
      unlessTooMuch<number | null>(() => Array.from({ length: 5 }, () => spend(2)).length, null);
    expect(countWork(10, run)).toEqual({ result: 5, steps: 10, isTooMuch: false });
    expect(countWork(9, run)).toEqual({ result: null, steps: 10, isTooMuch: true });
  });
});

test("a rule has so many stars", () => {
  const text = (stars: number) => `Shell(ls ${"* a ".repeat(stars)})`;
  expect(parseRule(text(32)).ok).toBe(true);
  const refused = parseRule(text(33));
  expect(refused.ok ? "" : refused.message).toContain("the pattern has more than 32 stars");
  expect(parseRule(`Shell(ls ${"\\* ".repeat(50)})`).ok).toBe(true);
});
