import { expect, test } from "vitest";
import { decide } from "./decide.js";
import type { FileAccess, ResolvedAccess, ShellAccess } from "./resolved-access.js";
import { parseRule, type Rule } from "./rule.js";
import type { SimpleCommand } from "./shell-analysis.js";
import { suggestRules } from "./suggest-rule.js";

function file(category: "Read" | "Write", path: string): FileAccess {
  const base = { exact: true, project: "/srv/app", home: "/var/people/ann" };
  return { category, path, paths: [path], targets: [path], ...base };
}

function command(words: readonly string[], more: Partial<SimpleCommand> = {}): SimpleCommand {
  const plain = {
    unknown: [],
    assignments: [],
    dynamic: false,
    wrappers: [],
    outer: null,
    needsAllow: true,
    elsewhere: [],
  };
  return { words, text: words.join(" "), ...plain, ...more };
}

function shell(commands: readonly SimpleCommand[], more: Partial<ShellAccess> = {}): ShellAccess {
  const analysis = { commands, files: [], hosts: [], glimpses: [], hints: [], opaque: null };
  return { category: "Shell", command: "", analysis, files: [], hosts: [], ...more };
}

function granted(texts: readonly string[]): readonly Rule[] {
  return texts.map((text) => {
    const parsed = parseRule(text);
    if (!parsed.ok) throw new Error(parsed.message);
    const origin = { file: null, line: null, kind: "grant", root: "/srv/app" } as const;
    return { effect: "grant", category: parsed.category, pattern: parsed.pattern, text, origin };
  });
}

const REDIRECTION = {
  category: "Write",
  path: "out",
  exact: true,
  demand: "allow",
  certain: true,
  command: 0,
} as const;

test.each<[string, readonly ResolvedAccess[], readonly string[]]>([
  ["a command", [shell([command(["git", "status"])])], ["Shell(git status)"]],
  ["a command with signs", [shell([command(["echo", "a (b) *", ""])])], ["Shell(echo 'a \\(b\\) \\*' '')"]],
  [
    "each command once",
    [shell([command(["ls"]), command(["pwd"]), command(["ls"])])],
    ["Shell(ls)", "Shell(pwd)"],
  ],
  [
    "what is inside of what only runs it",
    [shell([command(["timeout", "5", "ls"], { needsAllow: false }), command(["ls"], { outer: 0 })])],
    ["Shell(ls)"],
  ],
  ["what is outside", [shell([command(["sudo", "ls"]), command(["ls"], { outer: 0 })])], ["Shell(sudo ls)"]],
  ["assignments", [shell([command(["ls"], { assignments: ["A=b c"] })])], ["Shell('A=b c' ls)"]],
  [
    "a redirection",
    [shell([command(["ls"])], { files: [{ use: REDIRECTION, access: file("Write", "/srv/app/out") }] })],
    ["Shell(ls)", "Write(out)"],
  ],
  ["a file of the project", [file("Write", "/srv/app/src/[id].ts")], ["Write(src/\\[id\\].ts)"]],
  ["a file elsewhere", [file("Read", "/etc/hosts")], ["Read(/etc/hosts)"]],
  ["a tool of a server", [{ category: "Mcp", server: "a", tool: "b*" }], ["Mcp(a/b\\*)"]],
  ["a host", [{ category: "Web", host: "a.b", hosts: ["a.b"] }], ["Web(a.b)"]],
  ["a tool", [{ category: "Tool", name: "X" }], ["Tool(X)"]],
])("%s", (_, accesses, expected) => {
  const rules = suggestRules(accesses);
  expect(rules).toEqual(expected);
  expect(decide(accesses, granted(rules), []).verdict).toBe("allow");
});

test.each<[string, readonly ResolvedAccess[]]>([
  ["nothing", []],
  [
    "a line that cannot be seen through",
    [shell([command(["ls"])], { analysis: { ...shell([command(["ls"])]).analysis, opaque: "x" } })],
  ],
  ["a word that is computed", [shell([command(["ls", "$X"], { unknown: [1], dynamic: true })])]],
  ["a line without a command", [shell([])]],
  ["one of several that cannot be", [file("Read", "/a"), shell([])]],
  ["a name that cannot be seen", [file("Read", "/srv/app/a\u200b")]],
])("no rule for %s", (_, accesses) => {
  expect(suggestRules(accesses)).toEqual([]);
});
